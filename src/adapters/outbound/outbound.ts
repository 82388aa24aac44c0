import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundHead,
  type OutboundTerms,
} from '../../application/ports/outbound.ts';
import { abortable, deadline } from '../../application/shared/async.ts';
import { codeOf as ownCodeOf } from '../../domain/errors.ts';
import { ACCEPT_ENCODING, readBeginning, readWhole } from './body.ts';
import { type Hop, isRedirect, type Lookup, parseUrl, redirected, resolve, systemLookup } from './destination.ts';

interface Settings {
  /** Hosts (`host` or `host:port`) that may be at private addresses in every request. */
  readonly allowedHosts: readonly string[];
  readonly lookup?: Lookup;
  /** Certificates to trust instead of Node's. */
  readonly ca?: string;
}

/** Headers that frame the message or choose its destination: callers may not set them. */
const reserved = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

const headersOf = (headers: Hop['headers']): Hop['headers'] => {
  const names = Object.keys(headers);
  const wrong = names.find((name) => reserved.test(name));
  if (wrong !== undefined) throw new OutboundFailure('refused', `The header ${wrong} cannot be set.`);
  const has = (name: string) => names.some((each) => each.toLowerCase() === name);
  return {
    ...headers,
    ...(!has('user-agent') && { 'user-agent': 'Portico' }),
    ...(!has('accept-encoding') && { 'accept-encoding': ACCEPT_ENCODING }),
  };
};

type Addresses = Awaited<ReturnType<typeof resolve>>;

/** Answers with the addresses that were checked, and no other: a second lookup could find others. */
const pinnedLookup = (addresses: Addresses): LookupFunction => {
  const [first] = addresses;
  return (_hostname, options, answer) =>
    options.all ? answer(null, [...addresses]) : answer(null, first?.address ?? '', first?.family ?? 0);
};

const flat = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^set-cookie2?$/.test(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const readBody = async (
  method: string,
  body: Dispatcher.ResponseData['body'],
  head: OutboundHead,
  terms: OutboundTerms,
): Promise<Pick<OutboundAnswer, 'body' | 'brokeOff'>> => {
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return { body: new Uint8Array() };
  const encoding = head.headers['content-encoding'] ?? '';
  if (terms.read === 'beginning') return readBeginning(body, encoding, terms.maxBytes);
  return { body: await readWhole(body, encoding, terms.maxBytes, (piece) => terms.onPiece?.(head, piece)) };
};

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return ownCodeOf(error) || (error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_INVALID' : '');
};

const hostNotFound = /^(ENOTFOUND|EAI_|ENODATA)/;
const invalidCertificate = /CERT|^ERR_TLS_CERT|^UNABLE_TO_|SELF_SIGNED/;
const invalidHttp = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/;

/** The failure in a sentence that may be shown to the user. */
const explained = (error: unknown, host: string): OutboundFailure => {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const failure = (reason: OutboundFailure['reason'], message: string) =>
    new OutboundFailure(reason, message, { host, cause: error });
  if (hostNotFound.test(code)) return failure('unreachable', `The host ${host} cannot be found.`);
  if (code === 'ECONNREFUSED') return failure('unreachable', `The host ${host} refuses the connection.`);
  if (code === 'UND_ERR_INVALID_ARG') return failure('refused', 'A header or the method of the request is not valid.');
  if (invalidCertificate.test(code))
    return failure('unreachable', `The TLS certificate of ${host} is not valid (${code}).`);
  if (invalidHttp.test(code)) return failure('invalid_answer', `What ${host} answers is not valid HTTP (${code}).`);
  return failure('unreachable', `The connection to ${host} failed${code === '' ? '' : ` (${code})`}.`);
};

export const safeOutbound = ({ allowedHosts, lookup = systemLookup, ca }: Settings): Outbound => {
  /** Opens a connection for each request, because an open one may have been checked under other terms. */
  const sendOnce = async (
    hop: Hop,
    addresses: Addresses,
    terms: OutboundTerms,
    signal: AbortSignal,
  ): Promise<OutboundAnswer> => {
    const { Client } = await import('undici');
    const connect = {
      lookup: pinnedLookup(addresses),
      timeout: terms.timeoutSeconds * 1000,
      ...(ca !== undefined && { ca }),
    };
    const client = new Client(hop.url.origin, { connect, autoSelectFamily: true, headersTimeout: 0, bodyTimeout: 0 });
    try {
      const { method, headers, body, url } = hop;
      const answer = await client.request({
        path: url.pathname + url.search,
        method,
        headers,
        body,
        signal,
        // With `Connection: close`, undici takes a body that breaks off for a whole one; who reads pieces goes on with another request.
        reset: terms.onPiece !== undefined,
      });
      const head: OutboundHead = { status: answer.statusCode, headers: flat(answer.headers) };
      const skipped = terms.redirects > 0 && isRedirect(head.status, head.headers);
      const read = skipped ? { body: new Uint8Array() } : await readBody(method, answer.body, head, terms);
      return { ...head, ...read, url: url.href };
    } finally {
      await client.destroy().catch(() => {});
    }
  };

  const follow = async (first: Hop, terms: OutboundTerms, signal: AbortSignal): Promise<OutboundAnswer> => {
    const allowed = [...allowedHosts, ...(terms.allowedHosts ?? [])];
    let hop = first;
    for (let followed = 0; followed <= terms.redirects; followed++) {
      try {
        const addresses = await abortable(resolve(hop.url, lookup, allowed), signal);
        const answer = await sendOnce(hop, addresses, terms, signal);
        if (terms.redirects === 0 || !isRedirect(answer.status, answer.headers)) return answer;
        hop = redirected(hop, answer.status, answer.headers.location ?? '', terms.httpsOnly ?? false);
      } catch (error) {
        signal.throwIfAborted();
        throw explained(error, hop.url.hostname);
      }
    }
    throw new OutboundFailure(
      'invalid_answer',
      `The host ${first.url.hostname} redirects over ${terms.redirects} times.`,
      { host: first.url.hostname },
    );
  };

  return {
    async send(request, terms, signal) {
      signal.throwIfAborted();
      const url = parseUrl(request.url, terms.httpsOnly ?? false);
      const first = { ...request, url, headers: headersOf(request.headers) };
      // Not `inTime`, which rejects: a body of which only the beginning is wanted ends at the time-out without an error.
      const timeout = deadline(terms.timeoutSeconds);
      try {
        return await follow(first, terms, AbortSignal.any([signal, timeout]));
      } catch (error) {
        signal.throwIfAborted();
        if (!timeout.aborted) throw error;
        throw new OutboundFailure(
          'timeout',
          `The host ${url.hostname} did not answer within ${terms.timeoutSeconds} seconds.`,
          { host: url.hostname },
        );
      }
    },
  };
};
