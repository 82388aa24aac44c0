import { lookup as dnsLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import pLimit from 'p-limit';
import type { Dispatcher } from 'undici';
import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundHead,
  type OutboundTerms,
} from '../../application/ports/outbound.ts';
import { ACCEPT_ENCODING, readBeginning, readWhole } from './body.ts';
import { type Destination, type Lookup, parseUrl, resolve } from './destination.ts';
import { explained } from './failures.ts';
import { type Hop, isRedirect, redirected } from './redirects.ts';

/** Names are looked up on threads that file access needs too: slow name servers must not take all of them. */
const lookupSlots = pLimit(2);
const systemLookup: Lookup = (hostname) => lookupSlots(() => dnsLookup(hostname, { all: true, verbatim: true }));

interface Settings {
  /** Hosts (`host` or `host:port`) that may be at private addresses, whoever asks. */
  readonly allowedHosts: readonly string[];
  readonly lookup?: Lookup;
  /** Certificates to trust besides the usual ones. */
  readonly ca?: string;
}

/** They frame the message or choose where it goes: neither is the caller's. */
const ours = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

const headersOf = (given: Hop['headers']): Hop['headers'] => {
  const names = Object.keys(given);
  const wrong = names.find((name) => ours.test(name));
  if (wrong !== undefined) throw new OutboundFailure('refused', `The header ${wrong} cannot be set.`);
  const has = (name: string) => names.some((each) => each.toLowerCase() === name);
  return {
    ...given,
    ...(!has('user-agent') && { 'user-agent': 'Portico' }),
    ...(!has('accept-encoding') && { 'accept-encoding': ACCEPT_ENCODING }),
  };
};

/** Answers with what was resolved and checked before, so that the name is not asked a second time. */
const pinned = ({ addresses }: Destination): LookupFunction => {
  const [first] = addresses;
  return (_hostname, options, answer) =>
    options.all ? answer(null, [...addresses]) : answer(null, first?.address ?? '', first?.family ?? 0);
};

const flat = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^set-cookie2?$/.test(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const readBody = async (method: string, body: Dispatcher.ResponseData['body'], head: OutboundHead, terms: OutboundTerms) => {
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return new Uint8Array();
  const encoding = head.headers['content-encoding'] ?? '';
  if (terms.read === 'beginning') return readBeginning(body, encoding, terms.maxBytes);
  return readWhole(body, encoding, terms.maxBytes, (piece) => terms.hear?.(head, piece));
};

export const safeOutbound = ({ allowedHosts, lookup = systemLookup, ca }: Settings): Outbound => {
  /** One request on a connection of its own: a kept one might have been opened on other terms. */
  const exchange = async (hop: Hop, destination: Destination, terms: OutboundTerms, signal: AbortSignal): Promise<OutboundAnswer> => {
    const { Client } = await import('undici');
    const connect = { lookup: pinned(destination), timeout: terms.timeoutSeconds * 1000, ...(ca !== undefined && { ca }) };
    const client = new Client(hop.url.origin, { connect, autoSelectFamily: true, headersTimeout: 0, bodyTimeout: 0 });
    try {
      const { method, headers, body, url } = hop;
      const answer = await client.request({ path: url.pathname + url.search, method, headers, body, signal, reset: true });
      const head: OutboundHead = { status: answer.statusCode, headers: flat(answer.headers) };
      const skipped = terms.redirects > 0 && isRedirect(head.status, head.headers);
      const read = skipped ? new Uint8Array() : await readBody(method, answer.body, head, terms);
      return { ...head, body: read, url: url.href };
    } finally {
      await client.destroy().catch(() => {});
    }
  };

  const follow = async (first: Hop, terms: OutboundTerms, signal: AbortSignal): Promise<OutboundAnswer> => {
    const allowed = [...allowedHosts, ...(terms.allowedHosts ?? [])];
    let hop = first;
    for (let followed = 0; followed <= terms.redirects; followed++) {
      try {
        const destination = await Promise.race([resolve(hop.url, lookup, allowed), aborted(signal)]);
        const answer = await exchange(hop, destination, terms, signal);
        if (terms.redirects === 0 || !isRedirect(answer.status, answer.headers)) return answer;
        hop = redirected(hop, answer.status, answer.headers.location ?? '', terms.httpsOnly ?? false);
      } catch (error) {
        signal.throwIfAborted();
        throw explained(error, hop.url.hostname);
      }
    }
    throw new OutboundFailure('invalid_answer', `The host ${first.url.hostname} redirects over ${terms.redirects} times.`);
  };

  return {
    async send(request, terms, signal) {
      signal.throwIfAborted();
      const url = parseUrl(request.url, terms.httpsOnly ?? false);
      const first = { ...request, url, headers: headersOf(request.headers) };
      const deadline = AbortSignal.timeout(terms.timeoutSeconds * 1000);
      try {
        return await follow(first, terms, AbortSignal.any([signal, deadline]));
      } catch (error) {
        signal.throwIfAborted();
        if (!deadline.aborted) throw error;
        throw new OutboundFailure('timeout', `The host ${url.hostname} did not answer within ${terms.timeoutSeconds} seconds.`);
      }
    },
  };
};

/** Rejects when the signal aborts: a name that is being looked up cannot be told to stop. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
