import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { draftOf, parsed, type } from './draft.ts';
import { Mark, signOf } from './evidence.ts';
import { type Field, type RowsField, typesOf, type ValueField, valueText } from './fields.ts';

export interface FormProps {
  readonly document: Schemas['Document'];
  /** Whether the user may change values now. */
  readonly edits: boolean;
  readonly chosen: string | null;
  readonly choose: (pointer: string | null) => void;
}

/** The reasons for a review, by the values that they are about. */
const reasonsFor = ({ review }: Schemas['Document'], pointer: string) => review.reasons.filter((reason) => reason.pointer === pointer);

const classOf = ({ document, chosen }: FormProps, pointer: string) =>
  `${pointer === chosen ? 'chosen' : ''} ${reasonsFor(document, pointer).length > 0 ? 'flagged' : ''}`;

interface ValueProps {
  readonly field: ValueField;
  readonly form: FormProps;
}

const choicesOf = ({ schema }: ValueField): readonly string[] | null => {
  if (Array.isArray(schema.enum)) return schema.enum.map(valueText);
  return typesOf(schema).includes('boolean') ? ['yes', 'no'] : null;
};

const LONG = 40;

/** A field of one line would lose the others. */
const isLong = (value: unknown) => typeof value === 'string' && (value.length > LONG || value.includes('\n'));

const Input = ({ field, form }: ValueProps) => {
  const { pointer, label, value } = field;
  const { id } = form.document;
  const draft = draftOf(id)[pointer];
  const isWrong = draft !== undefined && parsed(field, draft) === undefined;
  const shown = draft ?? valueText(value);
  const choices = choicesOf(field);
  const common = {
    ...{
      class: draft === undefined ? 'value' : 'value changed',
      'data-field': pointer,
      'aria-label': label,
      'aria-invalid': isWrong ? 'true' : null,
    },
    onFocus: () => form.choose(pointer),
    onInput: (event: Event) => type(id, field, (event.currentTarget as HTMLInputElement).value),
  };
  if (choices === null && isLong(value)) return html`<textarea ...${common} rows="1" value=${shown}></textarea>`;
  if (choices === null) return html`<input type="text" ...${common} value=${shown} placeholder="–" autocomplete="off" />`;
  return html`<select ...${common}>${['', ...choices.filter((each) => each !== '')].map((each) => html`<option value=${each} selected=${each === shown}>${each || '–'}</option>`)}</select>`;
};

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || 'text' in value;

const Value = ({ field, form }: ValueProps) => {
  const { pointer, value } = field;
  const mark = html`<${Mark} sign=${signOf(value, form.document.evidence[pointer])} />`;
  if (form.edits && isScalar(value)) return html`<${Input} field=${field} form=${form} />${mark}`;
  const text = valueText(value);
  const choose = () => form.choose(pointer);
  return html`<button type="button" class="value" data-field=${pointer} aria-pressed=${pointer === form.chosen} onClick=${choose} onFocus=${choose}>
    ${text === '' ? html`<span class="soft">–<span class="unseen">nothing</span></span>` : text}</button>${mark}`;
};

const ValueLine = ({ field, form }: ValueProps) =>
  html`<div class=${`line ${classOf(form, field.pointer)}`} onMouseEnter=${() => form.choose(field.pointer)}><dt>${field.label}</dt><dd><${Value} field=${field} form=${form} /></dd>
    ${reasonsFor(form.document, field.pointer).map(({ message }) => html`<dd class="reason">${message}</dd>`)}</div>`;

const Row = ({
  row,
  columns,
  form,
}: {
  readonly row: RowsField['rows'][number];
  readonly columns: RowsField['columns'];
  readonly form: FormProps;
}) =>
  html`<tr>${row.cells.map(
    (cell, index) =>
      html`<td class=${`${columns[index]?.isNumber ? 'number' : ''} ${classOf(form, cell.pointer)}`} onMouseEnter=${() => form.choose(cell.pointer)}><${Value} field=${cell} form=${form} /></td>`,
  )}</tr>`;

const Rows = ({ field, form }: { readonly field: RowsField; readonly form: FormProps }) =>
  html`<div class="part"><h3>${field.label} <span class="soft">${field.rows.length}</span></h3>
    ${
      field.rows.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label=${field.label}><table class="grid">
      <thead><tr>${field.columns.map(({ key, label, isNumber }) => html`<th key=${key} scope="col" class=${isNumber ? 'number' : ''}>${label}</th>`)}</tr></thead>
      <tbody>${field.rows.map((row) => html`<${Row} key=${row.pointer} row=${row} columns=${field.columns} form=${form} />`)}</tbody></table></div>`
    }
  </div>`;

const FieldView = ({ field, form }: { readonly field: Field; readonly form: FormProps }) => {
  if (field.kind === 'rows') return html`<${Rows} field=${field} form=${form} />`;
  if (field.kind === 'value') return html`<dl class="lines"><${ValueLine} field=${field} form=${form} /></dl>`;
  return html`<div class="part"><h3>${field.label}</h3><div class="inner"><${Fields} fields=${field.fields} form=${form} /></div></div>`;
};

/** The values of a document: single ones as lines, lists of objects as tables. */
export const Fields = ({ fields, form }: { readonly fields: readonly Field[]; readonly form: FormProps }) =>
  html`<div class="fields">${fields.map((field) => html`<${FieldView} key=${field.pointer} field=${field} form=${form} />`)}</div>`;
