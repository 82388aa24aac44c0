import { signal, useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import { escapeToken } from '../../../../../domain/json.ts';
import { shownText } from '../../form/amounts.ts';
import { parsed } from '../../form/entry.ts';
import {
  choicesOf,
  type Field,
  isNewRow,
  type RowsField,
  type ValueField,
  valuesOf,
  valueText,
} from '../../form/form.ts';
import { entered, newName } from '../../form/form-entries.ts';
import { singleKeys } from '../../keys.ts';
import { setting } from '../../parts/basics.tsx';
import { type Draft, edit } from '../../parts/draft.ts';
import { Grid, MOST_DRAWN } from '../../parts/grid.tsx';
import { isHeld } from '../../presses.ts';
import { CONFIRMED, ENTERED, Mark, OPEN, type Sign, signOf } from './signs.tsx';
import { UnderstoodAs } from './understood.tsx';

export interface FormProps {
  readonly document: Schemas['DocumentDetail'];
  readonly fields: readonly Field[];
  readonly draft: Draft;
  /** Of the version that made the document; empty until it is known. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the user may change values now. */
  readonly edits: boolean;
}

/** The value that has, or had last, the focus; its row is drawn in a table of any length. */
export const chosen = signal<string | null>(null);

/** The reasons for a review, by the values that they are about, and what another person has entered meanwhile. */
const reasonsFor = ({ document: { review }, draft }: FormProps, { pointer, value }: ValueField): readonly string[] => {
  const typed = draft.values[pointer];
  const other =
    typed && typed.from !== valueText(value)
      ? [`Another person has entered ${valueText(value) || 'nothing'} meanwhile.`]
      : [];
  return [...review.reasons.filter((reason) => reason.pointer === pointer).map(({ message }) => message), ...other];
};

const classOf = (form: FormProps, field: ValueField, isChosen: boolean) => {
  const flag = form.draft.confirmed.includes(field.pointer) ? 'confirmed' : 'flagged';
  return `${isChosen ? 'chosen' : ''} ${reasonsFor(form, field).length > 0 ? flag : ''}`;
};

interface ValueProps {
  readonly field: ValueField;
  readonly form: FormProps;
  /** The ids of what stands below it about it. */
  readonly about?: string;
}

const LONG = 40;

/** A field of one line would lose the others. */
const isLong = (value: unknown) => typeof value === 'string' && (value.length > LONG || value.includes('\n'));

const Input = ({ field, form, about }: ValueProps) => {
  const { pointer, label, value } = field;
  const draft = form.draft.values[pointer]?.text;
  const isWrong = draft !== undefined && parsed(field, draft) === undefined;
  const focused = useSignal(false);
  const stored = valueText(value);
  const read = shownText(field);
  // An amount is typed as it is stored, where no grouping is in the way.
  const shown = draft ?? (focused.value ? stored : read);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Another text was selected, or had the caret: what is typed takes the place of all of it, and is not put behind it.
    if (focused.value && draft === undefined && stored !== read) input.current?.select();
  }, [focused.value]);
  const choices = choicesOf(field);
  const type = (event: Event) =>
    edit(
      form.document,
      (entries) => entered(entries, field, (event.currentTarget as HTMLInputElement).value, null),
      pointer,
    );
  const common = {
    class: draft === undefined ? 'value' : 'value changed',
    'data-field': pointer,
    onInput: type,
    onFocus: setting(focused, true),
    onBlur: setting(focused, false),
    'aria-label': label,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': about,
  };
  if (choices === null && isLong(value)) return <textarea {...common} rows={1} value={shown}></textarea>;
  if (choices === null)
    return <input ref={input} type="text" {...common} value={shown} placeholder="–" autocomplete="off" />;
  return (
    <select {...common}>
      {['', ...choices.filter((each) => each !== '')].map((each) => (
        <option value={each} selected={each === shown}>
          {each || '–'}
        </option>
      ))}
    </select>
  );
};

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || 'text' in value;

/** What the user has entered or confirmed is so; a tick alone says that the value stands in the file, and never where a reason is open. */
const standingOf = (form: FormProps, field: ValueField): Sign => {
  const { pointer, value } = field;
  if (form.draft.values[pointer]?.text) return ENTERED;
  const sign = signOf(value, form.document.evidence[pointer]);
  if (reasonsFor(form, field).length === 0) return sign;
  if (form.draft.confirmed.includes(pointer)) return CONFIRMED;
  return sign.tone === 'warn' ? sign : OPEN;
};

const Value = ({ field, form, about }: ValueProps) => {
  const { pointer, value } = field;
  const mark = <Mark sign={standingOf(form, field)} />;
  if (form.edits && isScalar(value))
    return (
      <>
        <Input field={field} form={form} about={about} />
        {mark}
      </>
    );
  const text = shownText(field);
  return (
    <>
      <button
        type="button"
        class="value"
        data-field={pointer}
        aria-pressed={pointer === chosen.value}
        aria-describedby={about}
      >
        {text === '' ? (
          <span class="soft">
            –<span class="unseen">nothing</span>
          </span>
        ) : (
          text
        )}
      </button>
      {mark}
    </>
  );
};

const ValueLine = ({ field, form }: ValueProps) => {
  const id = useId();
  const reasons = reasonsFor(form, field).map((message, index) => ({ id: `${id}-${index}`, message }));
  return (
    <div class={`line ${classOf(form, field, field.pointer === chosen.value)}`}>
      <dt>{field.label}</dt>
      <dd>
        <Value field={field} form={form} about={[id, ...reasons.map((reason) => reason.id)].join(' ')} />
      </dd>
      <dd id={id} class="meant">
        <UnderstoodAs field={field} form={form} />
      </dd>
      {reasons.map((reason) => (
        <dd key={reason.id} id={reason.id} class="reason">
          {reason.message}
        </dd>
      ))}
    </div>
  );
};

/** Goes to what may have to be drawn first, and before the next key, so that no key is lost. */
const focusSoon = (selector: string) => queueMicrotask(() => document.querySelector<HTMLElement>(selector)?.focus());

/** Goes to a value, wherever it is. */
export const focusValue = (pointer: string) => {
  chosen.value = pointer;
  focusSoon(`[data-field="${CSS.escape(pointer)}"]`);
};

interface RowProps {
  readonly field: RowsField;
  readonly index: number;
  readonly form: FormProps;
  /** The value of it that is chosen. */
  readonly chosen: string | null;
  readonly remove: (index: number, time: number) => void;
}

/** A table may have thousands of rows: a key that is typed draws one of them. */
const Row = memo(
  ({ field: { columns, rows, label }, index, form, chosen: current, remove }: RowProps) => {
    const { name = '', cells = [] } = rows[index] ?? {};
    return (
      <tr aria-rowindex={index + 2} class={isNewRow(name) ? 'changed' : ''}>
        {cells.map((value, column) => (
          <td
            key={value.pointer}
            class={`${columns[column]?.isNumber ? 'number' : ''} ${classOf(form, value, value.pointer === current)}`}
            title={reasonsFor(form, value).join(' ')}
          >
            <Value field={value} form={form} />
          </td>
        ))}
        {form.edits && columns.length > 0 && (
          <td class="remove">
            <button
              type="button"
              class="text"
              data-remove={index}
              aria-label={`Remove row ${index + 1} of ${label}`}
              onKeyDown={(event: KeyboardEvent) => isHeld(event) && event.preventDefault()}
              onClick={({ detail, timeStamp }: MouseEvent) =>
                remove(index, detail === 0 ? Number.POSITIVE_INFINITY : timeStamp)
              }
            >
              ×
            </button>
          </td>
        )}
      </tr>
    );
  },
  ({ field, index, form, chosen: current }, now) =>
    field === now.field &&
    index === now.index &&
    current === now.chosen &&
    form.document === now.form.document &&
    form.edits === now.form.edits &&
    (field.rows[index]?.cells ?? []).every(
      ({ pointer }) =>
        form.draft.values[pointer] === now.form.draft.values[pointer] &&
        form.draft.confirmed.includes(pointer) === now.form.draft.confirmed.includes(pointer),
    ),
);

/** The second click of most double clicks comes sooner, and one that is meant for the next row later. */
const DOUBLE_CLICK_MS = 300;

const Rows = ({ field, form }: { readonly field: RowsField; readonly form: FormProps }) => {
  const { columns, rows, label, pointer } = field;
  const edits = form.edits && columns.length > 0;
  const removedAt = useRef(Number.NEGATIVE_INFINITY);
  const at = rows.findIndex((row) => chosen.value?.startsWith(`${row.pointer}/`));
  const cell = rows[at]?.cells.find((each) => each.pointer === chosen.value);
  const below = at === -1 ? rows.length : at + 1;
  useLayoutEffect(() => {
    if (cell) document.querySelector('td.chosen')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [cell?.pointer]);
  const names = rows.map(({ name }) => name);
  const set = (changed: readonly string[]) =>
    edit(form.document, (draft) => ({ ...draft, rows: { ...draft.rows, [pointer]: changed } }));
  const add = () => {
    const name = newName(names);
    set(names.toSpliced(below, 0, name));
    focusValue(`${pointer}/${name}/${escapeToken(columns[0]?.key ?? '')}`);
  };
  const remove = (index: number, time: number) => {
    // The second click of a double click was not meant for the row that has come to this place.
    if (time - removedAt.current < DOUBLE_CLICK_MS) return;
    removedAt.current = performance.now();
    const left = names.toSpliced(index, 1);
    set(left);
    const list = `[data-list="${CSS.escape(pointer)}"]`;
    // The focus stays where it was: the page would move to a button that is far away.
    focusSoon(left.length === 0 ? `${list} > button` : `${list} [data-remove="${Math.min(index, left.length - 1)}"]`);
  };
  const row = (index: number) => (
    <Row
      key={rows[index]?.pointer}
      field={field}
      index={index}
      form={form}
      chosen={index === at ? chosen.value : null}
      remove={remove}
    />
  );
  const headings = [...columns, ...(edits ? [{ label: '', isNumber: false }] : [])];
  const look = rows.length > MOST_DRAWN ? 'long' : '';
  return (
    <div class="part" data-list={pointer}>
      <h3>
        {label} <span class="soft">{rows.length}</span>
      </h3>
      {rows.length > 0 && <Grid label={label} look={look} columns={headings} count={rows.length} kept={at} row={row} />}
      {cell && <UnderstoodAs field={cell} form={form} />}
      {cell &&
        reasonsFor(form, cell).map((message) => (
          <p class="reason" role="status">
            {message}
          </p>
        ))}
      {edits && (
        <button type="button" class="text" onClick={add}>
          {below === rows.length ? 'Add a row' : `Add a row below row ${below}`}
        </button>
      )}
    </div>
  );
};

const FieldView = ({ field, form }: { readonly field: Field; readonly form: FormProps }) => {
  if (field.kind === 'rows') return <Rows field={field} form={form} />;
  if (field.kind === 'value')
    return (
      <dl class="lines">
        <ValueLine field={field} form={form} />
      </dl>
    );
  return (
    <div class="part">
      <h3>{field.label}</h3>
      <div class="inner">
        <Fields fields={field.fields} form={form} />
      </div>
    </div>
  );
};

/** The values of a document: single ones as lines, lists of objects as tables. */
export const Fields = ({ fields, form }: { readonly fields: readonly Field[]; readonly form: FormProps }) => (
  <div class="fields">
    {fields.map((field) => (
      <FieldView key={field.pointer} field={field} form={form} />
    ))}
  </div>
);

/** The value that an event is about; null: none. */
export const fieldAt = ({ target }: Event): string | null => {
  const around = target instanceof Element ? target.closest('.line, td, [data-field]') : null;
  return (around?.closest('[data-field]') ?? around?.querySelector('[data-field]'))?.getAttribute('data-field') ?? null;
};

/** Goes to the next value that needs a look; `round`: after the last one comes the first. Whether there is another. */
export const focusFlagged = (form: FormProps, from: string | null, round: boolean): boolean => {
  const all = valuesOf(form.fields);
  const at = all.findIndex(({ pointer }) => pointer === from);
  // Most of many thousands of values have no reason.
  const suspects = new Set([
    ...form.document.review.reasons.map(({ pointer }) => pointer),
    ...Object.keys(form.draft.values),
  ]);
  for (const looked of [from, ...form.draft.confirmed]) suspects.delete(looked);
  const isNext = (field: ValueField) => suspects.has(field.pointer) && reasonsFor(form, field).length > 0;
  const next = all.slice(at + 1).find(isNext) ?? (round ? all.find(isNext) : undefined);
  if (next) focusValue(next.pointer);
  return next !== undefined;
};

/**
 * The keys within the values. Tab goes to the next flagged value, and its usual way where none follows and where no review is asked for;
 * Shift+Tab always goes its usual way, so that every value can be reached.
 */
export const onFieldKey = (event: KeyboardEvent, form: FormProps): void => {
  const { document: shown, edits } = form;
  const field = event.target instanceof HTMLElement ? event.target : null;
  const isPlain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || event.isComposing);
  if (!(singleKeys.peek() && edits && isPlain && field?.matches('input.value, select.value, textarea.value'))) return;
  if (event.key === 'Escape') field.blur();
  const pointer = field.dataset.field ?? '';
  if (event.key === 'Tab' && shown.review.status === 'pending' && focusFlagged(form, pointer, false))
    event.preventDefault();
  if (event.key !== 'Enter') return;
  event.preventDefault();
  // Each value is looked at: a key that repeats confirms no other one.
  if (isHeld(event)) return;
  edit(shown, (draft) => ({ ...draft, confirmed: [...draft.confirmed, pointer] }));
  if (!focusFlagged(form, pointer, true)) field.blur();
};
