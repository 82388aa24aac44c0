import { createHmac, createPrivateKey, hash, randomBytes, randomInt } from 'node:crypto';
import type { OneTimeTokens } from '../../application/ports/accounts.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of this length. */
export const base62 = (length: number) => Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');

export const sha256 = (text: string) => hash('sha256', text);

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[\w-]{43}$/;

export const oneTimeTokens: OneTimeTokens = {
  generate() {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { token, hash: sha256(token) };
  },
  hashOf: (text) => (TOKEN_PATTERN.test(text) ? sha256(text) : null),
};

const derived = (key: Uint8Array, purpose: string) => createHmac('sha256', key).update(`oauth ${purpose}`).digest();

/** An Ed25519 private key in PKCS #8 is this header and any 32 bytes (RFC 8410 section 7). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

const signingKey = (seed: Uint8Array) => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const { crv, x, d } = key.export({ format: 'jwk' });
  return { kty: 'OKP' as const, crv: crv ?? '', x: x ?? '', d: d ?? '', alg: 'EdDSA', use: 'sig' };
};

/** Derives the keys instead of storing them: every process with the same key has the same ones. */
export const serverKeys = (key: Uint8Array) => ({
  /** Signs cookies. */
  cookies: derived(key, 'cookies').toString('base64url'),
  /** Signs the tokens in forms. */
  forms: derived(key, 'forms'),
  /** The library requires one, although nothing that we issue is signed with it. */
  signing: signingKey(derived(key, 'signatures')),
});
