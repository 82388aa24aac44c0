import { createHmac, timingSafeEqual } from 'node:crypto';
import { isKey } from '../../application/ports/blobs.ts';
import { DomainError } from '../../domain/errors.ts';

/** What a signed URL allows. */
export interface Permission {
  readonly method: 'PUT' | 'GET';
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly contentType: string | null;
  readonly size: number | null;
  /** Whether it takes nothing over an object that is there. */
  readonly once: boolean;
  /** As which browsers save the object. */
  readonly fileName: string | null;
}

/** One field a line, in one order, so that no two permissions have the same text. */
const canonical = ({ method, key, expires, contentType, size, once, fileName }: Permission) =>
  [
    'portico-blob-1',
    method,
    key,
    expires,
    contentType ?? '',
    size ?? '',
    once,
    ...(fileName === null ? [] : [fileName]),
  ].join('\n');

const sign = (permission: Permission, signingKey: Uint8Array) =>
  createHmac('sha256', signingKey).update(canonical(permission)).digest();

/** The path below the mount and the query of a URL that carries the permission. */
export const targetOf = (permission: Permission, signingKey: Uint8Array): string => {
  const query = new URLSearchParams({
    expires: String(permission.expires),
    ...(permission.contentType === null ? {} : { content_type: permission.contentType }),
    ...(permission.size === null ? {} : { size: String(permission.size) }),
    ...(permission.once && { once: 'true' }),
    ...(permission.fileName === null ? {} : { file_name: permission.fileName }),
    signature: sign(permission, signingKey).toString('base64url'),
  });
  return `${permission.key}?${query}`;
};

const tampered = () =>
  new DomainError('forbidden', 'The signature of this URL is not valid: it was changed.', {
    code: 'invalid_signature',
  });

const parseNumber = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) throw tampered();
  return Number(text);
};

/** Accepts only the six parameters, each once: a URL with more than what was signed is not the signed URL. */
const parametersOf = (query: string): Readonly<Record<string, string | undefined>> => {
  const pairs = [...new URLSearchParams(query)];
  const names = new Set(pairs.map(([name]) => name));
  const known = pairs.every(([name]) =>
    ['expires', 'content_type', 'size', 'once', 'file_name', 'signature'].includes(name),
  );
  if (!known || names.size !== pairs.length) throw tampered();
  return Object.fromEntries(pairs);
};

/** The permission in a request target below the mount; throws if this key did not sign it or it has expired. */
export const permissionOf = (
  method: Permission['method'],
  target: string,
  signingKey: Uint8Array,
  now: Date,
): Permission => {
  const [key = '', query = '', ...rest] = target.split('?');
  if (!isKey(key) || rest.length > 0) throw tampered();
  const { expires, content_type: contentType, size, once, file_name: fileName, signature } = parametersOf(query);
  if (once !== undefined && once !== 'true') throw tampered();
  const permission: Permission = {
    method,
    key,
    expires: parseNumber(expires) ?? 0,
    contentType: contentType ?? null,
    size: parseNumber(size),
    once: once !== undefined,
    fileName: fileName ?? null,
  };
  const expected = sign(permission, signingKey);
  const sent = Buffer.from(signature ?? '', 'base64url');
  if (sent.toString('base64url') !== signature || sent.length !== expected.length || !timingSafeEqual(sent, expected))
    throw tampered();
  if (now.getTime() >= permission.expires) {
    throw new DomainError('forbidden', 'This URL has expired: ask for a new one.', { code: 'url_expired' });
  }
  return permission;
};
