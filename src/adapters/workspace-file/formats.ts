import * as t from 'io-ts';
import type { Audience } from '../../domain/workspace-spec.ts';
import { type Codec, codecOf } from '../../wire/kit/codec.ts';
import { failed } from '../../wire/kit/errors.ts';
import { list } from '../../wire/kit/structures.ts';
import { line, oneOf } from './codecs.ts';

export const name = line(200);

const anyCaseUuid = line(36, 'a UUID', /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);

export const uuid: Codec<string> = codecOf(
  (value, context) => {
    const result = anyCaseUuid.validate(value, context);
    return result._tag === 'Right' ? t.success(result.right.toLowerCase()) : result;
  },
  t.identity,
  (schemaOf) => schemaOf(anyCaseUuid),
);

export const email = line(254, 'an e-mail address', /^[^\s@]+@[^\s@]+$/);

export const webAddress = line(
  2000,
  'an address that begins with http:// or https://',
  /^\s*[hH][tT][tT][pP][sS]?:/,
  (value) => ['http:', 'https:'].includes(URL.parse(value)?.protocol ?? ''),
);

const everyone = oneOf(['everyone']);
const emails = list(email);

/** `everyone`, or the users who may see it. */
export const audience: Codec<Audience> = codecOf<Audience>(
  (value, context) => {
    if (value === 'everyone') return t.success<Audience>(value);
    const message = 'must be everyone, or a list of e-mail addresses';
    if (!Array.isArray(value)) return failed<Audience>([{ value, context, message }], () => 'everyone');
    return emails.validate(value, context);
  },
  t.identity,
  (schemaOf) => ({ anyOf: [everyone, emails].map(schemaOf) }),
);
