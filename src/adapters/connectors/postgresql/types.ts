import { LRUCache } from 'lru-cache';
import type { Column } from '../../../application/ports/connectors.ts';
import { boolean, bytes, date, number, text, timestamp, timeWithZone, verbatim } from './codecs.ts';
import type { Query } from './columns.ts';
import type { Codec } from './json-writer.ts';
import { array, composite } from './nested-codecs.ts';

/** What the server says of a column of its answer. */
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

const names = `
select o as oid, m as modifier, pg_catalog.format_type(o, m) as name
from unnest($1::pg_catalog.oid[], $2::pg_catalog.int4[]) as wanted (o, m)`;

/** The types and all that they are made of: the base of a domain, the element of an array, the attributes of a composite type. */
const shapes = `
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

const codecOf = (oid: number, known: ReadonlyMap<number, Shape>): Codec => {
  const scalar = scalars.get(oid);
  const shape = known.get(oid);
  if (scalar || !shape) return scalar ?? text;
  if (shape.base !== null) return codecOf(shape.base, known);
  if (shape.element !== null) return array(codecOf(shape.element, known), shape.delimiter ?? ',');
  if (shape.attributes === null) return text;
  return composite(shape.attributes.map(({ name, type }) => ({ name, codec: codecOf(type, known) })));
};

interface Known {
  readonly dataType: string;
  readonly codec: Codec;
}

/** A composite type may be changed at any time; what any other type is made of may not. */
const mayBeKept = (shape: readonly Shape[]) => shape.every(({ attributes }) => attributes === null);

const MOST_TYPES = 500;
const KEPT_MILLISECONDS = 60_000;

export interface Types {
  /** How the columns of an answer are named, called and written; asks the server for types that are not known yet. */
  resolve(fields: readonly Field[], query: Query): Promise<readonly OutputColumn[]>;
  /** The same where the server has to be asked for none of them; else null. */
  known(fields: readonly Field[]): readonly OutputColumn[] | null;
}

const keyOf = ({ dataTypeID, dataTypeModifier }: Field) => `${dataTypeID}:${dataTypeModifier}`;

/** Of two columns of one name the second is `name_2`: an object would silently lose one. */
const distinct = (fields: readonly Field[]): readonly string[] => {
  const given = new Set(fields.map(({ name }) => name));
  const used = new Set<string>();
  return fields.map(({ name }) => {
    let own = name;
    for (let count = 2; used.has(own) || (own !== name && given.has(own)); count += 1) own = `${name}_${count}`;
    used.add(own);
    return own;
  });
};

export const types = (): Types => {
  const kept = new LRUCache<string, Known>({ max: MOST_TYPES, ttl: KEPT_MILLISECONDS });

  const learn = async (fields: readonly Field[], query: Query): Promise<ReadonlyMap<string, Known>> => {
    const oids = fields.map(({ dataTypeID }) => dataTypeID);
    const modifiers = fields.map(({ dataTypeModifier }) => dataTypeModifier);
    const named = await query<{ oid: number; modifier: number; name: string }>(names, [oids, modifiers]);
    const shaped = await query<Shape>(shapes, [oids]);
    const byOid = new Map(shaped.map((shape) => [shape.oid, shape]));
    const learnt = named.map(({ oid, modifier, name }): [string, Known] => [
      `${oid}:${modifier}`,
      { dataType: name, codec: codecOf(oid, byOid) },
    ]);
    if (mayBeKept(shaped)) for (const [key, type] of learnt) kept.set(key, type);
    return new Map(learnt);
  };

  const named = (fields: readonly Field[], learnt: ReadonlyMap<string, Known>) => {
    const own = distinct(fields);
    return fields.map((field, index) => {
      const { dataType = 'unknown', codec = text } = learnt.get(keyOf(field)) ?? kept.get(keyOf(field)) ?? {};
      return { name: own[index] ?? field.name, dataType, codec };
    });
  };

  const nothing: ReadonlyMap<string, Known> = new Map();

  return {
    async resolve(fields, query) {
      const missing = fields.filter((field) => !kept.has(keyOf(field)));
      return named(fields, missing.length > 0 ? await learn(missing, query) : nothing);
    },
    known: (fields) => (fields.every((field) => kept.has(keyOf(field))) ? named(fields, nothing) : null),
  };
};
