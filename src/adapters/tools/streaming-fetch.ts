import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Outbound, OutboundAnswer, OutboundHead, OutboundRequest } from '../../application/ports/outbound.ts';
import type { RemoteTerms } from '../../application/ports/tools.ts';
import { readableBody } from './protocol-messages.ts';

type Words = (text: string) => string;

/** They describe the body as it traveled, before it was decoded. */
const staleHeaders = /^(content-encoding|content-length|transfer-encoding)$/;
const statusesWithoutBody = new Set([101, 204, 205, 304]);

const responseOf = (
  body: ReadableStream<Uint8Array> | null,
  { status, headers }: OutboundHead,
  words: Words,
): Response => {
  const kept = Object.entries(headers).filter(([name]) => !staleHeaders.test(name));
  const readable = body && readableBody(body, headers['content-type'] ?? '', words);
  return new Response(statusesWithoutBody.has(status) ? null : readable, { status, headers: kept });
};

/** Responds as soon as the first piece of the body is there; the response's body streams the others. */
const streamedResponse = (words: Words, respond: (response: Response) => void) => {
  let writer: WritableStreamDefaultWriter<Uint8Array> | null = null;
  /** Writing fails once the reader has cancelled the body, which is not an error here. */
  const ignore = () => {};
  return {
    onPiece(head: OutboundHead, piece: Uint8Array) {
      if (writer === null) {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        writer = writable.getWriter();
        respond(responseOf(readable, head, words));
      }
      writer.write(piece).catch(ignore);
    },
    end(answer: OutboundAnswer) {
      if (writer === null) respond(responseOf(null, answer, words));
      else writer.close().catch(ignore);
    },
    fail: (error: unknown) => void writer?.abort(error).catch(ignore),
  };
};

interface Settings {
  readonly outbound: Outbound;
  readonly terms: RemoteTerms & { readonly allowedHosts: readonly string[] };
  readonly signal: AbortSignal;
  /** What is read of an answer's text. */
  readonly words: Words;
  /** Gets every error, also those after a response has begun. */
  onError(error: unknown): void;
}

/** A server that goes on without a result has ended its stream so often that it will not give one. */
const MAX_RESUMED = 200;

/**
 * A `fetch` that sends requests only where Portico may. It refuses a GET with which the client opens a stream that never ends, and not one by
 * which it goes on with the stream of a call that its server has ended before the result.
 */
export const streamingFetch = ({ outbound, terms, signal, words, onError }: Settings): FetchLike => {
  let resumed = 0;
  const isRefused = (method: string, headers: Headers) =>
    method === 'GET' && (!headers.has('last-event-id') || ++resumed > MAX_RESUMED);
  return async (url, { method = 'GET', body = null, headers } = {}) => {
    if (isRefused(method, new Headers(headers))) return new Response(null, { status: 405 });
    const request: OutboundRequest = {
      method: method as OutboundRequest['method'],
      url: String(url),
      headers: Object.fromEntries(new Headers(headers)),
      body: body === null ? null : String(body),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { onPiece, end, fail } = streamedResponse(words, resolve);
    outbound.send(request, { ...terms, redirects: 0, onPiece }, signal).then(end, (error: unknown) => {
      onError(error);
      fail(error);
      reject(error);
    });
    return promise;
  };
};
