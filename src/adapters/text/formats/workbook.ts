import {
  type CellObject,
  type Range,
  read,
  type SheetProps,
  set_cptable,
  utils,
  type WorkBook,
  type WorkSheet,
} from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { Unreadable } from '../text.ts';
import { cellText } from './cell-text.ts';
import { tableText } from './csv.ts';
import { type OdsSheet, odsSheets } from './ods-sheets.ts';
import { picturesIn } from './pictures.ts';
import { drawingsIn, noDrawings, type SheetDrawings } from './sheet-drawings.ts';

// Workbooks of before 1997 have text in code pages.
set_cptable(codePages);

type Cells = (CellObject | undefined)[][];

interface SheetText {
  readonly text: string;
  /** How many there are of what is not read, or not shown. */
  readonly formulas: number;
  readonly unshowable: number;
  readonly hiddenRows: number;
  readonly hiddenColumns: number;
  readonly hiddenCells: number;
}

const isFlat = (line: { hidden?: boolean; hpx?: number; wpx?: number } | undefined) =>
  line?.hidden === true || line?.hpx === 0 || line?.wpx === 0;

const within = (spans: readonly (readonly [number, number])[], index: number) =>
  spans.some(([from, to]) => index >= from && index < to);

const firstShown = (from: number, to: number, isHidden: (index: number) => boolean): number => {
  for (let index = from; index <= to; index += 1) if (!isHidden(index)) return index;
  return from;
};

/** Merged cells show what is in the first of them, in whatever of them is not hidden; what the others hold is under it. */
const showMerged = (
  cells: Cells,
  { s: from, e: to }: Range,
  isHiddenRow: (row: number) => boolean,
  isHiddenColumn: (column: number) => boolean,
): number => {
  const first = cells[from.r]?.[from.c];
  let covered = 0;
  for (let row = from.r; row <= Math.min(to.r, cells.length - 1); row += 1) {
    const line = cells[row];
    for (let column = from.c; line !== undefined && column <= Math.min(to.c, line.length - 1); column += 1) {
      const cell = line[column];
      if (cell !== first && cell?.v !== undefined && cell.v !== '') covered += 1;
      delete line[column];
    }
  }
  if (first !== undefined) {
    const row = firstShown(from.r, to.r, isHiddenRow);
    const line = cells[row] ?? [];
    line[firstShown(from.c, to.c, isHiddenColumn)] = first;
    cells[row] = line;
  }
  return covered;
};

/** What a workbook says of all its cells. */
interface CellRules {
  readonly date1904: boolean;
  /** Whether its results are computed when it is opened: programs that compute nothing write 0 in place of each. */
  readonly isComputedLater: boolean;
}

const lacksResult = ({ f: formula, t: type, v: value }: CellObject, isComputedLater: boolean) =>
  formula !== undefined && (type === 'z' || value === undefined || (isComputedLater && value === 0));

const commentText = (comments: NonNullable<CellObject['c']>): string =>
  comments.map(({ t: text = '' }) => text.replace(/\s+/g, ' ').trim()).join(' ');

/** A sheet's cells as it shows them, and what is said of them, without the columns that are empty throughout. */
const sheetText = (sheet: WorkSheet, rules: CellRules, limit: number, ods: OdsSheet | undefined): SheetText => {
  const { date1904, isComputedLater } = rules;
  const isHiddenRow = (row: number) => isFlat(sheet['!rows']?.[row]) || within(ods?.rows ?? [], row);
  const isHiddenColumn = (column: number) => isFlat(sheet['!cols']?.[column]) || within(ods?.columns ?? [], column);
  const cells: Cells = sheet['!data'] ?? [];
  let hiddenCells = 0;
  for (const merge of sheet['!merges'] ?? []) hiddenCells += showMerged(cells, merge, isHiddenRow, isHiddenColumn);
  const rows: string[][] = [];
  const used = new Set<number>();
  const hiddenColumns = new Set<number>();
  const comments: string[] = [];
  let length = 0;
  let formulas = ods?.formulas ?? 0;
  let unshowable = 0;
  let hiddenRows = 0;
  let last = -1;
  // Only the cells that there are: the last one may stand in row 1,048,576.
  for (const index of Object.keys(cells).map(Number)) {
    const line = cells[index] ?? [];
    const columns = Object.keys(line).map(Number);
    if (isHiddenRow(index)) {
      if (columns.some((column) => line[column]?.v !== undefined)) hiddenRows += 1;
      if (last === index - 1) last = index;
      continue;
    }
    const row: string[] = [];
    let isBlank = true;
    for (const column of columns) {
      const cell = line[column];
      if (cell === undefined) continue;
      if (cell.c !== undefined && !isHiddenColumn(column))
        comments.push(`Comment on ${utils.encode_cell({ r: index, c: column })}: ${commentText(cell.c)}`);
      const isUnread = lacksResult(cell, isComputedLater);
      const hasValue = cell.t !== 'z' && cell.v !== undefined && cell.v !== null && cell.v !== '';
      if (!hasValue && !isUnread) continue;
      if (isHiddenColumn(column)) {
        hiddenColumns.add(column);
        continue;
      }
      const text = isUnread ? '' : cellText(cell, date1904);
      if (isUnread) formulas += 1;
      else if (text === null) unshowable += 1;
      else if (text === '') hiddenCells += 1;
      if (text === '' && !isUnread) continue;
      isBlank = false;
      row[column] = text ?? '';
    }
    if (isBlank) continue;
    // One blank row sets a table apart from the next; many say no more.
    if (last >= 0 && index > last + 1) rows.push([]);
    last = index;
    rows.push(row);
    for (const column of Object.keys(row).map(Number)) used.add(column);
    length += row.reduce((sum, text) => sum + text.length + 1, 0);
    if (length > limit) break;
  }
  const order = [...used].toSorted((a, b) => a - b);
  const table = tableText(rows.map((row) => (row.length === 0 ? [] : order.map((column) => row[column] ?? ''))));
  const text = [table, ...comments].filter((part) => part !== '').join('\n');
  return { text, formulas, unshowable, hiddenRows, hiddenColumns: hiddenColumns.size, hiddenCells };
};

const counted = (count: number, noun: string, plural = `${noun}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;

/** The package takes whatever it does not know for lines of text. */
const isWorkbook = (data: Uint8Array) => {
  const head = Buffer.from(data.subarray(0, 200)).toString('latin1');
  return head.startsWith('PK\x03\x04') || head.startsWith('\xd0\xcf\x11\xe0') || /^\W{0,3}\s*<\?xml/.test(head);
};

/** A workbook with its files as they are unpacked, if it is packed. */
interface Opened extends WorkBook {
  readonly files?: Readonly<Record<string, { readonly content: Uint8Array }>>;
}

/** What a packed workbook lists of a sheet; `id`: of the relation to its part. */
interface ListedSheet extends SheetProps {
  readonly id?: string;
}

/** ECMA-376 part 1, 18.2.2. */
type Calculation = Readonly<{ CalcPr?: { readonly fullCalcOnLoad?: string | boolean } }>;

const isComputedLater = (about: (WorkBook['Workbook'] & Calculation) | undefined): boolean =>
  /^(?:1|true)$/.test(String(about?.CalcPr?.fullCalcOnLoad));

const open = (data: Uint8Array): Opened => {
  if (!isWorkbook(data)) throw new Error('it does not begin like a workbook');
  try {
    return read(data, { type: 'array', dense: true, cellNF: true, cellStyles: true, cellHTML: false, bookFiles: true });
  } catch (error) {
    if (!/password|encrypted/i.test(String(error))) throw error;
    throw new Unreadable('is protected by a password: save it without one and upload that');
  }
};

const notesOf = (sheets: readonly (SheetText & SheetDrawings)[], hiddenSheets: number): readonly ReadingNote[] => {
  const total = (of: (sheet: SheetText & SheetDrawings) => number) => sheets.reduce((sum, sheet) => sum + of(sheet), 0);
  const note = (kind: ReadingNote['kind'], counts: readonly (readonly [number, string, string?])[]) => {
    const what = counts.flatMap(([count, ...noun]) => (count === 0 ? [] : [counted(count, ...noun)])).join(', ');
    return what === '' ? [] : [{ kind, page: null, what }];
  };
  return [
    ...note('hidden', [
      [hiddenSheets, 'hidden sheet'],
      [total(({ hiddenRows }) => hiddenRows), 'hidden row'],
      [total(({ hiddenColumns }) => hiddenColumns), 'hidden column'],
      [
        total(({ hiddenCells }) => hiddenCells),
        'cell that shows nothing of what it holds',
        'cells that show nothing of what they hold',
      ],
      [total(({ hiddenCharacters }) => hiddenCharacters), 'character of a hidden shape', 'characters of hidden shapes'],
    ]),
    ...note('unread', [
      [total(({ formulas }) => formulas), 'formula without a stored result', 'formulas without a stored result'],
      [
        total(({ unshowable }) => unshowable),
        'number that its format cannot show',
        'numbers that their formats cannot show',
      ],
      [total(({ graphics }) => graphics), 'chart, diagram or object', 'charts, diagrams or objects'],
    ]),
  ];
};

/** Every sheet that is shown under its name, its rows with their cells separated by tabs. */
export const readWorkbook = (data: Uint8Array, limit: number, isOpenDocument: boolean) => {
  const { SheetNames: names, Sheets: sheets, Workbook: about, files = {} } = open(data);
  const rules = { date1904: about?.WBProps?.date1904 === true, isComputedLater: isComputedLater(about) };
  const ods = isOpenDocument ? odsSheets(data) : [];
  const isShown = (index: number) => (about?.Sheets?.[index]?.Hidden ?? 0) === 0 && ods[index]?.isHidden !== true;
  const relations = new Map((about?.Sheets ?? []).map(({ name = '', id = '' }: ListedSheet) => [name, id]));
  const { drawings, notes: ofDrawings } = drawingsIn(data, { relations, contentOf: (file) => files[file]?.content });
  const all = names.flatMap((name, index) => {
    const sheet = sheets[name];
    if (sheet === undefined) return [];
    const cells = sheetText(sheet, rules, limit, ods[index]);
    const over = drawings.get(name) ?? noDrawings;
    const text = [cells.text, over.text, ...over.printed, ...(ods[index]?.printed ?? [])]
      .filter((part) => part !== '')
      .join('\n');
    return [
      {
        name,
        shown: isShown(index),
        ...cells,
        ...over,
        graphics: over.graphics + (ods[index]?.graphics ?? 0),
        text,
      },
    ];
  });
  const shown = all.filter((sheet) => sheet.shown);
  const { pictures, notes: ofPictures } = picturesIn(data, new Set(shown.flatMap(({ images }) => images)));
  const hiddenSheets = all.filter((sheet) => !sheet.shown && sheet.text !== '').length;
  const notes = [...notesOf(shown, hiddenSheets), ...ofDrawings, ...ofPictures];
  const isBlank = shown.every(({ text }) => text.trim() === '');
  if (isBlank && pictures.length === 0) {
    const [left] = notes;
    throw new Unreadable(
      `has no text: its sheets ${left === undefined ? 'are empty' : `show none, only ${left.what}`}`,
    );
  }
  return { text: isBlank ? '' : shown.map(({ name, text }) => `# ${name}\n${text}`).join('\n\n'), notes, pictures };
};
