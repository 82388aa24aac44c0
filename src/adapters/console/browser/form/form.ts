import { escapeToken, isObject, tokensOf } from '../../../../domain/json.ts';
import { partsOf, schemasAt, titleAt } from '../../../../domain/schema-parts.ts';
import { digitsOf, hasFraction, USUAL_DIGITS } from './currency-digits.ts';

type Json = Readonly<Record<string, unknown>>;

/** One value of a document, and where it is: a JSON Pointer. */
export interface ValueField {
  readonly kind: 'value';
  readonly pointer: string;
  readonly label: string;
  readonly value: unknown;
  readonly schema: Json;
  /** Of an amount, the least digits after the point; null: it is shown as it stands. */
  readonly digits: number | null;
}

export type GroupField = {
  readonly kind: 'group';
  readonly pointer: string;
  readonly label: string;
  readonly fields: readonly Field[];
};

/** A list of objects, which is shown as a table. */
export interface RowsField {
  readonly kind: 'rows';
  readonly pointer: string;
  readonly label: string;
  readonly columns: readonly {
    readonly key: string;
    readonly label: string;
    readonly isNumber: boolean;
    readonly schema: Json;
    readonly digits: number | null;
  }[];
  readonly rows: readonly Row[];
}

/** The name is the index in the document; that of a new row begins with a plus. */
type Row = { readonly name: string; readonly pointer: string; readonly cells: readonly ValueField[] };

export type Field = ValueField | GroupField | RowsField;

const child = (pointer: string, key: string | number) => `${pointer}/${escapeToken(key)}`;

/** Written in capitals by everybody. */
const ABBREVIATION = /\b(?:bic|iban|id|po|sku|swift|url|vat)\b/g;

/** `invoice_number` → Invoice number. */
const words = (key: string): string => {
  const text = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(ABBREVIATION, (abbreviation) => abbreviation.toUpperCase());
  return text === '' ? key : text[0]?.toUpperCase() + text.slice(1);
};

/** Where a value stands, for people, with the titles of the schema where it is known: rows count from 1. */
export const placeText = (pointer: string, schema: Json = {}): string => {
  const tokens = tokensOf(pointer);
  const nameOf = (token: string, index: number) => {
    if (/^\d+$/.test(token)) return String(Number(token) + 1);
    const at = tokens.slice(0, index + 1).map((each) => `/${escapeToken(each)}`);
    return titleAt(schema, at.join('')) ?? words(token);
  };
  return tokens.map(nameOf).join(' › ');
};

/** The schema with what it is composed of and refers to, without the choice of null. */
export const plain = (schema: unknown, root: Json): Json => {
  const parts = partsOf(schema, root).filter(({ type }) => type !== 'null');
  return Object.assign({}, ...parts.toReversed(), isObject(schema) ? schema : {});
};

export const typesOf = ({ type }: Json): readonly string[] => {
  if (Array.isArray(type)) return type;
  return typeof type === 'string' ? [type] : [];
};

export const labelOf = (schema: Json, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : words(key);

const isNumber = (schema: Json) => typesOf(schema).some((type) => type === 'number' || type === 'integer');

export const isNumeric = ({ schema, value }: ValueField): boolean =>
  isNumber(schema) || (typesOf(schema).length === 0 && typeof value === 'number');

export const isNewRow = (name: string): boolean => name.startsWith('+');

/** The names that the schema has, in its order, and then those that only the data has. */
const keysOf = (properties: Json, values: readonly Json[]): readonly string[] => [
  ...new Set([...Object.keys(properties), ...values.flatMap((value) => Object.keys(value))]),
];

const rowOf = (list: string, name: string, item: Json, columns: RowsField['columns']): Row => {
  const row = child(list, name);
  const cells = columns.map(
    ({ key, label, schema, digits }): ValueField => ({
      kind: 'value',
      pointer: child(row, key),
      label,
      value: item[key] ?? null,
      schema,
      digits,
    }),
  );
  return { name, pointer: row, cells };
};

/** What is the same for all that a document has. */
interface Around {
  readonly root: Json;
  /** The one that stands nearest. */
  readonly currency: unknown;
}

/** A number with a fraction may be an amount: it has the digits of its currency, or the usual ones. So have the other numbers of its column. */
const digitsOfColumn = (values: readonly unknown[], { currency }: Around): number | null =>
  values.some(hasFraction) ? (digitsOf(currency) ?? USUAL_DIGITS) : null;

/** A number that need not be whole may be an amount where a currency stands. */
const digitsOfValue = (value: unknown, schema: Json, around: Around): number | null =>
  digitsOfColumn([value], around) ?? (typesOf(schema).includes('number') ? (digitsOf(around.currency) ?? null) : null);

const rowsOf = (items: readonly Json[], schema: Json, around: Around, pointer: string, label: string): RowsField => {
  const { root } = around;
  const properties = plain(schema.items, root).properties;
  const known = isObject(properties) ? properties : {};
  const columns = keysOf(known, items).map((key) => {
    const of = plain(known[key], root);
    const digits = digitsOfColumn(
      items.map((item) => item[key]),
      around,
    );
    return { key, label: labelOf(of, key), isNumber: isNumber(of), schema: of, digits };
  });
  return {
    kind: 'rows',
    pointer,
    label,
    columns,
    rows: items.map((item, index) => rowOf(pointer, String(index), item, columns)),
  };
};

const isFlat = (item: Json) => Object.values(item).every((value) => !isObject(value) && !Array.isArray(value));

const fieldOf = (value: unknown, declared: unknown, around: Around, pointer: string, key: string): Field => {
  const { root } = around;
  const schema = plain(declared, root);
  const label = labelOf(schema, key);
  const hasRows = typesOf(schema).includes('array') && isObject(plain(schema.items, root).properties);
  if (Array.isArray(value) || (value == null && hasRows)) {
    const items: readonly unknown[] = value ?? [];
    if (items.every((item) => isObject(item) && isFlat(item)) && (items.length > 0 || hasRows))
      return rowsOf(items as readonly Json[], schema, around, pointer, label);
    const fields = items.map((item, index) =>
      fieldOf(item, schema.items, around, child(pointer, index), String(index + 1)),
    );
    return { kind: 'group', pointer, label, fields };
  }
  if (isObject(value)) return { kind: 'group', pointer, label, fields: fieldsIn(value, schema, pointer, around) };
  return { kind: 'value', pointer, label, value: value ?? null, schema, digits: digitsOfValue(value, schema, around) };
};

const fieldsIn = (data: Json, schema: Json, pointer: string, { root, currency }: Around): readonly Field[] => {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const around = { root, currency: data.currency ?? currency };
  return keysOf(properties, [data]).map((key) => fieldOf(data[key], properties[key], around, child(pointer, key), key));
};

/** What a document has, in the order of its schema: a form. */
export const fieldsOf = (data: Json, schema: Json): readonly Field[] =>
  fieldsIn(data, schema, '', { root: schema, currency: undefined });

export interface ListedColumn {
  readonly pointer: string;
  readonly label: string;
  readonly isNumber: boolean;
  /** A number that need not be whole. */
  readonly mayBeAmount: boolean;
}

/** What a list of the documents of such a schema has in its columns. */
export const columnOf = (pointer: string, root: Json): ListedColumn => {
  const schema = plain(schemasAt(root, pointer)?.[0], root);
  const label = typeof schema.title === 'string' && schema.title !== '' ? schema.title : placeText(pointer);
  return { pointer, label, isNumber: isNumber(schema), mayBeAmount: typesOf(schema).includes('number') };
};

/** With the rows of lists as these names have them. */
export const arranged = (
  fields: readonly Field[],
  rows: Readonly<Record<string, readonly string[]>>,
): readonly Field[] =>
  fields.map((field) => {
    if (field.kind === 'group') return { ...field, fields: arranged(field.fields, rows) };
    const names = field.kind === 'rows' ? rows[field.pointer] : undefined;
    if (field.kind !== 'rows' || names === undefined) return field;
    const { rows: there, pointer, columns } = field;
    return {
      ...field,
      rows: names.flatMap((name) => (isNewRow(name) ? rowOf(pointer, name, {}, columns) : (there[Number(name)] ?? []))),
    };
  });

export const listsOf = (fields: readonly Field[]): readonly RowsField[] =>
  fields.flatMap((field): readonly RowsField[] => {
    if (field.kind === 'group') return listsOf(field.fields);
    return field.kind === 'rows' ? [field] : [];
  });

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

/** What a value may be, if there are few such things; else null. */
export const choicesOf = ({ schema }: ValueField): readonly string[] | null => {
  if (Array.isArray(schema.enum)) return schema.enum.map(valueText);
  return typesOf(schema).includes('boolean') ? ['yes', 'no'] : null;
};
