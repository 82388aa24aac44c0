import { OutboundFailure, type OutboundRequest } from '../../application/ports/outbound.ts';
import { parseUrl } from './destination.ts';

export interface Hop extends Omit<OutboundRequest, 'url'> {
  readonly url: URL;
}

const statuses = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number, headers: Readonly<Record<string, string>>) => statuses.has(status) && 'location' in headers;

/** What another origin may be told: nothing by which somebody is recognised, whatever the header is called. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

const only = (headers: Hop['headers'], keep: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name.toLowerCase())));

/** 303 always, and 301 and 302 after a POST, ask for the other address to be fetched (RFC 9110 section 15.4). */
const becomesGet = (status: number, method: Hop['method']) =>
  (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');

/** The request that a redirect asks for; nothing of it is trusted more than the first one. */
export const redirected = (hop: Hop, status: number, location: string, httpsOnly: boolean): Hop => {
  const target = URL.parse(location, hop.url.href);
  if (!target) throw new OutboundFailure('invalid_answer', `The host ${hop.url.hostname} redirects to something that is no address.`);
  const url = parseUrl(target.href, httpsOnly);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundFailure('refused', `The host ${hop.url.hostname} redirects from https:// to http://, which is not followed.`);
  }
  const known = url.origin === hop.url.origin ? hop.headers : only(hop.headers, (name) => harmless.has(name));
  if (!becomesGet(status, hop.method)) return { ...hop, url, headers: known };
  return { method: 'GET', url, headers: only(known, (name) => !name.startsWith('content-')), body: null };
};
