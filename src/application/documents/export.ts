import type { Caller } from '../../domain/caller.ts';
import {
  escapeToken,
  isObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  resolvePointer,
  tokensOf,
} from '../../domain/json.ts';
import type {
  AgentRepository,
  DocumentFilter,
  DocumentRepository,
  FoundDocument,
  RunRepository,
} from '../ports/storage.ts';

/** The newest documents of the filter; what is older is left out. */
const MOST_DOCUMENTS = 1_000_000;

/** One line of an export: a document, or one row of a list that it has. */
export interface ExportedRow {
  readonly document: FoundDocument;
  /** null where the line is the whole document. */
  readonly row: { readonly index: number; readonly data: JsonValue } | null;
}

/** The lines of a document; none if it does not have the list. */
const rowsOf = (document: FoundDocument, rows: string | null): readonly ExportedRow[] => {
  if (rows === null) return [{ document, row: null }];
  const list = document.documentData === null ? undefined : resolvePointer(document.documentData, rows);
  return Array.isArray(list) ? list.map((data: JsonValue, index) => ({ document, row: { index, data } })) : [];
};

/** The columns of a table of documents. */
export interface ExportColumns {
  /** JSON Pointers into the data of a document. */
  readonly document: readonly string[];
  /** JSON Pointers into a row; null where there are no rows. */
  readonly row: readonly string[] | null;
}

const MOST_LEVELS = 8;

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> | null =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : null;

/** The innermost places that a schema names: an object without named properties, and a list, are one place each. */
const placesOf = (schema: unknown, pointer = '', level = 0): readonly string[] => {
  const properties = level < MOST_LEVELS ? propertiesOf(schema) : null;
  if (properties === null) return [pointer];
  return Object.entries(properties).flatMap(([name, part]) =>
    placesOf(part, `${pointer}/${escapeToken(name)}`, level + 1),
  );
};

const schemaAt = (schema: unknown, pointer: string): unknown => {
  let at = schema;
  for (const token of tokensOf(pointer)) at = propertiesOf(at)?.[token];
  return at;
};

const isWithin = (place: string, pointer: string) => place === pointer || place.startsWith(`${pointer}/`);

/** The columns that the schema of an agent's documents gives. */
const columnsOf = (schema: JsonSchema | null, rows: string | null): ExportColumns => {
  const places = placesOf(schema ?? {}).filter((place) => place !== '');
  if (rows === null) return { document: places, row: null };
  const list = schemaAt(schema, rows);
  const row = placesOf(isObject(list) ? list.items : null);
  return { document: places.filter((place) => !isWithin(place, rows)), row };
};

/** What of a value the columns leave out; undefined if that is nothing. */
export const withoutColumns = (value: JsonValue, columns: readonly string[], pointer = ''): JsonValue | undefined => {
  if (columns.includes(pointer)) return undefined;
  if (!isObject(value) || !columns.some((column) => isWithin(column, pointer))) return value;
  const rest = Object.entries(value as JsonObject).flatMap(([name, part]) => {
    const left = withoutColumns(part, columns, `${pointer}/${escapeToken(name)}`);
    return left === undefined ? [] : [[name, left] as const];
  });
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
};

interface DocumentExport {
  /** Of a table of the lines. */
  readonly columns: ExportColumns;
  readonly lines: AsyncIterable<ExportedRow>;
}

interface Dependencies {
  readonly documents: Pick<DocumentRepository, 'readAll'>;
  readonly agents: Pick<AgentRepository, 'findVisible'>;
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly most?: number;
}

export const documentExport = ({ documents, agents, runs, most = MOST_DOCUMENTS }: Dependencies) => {
  const linesOf = async function* (
    first: readonly FoundDocument[],
    others: AsyncIterable<readonly FoundDocument[]>,
    rows: string | null,
  ) {
    for (const document of first) yield* rowsOf(document, rows);
    let left = most - first.length;
    if (left <= 0) return;
    for await (const page of others) {
      for (const document of page.slice(0, left)) yield* rowsOf(document, rows);
      left -= page.length;
      if (left <= 0) return;
    }
  };
  const agentOfRun = async (caller: Caller, runId: string | null) =>
    runId === null ? null : ((await runs.findVisible(caller, runId))?.agentId ?? null);
  return async (
    caller: Caller,
    filter: DocumentFilter,
    rows: string | null,
    signal: AbortSignal,
  ): Promise<DocumentExport> => {
    const pages = documents.readAll(caller, filter, signal)[Symbol.asyncIterator]();
    const begun = await pages.next();
    const first = begun.done ? [] : begun.value.slice(0, most);
    // A run that divides files among agents has documents of these, and none of its own.
    const agentId = filter.agentId ?? first[0]?.agentId ?? (await agentOfRun(caller, filter.runId));
    const agent = agentId === null ? null : await agents.findVisible(caller, agentId);
    const others = { [Symbol.asyncIterator]: () => pages };
    return { columns: columnsOf(agent?.documentSchema ?? null, rows), lines: linesOf(first, others, rows) };
  };
};
