import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Log } from '../../application/ports/runtime.ts';
import { ItemGone, type OpenSource, type SourceItem, type SourcePage } from '../../application/ports/sources.ts';
import { DomainError } from '../../domain/errors.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { type SourceAfter, type SourcePlace, whyNots } from '../../domain/source.ts';
import { type Bucket, type Clients, lazyClients, transferMs } from './client.ts';
import { nullIfMissing, nullIfOvertaken, placeFailure } from './errors.ts';
import {
  bareTag,
  isVersion,
  type ListedObject,
  listedObject,
  nameOf,
  type ObjectVersion,
  refOf,
  versionIn,
  watchedPart,
} from './source-objects.ts';

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
const TAG = { Key: 'portico', Value: 'taken' };

/** The key behind which a look goes on; '' is the beginning. */
const afterIn = (cursor: JsonValue | null): string =>
  isObject(cursor) && typeof cursor.after === 'string' ? cursor.after : '';

/** How a bucket is reached and read. */
interface Access {
  readonly bucket: Bucket;
  readonly clients: ReturnType<typeof lazyClients>;
  readonly contentTypeOf: (name: string) => string;
  readonly pageSize: number;
}

/** A bucket under a look. */
class OpenBucket implements OpenSource {
  /** A look that begins in the middle ends at the end; the next one begins anew. */
  readonly comesRound = true;
  readonly #access: Access;
  readonly #place: BucketPlace;
  readonly #act: SourceAfter['act'];
  readonly #part: ReturnType<typeof watchedPart>;

  constructor(access: Access, place: BucketPlace, act: SourceAfter['act']) {
    this.#access = access;
    this.#place = place;
    this.#act = act;
    this.#part = watchedPart(place.prefix);
  }

  /** The bucket by its keys, from one on. */
  async *pages(cursor: JsonValue | null, signal: AbortSignal): AsyncIterable<SourcePage> {
    const { bucket: Bucket, prefix: Prefix } = this.#place;
    const listing = { Bucket, Prefix, MaxKeys: this.#access.pageSize, EncodingType: 'url' } as const;
    for (let after = afterIn(cursor); ; ) {
      const { Contents = [], IsTruncated } = await this.#ask(signal, ({ sdk, client }) =>
        client.send(new sdk.ListObjectsV2Command({ ...listing, ...(after !== '' && { StartAfter: after }) }), {
          abortSignal: signal,
        }),
      );
      const listed = Contents.map(listedObject);
      const end = listed.at(-1)?.key;
      const next = end !== undefined && IsTruncated ? this.#part.behind(end) : '';
      if (next !== '' && next === after)
        throw new DomainError(
          'unavailable',
          'The store lists the same objects again and again: it heeds no StartAfter.',
        );
      after = next;
      const items = listed.filter(this.#part.isItem).map((object) => this.#itemOf(object));
      yield { items, cursor: { after } };
      if (after === '') return;
    }
  }

  async settle(ref: string, signal: AbortSignal): Promise<void> {
    const object = versionIn(ref);
    const head = await this.#unchanged(object, signal);
    if (head === null) return;
    await (this.#act === 'tag' ? this.#tag(head, object, signal) : this.#move(head, object, signal));
  }

  async close() {}

  async #ask<T>(signal: AbortSignal, work: (clients: Clients) => Promise<T>): Promise<T> {
    const { clients, bucket } = this.#access;
    signal.throwIfAborted();
    try {
      return await work(await clients.get());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ItemGone || error instanceof DomainError) throw error;
      throw placeFailure(bucket, error);
    }
  }

  #itemOf(object: ListedObject): SourceItem {
    const { key, tag, size } = object;
    const name = nameOf(key);
    let version = tag;
    return {
      ref: refOf(object),
      keyOf: () => `${this.#place.bucket}/${key} ${version}`,
      name,
      contentType: this.#access.contentTypeOf(name),
      sizeBytes: size,
      from: null,
      subject: null,
      whyNot: size === 0 ? whyNots.empty : null,
      read: (signal) =>
        this.#bytesOf(object, signal, (opened = tag) => {
          version = opened;
        }),
    };
  }

  async *#bytesOf(
    { key: Key, tag }: Pick<ObjectVersion, 'key' | 'tag'>,
    signal: AbortSignal,
    opens: (version?: string) => void = () => undefined,
  ) {
    const { Body, ContentLength, VersionId } = await this.#ask(signal, async ({ sdk, client }) => {
      const command = new sdk.GetObjectCommand({ Bucket: this.#place.bucket, Key, IfMatch: `"${tag}"` });
      const answer = await client.send(command, { abortSignal: signal }).catch(nullIfOvertaken);
      if (!(answer?.Body instanceof Readable)) throw new ItemGone();
      return { ...answer, Body: answer.Body };
    });
    opens(VersionId);
    let got = 0;
    const chunks = (Body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done: isOver, value } = await this.#ask(signal, () => chunks.next());
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

  #headOf(Key: string, abortSignal: AbortSignal) {
    const { bucket: Bucket } = this.#place;
    return this.#ask(abortSignal, ({ sdk, client }) =>
      client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal }).catch(nullIfMissing),
    );
  }

  /** null if it is gone, or another one by now. */
  async #unchanged(object: ObjectVersion, signal: AbortSignal) {
    const head = await this.#headOf(object.key, signal);
    return head && isVersion(head, object) ? head : null;
  }

  async #tag({ VersionId }: HeadObjectCommandOutput, { key: Key }: ObjectVersion, abortSignal: AbortSignal) {
    const object = { Bucket: this.#place.bucket, Key, ...(VersionId !== undefined && { VersionId }) };
    await this.#ask(abortSignal, async ({ sdk, client }) => {
      const tags = await client.send(new sdk.GetObjectTaggingCommand(object), { abortSignal }).catch(nullIfMissing);
      if (tags === null) return;
      const others = (tags.TagSet ?? []).filter((each) => each.Key !== TAG.Key);
      const command = new sdk.PutObjectTaggingCommand({ ...object, Tagging: { TagSet: [...others, TAG] } });
      await client.send(command, { abortSignal }).catch(nullIfMissing);
    });
  }

  async #move(head: HeadObjectCommandOutput, object: ObjectVersion, signal: AbortSignal) {
    if (!(await this.#isCopied(head, object, signal))) return;
    // An object that was put in its place meanwhile stays.
    if ((await this.#unchanged(object, signal)) === null) return;
    const { bucket: Bucket } = this.#place;
    await this.#ask(signal, ({ sdk, client }) =>
      client
        .send(new sdk.DeleteObjectCommand({ Bucket, Key: object.key }), { abortSignal: signal })
        .catch(nullIfMissing),
    );
  }

  /** Copies the object, unless an earlier process did. Not every store minds the condition that nothing is overwritten, so it is asked before. */
  async #isCopied(head: HeadObjectCommandOutput, object: ObjectVersion, signal: AbortSignal): Promise<boolean> {
    for (const target of this.#part.targetsOf(object)) {
      const there = await this.#headOf(target, signal);
      if (there === null && (await this.#copy(head, object, target, signal))) return true;
      const isOwn = target !== this.#part.targetOf(object.key);
      if (there !== null && (isOwn || (await this.#isCopy(target, there, head, object, signal)))) return true;
    }
    return false;
  }

  /** S3 gives the copy of what was uploaded in parts, or is encrypted, another tag: then the bytes tell. */
  async #isCopy(
    target: string,
    there: HeadObjectCommandOutput,
    head: HeadObjectCommandOutput,
    object: ObjectVersion,
    signal: AbortSignal,
  ): Promise<boolean> {
    const tag = bareTag(there.ETag);
    if (tag === object.tag) return true;
    if (there.ContentLength !== head.ContentLength) return false;
    const digest = await this.#digestOf(object, signal);
    return digest !== null && digest === (await this.#digestOf({ key: target, tag }, signal));
  }

  /** null if it is gone, or another one by now. */
  async #digestOf(object: Pick<ObjectVersion, 'key' | 'tag'>, signal: AbortSignal): Promise<string | null> {
    const digest = createHash('sha256');
    try {
      for await (const chunk of this.#bytesOf(object, signal)) digest.update(chunk);
    } catch (error) {
      if (error instanceof ItemGone) return null;
      throw error;
    }
    return digest.digest('hex');
  }

  async #copy(from: HeadObjectCommandOutput, { key, tag }: ObjectVersion, Key: string, signal: AbortSignal) {
    const { bucket: Bucket } = this.#place;
    const version = from.VersionId === undefined ? '' : `?versionId=${from.VersionId}`;
    const CopySource = `${Bucket}/${key.split('/').map(encodeURIComponent).join('/')}${version}`;
    const conditions = { CopySourceIfMatch: `"${tag}"`, IfNoneMatch: '*' };
    const requestTimeout = transferMs(this.#access.bucket, from.ContentLength ?? 0);
    const copied = await this.#ask(signal, ({ sdk, client }) =>
      client
        .send(new sdk.CopyObjectCommand({ Bucket, Key, CopySource, ...conditions }), {
          abortSignal: signal,
          requestTimeout,
        })
        .catch(nullIfOvertaken),
    );
    return copied !== null;
  }
}

/** Buckets that people and programs put files into. */
export const bucketSources = ({ buckets, ownBucket, contentTypeOf, log, pageSize = PAGE, ...settings }: Settings) => {
  const clients = lazyClients({ ...settings, bucket: '' }, log);

  const defect = async ({ bucket }: BucketPlace): Promise<string | null> => {
    if (!buckets.includes(bucket)) return 'must be one of SOURCE_BUCKETS, which the operator of the server sets';
    return bucket === ownBucket ? 'is where the server keeps its own files' : null;
  };

  return {
    defect,
    async open(place: BucketPlace, { act }: SourceAfter, _signal: AbortSignal): Promise<OpenSource> {
      const wrong = await defect(place);
      if (wrong !== null) throw new DomainError('unavailable', `The bucket ${place.bucket} ${wrong}.`);
      const bucket = { ...settings, bucket: place.bucket };
      return new OpenBucket({ bucket, clients, contentTypeOf, pageSize }, place, act);
    },
    close: () => clients.close(),
  };
};
