import { Readable } from 'node:stream';
import { attachmentNamed, type SignedUrls } from '../../application/ports/blobs.ts';
import type { Context, Middleware } from './context.ts';
import { refuseMethod } from './errors.ts';
import { expectFile } from './server.ts';
import { trustRequest } from './unauthenticated.ts';

/** The file store reads this once the signature is valid: from then on the client may take the time that the file needs. */
async function* fileIn({ req }: Context): AsyncIterable<Uint8Array> {
  trustRequest(req);
  expectFile(req);
  yield* req.iterator({ destroyOnReturn: false });
}

const accept = async (ctx: Context, urls: SignedUrls) => {
  const { url: target = '/', headers } = ctx.req;
  const length = headers['content-length'];
  await urls.accept({
    target,
    contentType: headers['content-type'] ?? null,
    contentLength: length === undefined ? null : Number(length),
    body: fileIn(ctx),
  });
  ctx.status = 200;
  ctx.body = '';
};

/** Browsers save what a client uploaded and never show it as a page of this site. */
const serve = async (ctx: Context, urls: SignedUrls) => {
  const { body, size, contentType, fileName } = await urls.serve({ target: ctx.req.url ?? '/' });
  trustRequest(ctx.req);
  ctx.status = 200;
  ctx.res.setHeader('Content-Type', contentType);
  ctx.res.setHeader('Content-Disposition', fileName === null ? 'attachment' : attachmentNamed(fileName));
  ctx.res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
  ctx.body = body instanceof Readable ? body : Readable.from(body, { objectMode: false });
  ctx.length = size;
};

/** Answers the URLs that the embedded file store signs. Their signature is the credential, and no limit counts them. */
export const signedUrlRoutes = (urls: SignedUrls): Middleware => {
  const mount = urls.mount.endsWith('/') ? urls.mount : `${urls.mount}/`;
  return async (ctx, next) => {
    if (!ctx.path.startsWith(mount)) return next();
    ctx.state.route = 'signedUrl';
    if (ctx.method === 'PUT') return accept(ctx, urls);
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return serve(ctx, urls);
    return refuseMethod(ctx, ['GET', 'HEAD', 'PUT']);
  };
};
