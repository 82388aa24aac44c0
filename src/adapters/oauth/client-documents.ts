import pLimit from 'p-limit';
import { OutboundFailure } from '../../application/ports/outbound.ts';
import type { AuthorizationServerSettings } from './settings.ts';

export const MAX_DOCUMENT_BYTES = 16 * 1024;
const MAX_DOCUMENT_ADDRESS_CHARACTERS = 1000;
const TIMEOUT_SECONDS = 5;
/** Anyone can make the server fetch a document, so only a few are fetched at a time and the queue is short. */
const MAX_CONCURRENT = 8;
const MAX_QUEUED = 50;

/** Documents have a path, so that an address without one is never fetched. */
const mayBeDocument = (clientId: string) =>
  clientId.length <= MAX_DOCUMENT_ADDRESS_CHARACTERS && (URL.parse(clientId)?.pathname ?? '/') !== '/';

/** A document was not fetched. Why is in the log alone: it would tell strangers what the server can reach. */
export class DocumentNotFetched extends Error {
  readonly host: string;

  constructor(host: string, cause: unknown) {
    super(`the document of a client was not fetched from ${host}`, { cause });
    this.name = 'DocumentNotFetched';
    this.host = host;
  }
}

type Settings = Pick<AuthorizationServerSettings, 'outbound' | 'log' | 'clientDocuments' | 'registration'>;

/** The documents that clients publish about themselves (client ID metadata documents). */
export const clientDocumentsOf = ({ outbound, log, clientDocuments: mode, registration }: Settings) => {
  const slots = pLimit(MAX_CONCURRENT);
  const terms = {
    timeoutSeconds: TIMEOUT_SECONDS,
    maxBytes: MAX_DOCUMENT_BYTES,
    redirects: 0,
    httpsOnly: true,
  } as const;
  let wasReached = false;
  let isOut = false;

  const reached = () => {
    wasReached = true;
    isOut = false;
  };

  const fetchDocument = async (url: string): Promise<Response> => {
    const request = { method: 'GET', url, headers: { accept: 'application/json' }, body: null } as const;
    const { status, headers, body } = await outbound.send(request, terms, new AbortController().signal);
    reached();
    return new Response(status === 200 ? Buffer.from(body) : null, {
      status,
      headers: { ...headers, 'content-length': `${body.length}` },
    });
  };

  /** One host that is down says nothing of the others, once one of them was reached. */
  const note = ({ reason, message: detail }: OutboundFailure, host: string) => {
    if (reason === 'too_large' || reason === 'invalid_answer') reached();
    // An address that is refused was not tried.
    else if (reason !== 'refused') isOut = !wasReached && registration === 'open';
    const advice = isOut
      ? ': clients are asked to register until one is reached; set OAUTH_CLIENT_DOCUMENTS=off if none can be'
      : '';
    log.warn({ host, reason, detail }, `the document of a client was not fetched${advice}`);
  };

  return {
    isOn: mode === 'auto',
    /** Whether clients are told that they may publish a document; the others register. */
    isAnnounced: () => mode === 'auto' && !isOut,
    mayBeDocument,
    /** The `fetch` that the library reads documents with: it only sends requests where Portico may. */
    async fetch(input: string | URL | Request): Promise<Response> {
      const url = input instanceof Request ? input.url : String(input);
      if (slots.pendingCount >= MAX_QUEUED) throw new Error('too many client documents are being fetched');
      try {
        return await slots(() => fetchDocument(url));
      } catch (error) {
        const { host } = new URL(url);
        if (!(error instanceof OutboundFailure)) throw error;
        note(error, host);
        throw new DocumentNotFetched(host, error);
      }
    },
  };
};

export type ClientDocuments = ReturnType<typeof clientDocumentsOf>;
