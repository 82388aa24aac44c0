import { strFromU8 } from 'fflate';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { unpacked } from './archive.ts';
import type { Looks } from './looks.ts';
import { openCellLooks } from './ods-looks.ts';
import { openPrintHeaders } from './print-headers.ts';

/** From, and up to but without: a sheet repeats a row or a column a million times in one element. */
type Span = readonly [from: number, to: number];

export interface OdsSheet {
  readonly isHidden: boolean;
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
  /** Cells that have a formula and no value, in rows that are shown. */
  readonly formulas: number;
  /** Pictures, charts and shapes over its cells. */
  readonly graphics: number;
  /** A line for each print header and footer. */
  readonly printed: readonly string[];
  /** How its cells look. */
  readonly looks: Looks<string>;
}

interface Open {
  readonly isHidden: boolean;
  readonly rows: Span[];
  readonly columns: Span[];
  formulas: number;
  graphics: number;
  /** The name of the page on which it is printed. */
  readonly master: string;
  readonly cells: ReturnType<ReturnType<typeof openCellLooks>['sheet']>;
  /** The styles of the cells of its columns that name none. */
  readonly columnStyles: { readonly to: number; readonly style: string | undefined }[];
  /** Whether rules colour cells of it. */
  isPainted: boolean;
}

const DRAWN = /^draw:(?:frame|custom-shape|rect|ellipse|circle|polygon|path|control)$/;

const repeated = (value: string | undefined) => Math.max(1, Math.trunc(Number(value)) || 1);

type Attributes = SaxesTagPlain['attributes'];

const isCollapsed = (attributes: Attributes) => /^(?:collapse|filter)$/.test(attributes['table:visibility'] ?? '');

/** Collects the sheets of a spreadsheet while its elements open. */
class SheetsReader {
  readonly sheets: Open[] = [];
  private readonly hiddenStyles = new Set<string>();
  private readonly masters = new Map<string, string>();
  /** The name of the style that is open. */
  private style = '';
  private row = 0;
  private column = 0;
  /** Which of the styles of the columns is that of the next cell: cells come from left to right. */
  private columnStyle = 0;
  private isRowHidden = false;
  private rows: Span = [0, 0];
  private rowStyle: string | undefined;
  private readonly looks = openCellLooks();

  open({ name, attributes }: SaxesTagPlain): void {
    const sheet = this.sheets.at(-1);
    this.looks.define(name, attributes);
    if (name.startsWith('style:')) this.defineStyle(name, attributes);
    else if (name === 'table:table') this.openSheet(attributes['table:style-name'] ?? '');
    else if (sheet !== undefined) this.openWithin(sheet, name, attributes);
  }

  private defineStyle(name: string, attributes: Attributes) {
    if (name === 'style:style') {
      this.style = attributes['style:name'] ?? '';
      this.masters.set(this.style, attributes['style:master-page-name'] ?? '');
    } else if (name === 'style:table-properties' && attributes['table:display'] === 'false')
      this.hiddenStyles.add(this.style);
  }

  private openSheet(style: string) {
    const isHidden = this.hiddenStyles.has(style);
    const master = this.masters.get(style) || 'Default';
    const counted = { rows: [], columns: [], formulas: 0, graphics: 0, columnStyles: [] };
    this.sheets.push({ isHidden, master, ...counted, cells: this.looks.sheet(), isPainted: false });
    this.row = 0;
    this.column = 0;
  }

  private openWithin(sheet: Open, name: string, attributes: Attributes) {
    if (name === 'table:table-column') {
      const to = this.column + repeated(attributes['table:number-columns-repeated']);
      if (isCollapsed(attributes)) sheet.columns.push([this.column, to]);
      sheet.columnStyles.push({ to, style: attributes['table:default-cell-style-name'] });
      this.column = to;
    } else if (name === 'table:table-row') {
      const to = this.row + repeated(attributes['table:number-rows-repeated']);
      this.isRowHidden = isCollapsed(attributes);
      if (this.isRowHidden) sheet.rows.push([this.row, to]);
      this.rows = [this.row, to];
      this.rowStyle = attributes['table:default-cell-style-name'];
      this.row = to;
      this.column = 0;
      this.columnStyle = 0;
    } else if (/^table:(?:covered-)?table-cell$/.test(name))
      this.openCell(sheet, attributes, name === 'table:table-cell');
    else if (name === 'calcext:conditional-format') sheet.isPainted = true;
    else if (DRAWN.test(name)) sheet.graphics += 1;
  }

  private openCell(sheet: Open, attributes: Attributes, isCounted: boolean) {
    const from = this.column;
    this.column += repeated(attributes['table:number-columns-repeated']);
    const hasValue = attributes['office:value-type'] !== undefined;
    while ((sheet.columnStyles[this.columnStyle]?.to ?? Number.POSITIVE_INFINITY) <= from) this.columnStyle += 1;
    const style = attributes['table:style-name'] ?? this.rowStyle ?? sheet.columnStyles[this.columnStyle]?.style;
    if (hasValue) sheet.cells.add(style, this.rows, [from, this.column]);
    const isUnread = isCounted && attributes['table:formula'] !== undefined && !hasValue;
    if (isUnread && !this.isRowHidden) sheet.formulas += 1;
  }
}

/** What an OpenDocument spreadsheet does not show or prints around its cells, sheet by sheet: the package that reads the cells leaves this out. */
export const odsSheets = (data: Uint8Array): readonly OdsSheet[] => {
  const reader = new SheetsReader();
  const headers = openPrintHeaders();
  const parse = (xml: Uint8Array, opened: (tag: SaxesTagPlain) => void) => {
    const parser = new SaxesParser();
    parser.on('doctype', () => parser.fail('a document type'));
    parser.on('opentag', (tag) => {
      headers.open(tag);
      opened(tag);
    });
    parser.on('text', headers.text);
    parser.on('closetag', headers.close);
    parser.write(strFromU8(xml)).close();
  };
  const isZipped = data[0] === 0x50;
  const files = isZipped ? unpacked(data, (name) => /^(?:styles|content)\.xml$/.test(name)) : {};
  if (files['styles.xml'] !== undefined) parse(files['styles.xml'], () => {});
  parse(files['content.xml'] ?? data, (tag) => reader.open(tag));
  return reader.sheets.map(({ master, cells, columnStyles: _, isPainted, ...sheet }) => ({
    ...sheet,
    printed: headers.linesOf(master),
    looks: cells.looks(isPainted),
  }));
};
