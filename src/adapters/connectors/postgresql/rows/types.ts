import { LRUCache } from 'lru-cache';
import type { Column } from '../../../../application/ports/connectors.ts';
import { distinctNames } from '../../names.ts';
import type { Query } from '../query.ts';
import { array, boolean, bytes, composite, date, number, text, timestamp, timeWithZone, verbatim } from './codecs.ts';
import type { Codec } from './json-writer.ts';

/** How the server describes a column of its answer. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

export interface OutputColumn extends Column {
  readonly codec: Codec;
}

/** The scalar types whose text is not simply a JSON string, by their fixed object ids. Everything else is the database's own text. */
const scalars = new Map<number, Codec>([
  [16, boolean],
  [17, bytes],
  [20, verbatim],
  [21, verbatim],
  [23, verbatim],
  [26, verbatim],
  [114, verbatim],
  [700, number],
  [701, number],
  [1082, date],
  [1114, timestamp],
  [1184, timestamp],
  [1266, timeWithZone],
  [1700, number],
  [3802, verbatim],
]);

const namesOfTypes = `
select o as oid, m as modifier, pg_catalog.format_type(o, m) as name
from unnest($1::pg_catalog.oid[], $2::pg_catalog.int4[]) as wanted (o, m)`;

/** The types and all that they are made of: the base of a domain, the element of an array, the attributes of a composite type. */
const shapesOfTypes = `
with recursive parts (oid) as (
  select unnest($1::pg_catalog.oid[])
  union
  select p.part from parts join pg_catalog.pg_type t on t.oid = parts.oid, lateral (
    select t.typbasetype where t.typtype = 'd'
    union all select t.typelem where t.typelem <> 0 and t.typlen = -1
    union all select a.atttypid from pg_catalog.pg_attribute a
      where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) as p (part)
)
select t.oid, nullif(t.typbasetype, 0) as base, e.oid as element, e.typdelim as delimiter,
       case when t.typtype = 'c' then array(
         select pg_catalog.json_build_object('name', a.attname, 'type', a.atttypid::pg_catalog.int8) from pg_catalog.pg_attribute a
         where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped order by a.attnum) end as attributes
from parts join pg_catalog.pg_type t on t.oid = parts.oid
left join pg_catalog.pg_type e on e.oid = t.typelem and e.typarray = t.oid`;

interface Shape {
  readonly oid: number;
  readonly base: number | null;
  readonly element: number | null;
  readonly delimiter: string | null;
  readonly attributes: readonly { readonly name: string; readonly type: number }[] | null;
}

const codecOf = (oid: number, shapes: ReadonlyMap<number, Shape>): Codec => {
  const scalar = scalars.get(oid);
  const shape = shapes.get(oid);
  if (scalar || !shape) return scalar ?? text;
  if (shape.base !== null) return codecOf(shape.base, shapes);
  if (shape.element !== null) return array(codecOf(shape.element, shapes), shape.delimiter ?? ',');
  if (shape.attributes === null) return text;
  return composite(shape.attributes.map(({ name, type }) => ({ name, codec: codecOf(type, shapes) })));
};

type ColumnType = Pick<OutputColumn, 'dataType' | 'codec'>;
type ColumnTypes = ReadonlyMap<string, ColumnType>;

/** A composite type may be changed at any time; what any other type is made of may not. */
const mayBeCached = (shape: readonly Shape[]) => shape.every(({ attributes }) => attributes === null);

const MOST_TYPES = 500;
const CACHED_MILLISECONDS = 60_000;

const keyOf = ({ dataTypeID, dataTypeModifier }: Field) => `${dataTypeID}:${dataTypeModifier}`;

/** The names and codecs of the columns that statements answer. */
export const columnTypes = () => {
  const cache = new LRUCache<string, ColumnType>({ max: MOST_TYPES, ttl: CACHED_MILLISECONDS });

  const lookUp = async (fields: readonly Field[], query: Query): Promise<ColumnTypes> => {
    const oids = fields.map(({ dataTypeID }) => dataTypeID);
    const modifiers = fields.map(({ dataTypeModifier }) => dataTypeModifier);
    const named = await query<{ oid: number; modifier: number; name: string }>(namesOfTypes, [oids, modifiers]);
    const shaped = await query<Shape>(shapesOfTypes, [oids]);
    const byOid = new Map(shaped.map((shape) => [shape.oid, shape]));
    const types = named.map(({ oid, modifier, name }): [string, ColumnType] => [
      `${oid}:${modifier}`,
      { dataType: name, codec: codecOf(oid, byOid) },
    ]);
    if (mayBeCached(shaped)) for (const [key, type] of types) cache.set(key, type);
    return new Map(types);
  };

  const columnsOf = (fields: readonly Field[], types?: ColumnTypes): readonly OutputColumn[] => {
    const names = distinctNames(fields.map(({ name }) => name));
    return fields.map((field, index) => {
      const { dataType = 'unknown', codec = text } = types?.get(keyOf(field)) ?? cache.get(keyOf(field)) ?? {};
      return { name: names[index] ?? field.name, dataType, codec };
    });
  };

  return {
    /** Asks the server for types that are not in the cache. */
    async resolve(fields: readonly Field[], query: Query): Promise<readonly OutputColumn[]> {
      const missing = fields.filter((field) => !cache.has(keyOf(field)));
      return columnsOf(fields, missing.length > 0 ? await lookUp(missing, query) : undefined);
    },
    /** The same from the cache alone; null if a type is not in it. */
    cached: (fields: readonly Field[]): readonly OutputColumn[] | null =>
      fields.every((field) => cache.has(keyOf(field))) ? columnsOf(fields) : null,
  };
};
