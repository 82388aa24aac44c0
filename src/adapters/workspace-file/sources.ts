import * as t from 'io-ts';
import { isObject } from '../../domain/json.ts';
import { type SourceAfter, type SourcePlace, type SourceType, sourceTypes } from '../../domain/source.ts';
import type { SourceSpec } from '../../domain/workspace-spec.ts';
import { type Codec, codecOf } from '../../wire/kit/codec.ts';
import { failed } from '../../wire/kit/errors.ts';
import { list } from '../../wire/kit/structures.ts';
import { boolean } from '../../wire/kit/values.ts';
import { field, form, line, omissible, oneOf, optional, ref } from './codecs.ts';
import { email, name } from './formats.ts';

const SECONDS = { s: 1, m: 60, h: 3600 } as const;
const LEAST_SECONDS = 5;
const MOST_SECONDS = 86_400;

const secondsOf = (text: string) => Number.parseInt(text, 10) * SECONDS[text.slice(-1) as keyof typeof SECONDS];

const every = line(10, 'a time such as 30s, 5m or 1h, from 5s to 24h', /^\d{1,6}[smh]$/, (text) => {
  const seconds = secondsOf(text);
  return seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS;
});

const common = {
  name: field(name, 'What the API and people name it by.', 'invoices'),
  agent: field(line(200), 'The agent that reads what comes, by the name of its entry in `agents`.', 'Invoice reader'),
};
const pace = {
  every: field(optional(every, '60s'), 'How often it is looked at: from `5s` to `24h`.', '60s'),
  paused: field(
    optional(boolean, false),
    'If true, no worker looks at the source until it is false again. What was taken stays known.',
    true,
  ),
};
const keep = 'keep';

const forms = {
  imap: form('Source: imap', {
    ...common,
    type: field(oneOf(['imap']), 'A mailbox.', 'imap'),
    url: field(
      line(4000, 'an address such as imaps://user:password@mail.example.com/INBOX', /^imaps?:\/\//),
      'The mailbox, with user and password, or with `oauth` and its options: best an environment variable. It is encrypted at rest, and shown without the password. A private address must stand in `OUTBOUND_ALLOWED_HOSTS`.',
      ref('MAILBOX_URL'),
    ),
    after: field(
      optional(line(500, 'move:<mailbox>, flag or keep', /^(?:move:.+|flag|keep)$/), keep),
      'What happens to a mail whose run is stored: `move:Done` moves it to the mailbox `Done`, `flag` flags it, `keep` changes nothing.',
      'move:Done',
    ),
    from: field(
      omissible(list(email, { min: 1 }), null),
      'The only senders whose mails are read, by their whole addresses. Unset: everyone. Mails of others are listed.',
      ['billing@supplier.example'],
    ),
    ...pace,
  }),
  folder: form('Source: folder', {
    ...common,
    type: field(oneOf(['folder']), 'A folder of the server.', 'folder'),
    path: field(
      line(4000),
      'The folder, which must be one of `SOURCE_FOLDERS`. Folders below it are not read.',
      '/srv/inbox',
    ),
    after: field(
      optional(oneOf(sourceTypes.folder), keep),
      'What happens to a file whose run is stored: `move` moves it to `done` in the folder, `delete` deletes it.',
      'move',
    ),
    ...pace,
  }),
  bucket: form('Source: bucket', {
    ...common,
    type: field(oneOf(['bucket']), 'A bucket of the S3 store of the server.', 'bucket'),
    bucket: field(line(255), 'Its name, which must be one of `SOURCE_BUCKETS`.', 'scans'),
    prefix: field(
      optional(line(1000), ''),
      'Where the keys of what is read begin. Unset: all of them are.',
      'invoices/',
    ),
    after: field(
      optional(oneOf(sourceTypes.bucket), keep),
      'What happens to an object whose run is stored: `move` moves it to `done/` below the prefix, `tag` tags it.',
      'move',
    ),
    ...pace,
  }),
} as const;

type Written = { readonly [T in SourceType]: t.TypeOf<(typeof forms)[T]> }[SourceType];

const placeOf = (written: Written): SourcePlace => {
  if (written.type === 'imap') return { type: 'imap', url: written.url };
  if (written.type === 'folder') return { type: 'folder', path: written.path };
  return { type: 'bucket', bucket: written.bucket, prefix: written.prefix };
};

const afterOf = (written: string): SourceAfter => {
  const [act, to] = written.startsWith('move:') ? ['move', written.slice('move:'.length)] : [written, null];
  return { act: act as SourceAfter['act'], to: to ?? null };
};

const specOf = (written: Written): SourceSpec => ({
  name: written.name,
  agent: written.agent,
  place: placeOf(written),
  after: afterOf(written.after),
  from: written.type === 'imap' ? written.from : null,
  everySeconds: secondsOf(written.every),
  paused: written.paused,
});

const types = Object.keys(forms) as SourceType[];
const isType = (value: unknown): value is SourceType => types.some((type) => type === value);

/** Stands for an entry that cannot be read. */
const unread: SourceSpec = {
  name: '',
  agent: '',
  place: { type: 'folder', path: '' },
  after: { act: 'keep', to: null },
  from: null,
  everySeconds: 60,
  paused: false,
};

/** One entry of `sources`. */
export const source: Codec<SourceSpec> = codecOf<SourceSpec>(
  (value, context) => {
    const type = isObject(value) ? value.type : undefined;
    if (!isType(type)) {
      const message = `must be a mapping with a type, which is one of ${types.join(', ')}`;
      return failed([{ value, context, message }], () => unread);
    }
    const result = (forms[type] as t.Type<Written>).validate(value, context);
    return result._tag === 'Left' ? failed(result.left, () => unread) : t.success(specOf(result.right));
  },
  t.identity,
  (schemaOf) => ({ title: 'Source', anyOf: Object.values(forms).map(schemaOf) }),
);
