import type { JsonSchema, JsonValue } from '../../../domain/json.ts';
import { build } from './build.ts';
import { othersIn, rowOf } from './columns.ts';
import { howWell, type Leaf, type ListPlace, type Places, placesOf } from './leaves.ts';
import type { Pace } from './pace.ts';
import { type Pair, pairsOf, quoteOf } from './pairs.ts';
import { type Resolve, readScalar, viewOf } from './schema.ts';
import type { Line, Source } from './source.ts';
import { type Row, type Table, tablesOf } from './tables.ts';
import { currencyOf } from './values.ts';
import { canonical, NAMED, SURELY_NAMED } from './words.ts';

/** A value that was read, and where. */
export interface Reading {
  readonly value: JsonValue;
  /** Verbatim from the text, or null. */
  readonly quote: string | null;
  readonly page: number | null;
  readonly fileName: string | null;
}

interface Found {
  /** By JSON Pointer. */
  readonly readings: Map<string, Reading>;
  /** JSON Pointer of a list → how many elements it has. */
  readonly lengths: Map<string, number>;
}

interface Candidate {
  readonly score: number;
  readonly leaf: Leaf;
  readonly order: number;
  readonly pair: Pair;
  readonly value: JsonValue;
}

const MAX_ELEMENTS = 5_000;
/** How many pairs a leaf keeps: a hostile text has a million that fit. */
const KEPT = 40;

const readingOf = (value: JsonValue, { quote, page, source }: Pair): Reading => ({ value, quote, page, fileName: source.fileName });

const surer = (a: Candidate, b: Candidate) => b.score - a.score || a.order - b.order;

const WEAKER = 0.05;

const candidate = (leaf: Leaf, pair: Pair, order: number): Candidate | null => {
  const well = howWell(pair.label, leaf.names);
  if (well < (pair.weak ? SURELY_NAMED : NAMED)) return null;
  const value = readScalar(pair.value, leaf.view, pair.conventions);
  return value === undefined ? null : { score: pair.weak ? well - WEAKER : well, leaf, order, pair, value };
};

const candidatesOf = async (leaves: readonly Leaf[], pairs: readonly Pair[], pace: Pace): Promise<readonly Candidate[]> => {
  const all: Candidate[] = [];
  for (const leaf of leaves) {
    let own: Candidate[] = [];
    for (const [order, pair] of pairs.entries()) {
      const pause = pace();
      if (pause) await pause;
      const found = candidate(leaf, pair, order);
      if (found) own.push(found);
      if (own.length > KEPT * 4) own = own.toSorted(surer).slice(0, KEPT);
    }
    all.push(...own.toSorted(surer).slice(0, KEPT));
  }
  return all.toSorted(surer);
};

/** The surest match first; what one property was read from is not read again for another. */
const assign = (candidates: readonly Candidate[], { readings }: Found) => {
  const used = new Set<string>();
  for (const { leaf, pair, value } of candidates) {
    const place = `${pair.source.fileName}\n${pair.page}\n${pair.quote}\n${pair.value}`;
    if (readings.has(leaf.pointer) || used.has(place)) continue;
    used.add(place);
    readings.set(leaf.pointer, readingOf(value, pair));
  }
};

/** A currency is seldom labelled: it stands beside the amounts, and counts where all of them agree. */
const readCurrency = (leaves: readonly Leaf[], amounts: readonly Pair[], { readings }: Found) => {
  const codes = new Set(amounts.map(({ value }) => currencyOf(value)));
  const [code] = codes;
  const [pair] = amounts;
  if (codes.size !== 1 || !code || pair === undefined) return;
  for (const { pointer, view, names } of leaves) {
    const value = names.some(({ words }) => words.includes('currency')) ? readScalar(code, view, pair.conventions) : undefined;
    if (value !== undefined && !readings.has(pointer)) readings.set(pointer, readingOf(value, pair));
  }
};

const readCell = (row: Row, leaf: Leaf, cell: string): Reading | null => {
  const value = readScalar(cell, leaf.view, row.conventions);
  return value === undefined ? null : { value, quote: quoteOf(row.line.text, cell), page: row.line.page, fileName: row.source.fileName };
};

const limitOf = ({ view }: ListPlace) =>
  typeof view.schema.maxItems === 'number' ? Math.min(view.schema.maxItems, MAX_ELEMENTS) : MAX_ELEMENTS;

const tablesIn = async (
  sources: readonly Source[],
  leaves: readonly Leaf[],
  skip: ReadonlySet<Line>,
  pace: Pace,
): Promise<readonly Table[]> => {
  const tables: Table[] = [];
  for (const source of sources) tables.push(...(await tablesOf(source, leaves, skip, pace)));
  const most = Math.max(0, ...tables.map(({ header }) => header.columns.size));
  return tables.filter(({ header }) => header.columns.size === most);
};

/** The elements of a list: the rows of the tables that say the most about them, from all the sources. Answers these tables. */
const readTables = async (
  place: ListPlace,
  sources: readonly Source[],
  resolve: Resolve,
  found: Found,
  pace: Pace,
): Promise<readonly Table[]> => {
  const tables = await tablesIn(sources, placesOf(place.item, resolve).leaves, new Set(), pace);
  const rows = tables.flatMap((table) => table.rows).slice(0, limitOf(place));
  for (const [index, row] of rows.entries()) {
    const pause = pace();
    if (pause) await pause;
    for (const [leaf, cell] of row.cells) {
      const reading = readCell(row, leaf, cell);
      if (reading) found.readings.set(`${place.pointer}/${index}${leaf.pointer}`, reading);
    }
  }
  found.lengths.set(place.pointer, rows.length);
  return tables;
};

const linesOf = (table: Table): readonly Line[] => [table.line, ...table.rows.map(({ line }) => line)];

/** The rows of a table that a list took, by its other columns. */
const otherRows = async ({ line, header, rows }: Table, leaves: readonly Leaf[], pace: Pace): Promise<readonly Row[]> => {
  const others = othersIn(line.text, header, leaves);
  const read: Row[] = [];
  for (const row of others.columns.size === 0 ? [] : rows) {
    const pause = pace();
    if (pause) await pause;
    read.push({ ...row, cells: rowOf(row.line.text, others, row.conventions) ?? new Map() });
  }
  return read;
};

/** A table may carry what belongs to the whole document: a form of one row, or a column that says the same in every row. */
const readForms = (open: readonly Leaf[], rows: readonly Row[], { readings }: Found) => {
  for (const leaf of open) {
    const cells = rows.flatMap((row) => (row.cells.has(leaf) ? [{ row, cell: row.cells.get(leaf) ?? '' }] : []));
    const [first] = cells;
    if (first === undefined || cells.some(({ cell }) => cell !== first.cell)) continue;
    const reading = readCell(first.row, leaf, first.cell);
    if (reading) readings.set(leaf.pointer, reading);
  }
};

/** `Tags: a, b, c` */
const readList = (place: ListPlace, pairs: readonly Pair[], { readings, lengths }: Found) => {
  const rated = pairs.map((pair) => ({ pair, well: howWell(pair.label, place.names) }));
  const pair = rated.filter((each) => each.well >= (each.pair.weak ? SURELY_NAMED : NAMED)).toSorted((a, b) => b.well - a.well)[0]?.pair;
  if (pair === undefined) return;
  const parts = pair.value.split(/[;,]/).map((part) => readScalar(part.trim(), place.item, pair.conventions));
  const values = parts.filter((value) => value !== undefined);
  const distinct =
    place.view.schema.uniqueItems === true ? [...new Map(values.map((value) => [JSON.stringify(value), value])).values()] : values;
  const kept = distinct.slice(0, limitOf(place));
  for (const [index, value] of kept.entries()) readings.set(`${place.pointer}/${index}`, readingOf(value, pair));
  lengths.set(place.pointer, kept.length);
};

/** How well a label names any of the places; remembered, since documents repeat their labels. */
const rater = ({ leaves, lists }: Places) => {
  const names = [...leaves, ...lists].map((place) => place.names);
  const known = new Map<string, number>();
  return (label: string): number => {
    if (label.length > 80) return 0;
    const key = canonical(label).join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size > 5_000) known.clear();
    const rate = names.reduce((best, each) => Math.max(best, howWell(label, each)), 0);
    known.set(key, rate);
    return rate;
  };
};

/** The pairs that may belong somewhere, and the first amounts that stand with a currency. */
const sift = async (places: Places, sources: readonly Source[], skip: ReadonlySet<Line>, pace: Pace) => {
  const rate = rater(places);
  const pairs: Pair[] = [];
  const amounts: Pair[] = [];
  for (const source of sources) {
    for await (const pair of pairsOf(source, skip, rate, pace)) {
      if (rate(pair.label) >= NAMED) pairs.push(pair);
      if (amounts.length < 200 && currencyOf(pair.value) !== null) amounts.push(pair);
    }
  }
  return { pairs, amounts };
};

const read = async (places: Places, sources: readonly Source[], resolve: Resolve, pace: Pace): Promise<Found> => {
  const { leaves, lists } = places;
  const found: Found = { readings: new Map(), lengths: new Map() };
  const taken: Table[] = [];
  for (const place of lists.filter(({ item }) => item.kind === 'object')) {
    taken.push(...(await readTables(place, sources, resolve, found, pace)));
  }
  const tabular = new Set(taken.flatMap(linesOf));
  const { pairs, amounts } = await sift(places, sources, tabular, pace);
  assign(await candidatesOf(leaves, pairs, pace), found);
  const open = () => leaves.filter(({ pointer }) => !found.readings.has(pointer));
  const forms = open();
  readForms(
    forms,
    (await tablesIn(sources, forms, tabular, pace)).flatMap(({ rows }) => rows),
    found,
  );
  const rest = open();
  const others: Row[] = [];
  for (const table of taken) others.push(...(await otherRows(table, rest, pace)));
  readForms(rest, others, found);
  readCurrency(leaves, amounts, found);
  for (const place of lists.filter(({ item }) => item.kind !== 'object')) readList(place, pairs, found);
  return found;
};

const parentsOf = (pointers: Iterable<string>): ReadonlySet<string> => {
  const parents = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1)) parents.add(pointer.slice(0, at));
  }
  return parents;
};

/** Fills the schema with what the sources say, and tells where each value was read. */
export const fill = async (schema: JsonSchema, resolve: Resolve, sources: readonly Source[], pace: Pace) => {
  const root = viewOf(schema, resolve);
  const { readings, lengths } = await read(placesOf(root, resolve), sources, resolve, pace);
  const value = build(
    root,
    {
      value: (pointer) => readings.get(pointer)?.value,
      parents: parentsOf(readings.keys()),
      length: (pointer) => lengths.get(pointer) ?? 0,
    },
    resolve,
  );
  return { value, readings: readings as ReadonlyMap<string, Reading> };
};
