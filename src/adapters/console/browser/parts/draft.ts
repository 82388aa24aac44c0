import { signal } from '@preact/signals';
import { isObject, type JsonObject, type JsonValue, resolvePointer } from '../../../../domain/json.ts';
import { jsonNumber } from '../../../../domain/json-number.ts';
import { typesOf, type ValueField, valueText } from './fields.ts';

/** What the user has typed and not saved, by the pointers of the values. */
type Draft = Readonly<Record<string, string>>;

const keyOf = (documentId: string) => `portico.draft ${documentId}`;

const kept = (documentId: string): Draft => {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(keyOf(documentId)) ?? '{}');
    return isObject(draft) ? (draft as Draft) : {};
  } catch {
    return {};
  }
};

/** The draft of the document that is open; a reload keeps it. */
const opened = signal<{ readonly id: string; readonly draft: Draft }>({ id: '', draft: {} });

export const draftOf = (documentId: string): Draft => (opened.value.id === documentId ? opened.value.draft : kept(documentId));

export const setDraft = (id: string, draft: Draft): void => {
  opened.value = { id, draft };
  if (Object.keys(draft).length === 0) sessionStorage.removeItem(keyOf(id));
  else sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
};

/** Keeps what the user types; what is as it was before is no change. */
export const type = (id: string, { pointer, value }: ValueField, text: string): void => {
  const { [pointer]: _, ...others } = draftOf(id);
  setDraft(id, text === valueText(value) ? others : { ...others, [pointer]: text });
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The value of a text by the schema of its field; undefined if it cannot be one. */
export const parsed = ({ schema, value }: ValueField, text: string): JsonValue | undefined => {
  const types = typesOf(schema);
  const isNumeric = types.includes('number') || types.includes('integer') || (types.length === 0 && typeof value === 'number');
  if (text === '' && (types.length === 0 || types.includes('null'))) return null;
  if (isNumeric) return NUMBER.test(text.trim()) ? jsonNumber(text.trim()) : types.includes('string') ? text : undefined;
  if (types.includes('boolean')) return text === 'yes' ? true : text === 'no' ? false : undefined;
  return text;
};

/** The JSON Patch of a draft; null if a text of it is no value of its field. */
export const patchOf = (draft: Draft, fields: readonly ValueField[], data: JsonObject) => {
  const changes = fields.filter(({ pointer }) => draft[pointer] !== undefined);
  const patch = changes.map((field) => {
    const above = resolvePointer(data, field.pointer.slice(0, field.pointer.lastIndexOf('/')));
    // In a list `add` would insert.
    const op = Array.isArray(above) ? ('replace' as const) : ('add' as const);
    return { op, path: field.pointer, value: parsed(field, draft[field.pointer] ?? '') };
  });
  return patch.some(({ value }) => value === undefined) ? null : patch;
};
