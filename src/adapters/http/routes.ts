import Router from '@koa/router';
import { DomainError } from '../../domain/errors.ts';
import type { Context, Middleware, State } from './context.ts';
import { authenticated, hasCredentials } from './credentials.ts';
import { refuseMethod } from './errors.ts';
import { API, type Operation } from './operation.ts';
import { type Dependencies, serve } from './pipeline.ts';

/** Paths match exactly: the same case, no slash added. */
const exact = { sensitive: true, strict: true } as const;

const pattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** A router for each kind of resource, because a router compares a path with every pattern that it has. */
export const operationRoutes = (operations: readonly Operation[], deps: Dependencies): Middleware => {
  const { isGateway } = deps.egress;
  const resourceOf = (path: string) => path.split('/', 4)[isGateway ? 2 : 3] ?? '';
  const routers = new Map<string, Router<State>>();
  for (const op of operations) {
    // The gateway serves the second addresses alone, any other process the first ones.
    const path = isGateway ? op.alsoAt : API + op.path;
    if (path === null) continue;
    const resource = resourceOf(path);
    const router = routers.get(resource) ?? new Router<State>(exact);
    router.register(pattern(path), [op.method.toUpperCase()], [serve(op, deps)], exact);
    routers.set(resource, router);
  }
  const routes = new Map([...routers].map(([resource, router]) => [resource, router.routes() as Middleware]));
  return (ctx, next) => routes.get(resourceOf(ctx.path))?.(ctx, next) ?? next();
};

/** Counts a request that no operation serves: by its credential if that is valid, else by the client's address. */
const count = async (ctx: Context, { authentication, limits }: Dependencies) => {
  if (!hasCredentials(ctx.headers)) return limits.show(ctx, null);
  const caller = await authenticated(authentication, ctx).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  return limits.show(ctx, caller);
};

/** Answers what no route matched: 405 on a path with other methods, else 404. Answers `OPTIONS` if browsers may call. */
export const unrouted =
  (deps: Dependencies, answersOptions: boolean): Middleware =>
  async (ctx) => {
    await count(ctx, deps);
    const matched: readonly { readonly methods: readonly string[] }[] = ctx.matched ?? [];
    const methods = new Set(matched.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw new DomainError('not_found', 'There is nothing at this address.');
    if (answersOptions) methods.add('OPTIONS');
    const allowed = [...methods].toSorted();
    if (!answersOptions || ctx.method !== 'OPTIONS') return refuseMethod(ctx, allowed);
    ctx.res.setHeader('Allow', allowed.join(', '));
    ctx.status = 204;
  };
