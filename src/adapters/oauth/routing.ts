import type { Log } from '../../application/ports/runtime.ts';
import { busy, DomainError, Unconfirmed } from '../../domain/errors.ts';
import { errors } from './oidc-provider.ts';
import { message } from './pages/page.ts';
import { type RequestContext, sendJson, sendPage } from './request-context.ts';

export type Handler = (context: RequestContext) => Promise<void> | void;

export interface Route {
  /** For the log. */
  readonly name: string;
  readonly pattern: RegExp;
  /** Whether programs call it and get JSON; the others are pages for people. */
  readonly machine: boolean;
  readonly methods: Readonly<Record<string, Handler>>;
}

/** Allows pages of any origin: these routes read no cookie. Returns whether the request was a preflight, which is then answered. */
const allowAnyOrigin = ({ req, res, method }: RequestContext): boolean => {
  res.setHeader('Access-Control-Allow-Origin', '*');
  if (method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
  const allowed = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
    'Access-Control-Max-Age': 600,
  };
  res.writeHead(204, allowed).end();
  return true;
};

const statuses: Readonly<Partial<Record<DomainError['kind'], number>>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  rate_limited: 429,
  busy: 503,
};

/**
 * Whether a page of this server sends the request. Browsers say so; where one does not, an old one or without TLS, it names the origin.
 * Programs have no business here: what they call reads no cookie.
 */
const isOwn = ({ req: { headers } }: RequestContext, origin: string): boolean =>
  headers['sec-fetch-site'] === undefined ? headers.origin === origin : headers['sec-fetch-site'] === 'same-origin';

const foreign = () =>
  new DomainError(
    'forbidden',
    'This does not come from a page of this server. Open the page again in your browser, and try once more.',
  );

const refuse = (
  context: RequestContext,
  { machine }: Route,
  status: number,
  detail: string,
  error = 'invalid_request',
) => {
  if (machine) return sendJson(context, status, { error, error_description: detail });
  sendPage(context, status, message(status === 404 ? 'Not found' : 'This did not work', detail));
};

const refuseMethod = (context: RequestContext, route: Route) => {
  const allowed = Object.keys(route.methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  context.res.setHeader('Allow', allowed.join(', '));
  refuse(context, route, 405, `This address takes ${allowed.join(' and ')}.`);
};

const answerError = (context: RequestContext, route: Route, thrown: unknown, log: Log) => {
  if (context.res.headersSent) throw thrown;
  // Programs and people begin again here, whether or not what they sent was stored.
  const error = thrown instanceof Unconfirmed ? busy('The database was interrupted', thrown) : thrown;
  if (error instanceof errors.SessionNotFound) {
    return refuse(context, route, 400, 'This sign-in is over. Go back to the program you came from and begin again.');
  }
  const status = error instanceof DomainError ? statuses[error.kind] : undefined;
  if (error instanceof DomainError && status !== undefined) {
    const isBusy = error.kind === 'busy';
    if (isBusy) log.warn({ err: error, route: route.name }, 'a request found no room');
    if (error.retryAfterSeconds !== null) context.res.setHeader('Retry-After', error.retryAfterSeconds);
    return refuse(context, route, status, error.message, isBusy ? 'temporarily_unavailable' : undefined);
  }
  log.error({ err: error, route: route.name }, 'the authorization server failed');
  refuse(context, route, 500, 'Something went wrong on our side. Please try again.');
};

export type Routing = ReturnType<typeof routing>;

/** `origin`: that of the server's own pages. */
export const routing = (routes: readonly Route[], origin: string, log: Log) => {
  const routeFor = (path: string) => routes.find(({ pattern }) => pattern.test(path));

  const handle = async (context: RequestContext, route: Route) => {
    if (route.machine && allowAnyOrigin(context)) return;
    const method = context.method === 'HEAD' ? 'GET' : context.method;
    const handler = route.methods[method];
    if (!handler) return refuseMethod(context, route);
    if (!route.machine && method !== 'GET' && !isOwn(context, origin)) throw foreign();
    await handler(context);
  };

  return {
    /** The name of the path's route; null if the path is not served here. */
    routeOf: (path: string): string | null => routeFor(path)?.name ?? null,

    /** Calls `count` first, and answers the error that it throws. */
    async serve(context: RequestContext, count: () => Promise<void>): Promise<void> {
      const route = routeFor(context.path);
      if (!route) throw new Error('This address is served elsewhere.');
      try {
        await count();
        await handle(context, route);
      } catch (error) {
        answerError(context, route, error, log);
      }
    },
  };
};
