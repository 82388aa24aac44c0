import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { OutboundFailure } from '../../application/ports/outbound.ts';
import { type AddressClass, classOf, isPermissible } from './addresses.ts';

/** Every address of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Where a request goes: the connection is made to one of these addresses and to no other. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

const MAX_URL_CHARACTERS = 8192;

const refuse = (message: string) => new OutboundFailure('refused', message);

/** The URL parser has brought decimal, octal, hexadecimal and full-width forms of addresses to the usual one. */
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

/** An entry as URLs spell it: lower case, addresses in their usual form. The default port is spelled out. */
const normalised = (entry: string): string => {
  const url = URL.parse(`http://${entry}`);
  if (!url) return '';
  return /:\d+$/.test(entry) && isIP(entry) === 0 ? `${hostnameOf(url)}:${portOf(url)}` : hostnameOf(url);
};

/** Whether one of the entries, `host` or `host:port`, names where the URL leads. */
export const isAllowed = (url: URL, entries: readonly string[]): boolean => {
  const names = [hostnameOf(url), `${hostnameOf(url)}:${portOf(url)}`];
  return entries.some((entry) => names.includes(normalised(entry)));
};

const words: Readonly<Record<AddressClass, string>> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  shared: 'a shared (carrier-grade NAT) address',
  'link-local': 'a link-local address',
  multicast: 'a multicast address',
  documentation: 'a documentation address',
  transition: 'an address of an IPv6 transition mechanism',
  reserved: 'a reserved address',
};

/** Resolves the name once and looks at every address of it: one that is forbidden forbids the host. */
export const resolve = async (url: URL, lookup: Lookup, allowedHosts: readonly string[]): Promise<Destination> => {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(hostname);
  const addresses = family === 0 ? await lookup(hostname) : [{ address: hostname, family }];
  if (addresses.length === 0) throw new OutboundFailure('unreachable', `The host ${url.hostname} cannot be found.`);
  const allowed = isAllowed(url, allowedHosts);
  for (const { address } of addresses) {
    const kind = classOf(address);
    if (kind === null || (allowed && isPermissible(kind))) continue;
    throw refuse(`The host ${url.hostname} ${family === 0 ? 'leads to' : 'is'} ${words[kind]}, which requests are not sent to.`);
  }
  return { url, addresses };
};
