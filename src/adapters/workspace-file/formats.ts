import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Audience } from '../../application/workspace-spec.ts';
import { type Codec, line, list } from './codecs.ts';

export const name = line(200);

export const uuid = line(36, 'a UUID', (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value));

export const email = line(254, 'an e-mail address', (value) => /^[^\s@]+@[^\s@]+$/.test(value));

const hasProtocol = (value: string, protocols: readonly string[]) => URL.canParse(value) && protocols.includes(new URL(value).protocol);

export const webAddress = line(2000, 'an address that begins with http:// or https://', (value) => hasProtocol(value, ['http:', 'https:']));

/** What an address of each type of connection begins with. */
export const connectionProtocols = { postgresql: ['postgresql:', 'postgres:'], sqlserver: ['mssql:', 'sqlserver:'] } as const;

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

const events = [
  ...['*', 'run.*', 'run.queued', 'run.running', 'run.completed', 'run.failed', 'run.cancelled'],
  ...['document.*', 'document.ready', 'document.processed', 'document.error', 'document.trashed'],
];
export const eventPattern = line(40, `one of ${events.join(', ')}`, (value) => events.includes(value));
