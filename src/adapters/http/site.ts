import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { lazily } from '../../application/shared/async.ts';
import { etagOf, isNotModified } from './conditional.ts';
import { type Context, isRead, type Middleware } from './context.ts';
import type { Limits } from './limits.ts';

/** A program of one page for people: the page is at every address below its own, but for the files that it loads. */
interface Site {
  readonly page: string;
  readonly policy: string;
  /** By their addresses, which change with their content. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly content: string | Uint8Array }>;
}

interface Settings {
  /** The path of the page, such as `/console`. */
  readonly path: string;
  readonly load: () => Promise<Site>;
}

const QUALITY = 9;
const brotli = promisify(brotliCompress);
const zipped = promisify(gzip);

const packed = async (type: string, content: string | Uint8Array) => {
  const identity = Buffer.from(content as string);
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
  const [br, gz] = await Promise.all([brotli(identity, { params }), zipped(identity, { level: QUALITY })]);
  return { type, etag: etagOf(content), br, gzip: gz, identity };
};

const opened = async ({ load }: Settings) => {
  const { page, policy, files } = await load();
  const entries = [...files].map(async ([path, { type, content }]) => [path, await packed(type, content)] as const);
  return { policy, page: await packed('text/html; charset=utf-8', page), files: new Map(await Promise.all(entries)) };
};

const FOREVER = 'public, max-age=31536000, immutable';

/** Only the policy of the page holds for its modules; a file that is opened by itself may load nothing. */
const NOTHING = "default-src 'none'";

type Encoding = 'br' | 'gzip' | 'identity';

const send = (ctx: Context, { type, etag, ...bodies }: Awaited<ReturnType<typeof packed>>) => {
  ctx.vary('Accept-Encoding');
  const encoding = (ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
  if (isNotModified(ctx, etag.replace(/"$/, `-${encoding}"`))) return;
  ctx.status = 200;
  ctx.res.setHeader('Content-Type', type);
  if (encoding !== 'identity') ctx.res.setHeader('Content-Encoding', encoding);
  ctx.body = bodies[encoding];
};

/** Serves a site. Its files are read and compressed once, when the first of them is asked for. */
export const siteRoutes = (settings: Settings, limits: Limits): Middleware => {
  const { path } = settings;
  const open = lazily(() => opened(settings));
  return async (ctx, next) => {
    if ((ctx.path !== path && !ctx.path.startsWith(`${path}/`)) || !isRead(ctx)) return next();
    const isFile = ctx.path.startsWith(`${path}/files/`);
    ctx.state.route = isFile ? `file of ${path}` : `page ${path}`;
    const site = await open();
    const file = site.files.get(ctx.path);
    if (isFile && !file) return next();
    await limits.perAddress(ctx, isFile ? 'files' : 'pages');
    ctx.res.setHeader('Cache-Control', isFile ? FOREVER : 'no-cache');
    ctx.res.setHeader('Content-Security-Policy', isFile ? NOTHING : site.policy);
    send(ctx, file ?? site.page);
  };
};
