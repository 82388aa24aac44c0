import { type JsonValue, resolvePointer } from '../../../../domain/json.ts';
import { isNewRow, type ValueField, valueText } from './form.ts';

/** What a person has entered into a form; `P`: where they found it. */
export interface FormEntries<P> {
  /**
   * By the pointers of the values; in a new row its name stands in the place of an index. `from` is what the field had when the person
   * began: if it has something else by now, another person has changed it.
   */
  readonly values: Readonly<Record<string, { readonly text: string; readonly from: string; readonly place: P | null }>>;
  /** By the pointers of lists: the names of their rows in order. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
  /** The revision that the names of rows are of. */
  readonly revision: number;
  /** The values that the person has looked at and found right. */
  readonly confirmed: readonly string[];
}

/** One after the other, so that each can be taken back. */
export interface EntrySteps<P> {
  readonly steps: readonly FormEntries<P>[];
  /** The value that the last one was about: typing into one value is one step. Empty: none. */
  readonly about: string;
}

export const noEntries: FormEntries<never> = { values: {}, rows: {}, revision: 0, confirmed: [] };

/** The last of them for the data as it is: where another person has changed it, all its rows are there, and the new ones behind them. */
export const entriesOf = <P>({ steps }: EntrySteps<P>, data: unknown, revision: number): FormEntries<P> => {
  const entries = steps.at(-1) ?? noEntries;
  if (entries.revision === revision) return entries;
  const rows = Object.entries(entries.rows).map(([list, names]) => {
    const items = resolvePointer((data ?? {}) as JsonValue, list);
    return [list, [...(Array.isArray(items) ? [...items.keys()].map(String) : []), ...names.filter(isNewRow)]] as const;
  });
  return { ...entries, revision, rows: Object.fromEntries(rows) };
};

const MOST_STEPS = 100;

export const withStep = <P>(
  { steps, about: last }: EntrySteps<P>,
  entries: FormEntries<P>,
  about: string,
): EntrySteps<P> => {
  const before = about !== '' && about === last ? steps.slice(0, -1) : steps.slice(-MOST_STEPS);
  return { steps: [...before, entries], about };
};

/** With a text that was typed, or found at a place; what is as it was before is no entry. */
export const entered = <P>(
  entries: FormEntries<P>,
  { pointer, value }: ValueField,
  text: string,
  place: P | null,
): FormEntries<P> => {
  const { [pointer]: known, ...others } = entries.values;
  const entry = {
    text,
    from: known?.from ?? valueText(value),
    place: text === '' ? null : (place ?? known?.place ?? null),
  };
  return { ...entries, values: text === valueText(value) ? others : { ...others, [pointer]: entry } };
};

/** After they are saved: what is confirmed stays so, unless rows have moved. */
export const afterSaving = <P>({ rows, confirmed }: FormEntries<P>, revision: number): EntrySteps<P> => {
  const isKept = Object.keys(rows).length === 0 && confirmed.length > 0;
  return { steps: isKept ? [{ ...noEntries, revision, confirmed }] : [], about: '' };
};

/** A name for one more row. */
export const newName = (names: readonly string[]): string =>
  `+${Math.max(0, ...names.filter(isNewRow).map(Number)) + 1}`;

/** How much is entered. */
export const countOf = ({ values, rows }: FormEntries<unknown>): number =>
  Object.keys(values).length + Object.keys(rows).length;
