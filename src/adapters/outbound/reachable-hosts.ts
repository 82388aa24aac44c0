import { OutboundFailure, type ReachableHosts } from '../../application/ports/outbound.ts';
import { abortable } from '../../application/shared/async.ts';
import { type Lookup, resolve, systemLookup } from './destination.ts';

interface Settings {
  /** Hosts (`host` or `host:port`) that may be at private addresses. */
  readonly allowedHosts: readonly string[];
  readonly lookup?: Lookup;
}

export const reachableHosts = ({ allowedHosts, lookup = systemLookup }: Settings): ReachableHosts => ({
  async addressesOf(host, port, signal) {
    // The URL parser brings decimal, octal and hexadecimal spellings of addresses to the usual one.
    const url = URL.parse(`http://${host}:${port}`);
    if (!url) throw new OutboundFailure('refused', `${host} is not the name of a host.`, { host });
    try {
      return await abortable(resolve(url, lookup, allowedHosts), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundFailure) throw error;
      throw new OutboundFailure('unreachable', `The host ${host} cannot be found.`, { host, cause: error });
    }
  },
});
