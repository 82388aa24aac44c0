import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { bucketSources } from '../../src/adapters/s3/source.ts';
import { ItemGone, type SourceItem } from '../../src/application/ports/sources.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { FILE_NAME } from '../../src/domain/run.ts';
import type { SourceAfter } from '../../src/domain/source.ts';
import { lookAt, onlyItem, sourceContract } from '../contracts/source.ts';
import { containerS3, s3At } from '../support/backends.ts';
import { listen } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

const { signal } = new AbortController();

describe(`buckets as sources, on ${containerS3.name}`, () => {
  let target: ReturnType<typeof s3At>;
  let admin: S3Client;
  let bucket: string;
  const closers: (() => Promise<void>)[] = [];

  before(async function () {
    const url = await containerS3.url();
    if (url === null) return this.skip();
    target = s3At(url);
    admin = new S3Client({ ...target, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
  });
  after(() => admin?.destroy());
  beforeEach(async () => {
    bucket = `portico-source-${randomUUID()}`;
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const family = (over: Partial<Parameters<typeof bucketSources>[0]> = {}) => {
    const made = bucketSources({
      ...target,
      buckets: [bucket],
      ownBucket: null,
      contentTypeOf: () => 'text/plain',
      log: quiet,
      ...over,
    });
    closers.push(made.close);
    return made;
  };
  const open = (act: SourceAfter['act'] = 'keep', { prefix = '', pageSize = 1000, until = signal } = {}) =>
    family({ pageSize }).open({ type: 'bucket', bucket, prefix }, { act, to: null }, until);
  const put = (Key: string, Body: string) => admin.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
  const textOf = async (item: SourceItem) => (await buffer(item.read(signal))).toString();
  const keys = async (): Promise<readonly string[]> =>
    ((await admin.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(({ Key = '' }) => Key).sort();
  const textsAt = async (isMoved: boolean) => {
    const texts: string[] = [];
    for (const Key of (await keys()).filter((key) => key.startsWith('done/') === isMoved)) {
      const { Body } = await admin.send(new GetObjectCommand({ Bucket: bucket, Key }));
      texts.push((await Body?.transformToString()) ?? '');
    }
    return texts;
  };

  sourceContract(async () => ({
    open: (act, until) => open(act, { until }),
    put: async (name, text) => void (await put(`${name}.txt`, text)),
    remove: async (name) => void (await admin.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${name}.txt` }))),
    there: () => textsAt(false),
    moved: () => textsAt(true),
    bytesOf: (_name, text) => text,
  }));

  it('are allowed by name alone, and never the one where the server keeps its own files', async () => {
    const place = { type: 'bucket', bucket, prefix: '' } as const;
    expect(await family().defect(place)).to.equal(null);
    expect(await family({ buckets: [] }).defect(place)).to.match(/must be one of SOURCE_BUCKETS/);
    expect(await family({ buckets: [`${bucket}-2`] }).defect(place)).to.match(/must be one of SOURCE_BUCKETS/);
    expect(await family({ ownBucket: bucket }).defect(place)).to.equal('is where the server keeps its own files');
    const refused = await family({ buckets: [] })
      .open(place, { act: 'keep', to: null }, signal)
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DomainError);
  });

  it('have what lies below the prefix, but for what was moved, and folders', async () => {
    for (const key of ['in/a.txt', 'in/deep/b.txt', 'in/done/c.txt', 'in/folder/', 'in2.txt', 'other/d.txt'])
      await put(key, key);
    const names = async (prefix: string) =>
      (await lookAt(await open('keep', { prefix }))).items.map((item) => item.keyOf(null).split(' ')[0]);
    expect(await names('in/')).to.deep.equal([`${bucket}/in/a.txt`, `${bucket}/in/deep/b.txt`]);
    expect(await names('in2')).to.deep.equal([`${bucket}/in2.txt`]);
  });

  it('move to done below the folder of the prefix, whatever the key is made of, and never over another object', async () => {
    const key = 'in/Rechnung + 1% ü&=?#.v2.pdf';
    await put(key, 'mine');
    await put('in/done/Rechnung + 1% ü&=?#.v2.pdf', 'another');
    const source = await open('move', { prefix: 'in/' });
    const item = await onlyItem(source);
    expect(await textOf(item)).to.equal('mine');
    expect(item.name).to.equal('Rechnung + 1% ü&=?#.v2.pdf');
    await source.settle(item.ref, signal);
    await source.settle(item.ref, signal);
    const after = await keys();
    expect(after).to.have.length(2);
    expect(after.find((each) => each !== 'in/done/Rechnung + 1% ü&=?#.v2.pdf')).to.match(
      /^in\/done\/Rechnung \+ 1% ü&=\?#\.v2-[0-9a-f]{12}\.pdf$/,
    );
  });

  it('move what a process that died has copied already', async () => {
    await put('a.txt', 'mine');
    await put('done/a.txt', 'mine');
    const source = await open('move');
    await source.settle((await onlyItem(source)).ref, signal);
    expect(await keys()).to.deep.equal(['done/a.txt']);
  });

  it('move once what was uploaded in parts, and never over another object', async () => {
    for (const key of ['a.txt', 'b.txt']) {
      const object = { Bucket: bucket, Key: key };
      const { UploadId } = await admin.send(new CreateMultipartUploadCommand(object));
      const part = { ...object, UploadId, PartNumber: 1 };
      const { ETag } = await admin.send(new UploadPartCommand({ ...part, Body: key }));
      const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
      await admin.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload }));
    }
    // As S3 leaves it where the process that had it copied was killed: the copy has the tag of an object in one part.
    await put('done/a.txt', 'a.txt');
    await put('done/b.txt', 'other');
    const source = await open('move');
    for (const { ref } of (await lookAt(source)).items) await source.settle(ref, signal);
    expect(await textsAt(false)).to.deep.equal([]);
    expect((await textsAt(true)).sort()).to.deep.equal(['a.txt', 'b.txt', 'other']);
  });

  it('tag what was taken, beside its other tags, and have it no second time by that', async () => {
    await put('a.txt', 'mine');
    const TagSet = [{ Key: 'team', Value: 'blue' }];
    await admin.send(new PutObjectTaggingCommand({ Bucket: bucket, Key: 'a.txt', Tagging: { TagSet } }));
    const source = await open('tag');
    const item = await onlyItem(source);
    await source.settle(item.ref, signal);
    await source.settle(item.ref, signal);
    const tags = await admin.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: 'a.txt' }));
    expect(tags.TagSet).to.have.deep.members([...TagSet, { Key: 'portico', Value: 'taken' }]);
    expect((await onlyItem(source)).ref).to.equal(item.ref);
  });

  it('leave alone what was put in the place of what was taken', async () => {
    await put('a.txt', 'first');
    const source = await open('move');
    const item = await onlyItem(source);
    await put('a.txt', 'second');
    expect(await textOf(item).catch((error: unknown) => error)).to.be.instanceOf(ItemGone);
    await source.settle(item.ref, signal);
    expect(await textsAt(false)).to.deep.equal(['second']);
    expect(await textOf(await onlyItem(source))).to.equal('second');
  });

  it('with versions have the newest of each, under its own key, and lose none when it is moved', async () => {
    await admin.send(
      new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
    const first = await put('a.txt', 'first');
    const source = await open('move');
    const one = await onlyItem(source);
    expect(await textOf(one)).to.equal('first');
    expect(one.keyOf('digest')).to.equal(`${bucket}/a.txt ${first.VersionId}`);
    const second = await put('a.txt', 'second');
    await source.settle(one.ref, signal);
    const two = await onlyItem(source);
    expect(two.ref).to.not.equal(one.ref);
    expect(await textOf(two)).to.equal('second');
    expect(two.keyOf('digest')).to.equal(`${bucket}/a.txt ${second.VersionId}`);
    await source.settle(two.ref, signal);
    expect(await keys()).to.deep.equal(['done/a.txt']);
    expect(await textsAt(true)).to.deep.equal(['second']);
  });

  it('are listed a page at a time, from where the last look ended to the end', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `file${String(n).padStart(2, '0')}.txt`);
    for (const name of names) await put(name, name);
    const source = await open('keep', { pageSize: 10 });
    const pages: { readonly names: readonly string[]; readonly cursor: unknown }[] = [];
    for await (const { items, cursor } of source.pages(null, signal))
      pages.push({ names: items.map(({ name }) => name), cursor });
    expect(pages.map((page) => page.names.length)).to.deep.equal([10, 10, 5]);
    expect(pages.map(({ cursor }) => cursor)).to.deep.equal([
      { after: 'file09.txt' },
      { after: 'file19.txt' },
      { after: '' },
    ]);
    const { items } = await lookAt(source, { after: 'file09.txt' });
    expect(items.map(({ name }) => name)).to.deep.equal(names.slice(10));
    expect((await lookAt(source, { after: 'zzz' })).cursor).to.deep.equal({ after: '' });
  });

  it('pass over what was moved in one step, however much it is', async () => {
    for (let n = 0; n < 35; n += 1) await put(`done/${n}.txt`, String(n));
    for (const key of ['a.txt', 'done', 'done-1.txt', 'done0.txt', 'z.txt']) await put(key, key);
    const source = await open('move', { pageSize: 10 });
    const pages: (readonly string[])[] = [];
    for await (const { items } of source.pages(null, signal)) pages.push(items.map(({ name }) => name));
    expect(pages.flat()).to.deep.equal(['a.txt', 'done', 'done-1.txt', 'done0.txt', 'z.txt']);
    expect(pages).to.have.length(2);
  });

  it('read keys that look like paths as names, and as nothing else', async () => {
    const odd = [
      'in/../../etc/passwd',
      'in//double.txt',
      'in/./dot.txt',
      'in/a\nb\u0001c.txt',
      `in/${`${'y'.repeat(199)}/`.repeat(5)}${'x'.repeat(21)}`,
    ];
    for (const key of odd) await put(key, key);
    const source = await open('move', { prefix: 'in/' });
    const { items } = await lookAt(source);
    expect(items).to.have.length(odd.length);
    for (const item of items) {
      expect(item.name.length).to.be.within(1, 200);
      expect(item.name).to.match(FILE_NAME);
      expect(odd).to.include(await textOf(item));
      await source.settle(item.ref, signal);
    }
    expect((await keys()).every((key) => key.startsWith('in/done/'))).to.equal(true);
    expect((await textsAt(false)).sort()).to.deep.equal([...odd].sort());
  });

  it('say in words why they cannot be looked at', async () => {
    const refusal = async (over: Partial<Parameters<typeof bucketSources>[0]>, name = bucket) => {
      const source = await family({ buckets: [name], ...over }).open(
        { type: 'bucket', bucket: name, prefix: '' },
        { act: 'keep', to: null },
        signal,
      );
      const error = await lookAt(source).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(DomainError);
      return (error as Error).message;
    };
    const { host } = new URL(target.endpoint);
    expect(await refusal({}, 'nowhere-at-all')).to.equal(`There is no bucket "nowhere-at-all" at ${host}.`);
    const wrong = { accessKeyId: 'nobody', secretAccessKey: 'not-to-be-seen' };
    expect(await refusal({ credentials: wrong })).to.match(
      /^The bucket ".*" at .* does not know the access key \(S3_ACCESS_KEY_ID\)\.$/,
    );
    expect(await refusal({ endpoint: 'http://127.0.0.1:9' })).to.equal('127.0.0.1:9 cannot be reached (ECONNREFUSED).');
  });
});

describe('a bucket of a store that does not go on with its list', () => {
  it('is said to be one, and not listed without an end', async () => {
    const object = '<Key>a.txt</Key><LastModified>2026-01-01T00:00:00Z</LastModified><ETag>"1"</ETag><Size>5</Size>';
    const list = `<ListBucketResult><IsTruncated>true</IsTruncated><Contents>${object}</Contents></ListBucketResult>`;
    const { baseUrl, stop } = await listen((_, response) => void response.end(`<?xml version="1.0"?>${list}`));
    const { open, close } = bucketSources({
      ...s3At(baseUrl),
      buckets: ['bills'],
      ownBucket: null,
      contentTypeOf: () => 'text/plain',
      log: quiet,
    });
    try {
      const opened = await open({ type: 'bucket', bucket: 'bills', prefix: '' }, { act: 'keep', to: null }, signal);
      const error = await lookAt(opened).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(DomainError);
      expect((error as Error).message).to.include('lists the same objects again and again');
    } finally {
      await close();
      await stop();
    }
  });
});
