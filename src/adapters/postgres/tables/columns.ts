import type { EntitySchema } from '@mikro-orm/postgresql';
import { snakeCase } from '../../../domain/text.ts';

const propertiesOf = <T extends object>(table: EntitySchema<T>, without: readonly (keyof T)[]) =>
  Object.entries<{
    readonly type?: unknown;
    readonly kind?: string;
    readonly entity?: () => unknown;
    readonly lazy?: boolean;
  }>(table.meta.properties).filter(([name, { lazy }]) => !lazy && !without.includes(name as keyof T));

/** Times inside JSON are milliseconds. */
export const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** Columns of an entity's table, named so that a row is the entity. `row` is the table's name in the statement. */
export const columnsOf = <T extends object>(
  table: EntitySchema<T>,
  row: string,
  without: readonly (keyof T)[] = [],
): string =>
  propertiesOf(table, without)
    .map(([name, { kind, entity }]) => {
      if (kind === 'embedded') return `${jsonOf(entity?.() as EntitySchema<object>, row)} as "${name}"`;
      const column = snakeCase(name);
      return `${row}.${column}${column === name ? '' : ` as "${name}"`}`;
    })
    .join(', ');

/**
 * An entity as JSON, for statements that find it beside another one. `elsewhere`: columns that come from another table than the rest;
 * `also`: what else the JSON has, as SQL.
 */
export const jsonOf = <T extends object>(
  table: EntitySchema<T>,
  row: string,
  without: readonly (keyof T)[] = [],
  elsewhere: { readonly row: string; readonly names: readonly (keyof T)[] } = { row, names: [] },
  also: Readonly<Record<string, string>> = {},
): string => {
  const fields = propertiesOf(table, without).map(([name, { type, kind, entity }]) => {
    if (kind === 'embedded') return [name, jsonOf(entity?.() as EntitySchema<object>, row)];
    const column = `${elsewhere.names.includes(name as keyof T) ? elsewhere.row : row}.${snakeCase(name)}`;
    return [name, type === 'datetime' ? millis(column) : column];
  });
  return `json_build_object(${[...fields, ...Object.entries(also)].map(([name, value]) => `'${name}', ${value}`).join(', ')})`;
};

/** Properties of an entity as the assignments of an update, with the values of their parameters; `printed`: those whose JSON text is known. */
export const assigned = <T extends object>(
  table: EntitySchema<T>,
  properties: NoInfer<Partial<T>>,
  printed: NoInfer<Partial<Record<keyof T, Buffer>>> = {},
) => {
  const named = propertiesOf(table, []).filter(([name]) => Object.hasOwn(properties, name));
  return {
    assignments: named.map(([name], index) => `${snakeCase(name)} = $${index + 1}`),
    values: named.map(([name, { type }]) => {
      const value = properties[name as keyof T];
      const text = printed[name as keyof T];
      if (text !== undefined) return text;
      return type === 'json' && value !== null ? JSON.stringify(value) : value;
    }),
  };
};

/** A date in `T` is a number of milliseconds in its JSON. */
export type Json<T> = {
  readonly [K in keyof T]: T[K] extends Date ? number : T[K] extends Date | null ? number | null : T[K];
};

/** The entity again that was found as JSON; these of its properties are times. */
export const fromJson = <T extends object>(json: Json<T>, ...times: readonly (keyof T)[]): T => {
  const dates = times.map((name) => [name, json[name] === null ? null : new Date(json[name] as number)]);
  return { ...json, ...Object.fromEntries(dates) } as T;
};
