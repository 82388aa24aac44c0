import Router from '@koa/router';
import { lazily } from '../../../application/shared/async.ts';
import { etagOf, isNotModified } from '../conditional.ts';
import { isRead, type Middleware, type State } from '../context.ts';
import type { Limits } from '../limits.ts';
import { API } from '../operation.ts';

type Content = string | Uint8Array;

/** A document that stays the same while the server runs. */
export interface Page {
  readonly path: string;
  readonly type: string;
  readonly policy: string;
  readonly cache: string;
  readonly content: () => Content | Promise<Content>;
}

const REVALIDATE = 'no-cache';
export const KEEP_A_DAY = 'public, max-age=86400';

/** Pages of one policy, which are revalidated unless they say otherwise. */
export const pagesUnder =
  (policy: string) =>
  (path: string, type: string, content: Page['content'], cache = REVALIDATE): Page => ({
    path,
    type,
    policy,
    cache,
    content,
  });

/** The policy of a page for people: it may load what these directives allow, and nothing else. */
export const policyOf = (...directives: readonly string[]): string =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');

const load = async ({ content }: Page) => {
  const loaded = await content();
  return { content: loaded, etag: etagOf(loaded) };
};

/** Pages count by address and apart from the API: who reads the documentation keeps the limit for calls. */
const servePage = (page: Page, limits: Limits): Middleware => {
  const loaded = lazily(() => load(page));
  return async (ctx) => {
    ctx.state.route = `page ${page.path}`;
    await limits.perAddress(ctx, 'pages');
    const { content, etag } = await loaded();
    ctx.res.setHeader('Cache-Control', page.cache);
    ctx.res.setHeader('Content-Security-Policy', page.policy);
    if (isNotModified(ctx, etag)) return;
    ctx.status = 200;
    ctx.res.setHeader('Content-Type', page.type);
    ctx.body =
      typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  };
};

export const pageRoutes = (pages: readonly Page[], limits: Limits): Router<State> => {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const page of pages) router.get(page.path, servePage(page, limits));
  return router;
};

const wantsPage = (accept: string | undefined) => accept?.includes('text/html') ?? false;

/** Redirects people from the root to the pages for them and programs to the index, and answers browsers that there is no icon. */
export const root =
  (limits: Limits, forPeople: string): Middleware =>
  async (ctx, next) => {
    if ((ctx.path !== '/' && ctx.path !== '/favicon.ico') || !isRead(ctx)) return next();
    ctx.state.route = `page ${ctx.path}`;
    await limits.perAddress(ctx, 'pages');
    if (ctx.path === '/favicon.ico') {
      ctx.res.setHeader('Cache-Control', KEEP_A_DAY);
      ctx.status = 204;
      return;
    }
    ctx.vary('Accept');
    ctx.res.setHeader('Location', wantsPage(ctx.headers.accept) ? forPeople : API.slice(1));
    ctx.status = 302;
    ctx.body = '';
  };
