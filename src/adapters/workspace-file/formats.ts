import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Audience } from '../../application/workspace-spec.ts';
import { eventPatterns } from '../../domain/webhook.ts';
import { type Codec, line, list } from './codecs.ts';

export const name = line(200);

export const uuid = line(36, 'a UUID', (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value));

export const email = line(254, 'an e-mail address', (value) => /^[^\s@]+@[^\s@]+$/.test(value));

const hasProtocol = (value: string, protocols: readonly string[]) => URL.canParse(value) && protocols.includes(new URL(value).protocol);

export const webAddress = line(2000, 'an address that begins with http:// or https://', (value) => hasProtocol(value, ['http:', 'https:']));

const emails = list(email);

/** `everyone`, or the users who may see it. */
export const audience: Codec<Audience> = new t.Type<Audience, unknown, unknown>(
  'audience',
  (value): value is Audience => value === 'everyone' || emails.is(value),
  (value, context) => {
    if (value === 'everyone') return t.success<Audience>(value);
    if (!Array.isArray(value)) return t.failure(value, context, 'must be everyone, or a list of e-mail addresses');
    const result = emails.validate(value, context);
    return isLeft(result) ? result : t.success(result.right);
  },
  t.identity,
);

export const eventPattern = line(40, `one of ${eventPatterns.join(', ')}`, (value) => eventPatterns.includes(value));
