import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ChainPoint,
  chained,
  chainStart,
  hashOf,
  type RecordedAct,
  type ShownEntry,
  shownEntry,
} from '../../src/domain/audit-chain.ts';
import { type Expected, verifyChain } from '../../src/domain/audit-verification.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const act = fc.record({
  at: fc.date({ noInvalidDate: true, min: new Date('2026-01-01'), max: new Date('2027-01-01') }),
  actor: fc.record({
    type: fc.constantFrom('user', 'system'),
    id: fc.uuid(),
    name: fc.option(fc.string({ unit: 'grapheme' })),
  }),
  via: fc.record({ kind: fc.constant('console'), id: fc.option(fc.uuid()), address: fc.option(fc.ipV6()) }),
  action: fc.constantFrom('document.approved', 'key.created'),
  subject: fc.record({ type: fc.constant('document'), id: fc.uuid(), name: fc.option(fc.string()) }),
  details: fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string(), fc.constant(null))),
}) as fc.Arbitrary<RecordedAct>;

const chainOf = (least: number) =>
  fc.array(act, { minLength: least, maxLength: 12 }).map((acts) => chained(acts, chainStart, sha256).map(shownEntry));

const endOf = (entries: readonly ShownEntry[]): ChainPoint => {
  const { sequence, hash } = entries.at(-1) ?? chainStart;
  return { sequence, hash };
};

const unknown: Expected = { head: null, checkpoint: null };

const faultOf = async (entries: readonly ShownEntry[], expected: Expected = unknown) => {
  const read = async function* () {
    yield* entries;
  };
  return (await verifyChain(read, expected, sha256)).fault;
};

/** The chain with what a program without knowledge of hashes would do to it, at a place from 0. */
const untilLast = (entries: readonly ShownEntry[]) => fc.integer({ min: 0, max: entries.length - 2 });
const tampered = (least: number) =>
  chainOf(least).chain((entries) => fc.record({ entries: fc.constant(entries), place: untilLast(entries) }));

const renumbered = (entries: readonly ShownEntry[]): readonly ShownEntry[] =>
  entries.map((entry, index) => ({ ...entry, sequence: index + 1 }));

const holds = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(arbitrary, check), { numRuns: 60 });

describe('the chain of an audit log', () => {
  it('has the hash that any program computes by RFC 8785', () => {
    const [entry] = chained(
      [
        {
          at: new Date('2026-11-27T12:00:00.000Z'),
          actor: { type: 'user', id: '018f', name: 'Zoë' },
          via: { kind: 'console', id: null, address: '::1' },
          action: 'document.approved',
          subject: { type: 'document', id: '0190', name: 'Invoices' },
          details: { revision: 2 },
        },
      ],
      chainStart,
      sha256,
    );
    const text =
      '{"action":"document.approved","actor":{"id":"018f","name":"Zoë","type":"user"},"at":"2026-11-27T12:00:00.000Z","details":{"revision":2},' +
      `"previous":"${'0'.repeat(64)}","sequence":1,"subject":{"id":"0190","name":"Invoices","type":"document"},"via":{"address":"::1","id":null,"kind":"console"}}`;
    expect(entry?.hash).to.equal(createHash('sha256').update(text, 'utf8').digest('hex'));
  });

  it('is right as it was written, from its end on too', () =>
    holds(chainOf(0), async (entries) => {
      expect(await faultOf(entries, { head: endOf(entries), checkpoint: endOf(entries.slice(0, 3)) })).to.equal(null);
      expect(await faultOf(entries)).to.equal(null);
    }));

  it('names an entry of which anything was changed', () =>
    holds(tampered(2), async ({ entries, place }) => {
      const sequence = place + 1;
      for (const change of [
        { action: 'key.revoked' },
        { at: '2026-11-27T12:00:00.001Z' },
        { details: { hidden: true } },
        { previous: 'f'.repeat(64) },
        { hash: 'f'.repeat(64) },
        { more: 1 },
      ])
        expect(
          await faultOf(entries.with(place, { ...(entries[place] as ShownEntry), ...change } as ShownEntry)),
        ).to.deep.equal({
          what: 'changed',
          sequence,
        });
    }));

  it('names an entry that was changed and given a new hash', () =>
    holds(tampered(2), async ({ entries, place }) => {
      const changed = { ...(entries[place] as ShownEntry), action: 'key.revoked' };
      const sealed = { ...changed, hash: hashOf(changed, sha256) };
      expect(await faultOf(entries.with(place, sealed))).to.deep.equal({ what: 'changed', sequence: place + 1 });
    }));

  it('names an entry that was left out, also where the others were numbered anew', () =>
    holds(tampered(3), async ({ entries, place }) => {
      const left = entries.toSpliced(place, 1);
      const fault = { what: 'left_out', sequence: place + 1 };
      expect(await faultOf(left)).to.deep.equal(fault);
      expect(await faultOf(renumbered(left))).to.deep.equal(fault);
    }));

  it('names an entry that was put in', () =>
    holds(tampered(3), async ({ entries, place }) => {
      const own = entries[place] as ShownEntry;
      const forged = { ...own, action: 'key.revoked' };
      const fault = { what: 'put_in', sequence: place + 1 };
      for (const added of [forged, { ...forged, hash: hashOf(forged, sha256) }])
        expect(await faultOf(renumbered(entries.toSpliced(place, 0, added)))).to.deep.equal(fault);
      expect(await faultOf(entries.toSpliced(place, 0, own)), 'twice').to.deep.equal(fault);
      expect(await faultOf([{ ...own, sequence: 0 }, ...entries])).to.deep.equal({ what: 'put_in', sequence: 0 });
    }));

  it('names entries that were moved or swapped', () =>
    holds(tampered(4), async ({ entries, place }) => {
      const swap = (other: number) =>
        entries.with(place, entries[other] as ShownEntry).with(other, entries[place] as ShownEntry);
      for (let other = place + 1; other < entries.length; other += 1) {
        const fault = await faultOf(renumbered(swap(other)));
        expect(fault, `${place} and ${other}`).to.deep.equal({ what: 'moved', sequence: place + 1 });
        expect((await faultOf(swap(other)))?.what).to.equal('moved');
      }
      const later = entries.toSpliced(place, 1).concat(entries[place] as ShownEntry);
      expect((await faultOf(later))?.what).to.equal('moved');
    }));

  it('names a tail that was cut, by the stored end or by a checkpoint, and one that was added', () =>
    holds(tampered(2), async ({ entries, place }) => {
      const kept = entries.slice(0, place + 1);
      const cut = { what: 'left_out', sequence: place + 2 };
      expect(await faultOf(kept)).to.equal(null);
      expect(await faultOf(kept, { head: endOf(entries), checkpoint: null })).to.deep.equal(cut);
      expect(await faultOf(kept, { head: null, checkpoint: endOf(entries) })).to.deep.equal(cut);
      expect(await faultOf(kept, { head: endOf(kept), checkpoint: endOf(entries) })).to.deep.equal(cut);
      expect(await faultOf(entries, { head: endOf(kept), checkpoint: null })).to.deep.equal({
        what: 'put_in',
        sequence: place + 2,
      });
    }));

  it('names a chain that was written anew as a whole, by what somebody else has kept of it', () =>
    holds(tampered(2), async ({ entries, place }) => {
      const acts = entries.map(({ at, ...entry }) => ({
        ...entry,
        at: new Date(String(at)),
      })) as unknown as RecordedAct[];
      const anew = chained(
        acts.with(place, { ...(acts[place] as RecordedAct), action: 'key.revoked' }),
        chainStart,
        sha256,
      ).map(shownEntry);
      expect(await faultOf(anew, { head: endOf(anew), checkpoint: null })).to.equal(null);
      expect(await faultOf(anew, { head: endOf(anew), checkpoint: endOf(entries) })).to.deep.equal({
        what: 'changed',
        sequence: entries.length,
      });
      expect(await faultOf(anew, { head: endOf(entries), checkpoint: null })).to.deep.equal({
        what: 'changed',
        sequence: entries.length,
      });
    }));
});
