import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import {
  ItemUnreadable,
  type LeasedSource,
  type OpenSource,
  type SourceItem,
  type SourceQueue,
} from '../../src/application/ports/sources.ts';
import { sourceIntake } from '../../src/application/sources/intake.ts';
import type { JsonValue } from '../../src/domain/json.ts';

const MAX_RUNS = 4;
const { signal } = new AbortController();

const DOWN = Symbol('the source fails');
/** Its text; null: it cannot be read, by its own fault. */
type Content = string | null | typeof DOWN;

const anItem = (name: string, content: Content): SourceItem => ({
  ref: name,
  keyOf: () => name,
  name,
  contentType: 'text/plain',
  sizeBytes: null,
  from: null,
  subject: null,
  whyNot: null,
  async *read() {
    if (content === null) throw new ItemUnreadable(`${name} may not be read.`, null);
    if (content === DOWN) throw new Error('it is down');
    yield Buffer.from(content);
  },
});

describe('a look at a source', () => {
  /** The names of what became runs, and of what was listed with why not. */
  let runs: string[];
  let passed: string[];
  let ended: number;
  let cursor: JsonValue;
  let listings: number;
  let time: number;
  /** How long each item takes. */
  let itemMs: number;
  beforeEach(() => {
    [runs, passed, ended, cursor, listings, time, itemMs] = [[], [], 0, null, 0, 0, 0];
  });

  const queue = {
    unsettled: async () => [],
    openRuns: async (_: string, most: number) => Math.min(most, runs.length - ended),
    unknown: async (_: string, refs: readonly string[]) =>
      new Set(refs.filter((ref) => !runs.includes(ref) && !passed.includes(ref))),
    takenAs: async () => null,
    async take(_: object, { ref }: { readonly ref: string }) {
      runs.push(ref);
      return 'taken';
    },
    async pass(_: object, { ref }: { readonly ref: string }) {
      passed.push(ref);
    },
    settled: async () => {},
    async advance(_: object, next: JsonValue) {
      cursor = next;
    },
  } as unknown as SourceQueue;

  const look = (pages: readonly (readonly SourceItem[])[], over: Partial<OpenSource> = {}, isWaiting = false) => {
    const opened: OpenSource = {
      async *pages() {
        listings += 1;
        for (const [index, items] of pages.entries()) yield { items, cursor: index + 1 };
      },
      settle: async () => {},
      close: async () => {},
      ...over,
    };
    const source = { id: 's', name: 'inbox', after: { act: 'keep', to: null }, from: null, cursor: null, isWaiting };
    const intake = sourceIntake({
      queue,
      uploads: { receive: async (_, file) => ({ ...file, fileKey: 'k' }) },
      spool: {
        async setAside(chunks) {
          const bytes = await buffer(chunks);
          time += itemMs;
          return {
            digest: createHash('sha256').update(bytes).digest('hex'),
            byteLength: bytes.byteLength,
            read: async function* () {},
            dispose: async () => {},
          };
        },
      },
      ids: { next: () => 'id', traceId: () => 'trace', nonce: () => 'nonce' },
      limits: { maxUploadBytes: 1000, runDeadlineSeconds: 60, sourceMaxRuns: MAX_RUNS },
      now: () => time,
    });
    return intake({ source: source as unknown as LeasedSource & { userId: string }, opened, signal });
  };

  const named = (count: number, content: Content = 'x', name = 'a') =>
    Array.from({ length: count }, (_, n) => anItem(`${name}${n}`, content));

  it('starts no more runs than may be under way, and is not begun anew before half of them have ended', async () => {
    const items = named(2).concat(named(2, 'x', 'b'), named(4, 'x', 'c'));
    expect(await look([items.slice(0, 2), items.slice(2)])).to.deep.equal({ end: 'full', failure: null });
    expect(runs).to.have.length(MAX_RUNS);
    expect(cursor).to.equal(1);
    ended = 1;
    expect((await look([items], {}, true)).end).to.equal('full');
    expect([runs.length, listings]).to.deep.equal([MAX_RUNS, 1]);
    ended = 2;
    expect((await look([items], {}, true)).end).to.equal('full');
    expect(runs).to.have.length(MAX_RUNS + 2);
    ended = 6;
    expect((await look([items], {}, true)).end).to.equal('whole');
    expect(new Set(runs).size).to.equal(8);
  });

  it('counts runs alone, and not what becomes none', async () => {
    expect(await look([named(2, ''), named(1, 'x', 'b')])).to.deep.equal({ end: 'whole', failure: null });
    expect([passed.length, runs.length, cursor]).to.deep.equal([2, 1, 2]);
  });

  it('ends after a while in the middle of a page, and between pages', async () => {
    itemMs = 25_000;
    expect((await look([named(9, '')])).end).to.equal('cut');
    expect([passed.length, cursor]).to.deep.equal([3, null]);
    time = 0;
    passed = [];
    expect((await look([named(3, ''), named(1, 'x', 'b')])).end).to.equal('cut');
    expect([passed.length, runs.length, cursor]).to.deep.equal([3, 0, 1]);
  });

  it('passes over what cannot be read by its own fault, tells of it, and comes back to it', async () => {
    const { end, failure } = await look([[...named(5, null), anItem('good', 'x')], []]);
    expect([end, runs, cursor]).to.deep.equal(['whole', ['good'], null]);
    expect((failure as Error).message).to.equal('a0 may not be read.');
  });

  it('tells of what cannot even be listed, and lists it with no reason', async () => {
    const unreadable = new ItemUnreadable('b may not be listed.', null);
    const { failure } = await look([
      [anItem('a', 'x'), { ...anItem('b', ''), whyNot: 'any', unreadable }, anItem('c', 'y')],
    ]);
    expect([runs, passed, failure]).to.deep.equal([['a', 'c'], [], unreadable]);
  });

  it('fails when one after the other fails, which hides nothing behind it where the source comes round', async () => {
    const pages = [named(3, DOWN), named(1, 'x', 'b')];
    expect(await look(pages).catch((error: Error) => error.message)).to.equal('it is down');
    expect([runs, cursor]).to.deep.equal([[], null]);
    expect(await look(pages, { comesRound: true }).catch((error: Error) => error.message)).to.equal('it is down');
    expect(cursor).to.equal(1);
  });
});
