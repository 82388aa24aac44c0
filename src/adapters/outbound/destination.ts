import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import pLimit from 'p-limit';
import { OutboundFailure, type OutboundRequest } from '../../application/ports/outbound.ts';
import { sharedWork } from '../../application/shared/shared-work.ts';
import { type AddressClass, classOf, isPermissible } from './addresses.ts';

/** Finds every address of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Node resolves names on the threads that file access needs too, and slow name servers must not block all of them. */
const lookupSlots = pLimit(2);

/** Looks a name up once for all requests that wait for it, so that many to a name that no server answers take one of the slots, and for no longer. */
export const lookupOnce = (lookup: Lookup): Lookup => {
  const once = sharedWork<readonly LookupAddress[]>();
  return (hostname) => once(hostname, () => lookup(hostname), new AbortController().signal);
};

export const systemLookup: Lookup = lookupOnce((hostname) =>
  lookupSlots(() => dnsLookup(hostname, { all: true, verbatim: true })),
);

const MAX_URL_CHARACTERS = 8192;

const refuse = (message: string, host: string | null = null) => new OutboundFailure('refused', message, { host });

/** The URL parser brings decimal, octal, hexadecimal and full-width spellings of addresses to the usual one. */
export const parseUrl = (text: string, httpsOnly: boolean): URL => {
  const url = text.length <= MAX_URL_CHARACTERS ? URL.parse(text) : null;
  if (!url || url.hostname === '') throw refuse('The address is not a URL that begins with http:// or https://.');
  if (url.protocol !== 'https:' && (httpsOnly || url.protocol !== 'http:')) {
    throw refuse(`The address must begin with https://${httpsOnly ? '' : ' or http://'}.`);
  }
  if (url.username !== '' || url.password !== '') throw refuse('The address must not hold a user name or a password.');
  url.hash = '';
  return url;
};

const hostnameOf = (url: URL) => url.hostname.replace(/\.$/, '');
const portOf = (url: URL) => url.port || (url.protocol === 'https:' ? '443' : '80');

/** An entry of the configuration as URLs spell it, with the port only if the entry has one. */
const normalised = (entry: string): string => {
  const url = URL.parse(`http://${entry}`);
  if (!url) return '';
  return /:\d+$/.test(entry) && isIP(entry) === 0 ? `${hostnameOf(url)}:${portOf(url)}` : hostnameOf(url);
};

/** Whether one of the entries, `host` or `host:port`, names the host of the URL. */
export const isAllowed = (url: URL, entries: readonly string[]): boolean => {
  const names = [hostnameOf(url), `${hostnameOf(url)}:${portOf(url)}`];
  return entries.some((entry) => names.includes(normalised(entry)));
};

/** Where `a … address` does not describe it. */
const descriptions: Partial<Readonly<Record<AddressClass, string>>> = {
  unspecified: 'an unspecified address',
  shared: 'a shared (carrier-grade NAT) address',
  transition: 'an address of an IPv6 transition mechanism',
};

/** The addresses of the host. It looks the name up once and checks every address: a single forbidden address forbids the host. */
export const resolve = async (
  url: URL,
  lookup: Lookup,
  allowedHosts: readonly string[],
): Promise<readonly LookupAddress[]> => {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(hostname);
  const addresses = family === 0 ? await lookup(hostname) : [{ address: hostname, family }];
  const { hostname: host } = url;
  if (addresses.length === 0) throw new OutboundFailure('unreachable', `The host ${host} cannot be found.`, { host });
  const allowed = isAllowed(url, allowedHosts);
  for (const { address } of addresses) {
    const kind = classOf(address);
    if (kind === null || (allowed && isPermissible(kind))) continue;
    const what = descriptions[kind] ?? `a ${kind} address`;
    throw refuse(`The host ${host} ${family === 0 ? 'leads to' : 'is'} ${what}, which requests are not sent to.`, host);
  }
  return addresses;
};

/** A request or one of its redirects. */
export interface Hop extends Omit<OutboundRequest, 'url'> {
  readonly url: URL;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number, headers: Readonly<Record<string, string>>) =>
  redirectStatuses.has(status) && 'location' in headers;

/** The only headers that go to another origin: any other one may be a credential. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

const only = (headers: Hop['headers'], keep: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name.toLowerCase())));

/** RFC 9110 section 15.4: 303 always changes the method to GET, 301 and 302 change POST. */
const becomesGet = (status: number, method: Hop['method']) =>
  (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');

/** The request that a redirect asks for. It is checked like the first one. */
export const redirected = (hop: Hop, status: number, location: string, httpsOnly: boolean): Hop => {
  const target = URL.parse(location, hop.url.href);
  const { hostname: host } = hop.url;
  if (!target)
    throw new OutboundFailure('invalid_answer', `The host ${host} redirects to something that is no address.`, {
      host,
    });
  const url = parseUrl(target.href, httpsOnly);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refuse(`The host ${host} redirects from https:// to http://, which is not followed.`, host);
  }
  const headers = url.origin === hop.url.origin ? hop.headers : only(hop.headers, (name) => harmless.has(name));
  if (!becomesGet(status, hop.method)) return { ...hop, url, headers };
  return { method: 'GET', url, headers: only(headers, (name) => !name.startsWith('content-')), body: null };
};
