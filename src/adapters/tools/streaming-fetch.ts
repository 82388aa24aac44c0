import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Outbound, OutboundAnswer, OutboundHead, OutboundRequest } from '../../application/ports/outbound.ts';
import type { RemoteTerms } from '../../application/ports/tools.ts';

/** The body has been decoded by then, and is as long as it is. */
const stale = /^(content-encoding|content-length|transfer-encoding)$/;
const bodiless = new Set([101, 204, 205, 304]);

const responseOf = (body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>, { status, headers }: OutboundHead): Response => {
  const kept = Object.entries(headers).filter(([name]) => !stale.test(name));
  return new Response(bodiless.has(status) ? null : body, { status, headers: kept });
};

/** A response that begins with the first piece of its body. */
const beginning = (respond: (response: Response) => void) => {
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isWanted = true;
  const begin = (head: OutboundHead) => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      stream = controller;
    };
    const cancel = () => {
      isWanted = false;
    };
    respond(responseOf(new ReadableStream({ start, cancel }), head));
  };
  return {
    hear(head: OutboundHead, piece: Uint8Array) {
      if (stream === null) begin(head);
      if (isWanted) stream?.enqueue(piece);
    },
    end(answer: OutboundAnswer) {
      if (stream === null) respond(responseOf(new Uint8Array(), answer));
      else if (isWanted) stream.close();
    },
    fail: (error: unknown) => stream?.error(error),
  };
};

interface Settings {
  readonly outbound: Outbound;
  readonly terms: RemoteTerms & { readonly allowedHosts: readonly string[] };
  readonly signal: AbortSignal;
  /** Is told what went wrong, before or after a response began. */
  failed(error: unknown): void;
}

/** Requests of a client as requests that never reach a place only Portico can. It listens to no stream that has no end. */
export const streamingFetch = ({ outbound, terms, signal, failed }: Settings): FetchLike => {
  return async (url, { method = 'GET', body = null, headers } = {}) => {
    if (method === 'GET') return new Response(null, { status: 405 });
    const request: OutboundRequest = {
      method: method as OutboundRequest['method'],
      url: String(url),
      headers: Object.fromEntries(new Headers(headers)),
      body: body === null ? null : String(body),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { hear, end, fail } = beginning(resolve);
    outbound.send(request, { ...terms, redirects: 0, hear }, signal).then(end, (error: unknown) => {
      failed(error);
      fail(error);
      reject(error);
    });
    return promise;
  };
};
