import pLimit from 'p-limit';
import { type Outbound, OutboundFailure } from '../../application/ports/outbound.ts';
import type { Log } from '../../application/ports/runtime.ts';

export const MOST_DOCUMENT_BYTES = 16 * 1024;
const TIMEOUT_SECONDS = 5;
const LONGEST_ADDRESS = 1000;
/** Anybody can name an address: few are asked at a time, and nobody waits in a long line. */
const AT_ONCE = 8;
const MOST_WAITING = 50;

/** Whether a client id is fetched at all: an address with a path, where documents are. */
export const mayBeDocument = (clientId: string) => clientId.length <= LONGEST_ADDRESS && (URL.parse(clientId)?.pathname ?? '/') !== '/';

/** Fetches for the library, which knows nothing of where Portico may send requests to. */
export const documentFetch = (outbound: Outbound, log: Log) => {
  const slots = pLimit(AT_ONCE);
  const terms = { timeoutSeconds: TIMEOUT_SECONDS, maxBytes: MOST_DOCUMENT_BYTES, redirects: 0, httpsOnly: true } as const;

  const fetched = async (url: string): Promise<Response> => {
    const request = { method: 'GET', url, headers: { accept: 'application/json' }, body: null } as const;
    const { status, headers, body } = await outbound.send(request, terms, new AbortController().signal);
    return new Response(status === 200 ? Buffer.from(body) : null, { status, headers: { ...headers, 'content-length': `${body.length}` } });
  };

  return (input: string | URL | Request): Promise<Response> => {
    if (slots.pendingCount >= MOST_WAITING) return Promise.reject(new Error('too many client documents are being fetched'));
    const url = input instanceof Request ? input.url : String(input);
    return slots(() =>
      fetched(url).catch((error: unknown) => {
        if (error instanceof OutboundFailure)
          log.info({ reason: error.reason, detail: error.message }, 'A client document was not fetched.');
        throw error;
      }),
    );
  };
};
