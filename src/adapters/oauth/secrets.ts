import { createHmac, createPrivateKey, hash, randomBytes, randomInt } from 'node:crypto';
import type { OneTimeTokens } from '../../application/ports/accounts.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const base62 = (length: number) => Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');

export const sha256 = (text: string) => hash('sha256', text);

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[\w-]{43}$/;

export const oneTimeTokens: OneTimeTokens = {
  generate() {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { token, hash: sha256(token) };
  },
  hashOf: (text) => (TOKEN_FORM.test(text) ? sha256(text) : null),
};

const derived = (key: Uint8Array, purpose: string) => createHmac('sha256', key).update(`oauth ${purpose}`).digest();

/** Ed25519 private keys are any 32 bytes behind this head (RFC 8410 section 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const signingKey = (seed: Uint8Array) => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const { crv, x, d } = key.export({ format: 'jwk' });
  return { kty: 'OKP' as const, crv: crv ?? '', x: x ?? '', d: d ?? '', alg: 'EdDSA', use: 'sig' };
};

export interface ServerKeys {
  /** Signs cookies. */
  readonly cookies: string;
  /** Marks forms as ours. */
  readonly forms: Uint8Array;
  /** Nothing that is issued is signed with it; the library wants one of our own. */
  readonly signing: ReturnType<typeof signingKey>;
}

/** Derived, not stored: every process with the same key has the same ones. */
export const serverKeys = (key: Uint8Array): ServerKeys => ({
  cookies: derived(key, 'cookies').toString('base64url'),
  forms: derived(key, 'forms'),
  signing: signingKey(derived(key, 'signatures')),
});
