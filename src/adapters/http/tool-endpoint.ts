import type { AuthenticationService } from '../../application/access/authentication.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Quota } from '../../domain/rate-limit.ts';
import { isUuid } from '../../domain/text.ts';
import type { Context, Middleware } from './context.ts';
import { allowOrigin, allowRequests } from './cors.ts';
import { CHECK_MS, watchCredential, whileAllowed } from './credential-watch.ts';
import { authenticated, hasCredentials, noScopeGrants, unsupported } from './credentials.ts';
import { stoppedByHangUp } from './errors.ts';
import type { Limits } from './limits.ts';
import { API, MCP_PATH } from './operation.ts';

/** A request whose credential may use the tools of the agent. */
const requestOf = (ctx: Context, agentId: string, caller: Caller, limits: Limits, check: () => Promise<unknown>) => ({
  req: ctx.req,
  res: ctx.res,
  method: ctx.method,
  requestId: ctx.state.requestId,
  agentId,
  caller,
  signal: () => stoppedByHangUp(ctx).signal,
  /** Calls back once the credential has ended, so that a stream ends with it; answers what ends the watch. */
  onCredentialEnd: (end: () => void) => watchCredential(check, CHECK_MS, end),
  /** Does work that stops when the client hangs up, and that is refused once the credential has ended. */
  whileAllowed: <T>(work: (stopped: AbortSignal) => Promise<T>) => {
    const stop = stoppedByHangUp(ctx);
    return whileAllowed(check, CHECK_MS, stop, () => work(stop.signal));
  },
  count: () => limits.perCaller(ctx, caller, []),
  showLimit: (limit: Quota) => limits.showCounted(ctx, limit),
});

/** The server of the tool protocol, as far as this adapter knows it. */
export interface ToolEndpoint {
  /** The `WWW-Authenticate` of a 401; it names an error only if the request has a credential. */
  challenge(agentId: string, refused: boolean): string;
  /** Answers the request itself, or throws before anything is answered. */
  serve(request: ReturnType<typeof requestOf>): Promise<void>;
}

interface Settings {
  readonly endpoint: ToolEndpoint;
  readonly authentication: AuthenticationService;
  readonly limits: Limits;
  readonly corsOrigins: readonly string[];
  /** The public address of this server, whose pages may always call the endpoint. */
  readonly base: string;
}

const PATH = /^\/api\/v1\/agents\/([^/]+)\/mcp$/;
const TEMPLATE = API + MCP_PATH;

const METHODS = 'GET, POST, DELETE, OPTIONS';
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'traceparent',
  'X-API-Key',
  'X-Request-Id',
];
const MIRRORED = /^mcp-param-[a-z0-9-]{1,64}$/i;
const MOST_MIRRORED = 32;

/** The protocol allows only its own fields, so this is no error of the API. */
const FOREIGN_ORIGIN = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: 'Forbidden: the Origin is not allowed' },
});

const answerPreflight = (ctx: Context) => {
  const names = String(ctx.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim());
  const mirrored = names.filter((name) => MIRRORED.test(name)).slice(0, MOST_MIRRORED);
  allowRequests(ctx, METHODS, [...REQUEST_HEADERS, ...mirrored]);
};

/** Checks the origin before anything else, as the protocol demands; only browsers send one. Returns whether the request is answered. */
const checkOrigin = async (ctx: Context, isAllowed: (origin: string) => boolean, limits: Limits): Promise<boolean> => {
  const { origin } = ctx.headers;
  ctx.res.setHeader('Vary', 'Origin');
  if (origin !== undefined && !isAllowed(origin)) {
    await limits.perAddress(ctx);
    ctx.status = 403;
    ctx.res.setHeader('Content-Type', 'application/json');
    ctx.body = FOREIGN_ORIGIN;
    return true;
  }
  if (origin !== undefined) allowOrigin(ctx, origin);
  if (ctx.method !== 'OPTIONS') return false;
  await limits.perAddress(ctx);
  answerPreflight(ctx);
  return true;
};

/** The caller, unless the token is for another agent or for the API. */
const callerAt = async (authentication: AuthenticationService, ctx: Context, agentId: string): Promise<Caller> => {
  const caller = await authenticated(authentication, ctx);
  const { boundToAgent, credential } = caller;
  if (boundToAgent !== null && boundToAgent !== agentId.toLowerCase())
    throw unsupported('This token is for the tool endpoint of another agent.');
  if (boundToAgent === null && credential.kind !== 'api_key')
    throw unsupported('This token is for the API: the tool endpoint takes one of its own.');
  return { ...caller, door: 'mcp' };
};

const isUnauthenticated = (error: unknown) => error instanceof DomainError && error.kind === 'unauthenticated';

/** No scope grants tools: a key with scopes does not work here. */
const mustBeUnscoped = ({ boundToAgent, scopes }: Caller) => {
  if (boundToAgent === null && scopes !== null) throw noScopeGrants('the tool endpoint');
};

/** The tool endpoints of agents: origin → credential → limits → rights, then the server of the protocol. */
export const toolRoutes = ({ endpoint, authentication, limits, corsOrigins, base }: Settings): Middleware => {
  const allowed = new Set([...corsOrigins, new URL(base).origin]);
  const isAllowed = (origin: string) => allowed.has('*') || allowed.has(origin);

  const challenged = async (ctx: Context, agentId: string): Promise<Caller> => {
    try {
      return await callerAt(authentication, ctx, agentId);
    } catch (error) {
      if (isUnauthenticated(error) && isUuid(agentId))
        ctx.state.challenge = endpoint.challenge(agentId, hasCredentials(ctx.headers));
      throw error;
    }
  };

  const admit = async (ctx: Context, agentId: string): Promise<Caller> => {
    try {
      return await challenged(ctx, agentId);
    } catch (error) {
      if (isUnauthenticated(error)) await limits.perAddress(ctx);
      throw error;
    }
  };

  return async (ctx, next) => {
    const agentId = PATH.exec(ctx.path)?.[1];
    if (agentId === undefined) return next();
    ctx.state.route = 'mcp';
    ctx.state.template = TEMPLATE;
    if (await checkOrigin(ctx, isAllowed, limits)) return;
    const caller = await admit(ctx, agentId);
    const request = requestOf(ctx, agentId, caller, limits, () => challenged(ctx, agentId));
    await request.count();
    mustBeUnscoped(caller);
    await endpoint.serve(request);
    ctx.respond = false;
  };
};
