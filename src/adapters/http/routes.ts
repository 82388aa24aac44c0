import Router from '@koa/router';
import { DomainError } from '../../domain/errors.ts';
import type { Context, Middleware, State } from './context.ts';
import { authenticated, credentialsIn, hasCredentials } from './credentials.ts';
import { refuseMethod } from './errors.ts';
import { API, type Operation } from './operation.ts';
import { type Deps, serve } from './pipeline.ts';

/** A path as it is written: letters in the case given, no slash added. */
const exact = { sensitive: true, strict: true } as const;

const pattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

export const operationRoutes = (operations: readonly Operation[], deps: Deps): Router<State> => {
  const router = new Router<State>(exact);
  for (const op of operations) {
    // The gateway is reached at the second addresses alone, everything else at the first.
    const path = deps.egress.isGateway ? op.alsoAt : API + op.path;
    if (path !== null) router.register(pattern(path), [op.method.toUpperCase()], [serve(op, deps)], exact);
  }
  return router;
};

/** Counts a request that no operation serves: on its credential if that is a valid one, else on the client's address. */
const count = async (ctx: Context, { authentication, limits }: Deps) => {
  if (!hasCredentials(credentialsIn(ctx.headers))) return limits.show(ctx, null);
  const caller = await authenticated(authentication, ctx.req).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  return limits.show(ctx, caller);
};

interface Matched {
  readonly methods: readonly string[];
}

/** What no route took: 405 on a path that takes other methods, 404 elsewhere. `OPTIONS` is answered where browsers may call. */
export const unrouted =
  (deps: Deps, answersOptions: boolean): Middleware =>
  async (ctx) => {
    await count(ctx, deps);
    const matched: readonly Matched[] = ctx.matched ?? [];
    const methods = new Set(matched.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw new DomainError('not_found', 'There is nothing at this address.');
    if (answersOptions) methods.add('OPTIONS');
    const allowed = [...methods].toSorted();
    if (!answersOptions || ctx.method !== 'OPTIONS') return refuseMethod(ctx, allowed);
    ctx.res.setHeader('Allow', allowed.join(', '));
    ctx.status = 204;
  };
