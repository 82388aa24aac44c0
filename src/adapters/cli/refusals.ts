import type { PorticoError } from '../../client/error.ts';

export const howToGetAKey = 'make one with: portico keys create --user EMAIL';

const LONGEST_WAIT_SECONDS = 300;

/** The error of the server, with the id by which its log can be searched. */
const refusal = ({ status, code, detail, errors, requestId }: PorticoError): readonly string[] => {
  const trailer = requestId === null ? [] : [`request id: ${requestId}`];
  if (status === 401) return [`the server refused PORTICO_API_KEY: ${detail}`, howToGetAKey, ...trailer];
  const kind = `(${status}${code === null ? '' : ` ${code}`})`;
  const lines = errors.map(({ path, message }) => `${path} ${message}`);
  return [lines.length > 0 ? `the request was not accepted ${kind}:` : `${detail} ${kind}`, ...lines, ...trailer];
};

const notPortico = ({ origin, status, requestId }: PorticoError): readonly string[] => {
  if (status === null || status < 400) return [`the answer of ${origin} is not what Portico answers: is PORTICO_URL right?`];
  const trailer = requestId === null ? [] : [`request id: ${requestId}`];
  return [`${origin} answered ${status}, and not as Portico does: is PORTICO_URL right?`, ...trailer];
};

/** The lines of a failure of the client: what went wrong, and what the user can do. */
export const refusalLines = (error: PorticoError): readonly string[] => {
  const { code, detail, origin, status, request, retryAfterSeconds: wait } = error;
  if (request.startsWith('PUT ') && status !== null) return [`${request.slice(4)} could not be uploaded: ${detail} (${status})`];
  if (request.startsWith('PUT ')) return [`${request.slice(4)} could not be uploaded: no answer from ${origin}: ${detail}`];
  if (code === 'redirected') return [`${detail}: set PORTICO_URL to where the server is`];
  if (code === 'not_portico') return notPortico(error);
  if (status === null) return [`no answer from ${origin}: ${detail}`, 'start a server with: portico serve, or set PORTICO_URL'];
  if (wait !== null && wait > LONGEST_WAIT_SECONDS) return [`the server asks to wait ${Math.ceil(wait)} seconds; try again then`];
  return refusal(error);
};
