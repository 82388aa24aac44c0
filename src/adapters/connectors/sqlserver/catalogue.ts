import type { Table, TableDetail, TableName } from '../../../application/ports/connectors.ts';
import { identifierOf, noSuchTable, onlyTable, type Wanted } from '../catalogue.ts';
import { type Row, type Run, type Statement, textParameter } from './session.ts';

/** A column as sys.columns has it, alias types looked through to the type below them. */
export interface CatalogueColumn {
  readonly name: string;
  readonly position: number;
  /** `nvarchar`, `decimal`, `geography`, … */
  readonly type: string;
  /** `nvarchar(40)`, `decimal(12,2)` */
  readonly declared: string;
  /** In characters (or bytes, of binary types); null for `max` and for types without a length. */
  readonly length: number | null;
  readonly precision: number;
  readonly scale: number;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly collation: string | null;
  /** A type of .NET, whose text is asked for by ToString(). */
  readonly clr: boolean;
  /** Its place in the primary key, from 1; 0 if it is not part of the key. */
  readonly keyOrdinal: number;
  /** Its place in one unique index of all rows, from 1; 0 if it is not part of it. */
  readonly uniqueOrdinal: number;
}

export interface CatalogueTable extends Table {
  readonly columns: readonly CatalogueColumn[];
}

interface ListedRow extends Row {
  readonly schema_name: string;
  readonly table_name: string;
  readonly is_view: number;
}

interface CatalogueRow extends ListedRow {
  readonly column_name: string;
  readonly base_type: string | null;
  readonly declared_type: string;
  readonly is_clr: boolean;
  readonly max_length: number;
  readonly precision: number;
  readonly scale: number;
  readonly is_nullable: boolean;
  readonly collation_name: string | null;
  readonly default_definition: string | null;
  readonly key_ordinal: number | null;
  readonly unique_ordinal: number | null;
}

/** Tables and views, but for the system's own. */
export const TABLES = `(select object_id, schema_id, name, is_ms_shipped, 0 as is_view from sys.tables
      union all
      select object_id, schema_id, name, is_ms_shipped, 1 as is_view from sys.views) as o
join sys.schemas as s on s.schema_id = o.schema_id`;
export const OWN = "o.is_ms_shipped = 0 and s.name not in (N'sys', N'INFORMATION_SCHEMA', N'information_schema_tsql')";

/** Names are read as Unicode: a server that keeps them in a code page would send them in it. */
export const unicode = (column: string): string => `convert(nvarchar(128), ${column})`;

/** The tables that the login may see: the views of the catalogue leave out those on which it has no permission. */
const LIST = `select ${unicode('s.name')} as schema_name, ${unicode('o.name')} as table_name, o.is_view from ${TABLES} where ${OWN}`;

/** Types of .NET have no row for their system type. */
const CATALOGUE = (restriction: string) => `
select ${unicode('s.name')} as schema_name, ${unicode('o.name')} as table_name, o.is_view, ${unicode('c.name')} as column_name,
       ${unicode('b.name')} as base_type, ${unicode('t.name')} as declared_type, t.is_assembly_type as is_clr, c.max_length, c.precision, c.scale,
       c.is_nullable, ${unicode('c.collation_name')} as collation_name, convert(nvarchar(max), d.definition) as default_definition,
       k.key_ordinal, u.key_ordinal as unique_ordinal
from ${TABLES}
join sys.columns as c on c.object_id = o.object_id
join sys.types as t on t.user_type_id = c.user_type_id
left join sys.types as b on b.user_type_id = c.system_type_id
left join sys.default_constraints as d on d.object_id = c.default_object_id
left join (select x.object_id, x.column_id, x.key_ordinal
           from sys.index_columns as x
           join sys.indexes as i on i.object_id = x.object_id and i.index_id = x.index_id
           where i.is_primary_key = 1) as k on k.object_id = c.object_id and k.column_id = c.column_id
left join (select x.object_id, x.column_id, x.key_ordinal
           from sys.index_columns as x
           join (select object_id, min(index_id) as index_id
                 from sys.indexes
                 where is_unique = 1 and is_primary_key = 0 and has_filter = 0 and is_disabled = 0 and is_hypothetical = 0
                 group by object_id) as i on i.object_id = x.object_id and i.index_id = x.index_id
           where x.key_ordinal > 0) as u on u.object_id = c.object_id and u.column_id = c.column_id
where ${OWN}${restriction}
order by s.name, o.name, o.is_view, c.column_id`;

/** The columns of a unique index (@p1 of the table @p0), of a foreign key, or of the check of a column. */
const COLUMNS_OF_CONSTRAINT = `
select ${unicode('c.name')} as name
from ${TABLES}
join sys.columns as c on c.object_id = o.object_id
where ${unicode('s.name')} + N'.' + ${unicode('o.name')} = @p0 and (
  exists (select * from sys.index_columns as x
          join sys.indexes as i on i.object_id = x.object_id and i.index_id = x.index_id
          where x.object_id = c.object_id and x.column_id = c.column_id and x.key_ordinal > 0 and i.name = @p1)
  or exists (select * from sys.foreign_key_columns as x
             join sys.foreign_keys as f on f.object_id = x.constraint_object_id
             where x.parent_object_id = c.object_id and x.parent_column_id = c.column_id and f.name = @p1)
  or exists (select * from sys.check_constraints as k
             where k.parent_object_id = c.object_id and k.parent_column_id = c.column_id and k.name = @p1))
order by c.column_id`;

/** By code point, as everything is sorted; `<` compares UTF-16 units, which puts an emoji before a fullwidth letter. */
export const byCodePoint = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** By the whole identifier: only the catalogue knows which of its dots is the one between schema and table. */
const statementFor = (wanted: Wanted | null): Statement => {
  if (wanted === null) return { text: CATALOGUE(''), parameters: [] };
  return {
    text: CATALOGUE(` and ${unicode('s.name')} + N'.' + ${unicode('o.name')} = @p0`),
    parameters: [textParameter(identifierOf(wanted))],
  };
};

const inCharacters = new Set(['nchar', 'nvarchar']);
const sized = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary']);
const scaled = new Set(['time', 'datetime2', 'datetimeoffset']);

const lengthOf = (type: string, bytes: number): number | null => {
  if (!sized.has(type) || bytes < 0) return null;
  return inCharacters.has(type) ? bytes / 2 : bytes;
};

const declaredAs = (type: string, { max_length, precision, scale }: CatalogueRow): string => {
  if (sized.has(type)) return `${type}(${lengthOf(type, max_length) ?? 'max'})`;
  if (type === 'decimal' || type === 'numeric') return `${type}(${precision},${scale})`;
  return scaled.has(type) ? `${type}(${scale})` : type;
};

const columnOf = (row: CatalogueRow, position: number): CatalogueColumn => {
  const clr = Boolean(row.is_clr);
  const type = (clr ? row.declared_type : (row.base_type ?? row.declared_type)).toLowerCase();
  return {
    name: row.column_name,
    position,
    type,
    declared: declaredAs(type, row),
    length: lengthOf(type, row.max_length),
    precision: row.precision,
    scale: row.scale,
    nullable: Boolean(row.is_nullable),
    default: row.default_definition,
    collation: row.collation_name,
    clr,
    keyOrdinal: row.key_ordinal ?? 0,
    uniqueOrdinal: row.unique_ordinal ?? 0,
  };
};

const tableOf = ({ schema_name: schema, table_name: name, is_view: isView }: ListedRow): Table => ({
  schema,
  name,
  type: isView ? 'view' : 'table',
});

const tablesOf = (rows: readonly CatalogueRow[]): readonly CatalogueTable[] =>
  [...Map.groupBy(rows, ({ schema_name: schema, table_name: name }) => JSON.stringify([schema, name])).values()]
    .flatMap((columns): readonly CatalogueTable[] => {
      const [first] = columns;
      if (!first) return [];
      const table = tableOf(first);
      return [{ ...table, columns: columns.map((row, index) => columnOf(row, index + 1)) }];
    })
    .sort((one, other) => byCodePoint(identifierOf(one), identifierOf(other)));

const isNamed = (table: CatalogueTable, wanted: Wanted): boolean =>
  typeof wanted === 'string'
    ? identifierOf(table) === wanted
    : table.schema === wanted.schema && table.name === wanted.name;

/** Two names of 128 characters and the dot between them. */
const LONGEST_IDENTIFIER = 257;

/** Names and kinds of all tables and views, by identifier. */
export const listTables = async (run: Run): Promise<readonly Table[]> => {
  const rows = await run<ListedRow>({ text: LIST, parameters: [] });
  return rows.map(tableOf).sort((one, other) => byCodePoint(identifierOf(one), identifierOf(other)));
};

/** All tables and views with their columns, by identifier. */
export const loadTables = async (run: Run): Promise<readonly CatalogueTable[]> =>
  tablesOf(await run<CatalogueRow>(statementFor(null)));

/** The tables of this name: whatever the collation, names are compared to the letter. */
const tablesNamed = async (wanted: Wanted, run: Run): Promise<readonly CatalogueTable[]> => {
  const identifier = identifierOf(wanted);
  if (identifier.includes('\0') || identifier.length > LONGEST_IDENTIFIER) return [];
  return tablesOf(await run<CatalogueRow>(statementFor(wanted))).filter((table) => isNamed(table, wanted));
};

/** The table as it is now; or why it cannot be found. */
export const findTable = async (wanted: Wanted, run: Run): Promise<CatalogueTable | string> =>
  onlyTable(wanted, await tablesNamed(wanted, run));

export const constraintColumns = async (table: TableName, constraint: string, run: Run): Promise<readonly string[]> => {
  const rows = await run<{ readonly name: string }>({
    text: COLUMNS_OF_CONSTRAINT,
    parameters: [textParameter(identifierOf(table)), textParameter(constraint)],
  });
  return rows.map((column) => column.name);
};

/** The table as it is now. Rejects if there is none. */
export const loadTable = async (wanted: Wanted, run: Run): Promise<CatalogueTable> => {
  const table = await findTable(wanted, run);
  if (typeof table === 'string') throw noSuchTable(wanted, table, await listTables(run));
  return table;
};

export const detailOf = ({ schema, name, type, columns }: CatalogueTable): TableDetail => ({
  schema,
  name,
  type,
  columns: columns.map((column) => ({
    name: column.name,
    dataType: column.declared,
    nullable: column.nullable,
    primaryKey: column.keyOrdinal > 0,
    position: column.position,
    default: column.default,
  })),
});
