import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { ItemGone, type KeptToken, type OpenSource, type SourceItem } from '../../src/application/ports/sources.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import type { SourceAfter } from '../../src/domain/source.ts';

/** For places without a refresh token, or with one that is never renewed. */
export const notRenewed: KeptToken = { latest: (given) => given, keep: async () => {} };

/** A place with the adapter under test, of which each test gets a new one. */
export interface SourceHarness {
  /** With this done to what was taken. */
  open(act: SourceAfter['act'], signal: AbortSignal): Promise<OpenSource>;
  /** Puts something there, whose text has something to read. */
  put(name: string, text: string): Promise<void>;
  /** Takes away what has this text. */
  remove(name: string): Promise<void>;
  /** The texts of what lies in the place, and of what was moved. */
  there(): Promise<readonly string[]>;
  moved(): Promise<readonly string[]>;
  /** What the adapter reads of something that was put there. */
  bytesOf(name: string, text: string): string;
}

const { signal } = new AbortController();
const SLOW_MS = 60_000;

/** Everything that a look finds from a cursor on, and the cursor after it. */
export const lookAt = async (opened: OpenSource, from: JsonValue | null = null) => {
  const items: SourceItem[] = [];
  let cursor = from;
  for await (const page of opened.pages(from, signal)) {
    items.push(...page.items);
    ({ cursor } = page);
  }
  return { items, cursor };
};

export const onlyItem = async (opened: OpenSource): Promise<SourceItem> => {
  const { items } = await lookAt(opened);
  expect(items).to.have.length(1);
  return items[0] as SourceItem;
};

/** Every source passes this, or it is not one. */
export const sourceContract = (newHarness: () => Promise<SourceHarness>) =>
  describe('as a port', function () {
    this.timeout(SLOW_MS);
    let harness: SourceHarness;
    const opened: OpenSource[] = [];
    beforeEach(async () => {
      harness = await newHarness();
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    const open = async (act: SourceAfter['act'] = 'keep') => {
      const source = await harness.open(act, signal);
      opened.push(source);
      return source;
    };
    const textOf = async (item: SourceItem) => (await buffer(item.read(signal))).toString();
    const only = ({ items }: { readonly items: readonly SourceItem[] }): SourceItem => {
      expect(items).to.have.length(1);
      return items[0] as SourceItem;
    };

    it('finds nothing in an empty place', async () => {
      expect((await lookAt(await open())).items).to.deep.equal([]);
    });

    it('finds what was put there, with its size and bytes', async () => {
      await harness.put('a', 'first');
      await harness.put('b', 'second');
      const { items } = await lookAt(await open());
      const expected = [harness.bytesOf('a', 'first'), harness.bytesOf('b', 'second')];
      expect(await Promise.all([items[0], items[1]].map((item) => item?.sizeBytes))).to.have.members(
        expected.map((text) => Buffer.byteLength(text)),
      );
      const texts: string[] = [];
      for (const item of items) texts.push(await textOf(item));
      expect(texts).to.have.members(expected);
      for (const { whyNot } of items) expect(whyNot).to.equal(null);
    });

    it('has a ref for each item that stays the same, in another session too', async () => {
      await harness.put('a', 'first');
      await harness.put('b', 'second');
      const refs = async () => (await lookAt(await open())).items.map(({ ref }) => ref).sort();
      const first = await refs();
      expect(new Set(first).size).to.equal(2);
      expect(await refs()).to.deep.equal(first);
    });

    it('has a key that is a line', async () => {
      await harness.put('a', 'first');
      const item = only(await lookAt(await open()));
      const digest = createHash('sha256').update('first').digest('hex');
      expect(item.keyOf(digest)).to.match(/^\S.*\S$/);
      expect(item.keyOf(null)).to.match(/^\S.*\S$/);
    });

    it('finds what is new behind the cursor', async () => {
      await harness.put('a', 'first');
      const { cursor } = await lookAt(await open());
      await harness.put('b', 'second');
      const { items } = await lookAt(await open(), cursor);
      const texts: string[] = [];
      for (const item of items) texts.push(await textOf(item));
      expect(texts).to.include(harness.bytesOf('b', 'second'));
    });

    it('finds everything again without a cursor', async () => {
      await harness.put('a', 'first');
      const { cursor } = await lookAt(await open());
      expect(cursor).to.not.equal(null);
      expect((await lookAt(await open())).items).to.have.length(1);
    });

    it('says of an item that was taken away that it is gone', async () => {
      await harness.put('a', 'first');
      const item = only(await lookAt(await open()));
      await harness.remove('a');
      expect(await textOf(item).catch((error: unknown) => error)).to.be.instanceOf(ItemGone);
    });

    it('moves what was taken, once however often it is asked, in another session too', async () => {
      await harness.put('a', 'first');
      await harness.put('b', 'second');
      const source = await open('move');
      const { items } = await lookAt(source);
      const texts = new Map<string, string>();
      for (const item of items) texts.set(await textOf(item), item.ref);
      const ref = texts.get(harness.bytesOf('a', 'first')) ?? '';
      await source.settle(ref, signal);
      await source.settle(ref, signal);
      await (await open('move')).settle(ref, signal);
      expect(await harness.moved()).to.deep.equal([harness.bytesOf('a', 'first')]);
      expect(await harness.there()).to.deep.equal([harness.bytesOf('b', 'second')]);
      expect((await lookAt(await open('move'))).items).to.have.length(1);
    });

    it('settles what is gone without a word', async () => {
      await harness.put('a', 'first');
      const source = await open('move');
      const item = only(await lookAt(source));
      await harness.remove('a');
      await source.settle(item.ref, signal);
      expect(await harness.moved()).to.deep.equal([]);
    });

    it('keeps what was taken as it was', async () => {
      await harness.put('a', 'first');
      const source = await open('keep');
      await textOf(only(await lookAt(source)));
      expect(await harness.there()).to.deep.equal([harness.bytesOf('a', 'first')]);
      expect(await harness.moved()).to.deep.equal([]);
    });

    it('can be left in the middle of an item', async () => {
      await harness.put('a', 'x'.repeat(500_000));
      await harness.put('b', 'second');
      const source = await open();
      const { items } = await lookAt(source);
      for await (const _ of items[0]?.read(signal) ?? []) break;
      for (const item of items) expect((await textOf(item)).length).to.equal(item.sizeBytes);
    });

    it('ends with its signal', async () => {
      await harness.put('a', 'first');
      const ended = new AbortController();
      const source = await harness.open('keep', ended.signal);
      opened.push(source);
      ended.abort(new Error('it was enough'));
      const error = await (async () => {
        for await (const _ of source.pages(null, ended.signal));
      })().catch((caught: unknown) => caught);
      expect(error).to.equal(ended.signal.reason);
    });
  });
