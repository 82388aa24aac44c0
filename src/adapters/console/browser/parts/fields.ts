import { escapeToken, isObject, type JsonValue, resolvePointer } from '../../../../domain/json.ts';

type Json = Readonly<Record<string, unknown>>;

/** One value of a document, and where it is: a JSON Pointer. */
export interface ValueField {
  readonly kind: 'value';
  readonly pointer: string;
  readonly label: string;
  readonly value: unknown;
  readonly schema: Json;
}

export interface GroupField {
  readonly kind: 'group';
  readonly pointer: string;
  readonly label: string;
  readonly fields: readonly Field[];
}

/** A list of objects, which is shown as a table. */
export interface RowsField {
  readonly kind: 'rows';
  readonly pointer: string;
  readonly label: string;
  readonly columns: readonly { readonly key: string; readonly label: string; readonly isNumber: boolean }[];
  readonly rows: readonly { readonly pointer: string; readonly cells: readonly ValueField[] }[];
}

export type Field = ValueField | GroupField | RowsField;

const child = (pointer: string, key: string | number) => `${pointer}/${escapeToken(key)}`;

/** `invoice_number` → Invoice number. */
const words = (key: string): string => {
  const text = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return text === '' ? key : text[0]?.toUpperCase() + text.slice(1).toLowerCase();
};

const MOST_REFS = 20;

/** The schema without references within it, and without the choice of null. */
const plain = (given: unknown, root: Json): Json => {
  let schema = isObject(given) ? given : {};
  for (let refs = 0; refs < MOST_REFS; refs++) {
    const choices = schema.anyOf ?? schema.oneOf;
    const chosen = Array.isArray(choices) ? choices.find((each) => isObject(each) && each.type !== 'null') : undefined;
    if (typeof schema.$ref === 'string')
      schema = { ...(resolvePointer(root as JsonValue, schema.$ref.slice(1)) as Json | undefined), ...without(schema, '$ref') };
    else if (isObject(chosen)) schema = { ...chosen, ...without(without(schema, 'anyOf'), 'oneOf') };
    else return schema;
  }
  return schema;
};

const without = (schema: Json, key: string): Json => Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));

export const typesOf = ({ type }: Json): readonly string[] => (Array.isArray(type) ? type : typeof type === 'string' ? [type] : []);

const labelOf = (schema: Json, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : words(key);

const isNumeric = (schema: Json) => typesOf(schema).some((type) => type === 'number' || type === 'integer');

/** The names that the schema has, in its order, and then those that only the data has. */
const keysOf = (properties: Json, values: readonly Json[]): readonly string[] => [
  ...new Set([...Object.keys(properties), ...values.flatMap((value) => Object.keys(value))]),
];

const rowsOf = (items: readonly Json[], schema: Json, root: Json, pointer: string, label: string): RowsField => {
  const properties = plain(schema.items, root).properties;
  const known = isObject(properties) ? properties : {};
  const keys = keysOf(known, items).map((key) => ({ key, schema: plain(known[key], root) }));
  const columns = keys.map(({ key, schema: of }) => ({ key, label: labelOf(of, key), isNumber: isNumeric(of) }));
  const rows = items.map((item, index) => {
    const row = child(pointer, index);
    const cells = keys.map(
      ({ key, schema: of }): ValueField => ({
        ...{ kind: 'value', pointer: child(row, key), label: labelOf(of, key), value: item[key] ?? null, schema: of },
      }),
    );
    return { pointer: row, cells };
  });
  return { kind: 'rows', pointer, label, columns, rows };
};

const isFlat = (item: Json) => Object.values(item).every((value) => !isObject(value) && !Array.isArray(value));

const fieldOf = (value: unknown, given: unknown, root: Json, pointer: string, key: string): Field => {
  const schema = plain(given, root);
  const label = labelOf(schema, key);
  const isList =
    Array.isArray(value) || (value == null && typesOf(schema).includes('array') && isObject(plain(schema.items, root).properties));
  if (isList) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    if (items.every((item) => isObject(item) && isFlat(item)) && (items.length > 0 || isObject(plain(schema.items, root).properties)))
      return rowsOf(items as readonly Json[], schema, root, pointer, label);
    const fields = items.map((item, index) => fieldOf(item, schema.items, root, child(pointer, index), String(index + 1)));
    return { kind: 'group', pointer, label, fields };
  }
  if (isObject(value)) return { kind: 'group', pointer, label, fields: fieldsOf(value, schema, pointer, root) };
  return { kind: 'value', pointer, label, value: value ?? null, schema };
};

/** What a document has, in the order of its schema: a form. */
export const fieldsOf = (data: Json, schema: Json, pointer = '', root: Json = schema): readonly Field[] => {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return keysOf(properties, [data]).map((key) => fieldOf(data[key], properties[key], root, child(pointer, key), key));
};

/** All single values, in the order in which they are shown. */
export const valuesOf = (fields: readonly Field[]): readonly ValueField[] =>
  fields.flatMap((field): readonly ValueField[] => {
    if (field.kind === 'value') return [field];
    return field.kind === 'group' ? valuesOf(field.fields) : field.rows.flatMap(({ cells }) => cells);
  });

/** A value as people read it, with every digit. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
};
