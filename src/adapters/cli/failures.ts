import { PorticoError } from '../../client/error.ts';
import { DomainError, messageOf } from '../../domain/errors.ts';
import { printable } from './printable.ts';

/** A failure that the user can mend: a line, and lines with details. */
export class CliFailure extends Error {
  readonly more: readonly string[];

  constructor(message: string, more: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliFailure';
    this.more = more;
  }
}

/** The command line itself is wrong: exit code 2. */
export class UsageFailure extends CliFailure {}

/** Ctrl-C; `remark` says what goes on without this program, or what stays of its work. */
export class Interrupted extends Error {
  readonly remark: string | null;

  constructor(remark: string | null = null) {
    super('interrupted');
    this.name = 'Interrupted';
    this.remark = remark;
  }
}

export const exitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const errorLines = ({ errors }: DomainError) =>
  errors.map(({ path, message }) => printable(path === '' ? message : `${path} ${message}`));

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
  if (status === null || status < 400)
    return [`the answer of ${origin} is not what Portico answers: is PORTICO_URL right?`];
  const trailer = requestId === null ? [] : [`request id: ${requestId}`];
  return [`${origin} answered ${status}, and not as Portico does: is PORTICO_URL right?`, ...trailer];
};

/** The lines of a failure of the client: what went wrong, and what the user can do. */
const refusalLines = (error: PorticoError): readonly string[] => {
  const { code, detail, origin, status, request, retryAfterSeconds: wait } = error;
  if (request.startsWith('PUT ') && status !== null)
    return [`${request.slice(4)} could not be uploaded: ${detail} (${status})`];
  if (request.startsWith('PUT '))
    return [`${request.slice(4)} could not be uploaded: no answer from ${origin}: ${detail}`];
  if (code === 'redirected') return [`${detail}: set PORTICO_URL to where the server is`];
  if (code === 'not_portico') return notPortico(error);
  if (status === null)
    return [`no answer from ${origin}: ${detail}`, 'start a server with: portico serve, or set PORTICO_URL'];
  if (wait !== null && wait > LONGEST_WAIT_SECONDS)
    return [`the server asks to wait ${Math.ceil(wait)} seconds; try again then`];
  return refusal(error);
};

/** The lines of a failure on the terminal: never a stack trace. */
export const describeFailure = (error: unknown): readonly string[] => {
  if (error instanceof CliFailure) return [printable(error.message), ...error.more.map(printable)];
  if (error instanceof PorticoError) return refusalLines(error).map(printable);
  if (error instanceof DomainError && error.errors.length > 1)
    return [`${error.errors.length} things are wrong:`, ...errorLines(error)];
  if (error instanceof AggregateError && error.message === '')
    return [printable(error.errors.map((each) => messageOf(each)).join('; '))];
  return [printable(messageOf(error).split('\n')[0] ?? '') || 'it failed without saying why'];
};
