import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { Mark, signOf } from './evidence.ts';
import { type Field, type RowsField, type ValueField, valueText } from './fields.ts';

export interface FormProps {
  readonly document: Schemas['Document'];
  readonly chosen: string | null;
  readonly choose: (pointer: string | null) => void;
}

/** The reasons for a review, by the values that they are about. */
const reasonsFor = ({ review }: Schemas['Document'], pointer: string) => review.reasons.filter((reason) => reason.pointer === pointer);

const classOf = ({ document, chosen }: FormProps, pointer: string) =>
  `${pointer === chosen ? 'chosen' : ''} ${reasonsFor(document, pointer).length > 0 ? 'flagged' : ''}`;

const Value = ({ field, form }: { readonly field: ValueField; readonly form: FormProps }) => {
  const { pointer, value } = field;
  const text = valueText(value);
  return html`<button type="button" class="value" data-field=${pointer} aria-pressed=${pointer === form.chosen} onClick=${() => form.choose(pointer)} onFocus=${() => form.choose(pointer)} onMouseEnter=${() => form.choose(pointer)}>
    ${text === '' ? html`<span class="soft">–<span class="unseen">nothing</span></span>` : text}</button>
    <${Mark} sign=${signOf(value, form.document.evidence[pointer])} />`;
};

const ValueLine = ({ field, form }: { readonly field: ValueField; readonly form: FormProps }) =>
  html`<div class=${`line ${classOf(form, field.pointer)}`}><dt>${field.label}</dt><dd><${Value} field=${field} form=${form} /></dd>
    ${reasonsFor(form.document, field.pointer).map(({ message }) => html`<dd class="reason">${message}</dd>`)}</div>`;

const Rows = ({ field, form }: { readonly field: RowsField; readonly form: FormProps }) =>
  html`<div class="part"><h3>${field.label} <span class="soft">${field.rows.length}</span></h3>
    ${
      field.rows.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label=${field.label}><table class="grid">
      <thead><tr>${field.columns.map(({ key, label, isNumber }) => html`<th key=${key} scope="col" class=${isNumber ? 'number' : ''}>${label}</th>`)}</tr></thead>
      <tbody>${field.rows.map(
        ({ pointer, cells }) =>
          html`<tr key=${pointer}>${cells.map((cell, index) => html`<td class=${`${field.columns[index]?.isNumber ? 'number' : ''} ${classOf(form, cell.pointer)}`}><${Value} field=${cell} form=${form} /></td>`)}</tr>`,
      )}</tbody></table></div>`
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
