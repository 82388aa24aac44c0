import { html } from 'htm/preact';
import { useMemo, useRef } from 'preact/hooks';
import { csvLine } from '../../../../domain/csv.ts';
import { isNumber } from '../../../../domain/json-number.ts';
import { valueText } from '../form/form.ts';
import { copy, countText } from './basics.ts';
import { act } from './notice.ts';
import { Body, MOST_DRAWN } from './window.ts';

export type Grid = { readonly columns: readonly string[]; readonly records: readonly Readonly<Record<string, unknown>>[] };

export const gridOf = (records: Grid['records']): Grid => ({
  columns: [...new Set(records.flatMap((record) => Object.keys(record)))],
  records,
});

/** Characters of a column. */
const WIDEST = 40;

const cellOf = (value: unknown) => (isNumber(value) ? value : valueText(value));

export const csvOf = ({ columns, records }: Grid): string =>
  [columns, ...records.map((record) => columns.map((column) => record[column]))].map((cells) => csvLine(cells.map(cellOf))).join('');

export const CopyCsv = ({ grid }: { readonly grid: Grid }) => {
  const done = `${countText(grid.records.length)} ${grid.records.length === 1 ? 'row is' : 'rows are'} in the clipboard.`;
  return html`<button type="button" class="plain" onClick=${() => void act(() => copy(csvOf(grid)), done)}>Copy as CSV</button>`;
};

const Cell = ({ value }: { readonly value: unknown }) => {
  if (value === null || value === undefined) return html`<td class="soft">null</td>`;
  const text = typeof value === 'boolean' ? String(value) : valueText(value);
  return html`<td class=${isNumber(value) ? 'number' : ''} title=${text.length > WIDEST || text.includes('\n') ? text : null}>${text}</td>`;
};

/** As wide as its longest value, within reason, so that columns keep their width while the rows change. */
const widthOf = (records: Grid['records'], column: string): string => {
  const longest = records.reduce((most, record) => Math.max(most, valueText(record[column]).length), column.length);
  return `${Math.min(longest, WIDEST) + 2}ch`;
};

/** Values as text, with every digit, a line for each row: the whole of a long value is in its tip. */
export const ValuesGrid = ({ grid: { columns, records }, label }: { readonly grid: Grid; readonly label: string }) => {
  const scroller = useRef<HTMLDivElement>(null);
  const widths = useMemo(
    () => (records.length > MOST_DRAWN ? columns.map((column) => ({ minWidth: widthOf(records, column) })) : []),
    [records],
  );
  const row = (index: number) =>
    html`<tr key=${index} aria-rowindex=${index + 2}>${columns.map((column) => html`<${Cell} value=${records[index]?.[column]} />`)}</tr>`;
  return html`<div class="scroll" ref=${scroller} tabindex="0" role="region" aria-label=${label}><table class="grid values" aria-rowcount=${records.length + 1}>
    <thead><tr aria-rowindex="1">${columns.map((column, index) => html`<th key=${column} scope="col" class=${isNumber(records[0]?.[column]) ? 'number' : ''} style=${widths[index]}>${column}</th>`)}</tr></thead>
    <${Body} count=${records.length} scroller=${scroller} row=${row} />
  </table></div>`;
};
