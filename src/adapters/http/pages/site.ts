import type { Middleware } from '../context.ts';
import type { Limits } from '../limits.ts';
import { API } from '../operation.ts';

const wantsPage = (accept: string | undefined) => accept?.includes('text/html') ?? false;

/** The root sends people to the guide and programs to the index; browsers ask for an icon that is not there. */
export const root =
  (limits: Limits): Middleware =>
  async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || (ctx.path !== '/' && ctx.path !== '/favicon.ico')) return next();
    ctx.state.route = `page ${ctx.path}`;
    await limits.perAddress(ctx, 'pages');
    if (ctx.path === '/favicon.ico') {
      ctx.res.setHeader('Cache-Control', 'public, max-age=86400');
      ctx.status = 204;
      return;
    }
    ctx.vary('Accept');
    ctx.res.setHeader('Location', wantsPage(ctx.headers.accept) ? 'developers' : API.slice(1));
    ctx.status = 302;
    ctx.body = '';
  };
