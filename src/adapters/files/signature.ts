import { createHmac, timingSafeEqual } from 'node:crypto';
import { isKey } from '../../application/ports/blobs.ts';
import { DomainError } from '../../domain/errors.ts';

/** What a signed URL allows. */
export interface Grant {
  readonly method: 'PUT' | 'GET';
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly contentType: string | null;
  readonly size: number | null;
}

/** Each field on a line of its own, in one order: no two grants are signed as the same text. */
const canonical = ({ method, key, expires, contentType, size }: Grant) =>
  ['portico-blob-1', method, key, expires, contentType ?? '', size ?? ''].join('\n');

const sign = (grant: Grant, signingKey: Uint8Array) => createHmac('sha256', signingKey).update(canonical(grant)).digest();

/** The path below the mount, and the query, of the URL that carries the grant. */
export const targetOf = (grant: Grant, signingKey: Uint8Array): string => {
  const query = new URLSearchParams({
    expires: String(grant.expires),
    ...(grant.contentType === null ? {} : { content_type: grant.contentType }),
    ...(grant.size === null ? {} : { size: String(grant.size) }),
    signature: sign(grant, signingKey).toString('base64url'),
  });
  return `${grant.key}?${query}`;
};

const tampered = () =>
  new DomainError('forbidden', 'The signature of this URL is not valid: it was changed.', { code: 'invalid_signature' });

const whole = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) throw tampered();
  return Number(text);
};

/** Nothing but the four parameters, each once: a URL that says more than was signed is not the URL that was signed. */
const parametersOf = (query: string): Readonly<Record<string, string | undefined>> => {
  const pairs = [...new URLSearchParams(query)];
  const names = new Set(pairs.map(([name]) => name));
  const known = pairs.every(([name]) => ['expires', 'content_type', 'size', 'signature'].includes(name));
  if (!known || names.size !== pairs.length) throw tampered();
  return Object.fromEntries(pairs);
};

/** The grant of a request target below the mount: only where this key signed it, and in time. */
export const grantOf = (method: Grant['method'], target: string, signingKey: Uint8Array, now: Date): Grant => {
  const [key = '', query = '', ...rest] = target.split('?');
  if (!isKey(key) || rest.length > 0) throw tampered();
  const { expires, content_type: contentType, size, signature } = parametersOf(query);
  const grant: Grant = { method, key, expires: whole(expires) ?? 0, contentType: contentType ?? null, size: whole(size) };
  const expected = sign(grant, signingKey);
  const given = Buffer.from(signature ?? '', 'base64url');
  if (given.toString('base64url') !== signature || given.length !== expected.length || !timingSafeEqual(given, expected)) throw tampered();
  if (now.getTime() >= grant.expires) {
    throw new DomainError('forbidden', 'This URL has expired: ask for a new one.', { code: 'url_expired' });
  }
  return grant;
};
