import { createHash } from 'node:crypto';
import { DomainError } from '../../domain/errors.ts';

const MAX_KEY_CHARACTERS = 512;
const KEY = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

export const isKey = (text: string) => text.length <= MAX_KEY_CHARACTERS && KEY.test(text);

export const checkKey = (key: string) => {
  if (!isKey(key))
    throw new DomainError('invalid', 'There is no file with such a key: it is not one that was issued.', { code: 'invalid_key' });
};

/**
 * Where an object is kept, below the store's folder. A digest of the key is a path of one known shape: no key can name
 * another place, two keys that differ in case stay apart on every file system, and no key is the folder of another.
 */
export const placeOf = (key: string): { readonly shard: string; readonly file: string } => {
  checkKey(key);
  const digest = createHash('sha256').update(key).digest('hex');
  return { shard: digest.slice(0, 2), file: digest };
};

/** Every folder that objects are spread over. */
export const shards: readonly string[] = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
