import { html } from 'htm/preact';
import { isNumber } from '../../../../domain/json-number.ts';
import { copy } from './basics.ts';
import { valueText } from './fields.ts';
import { notify } from './notice.ts';

export interface Grid {
  readonly columns: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export const gridOf = (records: Grid['records']): Grid => ({
  columns: [...new Set(records.flatMap((record) => Object.keys(record)))],
  records,
});

/** A spreadsheet runs a cell that begins with one of these as a formula; an apostrophe makes it a text. */
const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/;

const cellText = (value: unknown): string => {
  const text = valueText(value);
  const safe = !isNumber(value) && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = ({ columns, records }: Grid): string =>
  [columns, ...records.map((record) => columns.map((column) => record[column]))]
    .map((cells) => `${cells.map(cellText).join(',')}\r\n`)
    .join('');

export const CopyCsv = ({ grid }: { readonly grid: Grid }) => {
  const act = async () => {
    await copy(csvOf(grid));
    notify('The rows of this page are in the clipboard.');
  };
  return html`<button type="button" class="plain" onClick=${() => void act()}>Copy as CSV</button>`;
};

const Cell = ({ value }: { readonly value: unknown }) => {
  if (value === null || value === undefined) return html`<td class="soft">null</td>`;
  return html`<td class=${isNumber(value) ? 'number' : ''}>${typeof value === 'boolean' ? String(value) : valueText(value)}</td>`;
};

/** Values as text, with every digit. */
export const ValuesGrid = ({ grid: { columns, records }, label }: { readonly grid: Grid; readonly label: string }) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table class="grid values">
    <thead><tr>${columns.map((column) => html`<th key=${column} scope="col">${column}</th>`)}</tr></thead>
    <tbody>${records.map((record) => html`<tr>${columns.map((column) => html`<${Cell} value=${record[column]} />`)}</tr>`)}</tbody>
  </table></div>`;
