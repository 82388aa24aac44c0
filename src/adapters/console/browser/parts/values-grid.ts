import { html } from 'htm/preact';
import { csvLine } from '../../../../domain/csv.ts';
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

const cellOf = (value: unknown) => (isNumber(value) ? value : valueText(value));

export const csvOf = ({ columns, records }: Grid): string =>
  [columns, ...records.map((record) => columns.map((column) => record[column]))].map((cells) => csvLine(cells.map(cellOf))).join('');

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
