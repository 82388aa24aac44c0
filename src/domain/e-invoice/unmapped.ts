import { EVERY_ITEM, escapeToken, isObject, type JsonObject, type JsonSchema, type JsonValue } from '../json.ts';
import { dereferenced } from '../schema-parts.ts';
import { type Field, isRows } from './mapping.ts';

/** A schema with one of these keywords says something about several fields together: the model is asked for all of its fields. */
const COMPOSED = ['allOf', 'anyOf', 'oneOf', 'if', 'not', 'dependentRequired', 'dependentSchemas', 'minProperties'];

/** What a schema has beside the mapped fields; null if nothing. A list that has more than is mapped is left whole. */
export const schemaBeside = (schema: unknown, field: Field, root: JsonSchema): JsonSchema | null => {
  const described = dereferenced(schema, root);
  if (described === null || !isObject(described.properties)) return described;
  const properties = Object.entries(described.properties).flatMap(([name, property]) => {
    const member = field.members.get(name);
    if (member === undefined) return [[name, property] as const];
    if (isRows(member)) return isWholeRow(property, member, root) ? [] : [[name, property] as const];
    const rest = member.term === null ? schemaBeside(property, member, root) : null;
    return rest === null ? [] : [[name, rest] as const];
  });
  if (properties.length === 0) return null;
  if (COMPOSED.some((word) => described[word] !== undefined)) return described;
  const { required } = described;
  const names = new Set(properties.map(([name]) => name));
  return {
    ...described,
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required) && { required: required.filter((name) => names.has(name)) }),
  };
};

/** Whether every field of the rows of a list is mapped. */
const isWholeRow = (list: unknown, { members }: Field, root: JsonSchema): boolean => {
  const row = members.get(EVERY_ITEM);
  const items = dereferenced(list, root)?.items;
  return row !== undefined && (row.term !== null || schemaBeside(items, row, root) === null);
};

/** A list of which the e-invoice has other rows than the model found: only what the e-invoice has of them is known. */
interface OtherRows {
  readonly pointer: string;
  readonly mapped: number;
  readonly answered: number;
}

/** What a model answered, with the mapped fields as the e-invoice has them; rows meet by their places. */
export const withMapped = (field: Field, data: JsonObject, answered: JsonObject) => {
  const otherRows: OtherRows[] = [];
  const members = (at: Field, mine: JsonValue | undefined, theirs: JsonValue | undefined, place: string): JsonValue => {
    const kept: JsonObject = isObject(theirs) ? (theirs as JsonObject) : {};
    const edited: JsonObject = isObject(mine) ? (mine as JsonObject) : {};
    const merged = [...at.members].flatMap(([name, member]) => {
      const value = merge(member, edited[name], kept[name], `${place}/${escapeToken(name)}`);
      return value === undefined ? [] : [[name, value] as const];
    });
    const names = new Set(at.members.keys());
    return Object.fromEntries([...Object.entries(kept).filter(([name]) => !names.has(name)), ...merged]);
  };
  const merge = (
    at: Field,
    mine: JsonValue | undefined,
    theirs: JsonValue | undefined,
    place: string,
  ): JsonValue | undefined => {
    const row = at.members.get(EVERY_ITEM);
    if (isRows(at) && Array.isArray(mine) && row !== undefined) {
      const rows: readonly JsonValue[] = Array.isArray(theirs) ? theirs : [];
      const meet = rows.length === mine.length;
      if (!meet && rows.length > 0) otherRows.push({ pointer: place, mapped: mine.length, answered: rows.length });
      if (row.term !== null) return mine;
      return mine.map((each: JsonValue, index) => members(row, each, meet ? rows[index] : {}, `${place}/${index}`));
    }
    return at.term === null ? members(at, mine, theirs, place) : mine;
  };
  return { data: members(field, data, answered, '') as JsonObject, otherRows };
};
