import { ModelError, type ModelMessage } from '../../../application/ports/models.ts';
import { MOST_VALUES } from '../../../domain/document-data.ts';
import {
  escapeToken,
  isObject,
  isPointer,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  resolvePointer,
} from '../../../domain/json.ts';
import { shorten } from '../../../domain/text.ts';
import {
  best,
  type Cell,
  howWell,
  NAMED,
  type Name,
  type Pair,
  type Place,
  pairsOf,
  type Reading,
  read,
  type Source,
  SURELY_NAMED,
  sourceOf,
} from './layout.ts';
import { otherColumns, type Table, tablesIn } from './tables.ts';
import { canonical, currencyOf, remember, type View, type Words } from './values.ts';

type Node = View['schema'];
/** What a place in the schema asks for. */
type Viewer = (node: unknown) => View;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const typesOf = ({ type }: Node): readonly unknown[] => (type === undefined ? [] : [type].flat());
const isNull = (node: Node) =>
  node.const === null || (typesOf(node).length > 0 && typesOf(node).every((type) => type === 'null'));
const admitsNull = (node: Node) =>
  isNull(node) || typesOf(node).includes('null') || node.nullable === true || listOf(node.enum).includes(null);

const kinds = ['object', 'array', 'number', 'integer', 'boolean'] as const;

const kindOf = (node: Node): View['kind'] => {
  if (Object.hasOwn(node, 'const')) return 'const';
  if (Array.isArray(node.enum)) return 'enum';
  if (isNull(node)) return 'null';
  const type = typesOf(node).find((each) => each !== 'null');
  if (type !== undefined) return kinds.find((kind) => kind === type) ?? 'string';
  if (isObject(node.properties)) return 'object';
  return isObject(node.items) ? 'array' : 'string';
};

const merge = (a: Node, b: Node): Node => ({
  ...a,
  ...b,
  ...(isObject(a.properties) && isObject(b.properties) ? { properties: { ...a.properties, ...b.properties } } : {}),
  ...(Array.isArray(a.required) && Array.isArray(b.required) ? { required: [...a.required, ...b.required] } : {}),
});

const MAX_HOPS = 8;

/** Follows references, merges `allOf` and takes the first branch of a choice that is not null. The first root that has a reference counts. */
const viewer = (...roots: readonly JsonSchema[]): Viewer => {
  const referred = (reference: unknown): unknown => {
    const pointer =
      typeof reference === 'string' && reference.startsWith('#') ? decodeURIComponent(reference.slice(1)) : null;
    return pointer !== null && isPointer(pointer)
      ? roots.map((root) => resolvePointer(root as JsonObject, pointer)).find(isObject)
      : null;
  };
  const flatten = (node: unknown, hops: number): Node => {
    if (!isObject(node) || hops > MAX_HOPS) return {};
    const { $ref, allOf, anyOf, oneOf, ...rest } = node;
    const branches = [...listOf(anyOf), ...listOf(oneOf)].map((branch) => flatten(branch, hops + 1));
    const branch = branches.find((each) => !isNull(each)) ?? branches[0] ?? {};
    const parts = [referred($ref), ...listOf(allOf)].map((part) => flatten(part, hops + 1));
    return [...parts, rest, branch, branches.some(admitsNull) ? { nullable: true } : {}].reduce(merge, {});
  };
  const known = new Map<unknown, View>();
  return (node) => {
    const before = known.get(node);
    if (before) return before;
    const schema = flatten(node, 0);
    const kind = kindOf(schema);
    const isOpen = kind === 'string' && typesOf(schema).length === 0;
    const nullable = (isOpen || admitsNull(schema)) && !(Array.isArray(schema.enum) && !schema.enum.includes(null));
    const view = { schema, kind, nullable };
    known.set(node, view);
    return view;
  };
};

const union = (a: Words, b: Words): Words => [...new Set([...a, ...b])];

/** What a property may be called, the surest first. */
const namesOf = (key: string, context: Words, { schema }: View): readonly Name[] => {
  const { title, description, format } = schema;
  // `due` with a date in it is also labelled "Due date"; elsewhere that word makes it another label.
  const dated = String(format).startsWith('date') && !canonical(key).includes('date') ? [`${key} date`] : [];
  const names = [key, ...(typeof title === 'string' ? [title] : []), ...dated].map(canonical);
  const described = typeof description === 'string' ? canonical(description) : [];
  return [
    ...names.map((words) => ({ words: union(context, words), worth: 1 })),
    ...(context.length === 0 ? [] : names.map((words) => ({ words, worth: 0.85 }))),
    ...(described.length > 0 && described.length <= 4 ? [{ words: described, worth: 0.8 }] : []),
  ];
};

/** Schemas may refer to themselves: what is nested deeper stays empty. */
const MAX_DEPTH = 6;
const MAX_PLACES = 500;

/** The values and the lists that an object asks for, lists not entered. */
const placesOf = (root: View, look: Viewer): readonly Place[] => {
  const places: Place[] = [];
  const enter = (view: View, key: string, pointer: string, context: Words, depth: number): void => {
    if (places.length >= MAX_PLACES || depth > MAX_DEPTH || view.kind === 'const' || view.kind === 'null') return;
    if (view.kind !== 'object') {
      places.push({ pointer, view, names: namesOf(key, context, view) });
      return;
    }
    const inner = union(context, canonical(key));
    for (const [name, node] of Object.entries(view.schema.properties ?? {})) {
      enter(look(node), name, `${pointer}/${escapeToken(name)}`, inner, depth + 1);
    }
  };
  enter(root, '', '', [], 0);
  return places;
};

interface Found {
  /** By JSON Pointer. */
  readonly readings: Map<string, Reading>;
  /** JSON Pointer of a list → how many elements it has. */
  readonly lengths: Map<string, number>;
}

interface Candidate {
  readonly score: number;
  readonly place: Place;
  readonly from: string;
  readonly reading: Reading;
}

const WEAKER = 0.05;

const candidate = (place: Place, pair: Pair): Candidate | null => {
  const well = howWell(pair.label, place.names);
  const reading = well >= (pair.weak ? SURELY_NAMED : NAMED) ? read(pair, place.view) : null;
  if (reading === null) return null;
  const { line, text } = pair;
  return {
    score: pair.weak ? well - WEAKER : well,
    place,
    from: `${line.fileName}\n${line.page}\n${line.text}\n${text}`,
    reading,
  };
};

/** How many pairs a place keeps: a hostile text has a million that fit. */
const KEPT = 40;

const surest = (candidates: readonly Candidate[]) => candidates.toSorted((a, b) => b.score - a.score).slice(0, KEPT);

function* readLabels(places: readonly Place[], pairs: readonly Pair[], { readings }: Found) {
  const all: Candidate[] = [];
  for (const place of places) {
    let candidates: Candidate[] = [];
    for (const pair of pairs) {
      yield;
      const reading = candidate(place, pair);
      if (reading) candidates.push(reading);
      if (candidates.length > 4 * KEPT) candidates = surest(candidates);
    }
    all.push(...surest(candidates));
  }
  for (const { place, reading } of best(all)) readings.set(place.pointer, reading);
}

/** Rows that no document can hold are refused at once: rows that are left out would be missed by no one. */
const mustFit = (rows: number, columns: number): void => {
  if (rows * (columns + 1) <= MOST_VALUES) return;
  const [table, most] = [rows, MOST_VALUES].map((count) => count.toLocaleString('en'));
  const reason = `The files have a table of ${table} rows, and a document holds ${most} values`;
  throw new ModelError('model_error', `${reason}: split them, or extract less of them.`);
};

const limitOf = ({ schema }: View) => (typeof schema.maxItems === 'number' ? schema.maxItems : undefined);

/** The elements of a list: the rows of the tables that say the most about them, from all the sources. Answers these tables. */
function* readRows(
  { pointer, view }: Place,
  item: readonly Place[],
  sources: readonly Source[],
  { readings, lengths }: Found,
) {
  const tables = yield* tablesIn(sources, item, new Set());
  const rows = tables
    .flatMap(({ columns, rows: tableRows }) => tableRows.map((row) => ({ ...row, columns })))
    .slice(0, limitOf(view));
  mustFit(rows.length, item.length);
  for (const [index, { line, cells, columns }] of rows.entries()) {
    yield;
    for (const [at, place] of columns) {
      const reading = read({ text: cells[at] ?? '', line }, place.view);
      if (reading) readings.set(`${pointer}/${index}${place.pointer}`, reading);
    }
  }
  lengths.set(pointer, rows.length);
  return tables;
}

/** `Tags: a, b, c` */
const readList = (
  { pointer, view, names }: Place,
  item: View,
  pairs: readonly Pair[],
  { readings, lengths }: Found,
) => {
  const rated = pairs.map((pair) => ({ pair, well: howWell(pair.label, names) }));
  const [surely] = rated
    .filter(({ pair, well }) => well >= (pair.weak ? SURELY_NAMED : NAMED))
    .toSorted((a, b) => b.well - a.well);
  if (surely === undefined) return;
  const { text, line } = surely.pair;
  const elements = text.split(/[;,]/).flatMap((part) => read({ text: part.trim(), line }, item) ?? []);
  const distinct = new Map(
    elements.map((element, index) => [
      view.schema.uniqueItems === true ? JSON.stringify(element.value) : index,
      element,
    ]),
  );
  const kept = [...distinct.values()].slice(0, limitOf(view));
  for (const [index, element] of kept.entries()) readings.set(`${pointer}/${index}`, element);
  lengths.set(pointer, kept.length);
};

/** A table may carry what belongs to the whole document: a form of one row, or a column that says the same in every row. */
const readForms = (tables: readonly Table[], { readings }: Found) => {
  const columns = tables.flatMap(({ columns: byColumn, rows }) =>
    [...byColumn].map(([at, place]) => ({
      place,
      cells: rows.map(({ line, cells }) => ({ line, text: cells[at] ?? '' })),
    })),
  );
  for (const [place, samePlace] of Map.groupBy(columns, (column) => column.place)) {
    const [first, ...others] = samePlace.flatMap(({ cells }) => cells);
    const reading = first && others.every(({ text }) => text === first.text) ? read(first, place.view) : null;
    if (reading) readings.set(place.pointer, reading);
  }
};

/** A currency is seldom labelled: it stands beside the amounts, and counts if all of them agree. */
const readCurrency = (places: readonly Place[], amounts: readonly Cell[], { readings }: Found) => {
  const [first] = amounts;
  const [code, ...others] = new Set(amounts.map(({ text }) => currencyOf(text)));
  if (first === undefined || !code || others.length > 0) return;
  for (const { pointer, view } of places.filter(({ names }) => names.some(({ words }) => words.includes('currency')))) {
    const reading = read(first, view, code);
    if (reading) readings.set(pointer, reading);
  }
};

/** The surest ways to find a value come first; what they leave empty is left to the others. */
function* fill(root: View, look: Viewer, sources: readonly Source[]): Generator<void, Found> {
  const places = placesOf(root, look);
  const lists = places.filter(({ view }) => view.kind === 'array');
  const leaves = places.filter(({ view }) => view.kind !== 'array');
  const filled: Found = { readings: new Map(), lengths: new Map() };
  const empty = () => leaves.filter(({ pointer }) => !filled.readings.has(pointer));
  const itemOf = ({ view }: Place) => look(view.schema.items);
  let tables: readonly Table[] = [];
  for (const list of lists.filter((each) => itemOf(each).kind === 'object')) {
    const item = placesOf(itemOf(list), look).filter(({ view }) => view.kind !== 'array');
    tables = tables.concat(yield* readRows(list, item, sources, filled));
  }
  const taken = new Set(tables.flatMap(({ line, rows }) => [line, ...rows.map((row) => row.line)]));
  const rate = remember((label) => places.reduce((most, { names }) => Math.max(most, howWell(label, names)), 0));
  const { pairs, amounts } = yield* pairsOf(sources, taken, rate);
  yield* readLabels(leaves, pairs, filled);
  readForms(yield* tablesIn(sources, empty(), taken), filled);
  const rest = empty();
  readForms(
    tables.map((table) => otherColumns(table, rest)),
    filled,
  );
  readCurrency(empty(), amounts, filled);
  for (const list of lists.filter((each) => itemOf(each).kind !== 'object'))
    readList(list, itemOf(list), pairs, filled);
  return filled;
}

const parentsOf = (pointers: Iterable<string>): ReadonlySet<string> => {
  const parents = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1))
      parents.add(pointer.slice(0, at));
  }
  return parents;
};

/** The value that the schema asks for, made of what was found; null, an empty text or nothing at all in the other places. */
const build = (root: View, look: Viewer, { readings, lengths }: Found): JsonValue => {
  const parents = parentsOf(readings.keys());

  const objectAt = ({ schema }: View, pointer: string, depth: number): JsonObject => {
    const properties = depth > 2 * MAX_DEPTH ? {} : (schema.properties ?? {});
    const entries = Object.entries(properties).flatMap(([key, node]) => {
      const value = at(look(node), `${pointer}/${escapeToken(key)}`, depth + 1, listOf(schema.required).includes(key));
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(entries);
  };

  const listAt = (
    { schema, nullable }: View,
    pointer: string,
    depth: number,
    required: boolean,
  ): JsonValue | undefined => {
    const length = lengths.get(pointer) ?? 0;
    const item = look(schema.items);
    if (length > 0)
      return Array.from({ length }, (_, index) => at(item, `${pointer}/${index}`, depth + 1, true) ?? null);
    if (nullable) return null;
    return required || schema.minItems === undefined ? [] : undefined;
  };

  /** undefined: the key is left out. What has no empty value (a number, a date) is null even if that is not allowed: invented, it would be a lie. */
  const at = (view: View, pointer: string, depth: number, required: boolean): JsonValue | undefined => {
    const { schema, kind, nullable } = view;
    if (kind === 'const') return schema.const as JsonValue;
    if (kind === 'array') return listAt(view, pointer, depth, required);
    if (kind === 'object' && (depth === 0 || parents.has(pointer))) return objectAt(view, pointer, depth);
    const reading = readings.get(pointer);
    if (reading) return reading.value;
    if (nullable) return null;
    if (!required) return undefined;
    if (kind === 'object') return objectAt(view, pointer, depth);
    const isPlain =
      kind === 'string' && [schema.format, schema.minLength, schema.pattern].every((each) => each === undefined);
    return isPlain ? '' : null;
  };

  return at(root, '', 0, true) ?? null;
};

/** The document's own schema, if the schema is the one that an extraction asks for. */
const documentSchema = ({ properties }: JsonSchema): JsonSchema | null => {
  if (!isObject(properties) || Object.keys(properties).length !== 2) return null;
  const { document, evidence } = properties;
  return isObject(document) && isObject(evidence) && evidence.type === 'array' ? document : null;
};

const MAX_NAMED = 20;
const MAX_REASON = 400;

/** The sources to read: the files that have text, or the message if there are no files. */
function* sourcesIn(messages: readonly ModelMessage[]): Generator<void, readonly Source[]> {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  const files = parts.filter((part) => part.type === 'document');
  const readable = files.filter(
    ({ unreadable, pages }) => unreadable === null || pages.some(({ text }) => text.trim() !== ''),
  );
  if (files.length > 0 && readable.length === 0) {
    const why = files
      .slice(0, MAX_NAMED)
      .map(({ fileName, unreadable }) => shorten(`${fileName} ${unreadable}`, MAX_REASON));
    const more = files.length > MAX_NAMED ? `; and ${files.length - MAX_NAMED} more` : '';
    throw new ModelError('model_error', `The offline model reads text only: ${why.join('; ')}${more}.`);
  }
  const typed = parts.filter((part) => part.type === 'text');
  const quoted = parts.filter((part) => part.type === 'quote');
  const written = [typed, quoted].map((lines) => ({
    fileName: null,
    pages: lines.map(({ text }) => ({ number: null, text })),
  }));
  const texts = files.length > 0 ? readable : written;
  const sources: Source[] = [];
  for (const { fileName, pages } of texts) sources.push(yield* sourceOf(fileName, pages));
  return sources;
}

/** JSON text by the schema, from what stands in the files. */
export function* extract(schema: JsonSchema, messages: readonly ModelMessage[]): Generator<void, string> {
  const sources = yield* sourcesIn(messages);
  const invoiceSchema = documentSchema(schema);
  const look = invoiceSchema === null ? viewer(schema) : viewer(invoiceSchema, schema);
  const root = look(invoiceSchema ?? schema);
  const filled = yield* fill(root, look, sources);
  const value = build(root, look, filled);
  const evidence = [...filled.readings].flatMap(([pointer, { quote, line }]) =>
    quote === null || quote === '' || line.fileName === null
      ? []
      : [{ pointer, quote, file_name: line.fileName, page: line.page }],
  );
  return JSON.stringify(invoiceSchema === null ? value : { document: value, evidence });
}
