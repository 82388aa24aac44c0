import { createHash } from 'node:crypto';
import { checkKey } from '../../application/ports/blobs.ts';

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
