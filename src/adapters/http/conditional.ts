import { hash } from 'node:crypto';
import type { Context } from './context.ts';

/** A strong validator (RFC 9110 section 8.8.3): equal bytes have equal tags. */
export const etagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

export const EXAMPLE_TAG = etagOf('');

/** Whether an If-None-Match header names the tag, by weak comparison (RFC 9110 section 13.1.2). */
export const names = (header: string, etag: string): boolean =>
  header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });

/** Sets the ETag, and the status 304 if the client reads a representation that it has already. */
export const isNotModified = (ctx: Context, etag: string): boolean => {
  ctx.res.setHeader('ETag', etag);
  const known = ctx.headers['if-none-match'];
  if (known === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD') || !names(known, etag)) return false;
  ctx.status = 304;
  return true;
};
