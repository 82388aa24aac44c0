import { expect } from 'chai';
import fc from 'fast-check';
import { jsonPatches } from '../../src/adapters/system/json-patch.ts';
import { patchedData, prepareCorrection } from '../../src/application/documents/correction.ts';
import type { PatchOperation } from '../../src/application/ports/json-patch.ts';
import type { Document } from '../../src/domain/document.ts';
import { aSharer, someEvidence } from '../support/builders.ts';
import { countedTurns, drained } from '../support/generators.ts';

const schemas = { check: async () => [] };
const definition = { review: { when: 'when_flagged', by: 'client' }, documentSchema: null } as const;

interface Row {
  readonly sku: string;
  readonly name: string;
}

const places = (rows: readonly Row[]) => rows.flatMap((_, row) => [`/rows/${row}/sku`, `/rows/${row}/name`]);

/** Each value has a quote of its own, which no other value is in. */
const documentOf = (rows: readonly Row[]) => {
  const evidence = Object.fromEntries(places(rows).map((place) => [place, someEvidence({ quote: `at ${place}` })]));
  const doubts = { contradictions: [], reviewReasons: [], coverage: null, einvoice: null };
  return { documentData: { rows }, evidence, ...doubts } as object as Document;
};

const prepared = async (document: Document, patch: readonly PatchOperation[]) => {
  const patched = await patchedData(document, patch, {}, aSharer('u'), { patches: jsonPatches, schemas });
  const { turns, result } = countedTurns(prepareCorrection(document, patched, {}, definition));
  const findings = { checks: [], duplicateKey: null, missing: [], confirmed: [], duplicates: [] };
  return { turns, data: result.data, correction: drained(result.conclude(findings)) };
};

/** A value of the straightforward way: it takes where it stood along wherever it goes. */
interface Cell {
  readonly value: string;
  readonly origin: string | null;
}

interface Step {
  readonly kind: 'insert' | 'remove' | 'move' | 'set';
  readonly at: number;
  readonly to: number;
  readonly value: string;
}

type Cells = readonly Record<keyof Row, Cell>[];

const cellsOf = (rows: readonly Row[], originOf: (row: number, name: string) => string | null): Cells =>
  rows.map(({ sku, name }, row) => ({
    sku: { value: sku, origin: originOf(row, 'sku') },
    name: { value: name, origin: originOf(row, 'name') },
  }));

/** The operation of a step, and the rows after it. */
const stepOf = (cells: Cells, { kind, at, to, value }: Step): readonly [PatchOperation, Cells] => {
  const row = { sku: value, name: value };
  const index = at % Math.max(1, cells.length);
  const found = cells[index];
  if (kind === 'insert' || found === undefined)
    return [
      { op: 'add', path: `/rows/${index}`, value: row },
      cells.toSpliced(index, 0, ...cellsOf([row], () => null)),
    ];
  const rest = cells.toSpliced(index, 1);
  if (kind === 'remove') return [{ op: 'remove', path: `/rows/${index}` }, rest];
  if (kind === 'move') {
    const place = to % cells.length;
    return [{ op: 'move', from: `/rows/${index}`, path: `/rows/${place}` }, rest.toSpliced(place, 0, found)];
  }
  const changed = { ...found, sku: { value, origin: null } };
  return [{ op: 'replace', path: `/rows/${index}/sku`, value }, cells.with(index, changed)];
};

describe('a correction', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  before(() => console.log(`      seed ${seed}`));

  it('keeps the evidence of each value wherever its row goes, and has what changed as entered by a person', async () => {
    const metal = fc.constantFrom('Zinc', 'Lead', 'Iron');
    const rows = fc.array(fc.record({ sku: metal, name: metal }), { maxLength: 5 });
    const kind = fc.constantFrom<Step['kind'][]>('insert', 'remove', 'move', 'set');
    const steps = fc.array(fc.record({ kind, at: fc.nat(9), to: fc.nat(9), value: metal }), { maxLength: 6 });
    const corrects = fc.asyncProperty(rows, steps, async (before, plan) => {
      let cells = cellsOf(before, (row, name) => `/rows/${row}/${name}`);
      const patch: PatchOperation[] = [];
      for (const step of plan) {
        const [operation, next] = stepOf(cells, step);
        patch.push(operation);
        cells = next;
      }
      const document = documentOf(before);
      const { data, correction } = await prepared(document, patch);
      expect(data).to.deep.equal({ rows: cells.map(({ sku, name }) => ({ sku: sku.value, name: name.value })) });
      const moved = new Set(cells.flatMap(({ sku, name }) => [sku.origin, name.origin]));
      const quoteOf = (place: string, { value, origin }: Cell, old: string | undefined) =>
        origin !== null || (value === old && !moved.has(place)) ? document.evidence[origin ?? place] : null;
      const expected = cells.flatMap(({ sku, name }, row) => [
        [`/rows/${row}/sku`, quoteOf(`/rows/${row}/sku`, sku, before[row]?.sku)] as const,
        [`/rows/${row}/name`, quoteOf(`/rows/${row}/name`, name, before[row]?.name)] as const,
      ]);
      expect(Object.keys(correction.evidence)).to.deep.equal(expected.map(([place]) => place));
      for (const [place, evidence] of expected) {
        if (evidence) expect(correction.evidence[place], place).to.deep.equal(evidence);
        else expect(correction.evidence[place], place).to.include({ support: 'person', quote: '' });
      }
      expect(correction.reasons).to.deep.equal([]);
    });
    await fc.assert(corrects, { seed, numRuns: 300 });
  });

  it('of one value of many rows gives others their turn at each value, and keeps the rows that it leaves as they are', async () => {
    const rows = Array.from({ length: 500 }, (_, sku) => ({ sku: `S-${sku}`, name: 'Zinc' }));
    const document = documentOf(rows);
    const { turns, data } = await prepared(document, [{ op: 'replace', path: '/rows/5/sku', value: 'S-7' }]);
    expect(turns).to.be.greaterThan(places(rows).length);
    expect((data.rows as unknown as readonly Row[]).filter((row, index) => row !== rows[index])).to.deep.equal([
      { sku: 'S-7', name: 'Zinc' },
    ]);
  });
});
