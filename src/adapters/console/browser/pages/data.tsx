import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { type ConnectionType, systemTypes } from '../../../../domain/connection.ts';
import { to, useAddress } from '../address.ts';
import { useKeys } from '../keys.ts';
import { Button, countText, Empty, Heading, Loading } from '../parts/basics.tsx';
import { CopyCsv, gridOf, ValuesGrid } from '../parts/grid.tsx';
import { type Columns, rowKeys, SelectField, Table } from '../parts/lists.tsx';
import { QueryEditor } from '../parts/query-editor.tsx';
import { type Get, reading } from '../queries.ts';

type Source = { readonly id: string; readonly name: string; readonly type: ConnectionType };

const columns: Columns<Source> = ['Name', ['System', ({ type }) => systemTypes[type].label]];

const Sources = ({
  title,
  under,
  sources,
}: {
  readonly title: string;
  readonly under: string;
  readonly sources: readonly Source[];
}) => {
  const lead = ({ id, name }: Source) => ({ address: to(`/data/${under}/${encodeURIComponent(id)}`), name });
  return (
    <section class="waiting">
      <h2>{title}</h2>
      <Table title={title} items={sources} lead={lead} columns={columns} />
    </section>
  );
};

/** A list has this many at most, which no workspace comes near. */
const MOST = 1000;

const sources = reading(['data'], (get) =>
  Promise.all([get('/api/v1/databases'), get('/api/v1/connections', { params: { query: { limit: MOST } } })]),
);

const useSources = () => {
  const loaded = useQuery(sources);
  return { loaded, databases: loaded.data?.[0].databases ?? [], connections: loaded.data?.[1] ?? [] };
};

export const Data = () => {
  const { loaded, databases, connections } = useSources();
  const isEmpty = loaded.data !== undefined && databases.length + connections.length === 0;
  useKeys(rowKeys);
  return (
    <>
      <Heading title="Data" of={loaded} />
      {isEmpty && (
        <Empty title="No data yet">
          <p>Databases and connections are described in a workspace file, and shown to those who may see them.</p>
        </Empty>
      )}
      {databases.length > 0 && <Sources title="Databases, to query" under="databases" sources={databases} />}
      {connections.length > 0 && (
        <Sources title="Connections, to read records" under="connections" sources={connections} />
      )}
    </>
  );
};

const ROWS = 100;
/** Read at once, because reads of tables are few in a minute: several pages of rows. */
const CHUNK = 500;
const FRESH_MS = 60_000;

type Read = { readonly records: readonly Readonly<Record<string, unknown>>[]; readonly hasMore: boolean };

/** What tables are called in both kinds of source. */
type TableName = { readonly id: string; readonly label: string };

interface RowsProps {
  readonly tables: readonly TableName[];
  readonly source: string;
  readonly table: TableName;
  readonly read: (table: string, offset: number, get: Get) => Promise<Read>;
}

/** The rows of a table, a page at a time; the page is in the address. */
const Rows = ({ tables, source, table, read }: RowsProps) => {
  const { query, setQuery } = useAddress();
  // They take the place of a list that may be scrolled.
  useLayoutEffect(() => scrollTo(0, 0), []);
  const offset = Math.max(0, Number.parseInt(query.offset ?? '', 10) || 0);
  const start = Math.floor(offset / CHUNK) * CHUNK;
  const rows = reading(['rows', source, table.id, start], (get) => read(table.id, start, get), FRESH_MS);
  const loaded = useQuery({ ...rows, placeholderData: keepPreviousData });
  const { data, isPlaceholderData } = loaded;
  const grid = gridOf(data?.records.slice(offset - start, offset - start + ROWS) ?? []);
  const hasMore = data !== undefined && (data.hasMore || start + data.records.length > offset + ROWS);
  const go = (at: number) => () => setQuery({ offset: at <= 0 ? null : String(at) });
  return (
    <>
      <p class="filters">
        <label class="field">
          Table <SelectField name="table" label="Table" options={tables.map(({ id, label }) => [id, label])} />
        </label>
      </p>
      <section class="panel" aria-busy={isPlaceholderData}>
        <div class="heading">
          <h2>{table.label}</h2>
          {grid.records.length > 0 && <CopyCsv grid={grid} />}
        </div>
        <Loading of={loaded} />
        {data !== undefined && grid.records.length === 0 && (
          <p class="soft">{offset === 0 ? 'It has no rows.' : 'There are no more rows.'}</p>
        )}
        {grid.records.length > 0 && <ValuesGrid grid={grid} label={`Rows of ${table.label}`} />}
        <div class="pager">
          {grid.records.length > 0 && (
            <span class="soft">
              Rows {countText(offset + 1)} to {countText(offset + grid.records.length)}
            </span>
          )}
          <Button class="plain" off={offset === 0} onClick={go(offset - ROWS)}>
            Rows before
          </Button>
          <Button class="plain" off={!hasMore} onClick={go(offset + ROWS)}>
            Rows after
          </Button>
        </div>
      </section>
    </>
  );
};

interface TablesProps extends Omit<RowsProps, 'tables' | 'table'> {
  /** What the source is called, once it is known. */
  readonly name: string | undefined;
  readonly list: (get: Get) => Promise<readonly TableName[]>;
  /** What stands above the tables. */
  readonly above?: (tables: readonly TableName[]) => ComponentChildren;
}

/** The tables of a source, and the rows of one that is chosen. */
const Tables = ({ name = 'Data', source, list, read, above }: TablesProps) => {
  const loaded = useQuery(reading(['tables', source], list));
  const tables = loaded.data ?? [];
  const { page, query } = useAddress();
  const chosen = tables.find(({ id }) => id === query.table);
  const lead = ({ id, label }: TableName) => ({ address: to(page, { ...query, table: id }), name: label });
  useKeys(rowKeys);
  return (
    <>
      <Heading title={name} back={[to('/data'), 'Data']} />
      {above?.(tables)}
      <Loading of={loaded} />
      {loaded.data?.length === 0 && (
        <Empty title="No tables">
          <p>There is no table here that you may see.</p>
        </Empty>
      )}
      {tables.length > 0 && !chosen && <Table title="Tables" items={tables} lead={lead} columns={['Table']} />}
      {chosen && <Rows tables={tables} source={source} table={chosen} read={read} />}
    </>
  );
};

const readTable = async (id: string, offset: number, get: Get): Promise<Read> => {
  const params = { path: { id }, query: { offset, limit: CHUNK } };
  // Beyond the limit of table reads the page says so: the client would wait in silence.
  const { records, has_more: hasMore } = await get('/api/v1/tables/{id}', { params, retries: 0 });
  return { records, hasMore };
};

export const Database = ({ id }: { readonly id: string }) => {
  const database = useSources().databases.find((each) => each.id === id);
  const list = async (get: Get) => {
    const { tables } = await get('/api/v1/databases/{id}/tables', { params: { path: { id } } });
    return tables.map((table) => ({ id: table.id, label: `${table.schema}.${table.name}` }));
  };
  const editor = ([first]: readonly TableName[]) => database && <QueryEditor databaseId={id} table={first?.label} />;
  return <Tables name={database?.name} source={id} list={list} read={readTable} above={editor} />;
};

export const Connection = ({ id }: { readonly id: string }) => {
  const of = { connection_id: id };
  const connection = useSources().connections.find((each) => each.id === id);
  const list = async (get: Get) => {
    const entities = await get('/api/v1/connections/{connection_id}/entities', { params: { path: of } });
    return entities.map(({ identifier }) => ({ id: identifier, label: identifier }));
  };
  const read = async (entity: string, offset: number, get: Get): Promise<Read> => {
    const params = { path: of, query: { entity_id: entity, offset, limit: CHUNK } };
    const records = await get('/api/v1/connections/{connection_id}/records', { params });
    return { records, hasMore: records.length === CHUNK };
  };
  return <Tables name={connection?.name} source={id} list={list} read={read} />;
};
