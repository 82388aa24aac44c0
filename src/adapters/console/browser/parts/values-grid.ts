import { html } from 'htm/preact';
import { useMemo, useRef } from 'preact/hooks';
import { csvLine } from '../../../../domain/csv.ts';
import { valueText } from '../../../../domain/form.ts';
import { isNumber } from '../../../../domain/json-number.ts';
import { copy, countText } from './basics.ts';
import { act } from './notice.ts';
import { MOST_DRAWN, useRows } from './window.ts';

export interface Grid {
  readonly columns: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export const gridOf = (records: Grid['records']): Grid => ({
  columns: [...new Set(records.flatMap((record) => Object.keys(record)))],
  records,
});

/** Characters of a column of a long table. */
const WIDEST = 40;

const cellOf = (value: unknown) => (isNumber(value) ? value : valueText(value));

export const csvOf = ({ columns, records }: Grid): string =>
  [columns, ...records.map((record) => columns.map((column) => record[column]))].map((cells) => csvLine(cells.map(cellOf))).join('');

export const CopyCsv = ({ grid }: { readonly grid: Grid }) => {
  const done = `${countText(grid.records.length)} ${grid.records.length === 1 ? 'row is' : 'rows are'} in the clipboard.`;
  return html`<button type="button" class="plain" onClick=${() => void act(() => copy(csvOf(grid)), done)}>Copy as CSV</button>`;
};

/** Rows of a long table have one line each, so the whole of a long value is in its tip. */
const Cell = ({ value, isLong }: { readonly value: unknown; readonly isLong: boolean }) => {
  if (value === null || value === undefined) return html`<td class="soft">null</td>`;
  const text = typeof value === 'boolean' ? String(value) : valueText(value);
  return html`<td class=${isNumber(value) ? 'number' : ''} title=${isLong && text.length > WIDEST ? text : null}>${text}</td>`;
};

/** As wide as its longest value, within reason, so that columns keep their width while the rows change. */
const widthOf = (records: Grid['records'], column: string): string => {
  const longest = records.reduce((most, record) => Math.max(most, valueText(record[column]).length), column.length);
  return `${Math.min(longest, WIDEST) + 2}ch`;
};

/** The room of rows that are not drawn. */
const Room = ({ height }: { readonly height: number }) =>
  height > 0 && html`<tr aria-hidden="true" style=${{ height: `${height}px` }}></tr>`;

/** Values as text, with every digit. The rows of a long table are drawn where they are seen. */
export const ValuesGrid = ({ grid: { columns, records }, label }: { readonly grid: Grid; readonly label: string }) => {
  const scroller = useRef<HTMLDivElement>(null);
  const { from, to, above, below } = useRows(records.length, scroller);
  const isLong = records.length > MOST_DRAWN;
  const widths = useMemo(() => (isLong ? columns.map((column) => ({ minWidth: widthOf(records, column) })) : []), [records]);
  return html`<div class="scroll" ref=${scroller} tabindex="0" role="region" aria-label=${label}><table class=${isLong ? 'grid values long' : 'grid values'} aria-rowcount=${records.length + 1}>
    <thead><tr aria-rowindex="1">${columns.map((column, index) => html`<th key=${column} scope="col" style=${widths[index]}>${column}</th>`)}</tr></thead>
    <tbody><${Room} height=${above} />
      ${records
        .slice(from, to)
        .map(
          (record, index) =>
            html`<tr key=${from + index} aria-rowindex=${from + index + 2}>${columns.map((column) => html`<${Cell} value=${record[column]} isLong=${isLong} />`)}</tr>`,
        )}
      <${Room} height=${below} /></tbody>
  </table></div>`;
};
