import { isSameJson, type JsonObject, leavesOf, resolvePointer, tokensOf } from '../../../../domain/json.ts';
import { type Edit, itemEdits } from '../../../../domain/json-patch.ts';
import { parsed } from './entry.ts';
import { type Field, isNewRow, listsOf, type RowsField, type ValueField, valuesOf } from './form.ts';
import type { FormEntries } from './form-entries.ts';

/** Edits, and by their pointers afterwards where the values that they bring were found. */
export interface FormChange<P> {
  readonly patch: readonly Edit[];
  readonly places: Readonly<Record<string, P>>;
}

/** What has no text is left out of a new row, if its field cannot be empty. */
const newRow = (cells: readonly ValueField[], { values }: FormEntries<unknown>): JsonObject =>
  Object.fromEntries(
    cells.flatMap((cell) => {
      const text = values[cell.pointer]?.text ?? '';
      const value = parsed(cell, text);
      return text === '' && value !== null ? [] : [[tokensOf(cell.pointer).at(-1) ?? '', value ?? null] as const];
    }),
  );

const rowEdits = ({ pointer, rows }: RowsField, data: JsonObject, entries: FormEntries<unknown>): readonly Edit[] => {
  const items = resolvePointer(data, pointer);
  const before = Array.isArray(items) ? [...items.keys()].map(String) : [];
  const made: readonly Edit[] =
    Array.isArray(items) || rows.length === 0 ? [] : [{ op: 'add', path: pointer, value: [] }];
  const names = rows.map(({ name }) => name);
  return [...made, ...itemEdits(pointer, before, names, (at) => newRow(rows[at]?.cells ?? [], entries))];
};

const valueEdits = (field: ValueField, data: JsonObject, text: string): readonly Edit[] => {
  const { pointer } = field;
  const old = resolvePointer(data, pointer);
  const value = parsed(field, text) ?? null;
  if (old !== undefined && isSameJson(old, value)) return [];
  // In a list `add` would insert.
  const op = Array.isArray(resolvePointer(data, pointer.slice(0, pointer.lastIndexOf('/')))) ? 'replace' : 'add';
  return [{ op, path: pointer, value }];
};

/** What is entered into the fields of a form changes of its data; null if one of the texts is no value of its field. */
export const changeOf = <P>(
  data: JsonObject,
  fields: readonly Field[],
  entries: FormEntries<P>,
): FormChange<P> | null => {
  const lists = listsOf(fields).filter(({ pointer }) => entries.rows[pointer]);
  const isAdded = (pointer: string) =>
    lists.some(({ rows }) => rows.some((row) => isNewRow(row.name) && pointer.startsWith(`${row.pointer}/`)));
  const typed = valuesOf(fields).flatMap((field) => {
    const entry = entries.values[field.pointer];
    if (entry === undefined) return [];
    return [{ field, ...entry, edits: isAdded(field.pointer) ? null : valueEdits(field, data, entry.text) }];
  });
  if (typed.some(({ field, text }) => parsed(field, text) === undefined)) return null;
  /** Where a value is once rows have come and gone. */
  const moved = (pointer: string) => {
    for (const list of lists) {
      const at = list.rows.findIndex((row) => pointer.startsWith(`${row.pointer}/`));
      if (at !== -1) return `${list.pointer}/${at}${pointer.slice(list.rows[at]?.pointer.length)}`;
    }
    return pointer;
  };
  const places = typed.flatMap(({ field, place, edits }) =>
    place && edits?.length !== 0 ? [[moved(field.pointer), place] as const] : [],
  );
  const patch = [
    ...typed.flatMap(({ edits }) => edits ?? []),
    ...lists.flatMap((list) => rowEdits(list, data, entries)),
  ];
  return { patch, places: Object.fromEntries(places) };
};

/** Edits with where the values that they bring were found, of those of which it is known. */
export const placed = <P>(patch: readonly Edit[], placeOf: (pointer: string) => P | null): FormChange<P> => {
  const pointers = patch.flatMap((edit) =>
    edit.op === 'remove' ? [] : leavesOf(edit.value, edit.path).map(([pointer]) => pointer),
  );
  const places = pointers.flatMap((pointer) => {
    const place = placeOf(pointer);
    return place === null ? [] : [[pointer, place] as const];
  });
  return { patch, places: Object.fromEntries(places) };
};
