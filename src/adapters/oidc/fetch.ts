import { IdentityFailure } from '../../application/ports/identity-provider.ts';
import { type Outbound, OutboundFailure } from '../../application/ports/outbound.ts';

const TIMEOUT_SECONDS = 10;
const MAX_BYTES = 512 * 1024;

interface Init {
  readonly method?: string | undefined;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/** The `fetch` of the libraries: it sends requests only where Portico may, and to the issuer's own host, which the operator chose. */
export const guardedFetch = (outbound: Outbound, issuer: URL) => {
  const terms = {
    timeoutSeconds: TIMEOUT_SECONDS,
    maxBytes: MAX_BYTES,
    redirects: 0,
    httpsOnly: issuer.protocol === 'https:',
    allowedHosts: [issuer.host],
  };
  return async (url: string, { method = 'GET', headers, body }: Init): Promise<Response> => {
    const request = {
      method: method === 'POST' ? ('POST' as const) : ('GET' as const),
      url,
      headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
      body: body == null ? null : String(body),
    };
    try {
      const answer = await outbound.send(request, terms, new AbortController().signal);
      const { 'content-encoding': _, 'content-length': __, ...rest } = answer.headers;
      return new Response(Buffer.from(answer.body), { status: answer.status, headers: rest });
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new IdentityFailure('unreachable', error.message, error);
    }
  };
};
