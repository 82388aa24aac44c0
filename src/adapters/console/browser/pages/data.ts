import { html } from 'htm/preact';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { type Loaded, useLoaded } from '../loaded.ts';
import { countText, Empty, Heading, Loading } from '../parts/basics.ts';
import { rowKeys } from '../parts/lists.ts';
import { QueryEditor } from '../parts/query-editor.ts';
import { CopyCsv, gridOf, ValuesGrid } from '../parts/values-grid.ts';
import { path, query, setQuery, to } from '../router.ts';

const systems: Readonly<Record<string, string>> = { postgresql: 'PostgreSQL', sqlserver: 'SQL Server' };

type Source = { readonly id: string; readonly name: string; readonly type: string };

const Sources = ({ title, under, sources }: { readonly title: string; readonly under: string; readonly sources: readonly Source[] }) =>
  html`<section class="waiting"><h2>${title}</h2><table class="list" aria-label=${title}>
    <thead><tr><th scope="col">Name</th><th scope="col">System</th></tr></thead>
    <tbody>${sources.map(({ id, name, type }) => html`<tr data-row key=${id}><td class="name"><a href=${to(`/data/${under}/${encodeURIComponent(id)}`)}>${name}</a></td><td>${systems[type] ?? type}</td></tr>`)}</tbody>
  </table></section>`;

/** A list has this many at most, which no workspace comes near. */
const MOST = 1000;

export const Data = () => {
  const load = (signal: AbortSignal) =>
    Promise.all([api.get('/api/v1/databases', { signal }), api.get('/api/v1/connections', { params: { query: { limit: MOST } }, signal })]);
  const loaded = useLoaded('data', load);
  const { data } = loaded;
  useKeys(rowKeys);
  const [databases, connections] = [data?.[0].databases ?? [], data?.[1] ?? []];
  return html`<${Heading} title="Data" />
    <${Loading} of=${loaded} />
    ${
      data !== null &&
      databases.length + connections.length === 0 &&
      html`<${Empty} title="No data yet"><p>Databases and connections are described in a workspace file, and shown to those who may see them.</p><//>`
    }
    ${databases.length > 0 && html`<${Sources} title="Databases, to query" under="databases" sources=${databases} />`}
    ${connections.length > 0 && html`<${Sources} title="Connections, to read records" under="connections" sources=${connections} />`}`;
};

const ROWS = 100;
/** Read at once, because reads of tables are few in a minute: several pages of rows. */
const CHUNK = 500;
const FRESH_MS = 60_000;

type Read = { readonly records: readonly Readonly<Record<string, unknown>>[]; readonly hasMore: boolean };

/** What tables are called in both kinds of source. */
type TableName = { readonly id: string; readonly label: string };

interface RowsProps {
  readonly source: string;
  readonly table: TableName;
  readonly read: (table: string, offset: number, signal: AbortSignal) => Promise<Read>;
}

/** The rows of a table, a page at a time; the page is in the address. */
const Rows = ({ source, table, read }: RowsProps) => {
  const offset = Math.max(0, Number.parseInt(query.value.get('offset') ?? '', 10) || 0);
  const start = Math.floor(offset / CHUNK) * CHUNK;
  const load = (signal: AbortSignal) => read(table.id, start, signal);
  const loaded = useLoaded(`rows ${source} ${table.id} ${start}`, load, { keep: true, freshMs: FRESH_MS });
  const { data, isOld } = loaded;
  const grid = gridOf(data?.records.slice(offset - start, offset - start + ROWS) ?? []);
  const hasMore = data !== null && (data.hasMore || start + data.records.length > offset + ROWS);
  const go = (at: number) => () => setQuery({ offset: at <= 0 ? null : String(at) });
  return html`<section class="panel" aria-busy=${isOld}><div class="heading"><h2>${table.label}</h2>${grid.records.length > 0 && html`<${CopyCsv} grid=${grid} />`}</div>
    <${Loading} of=${loaded} />
    ${data !== null && grid.records.length === 0 && html`<p class="soft">${offset === 0 ? 'It has no rows.' : 'There are no more rows.'}</p>`}
    ${grid.records.length > 0 && html`<${ValuesGrid} grid=${grid} label=${`Rows of ${table.label}`} />`}
    <div class="pager">${grid.records.length > 0 && html`<span class="soft">Rows ${countText(offset + 1)} to ${countText(offset + grid.records.length)}</span>`}
      <button type="button" class="plain" disabled=${offset === 0} onClick=${go(offset - ROWS)}>Rows before</button>
      <button type="button" class="plain" disabled=${!hasMore} onClick=${go(offset + ROWS)}>Rows after</button></div>
  </section>`;
};

const Chooser = ({ tables, chosen }: { readonly tables: readonly TableName[]; readonly chosen: string }) =>
  html`<p class="filters"><label class="field">Table
    <select value=${chosen} onChange=${(event: Event) => setQuery({ table: (event.currentTarget as HTMLSelectElement).value, offset: null })}>
      ${tables.map(({ id, label }) => html`<option value=${id} selected=${id === chosen}>${label}</option>`)}
    </select></label></p>`;

const List = ({ tables }: { readonly tables: readonly TableName[] }) => html`<table class="list" aria-label="Tables">
  <thead><tr><th scope="col">Table</th></tr></thead>
  <tbody>${tables.map(
    ({ id, label }) =>
      html`<tr data-row key=${id}><td class="name"><a href=${to(path.value, { ...Object.fromEntries(query.value), table: id })}>${label}</a></td></tr>`,
  )}</tbody></table>`;

interface TablesProps extends Omit<RowsProps, 'table'> {
  readonly tables: readonly TableName[];
}

const Tables = ({ tables, source, read }: TablesProps) => {
  useKeys(rowKeys);
  if (tables.length === 0) return html`<${Empty} title="No tables"><p>There is no table here that you may see.</p><//>`;
  const chosen = tables.find(({ id }) => id === query.value.get('table'));
  if (!chosen) return html`<${List} tables=${tables} />`;
  return html`<${Chooser} tables=${tables} chosen=${chosen.id} /><${Rows} source=${source} table=${chosen} read=${read} />`;
};

/** What stands there before the tables do. */
const Opening = ({ title = 'Data', loaded }: { readonly title: string | undefined; readonly loaded: Loaded<unknown> }) =>
  html`<${Heading} title=${title} back=${html`<a class="back" href=${to('/data')}>Data</a>`} /><${Loading} of=${loaded} />`;

const named = <T extends { readonly id: string }>(list: readonly T[], id: string): T | undefined => list.find((each) => each.id === id);

const readTable = async (id: string, offset: number, signal: AbortSignal): Promise<Read> => {
  const params = { path: { id }, query: { offset, limit: CHUNK } };
  // Beyond the limit of table reads the page says so: the client would wait in silence.
  const { records, has_more: hasMore } = await api.get('/api/v1/tables/{id}', { params, signal, retries: 0 });
  return { records, hasMore };
};

/** An address that is typed by hand may be encoded wrongly. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const Database = ({ id: given }: { readonly id: string }) => {
  const id = decoded(given);
  const load = async (signal: AbortSignal) => {
    const [{ databases }, { tables }] = await Promise.all([
      api.get('/api/v1/databases', { signal }),
      api.get('/api/v1/databases/{id}/tables', { params: { path: { id } }, signal }),
    ]);
    return { database: named(databases, id), tables };
  };
  const loaded = useLoaded(`database ${id}`, load);
  const { data } = loaded;
  const tables = data?.tables ?? [];
  const names = tables.map((table) => ({ id: table.id, label: `${table.schema}.${table.name}` }));
  return html`<${Opening} title=${data?.database?.name} loaded=${loaded} />
    ${data?.database && html`<${QueryEditor} database=${data.database} tables=${tables} /><${Tables} source=${id} tables=${names} read=${readTable} />`}`;
};

export const Connection = ({ id }: { readonly id: string }) => {
  const of = { connection_id: id };
  const load = async (signal: AbortSignal) => {
    const [connections, entities] = await Promise.all([
      api.get('/api/v1/connections', { params: { query: { limit: MOST } }, signal }),
      api.get('/api/v1/connections/{connection_id}/entities', { params: { path: of }, signal }),
    ]);
    return { connection: named(connections, id), entities };
  };
  const read = async (entity: string, offset: number, signal: AbortSignal): Promise<Read> => {
    const params = { path: of, query: { entity_id: entity, offset, limit: CHUNK } };
    const records = await api.get('/api/v1/connections/{connection_id}/records', { params, signal });
    return { records, hasMore: records.length === CHUNK };
  };
  const loaded = useLoaded(`connection ${id}`, load);
  const { data } = loaded;
  const names = (data?.entities ?? []).map(({ identifier }) => ({ id: identifier, label: identifier }));
  return html`<${Opening} title=${data?.connection?.name} loaded=${loaded} />
    ${data && html`<${Tables} source=${id} tables=${names} read=${read} />`}`;
};
