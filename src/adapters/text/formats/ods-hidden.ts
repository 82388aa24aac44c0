import { strFromU8, unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';

/** From, and up to but without: a sheet repeats a row or a column a million times in one element. */
type Span = readonly [from: number, to: number];

export interface HiddenInOds {
  readonly isHidden: boolean;
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
  /** Cells that have a formula and no value, in rows that are shown. */
  readonly formulas: number;
  /** Pictures, charts and shapes over its cells. */
  readonly graphics: number;
}

const contentOf = (data: Uint8Array): string => {
  const files = data[0] === 0x50 ? unzipSync(data, { filter: ({ name }) => name === 'content.xml' }) : {};
  return strFromU8(files['content.xml'] ?? data);
};

const DRAWN = /^draw:(?:frame|custom-shape|rect|ellipse|circle|polygon|path|control)$/;

const repeated = (value: string | undefined) => Math.max(1, Math.trunc(Number(value)) || 1);

/** What an OpenDocument spreadsheet does not show, sheet by sheet: the package that reads the cells leaves this out. */
export const hiddenInOds = (data: Uint8Array): readonly HiddenInOds[] => {
  const sheets: (HiddenInOds & { rows: Span[]; columns: Span[]; formulas: number; graphics: number })[] = [];
  const hiddenStyles = new Set<string>();
  const parser = new SaxesParser();
  let [style, row, column, isRowHidden] = ['', 0, 0, false];
  parser.on('doctype', () => parser.fail('a document type'));
  parser.on('opentag', ({ name, attributes }) => {
    const sheet = sheets.at(-1);
    if (sheet !== undefined && DRAWN.test(name)) sheet.graphics += 1;
    const isHidden = /^(?:collapse|filter)$/.test(attributes['table:visibility'] ?? '');
    if (name === 'style:style') style = attributes['style:name'] ?? '';
    else if (name === 'style:table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
    else if (name === 'table:table') {
      const isHiddenSheet = hiddenStyles.has(attributes['table:style-name'] ?? '');
      sheets.push({ isHidden: isHiddenSheet, rows: [], columns: [], formulas: 0, graphics: 0 });
      [row, column] = [0, 0];
    } else if (name === 'table:table-column' && sheet !== undefined) {
      const to = column + repeated(attributes['table:number-columns-repeated']);
      if (isHidden) sheet.columns.push([column, to]);
      column = to;
    } else if (name === 'table:table-row' && sheet !== undefined) {
      const to = row + repeated(attributes['table:number-rows-repeated']);
      if (isHidden) sheet.rows.push([row, to]);
      [row, isRowHidden] = [to, isHidden];
    } else if (name === 'table:table-cell' && sheet !== undefined && !isRowHidden) {
      const hasFormula = attributes['table:formula'] !== undefined;
      if (hasFormula && attributes['office:value-type'] === undefined) sheet.formulas += 1;
    }
  });
  parser.write(contentOf(data)).close();
  return sheets;
};
