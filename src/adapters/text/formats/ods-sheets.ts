import { strFromU8 } from 'fflate';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { unpacked } from './archive.ts';
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
}

interface Open {
  readonly isHidden: boolean;
  readonly rows: Span[];
  readonly columns: Span[];
  formulas: number;
  graphics: number;
  /** The name of the page on which it is printed. */
  readonly master: string;
}

const DRAWN = /^draw:(?:frame|custom-shape|rect|ellipse|circle|polygon|path|control)$/;

const repeated = (value: string | undefined) => Math.max(1, Math.trunc(Number(value)) || 1);

/** What an OpenDocument spreadsheet does not show or prints around its cells, sheet by sheet: the package that reads the cells leaves this out. */
export const odsSheets = (data: Uint8Array): readonly OdsSheet[] => {
  const sheets: Open[] = [];
  const headers = openPrintHeaders();
  const hiddenStyles = new Set<string>();
  const masters = new Map<string, string>();
  let style = '';
  let row = 0;
  let column = 0;
  let isRowHidden = false;
  const open = ({ name, attributes }: SaxesTagPlain) => {
    const sheet = sheets.at(-1);
    if (sheet !== undefined && DRAWN.test(name)) sheet.graphics += 1;
    const isHidden = /^(?:collapse|filter)$/.test(attributes['table:visibility'] ?? '');
    if (name === 'style:style') {
      style = attributes['style:name'] ?? '';
      masters.set(style, attributes['style:master-page-name'] ?? '');
    } else if (name === 'style:table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
    else if (name === 'table:table') {
      const sheetStyle = attributes['table:style-name'] ?? '';
      const master = masters.get(sheetStyle) || 'Default';
      sheets.push({ isHidden: hiddenStyles.has(sheetStyle), rows: [], columns: [], formulas: 0, graphics: 0, master });
      row = 0;
      column = 0;
    } else if (name === 'table:table-column' && sheet !== undefined) {
      const to = column + repeated(attributes['table:number-columns-repeated']);
      if (isHidden) sheet.columns.push([column, to]);
      column = to;
    } else if (name === 'table:table-row' && sheet !== undefined) {
      const to = row + repeated(attributes['table:number-rows-repeated']);
      if (isHidden) sheet.rows.push([row, to]);
      row = to;
      isRowHidden = isHidden;
    } else if (name === 'table:table-cell' && sheet !== undefined && !isRowHidden) {
      const hasFormula = attributes['table:formula'] !== undefined;
      if (hasFormula && attributes['office:value-type'] === undefined) sheet.formulas += 1;
    }
  };
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
  parse(files['content.xml'] ?? data, open);
  return sheets.map(({ master, ...sheet }) => ({ ...sheet, printed: headers.linesOf(master) }));
};
