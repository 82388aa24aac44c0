import Koa from 'koa';
import type { AuthenticationService } from '../../application/access/authentication.ts';
import type { SignedUrls } from '../../application/ports/blobs.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { type Telemetry, unwatched } from '../../application/ports/telemetry.ts';
import type { IdempotencyService } from '../../application/shared/idempotency.ts';
import { indexOf, type OAuth } from './api-index.ts';
import type { State } from './context.ts';
import { cors } from './cors.ts';
import type { Egress } from './egress.ts';
import { eventStreams, type StreamTerms } from './event-streams.ts';
import { type LimitSettings, limitsOf } from './limits.ts';
import { type OAuthServer, oauthRoutes } from './oauth-routes.ts';
import { openapi } from './openapi.ts';
import type { Operation, Urls, UseCases } from './operation.ts';
import { operations as everyOperation } from './operations.ts';
import { descriptions } from './pages/descriptions.ts';
import { developers } from './pages/developers.ts';
import { type Page, pageRoutes, root } from './pages/pages.ts';
import { reference } from './pages/reference.ts';
import { requestLifecycle } from './request-lifecycle.ts';
import { operationRoutes, unrouted } from './routes.ts';
import { signedUrlRoutes } from './signed-urls.ts';
import { siteRoutes } from './site.ts';
import { type ToolEndpoint, toolRoutes } from './tool-endpoint.ts';
import { limitUnauthenticatedRequests } from './unauthenticated.ts';

export interface HttpSettings {
  readonly use: UseCases & { readonly authentication: AuthenticationService };
  readonly idempotency: IdempotencyService;
  readonly limiter: RateLimiter;
  /** The URLs of the embedded file store; null if another store has the files. */
  readonly signedUrls: SignedUrls | null;
  readonly log: Log;
  readonly telemetry?: Telemetry;
  readonly urls: Urls;
  /** Whom the description of the API names for questions. */
  readonly contactEmail: string;
  readonly limits: LimitSettings;
  /** Origins whose pages may call the API; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** How many proxies in front add to X-Forwarded-For. */
  readonly trustedProxies: number;
  readonly oauth: OAuth;
  /** Absent if another server grants access tokens, or none does. */
  readonly oauthServer?: OAuthServer;
  readonly toolEndpoint?: ToolEndpoint;
  readonly egress: Egress;
  /** The pages for people; absent if there are none. */
  readonly console?: Parameters<typeof siteRoutes>[0];
  readonly operations?: readonly Operation[];
  readonly streams?: StreamTerms;
}

const pagesOf = (operations: readonly Operation[], { urls, limits, contactEmail }: HttpSettings): readonly Page[] => [
  ...descriptions(operations, urls, () => openapi({ operations, urls, limits, contactEmail })),
  developers({ operations, urls, limits }),
  ...reference,
];

/** Node's error codes of a connection that its client ended early. */
const HUNG_UP = /^(ECONN|EPIPE|HPE_|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP_REQUEST_TIMEOUT)/;

/** Koa's own handler would print a stack. Only errors after the beginning of an answer reach it. */
const newApp = ({ log, trustedProxies }: HttpSettings): Koa<State> => {
  const app = new Koa<State>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: Error & { code?: string }) => {
    if (!HUNG_UP.test(error.code ?? '')) log.error({ err: error }, 'an answer broke off');
  });
  return app;
};

/** The HTTP interface of the server, made from the list of operations. */
export const httpApp = (settings: HttpSettings): Koa<State> => {
  const { urls, log, corsOrigins, oauthServer, signedUrls, toolEndpoint: endpoint, egress } = settings;
  const { operations = everyOperation, telemetry = unwatched } = settings;
  const { authentication, ...useCases } = settings.use;
  const limits = limitsOf(settings.limiter, settings.limits);
  const index = indexOf(operations, urls, settings.limits, settings.oauth);
  const dependencies = {
    services: { ...useCases, index, urls, limits: settings.limits },
    authentication,
    idempotency: settings.idempotency,
    limits,
    egress,
    openStream: eventStreams(log, settings.streams),
    ...(settings.streams && { checkMs: settings.streams.checkMs }),
  };

  const app = newApp(settings);
  app.use(requestLifecycle({ log, limits, telemetry, base: urls.base }));
  if (settings.trustedProxies > 0) app.use(limitUnauthenticatedRequests());
  if (endpoint && !egress.isGateway)
    app.use(toolRoutes({ endpoint, authentication, limits, corsOrigins, base: urls.base }));
  if (corsOrigins.length > 0) app.use(cors(corsOrigins, limits));
  if (oauthServer && !egress.isGateway) app.use(oauthRoutes(oauthServer, limits, urls.auth));
  if (signedUrls && !egress.isGateway) app.use(signedUrlRoutes(signedUrls));
  app.use(operationRoutes(operations, dependencies));
  if (!egress.isGateway) {
    app.use(root(limits, settings.console ? settings.console.path.slice(1) : 'developers'));
    if (settings.console) app.use(siteRoutes(settings.console, limits));
    app.use(pageRoutes(pagesOf(operations, settings), limits).routes());
  }
  app.use(unrouted(dependencies, corsOrigins.length > 0));
  return app;
};
