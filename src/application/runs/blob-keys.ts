import { DomainError } from '../../domain/errors.ts';

const MAX_KEY_CHARACTERS = 512;
/** Proxies and stores resolve `..` and escape characters each in their own way: a key has nothing of the kind, so it reaches the store as it is. */
const KEY = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

export const isKey = (text: string) => text.length <= MAX_KEY_CHARACTERS && KEY.test(text);

export const checkKey = (key: string) => {
  if (!isKey(key))
    throw new DomainError('invalid', 'There is no file with such a key: it is not one that was issued.', { code: 'invalid_key' });
};

/** It goes into a header as it is. */
export const checkContentType = (text: string) => {
  if (!/^[\x20-\x7e]{1,255}$/.test(text))
    throw new DomainError('invalid', 'The content type is not a media type.', { code: 'invalid_content_type' });
};
