import { hash } from 'node:crypto';

/** A strong validator (RFC 9110 section 8.8.3): equal bytes have equal tags. */
export const etagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

/** Whether an If-None-Match header names the tag, by weak comparison (RFC 9110 section 13.1.2). */
export const names = (header: string, etag: string): boolean =>
  header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
