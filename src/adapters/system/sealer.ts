import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealer } from '../../application/ports/secrets.ts';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** null if another key sealed it, or if it was changed. */
const decrypted = (key: Uint8Array, bytes: Buffer): string | null => {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(VERSION)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
};

/**
 * Seals as `v1.` and the base64url of nonce, ciphertext and tag; the version is authenticated along with the text. What one of the
 * `older` keys sealed is opened as well.
 */
export const aesSealer = (key: Uint8Array, ...older: readonly Uint8Array[]): Sealer => ({
  seal(plain) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(VERSION));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString('base64url')}`;
  },
  open(sealed) {
    const [version, text, ...rest] = sealed.split('.');
    const bytes = Buffer.from(text ?? '', 'base64url');
    const intact = bytes.length >= NONCE_BYTES + TAG_BYTES && bytes.toString('base64url') === text;
    if (version !== VERSION || !intact || rest.length > 0)
      throw new Error('A stored secret is not in the form that Portico writes.');
    const attempts = [key, ...older].map((each) => decrypted(each, bytes));
    const plain = attempts.find((text) => text !== null);
    if (plain === undefined)
      throw new Error(
        'A stored secret cannot be opened: it was sealed with another ENCRYPTION_KEY, or it was changed.',
      );
    return plain;
  },
});
