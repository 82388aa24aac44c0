import { decimalText, readDecimal } from '../decimal.ts';
import { EVERY_ITEM, escapeToken, type JsonObject, type JsonSchema, type JsonValue, tokensOf } from '../json.ts';
import { jsonNumber } from '../json-number.ts';
import { partsOf, schemasAt } from '../schema-parts.ts';
import { dateOf } from './dates.ts';
import { nodesOf, type TermNode } from './e-invoice.ts';
import { termsById } from './terms.ts';

// JSON Pointer of a field → the term that it has, or the group whose parts are the rows of a list: `/lines` → BG-25, `/lines/*/amount` → BT-131.
export type TermMap = Readonly<Record<string, string>>;

/** Fields of these names have these terms in the documents of an agent that maps none. */
const usualMap: TermMap = {
  '/invoice_number': 'BT-1',
  '/invoice_date': 'BT-2',
  '/due_date': 'BT-9',
  '/currency': 'BT-5',
  '/supplier': 'BT-27',
  '/customer': 'BT-44',
  '/po_number': 'BT-13',
  '/net': 'BT-109',
  '/net_amount': 'BT-109',
  '/vat': 'BT-110',
  '/tax': 'BT-110',
  '/total': 'BT-112',
  '/iban': 'BT-84',
  '/lines': 'BG-25',
  '/lines/*/description': 'BT-153',
  '/lines/*/quantity': 'BT-129',
  '/lines/*/unit_price': 'BT-146',
  '/lines/*/amount': 'BT-131',
};

const isGroup = (term: string) => term.startsWith('BG-');
const listAround = (pointer: string) => pointer.slice(0, pointer.lastIndexOf(`/${EVERY_ITEM}`));

/** The pointer as a schema knows it: any item of a list stands for all. */
const inSchema = (pointer: string) =>
  tokensOf(pointer)
    .map((token) => `/${token === EVERY_ITEM ? '0' : escapeToken(token)}`)
    .join('');

/** Why a field cannot have this term; null if it can. */
export const mapDefect = (map: TermMap, pointer: string, term: string, schema: JsonSchema): string | null => {
  const known = termsById.get(term);
  if (known === undefined) return `is ${term}, which is no term of EN 16931-1, such as BT-1 or BG-25`;
  const schemas = schemasAt(schema, inSchema(pointer));
  if (schemas !== null && schemas.length === 0) return `is of ${pointer}, which the document_schema does not have`;
  const isInList = pointer.includes(`/${EVERY_ITEM}`);
  return isInList && !isGroup(map[listAround(pointer)] ?? '')
    ? `is of a list: ${listAround(pointer)} has to be mapped to a group, such as BG-25`
    : null;
};

/** A mapped field, or what has some inside of it. */
export interface Field {
  readonly term: string | null;
  readonly members: ReadonlyMap<string, Field>;
}

export const isRows = ({ term }: Field): boolean => term !== null && isGroup(term);

/** The map as a tree of fields; the rows of a list are its member `*`. A list of which no row is mapped is none of them. */
export const fieldsOf = (map: TermMap): Field => {
  const at = (start: string): Field => {
    const inside = Object.keys(map).filter((pointer) => pointer.startsWith(`${start}/`));
    const names = new Set(inside.map((pointer) => tokensOf(pointer.slice(start.length))[0] ?? ''));
    const members = [...names].map((name) => [name, at(`${start}/${escapeToken(name)}`)] as const);
    return {
      term: map[start] ?? null,
      members: new Map(members.filter(([, member]) => !isRows(member) || member.members.has(EVERY_ITEM))),
    };
  };
  return at('');
};

const typesAt = (schema: JsonSchema, pointer: string): ReadonlySet<unknown> => {
  const parts = (schemasAt(schema, inSchema(pointer)) ?? []).flatMap((part) => partsOf(part, schema));
  return new Set(parts.flatMap(({ type, format }) => [type, format === 'date' ? format : undefined].flat()));
};

/** Of an agent that maps none: the usual fields that its schema names, with values that terms can have. */
export const usualMapOf = (schema: JsonSchema): TermMap =>
  Object.fromEntries(
    Object.entries(usualMap).filter(([pointer, term]) => {
      const isNamed = (schemasAt(schema, inSchema(pointer)) ?? []).length > 0;
      const types = typesAt(schema, pointer);
      const fits = isGroup(term) ? types.has('array') : !types.has('object') && !types.has('array');
      return isNamed && fits;
    }),
  );

/** A value with the element or attribute that has it. */
export interface MappedValue {
  readonly pointer: string;
  readonly term: string;
  readonly quote: string;
  readonly xpath: string;
  readonly isExact: boolean;
}

/** undefined where a value of these types cannot have the text. */
const valueIn = (text: string, types: ReadonlySet<unknown>): JsonValue | undefined => {
  const trimmed = text.trim();
  if (types.has('date')) return dateOf(trimmed) ?? trimmed;
  if (types.has('string') || (!types.has('number') && !types.has('integer'))) return trimmed;
  const decimal = readDecimal(trimmed);
  return decimal === null ? undefined : jsonNumber(decimalText(decimal));
};

export interface Mapped {
  readonly data: JsonObject;
  readonly values: readonly MappedValue[];
  /** Pointers of fields, as the map has them, that the invoice does not have and whose value may not be null. */
  readonly lacking: readonly string[];
}

/** What the mapped fields have of an e-invoice. */
export const mapped = (fields: Field, nodes: readonly TermNode[], schema: JsonSchema): Mapped => {
  const values: MappedValue[] = [];
  const lacking = new Set<string>();
  const types = new Map<string, ReadonlySet<unknown>>();
  const typesOf = (field: string) => {
    const known = types.get(field) ?? typesAt(schema, field);
    types.set(field, known);
    return known;
  };
  /** `place` has the numbers of rows, `field` a `*` for each. */
  const leaf = (term: string, inside: readonly TermNode[], place: string, field: string): JsonValue | undefined => {
    const [node] = nodesOf(inside, term);
    const allowed = typesOf(field);
    const value = node === undefined ? undefined : valueIn(node.text, allowed);
    if (node === undefined || value === undefined || value === '') {
      if (!allowed.has('null')) lacking.add(field);
      return allowed.has('null') ? null : undefined;
    }
    const { text: quote, xpath } = node;
    values.push({ pointer: place, term, quote, xpath, isExact: String(value) === quote.trim() });
    return value;
  };
  const build = (at: Field, inside: readonly TermNode[], place: string, field: string): JsonValue | undefined => {
    const { term, members } = at;
    const row = members.get(EVERY_ITEM);
    if (isRows(at))
      return nodesOf(inside, term ?? '').map(
        (node, index) =>
          (row && build(row, node.nodes, `${place}/${index}`, `${field}/${EVERY_ITEM}`)) ?? ({} as JsonObject),
      );
    if (term !== null) return leaf(term, inside, place, field);
    const built = [...members].flatMap(([name, member]) => {
      const step = `/${escapeToken(name)}`;
      const value = build(member, inside, place + step, field + step);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(built);
  };
  const data = build(fields, nodes, '', '') as JsonObject;
  return { data, values, lacking: [...lacking] };
};
