import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { _Object, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Log } from '../../application/ports/runtime.ts';
import { ItemGone, type OpenSource, type SourceItem, type SourcePage } from '../../application/ports/sources.ts';
import { DomainError } from '../../domain/errors.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { type SourceAfter, type SourcePlace, whyNots } from '../../domain/source.ts';
import { type Bucket, type Clients, lazyClients, timeoutsOf } from './client.ts';
import { nullIfMissing, nullIfOvertaken, placeFailure } from './errors.ts';

type BucketPlace = Extract<SourcePlace, { readonly type: 'bucket' }>;

interface Settings extends Omit<Bucket, 'bucket' | 'publicEndpoint'> {
  /** Those that the operator allows. */
  readonly buckets: readonly string[];
  /** Where the server keeps its own files; null: elsewhere. */
  readonly ownBucket: string | null;
  readonly contentTypeOf: (name: string) => string;
  readonly log: Log;
  readonly pageSize?: number;
}

/** The most that a store lists at a time. */
const PAGE = 1000;
const DONE = 'done/';
/** No other sign stands behind it in the order of the keys. */
const LAST_SIGN = '\u{10ffff}';
const MOST_KEY_BYTES = 1024;
const TAG = { Key: 'portico', Value: 'taken' };
/** The slowest pace at which a store copies. */
const BYTES_PER_MS = 1_000;

/** An object as it stood in a list: one that is written again has another time, mostly another tag too. */
interface Found {
  readonly key: string;
  readonly tag: string;
  readonly seconds: number;
  readonly size: number;
}

const bare = (tag = '') => tag.replaceAll('"', '');
const secondsOf = (time: Date | undefined) => Math.floor((time?.getTime() ?? 0) / 1000);

const refOf = ({ key, tag, seconds }: Omit<Found, 'size'>) => `${tag} ${seconds} ${key}`;

const foundIn = (ref: string): Omit<Found, 'size'> => {
  const [tag = '', seconds = '', ...key] = ref.split(' ');
  return { tag, seconds: Number(seconds), key: key.join(' ') };
};

/** Keys are listed in an encoding that has signs which XML cannot have. */
const keyIn = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const UNNAMED = /[\\\u0000-\u001f\u007f-\u009f]/g;

/** As people read it, and as the file of a run may be called. */
const nameOf = (key: string) =>
  key
    .slice(key.lastIndexOf('/') + 1)
    .replaceAll(UNNAMED, '_')
    .slice(-200)
    .toWellFormed();

const folderOf = (prefix: string) => prefix.slice(0, prefix.lastIndexOf('/') + 1);

const targetOf = (prefix: string, key: string) => {
  const folder = folderOf(prefix);
  return `${folder}${DONE}${key.slice(folder.length)}`;
};

/**
 * Where an object is moved to. If another object has that name, or it is too long, its own name follows from what it is: a process that comes
 * after a crash finds it.
 */
const targetsOf = (prefix: string, object: Omit<Found, 'size'>): readonly string[] => {
  const target = targetOf(prefix, object.key);
  const dot = target.lastIndexOf('.');
  const cut = dot > target.lastIndexOf('/') + 1 ? dot : target.length;
  const mark = hash('sha256', refOf(object)).slice(0, 12);
  const names = [target, `${target.slice(0, cut)}-${mark}${target.slice(cut)}`, `${folderOf(prefix)}${DONE}${mark}`];
  return names.filter((name) => Buffer.byteLength(name) <= MOST_KEY_BYTES);
};

/** The key behind which a look goes on; '' is the beginning. */
const afterIn = (cursor: JsonValue | null): string =>
  isObject(cursor) && typeof cursor.after === 'string' ? cursor.after : '';

/** Buckets that people and programs put files into. */
export const bucketSources = ({ buckets, ownBucket, contentTypeOf, log, pageSize = PAGE, ...settings }: Settings) => {
  const clients = lazyClients({ ...settings, bucket: '' }, log);

  const defect = async ({ bucket }: BucketPlace): Promise<string | null> => {
    if (!buckets.includes(bucket)) return 'must be one of SOURCE_BUCKETS, which the operator of the server sets';
    return bucket === ownBucket ? 'is where the server keeps its own files' : null;
  };

  const opened = ({ bucket, prefix }: BucketPlace, { act }: SourceAfter): OpenSource => {
    const Bucket = bucket;
    const done = `${folderOf(prefix)}${DONE}`;

    const ask = async <T>(signal: AbortSignal, work: (clients: Clients) => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      try {
        return await work(await clients.get());
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ItemGone || error instanceof DomainError) throw error;
        throw placeFailure({ ...settings, bucket }, error);
      }
    };

    const headOf = (Key: string, abortSignal: AbortSignal) =>
      ask(abortSignal, ({ sdk, client }) =>
        client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal }).catch(nullIfMissing),
      );

    /** null if it is gone, or another one by now. */
    const unchanged = async (object: Omit<Found, 'size'>, signal: AbortSignal) => {
      const head = await headOf(object.key, signal);
      return head && bare(head.ETag) === object.tag && secondsOf(head.LastModified) === object.seconds ? head : null;
    };

    async function* bytesOf({ key: Key, tag }: Found, signal: AbortSignal, opens: (version?: string) => void) {
      const { Body, ContentLength, VersionId } = await ask(signal, async ({ sdk, client }) => {
        const command = new sdk.GetObjectCommand({ Bucket, Key, IfMatch: `"${tag}"` });
        const answer = await client.send(command, { abortSignal: signal }).catch(nullIfOvertaken);
        if (!(answer?.Body instanceof Readable)) throw new ItemGone();
        return { ...answer, Body: answer.Body };
      });
      opens(VersionId);
      let got = 0;
      const chunks = (Body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { done: isOver, value } = await ask(signal, () => chunks.next());
          if (isOver) break;
          got += value.byteLength;
          yield value;
        }
      } finally {
        Body.destroy();
      }
      if (got !== ContentLength)
        throw new DomainError('unavailable', `The store sent only a part of the object ${nameOf(Key)}.`);
    }

    const itemOf = (object: Found): SourceItem => {
      const { key, tag, size } = object;
      const name = nameOf(key);
      let version = tag;
      return {
        ref: refOf(object),
        keyOf: () => `${bucket}/${key} ${version}`,
        name,
        contentType: contentTypeOf(name),
        sizeBytes: size,
        from: null,
        subject: null,
        whyNot: size === 0 ? whyNots.empty : null,
        read: (signal) =>
          bytesOf(object, signal, (opened = tag) => {
            version = opened;
          }),
      };
    };

    const objectOf = ({ Key = '', ETag, LastModified, Size = 0 }: _Object): Found => ({
      key: keyIn(Key),
      tag: bare(ETag),
      seconds: secondsOf(LastModified),
      size: Size,
    });
    const isItem = ({ key }: Found) => !key.endsWith('/') && !key.startsWith(done);

    /** What was moved is not listed: the key that follows is behind all of it. */
    const behind = (key: string) => (key.startsWith(done) ? `${done}${LAST_SIGN}` : key);

    /** The bucket by its keys, from one on. */
    async function* pages(cursor: JsonValue | null, signal: AbortSignal): AsyncIterable<SourcePage> {
      const listing = { Bucket, Prefix: prefix, MaxKeys: pageSize, EncodingType: 'url' } as const;
      for (let after = afterIn(cursor); ; ) {
        const { Contents = [], IsTruncated } = await ask(signal, ({ sdk, client }) =>
          client.send(new sdk.ListObjectsV2Command({ ...listing, ...(after !== '' && { StartAfter: after }) }), {
            abortSignal: signal,
          }),
        );
        const listed = Contents.map(objectOf);
        const end = listed.at(-1)?.key;
        after = end !== undefined && IsTruncated ? behind(end) : '';
        yield { items: listed.filter(isItem).map(itemOf), cursor: { after } };
        if (after === '') return;
      }
    }

    const copy = async (
      from: HeadObjectCommandOutput,
      { key, tag }: Omit<Found, 'size'>,
      Key: string,
      signal: AbortSignal,
    ) => {
      const version = from.VersionId === undefined ? '' : `?versionId=${from.VersionId}`;
      const CopySource = `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}${version}`;
      const conditions = { CopySourceIfMatch: `"${tag}"`, IfNoneMatch: '*' };
      const requestTimeout = timeoutsOf({ ...settings, bucket }).answerMs + (from.ContentLength ?? 0) / BYTES_PER_MS;
      const copied = await ask(signal, ({ sdk, client }) =>
        client
          .send(new sdk.CopyObjectCommand({ Bucket, Key, CopySource, ...conditions }), {
            abortSignal: signal,
            requestTimeout,
          })
          .catch(nullIfOvertaken),
      );
      return copied !== null;
    };

    /** Not every store minds the condition that nothing is overwritten, so it is asked before. */
    const copyTo = async (
      head: HeadObjectCommandOutput,
      item: Omit<Found, 'size'>,
      signal: AbortSignal,
    ): Promise<boolean> => {
      for (const target of targetsOf(prefix, item)) {
        const there = await headOf(target, signal);
        if (there === null && (await copy(head, item, target, signal))) return true;
        const isOwn = target !== targetOf(prefix, item.key);
        if (there !== null && (isOwn || bare(there.ETag) === item.tag)) return true;
      }
      return false;
    };

    const move = async (head: HeadObjectCommandOutput, item: Omit<Found, 'size'>, signal: AbortSignal) => {
      if (!(await copyTo(head, item, signal))) return;
      // What was put in its place meanwhile stays.
      if ((await unchanged(item, signal)) === null) return;
      await ask(signal, ({ sdk, client }) =>
        client
          .send(new sdk.DeleteObjectCommand({ Bucket, Key: item.key }), { abortSignal: signal })
          .catch(nullIfMissing),
      );
    };

    const tag = async (
      { VersionId }: HeadObjectCommandOutput,
      { key: Key }: Omit<Found, 'size'>,
      abortSignal: AbortSignal,
    ) => {
      const object = { Bucket, Key, ...(VersionId !== undefined && { VersionId }) };
      await ask(abortSignal, async ({ sdk, client }) => {
        const tags = await client.send(new sdk.GetObjectTaggingCommand(object), { abortSignal }).catch(nullIfMissing);
        if (tags === null) return;
        const others = (tags.TagSet ?? []).filter((each) => each.Key !== TAG.Key);
        const command = new sdk.PutObjectTaggingCommand({ ...object, Tagging: { TagSet: [...others, TAG] } });
        await client.send(command, { abortSignal }).catch(nullIfMissing);
      });
    };

    return {
      // A look that begins in the middle ends at the end; the next one begins anew.
      comesRound: true,
      pages,
      async settle(ref, signal) {
        const item = foundIn(ref);
        const head = await unchanged(item, signal);
        if (head === null) return;
        await (act === 'tag' ? tag(head, item, signal) : move(head, item, signal));
      },
      close: async () => {},
    };
  };

  return {
    defect,
    async open(place: BucketPlace, after: SourceAfter, _signal: AbortSignal): Promise<OpenSource> {
      const wrong = await defect(place);
      if (wrong !== null) throw new DomainError('unavailable', `The bucket ${place.bucket} ${wrong}.`);
      return opened(place, after);
    },
    close: () => clients.close(),
  };
};
