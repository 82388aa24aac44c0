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
import { counted } from '../notes.ts';
import { Unreadable } from '../text.ts';
import { cellText, hasFontsOfItsOwn } from './cell-text.ts';
import { tableText } from './csv.ts';
import { struck } from './html.ts';
import type { Looks } from './looks.ts';
import { type OdsSheet, odsSheets } from './ods-sheets.ts';
import { picturesIn } from './pictures.ts';
import { drawingsIn, noDrawings, type SheetDrawings } from './sheet-drawings.ts';
import { drawnIn } from './symbols.ts';

// Workbooks of before 1997 have text in code pages.
set_cptable(codePages);

type Cells = (CellObject | undefined)[][];

interface SheetText {
  readonly text: string;
  /** How many there are of what is not read, or not shown. */
  readonly formulas: number;
  readonly unshowable: number;
  readonly richValues: number;
  /** How many signs of symbol fonts the reader does not know. */
  readonly signs: number;
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

/** Which rows and columns a sheet does not show. */
interface Hiding {
  readonly row: (index: number) => boolean;
  readonly column: (index: number) => boolean;
}

/** Merged cells show what is in the first of them, in whatever of them is not hidden; what the others hold is under it. */
const showMerged = (cells: Cells, { s: from, e: to }: Range, isHidden: Hiding): number => {
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
    const row = firstShown(from.r, to.r, isHidden.row);
    const line = cells[row] ?? [];
    line[firstShown(from.c, to.c, isHidden.column)] = first;
    cells[row] = line;
  }
  return covered;
};

/** What a workbook says of all its cells. */
interface CellRules {
  readonly date1904: boolean;
  /** Whether it has no 29th of February 1900, which Excel has: days before it are given as they are shown. */
  readonly isOpenDocument: boolean;
  /** Whether its results are computed when it is opened: programs that compute nothing write 0 in place of each. */
  readonly isComputedLater: boolean;
}

const lacksResult = ({ f: formula, t: type, v: value }: CellObject, isComputedLater: boolean) =>
  formula !== undefined && (type === 'z' || value === undefined || (isComputedLater && value === 0));

const commentText = (comments: NonNullable<CellObject['c']>): string =>
  comments.map(({ t: text = '' }) => text.replace(/\s+/g, ' ').trim()).join(' ');

const hasValue = ({ t: type, v: value }: CellObject) =>
  type !== 'z' && value !== undefined && value !== null && value !== '';

/** What is known of a sheet beside its cells. */
interface BesideSheet {
  readonly rules: CellRules;
  readonly ods: OdsSheet | undefined;
  readonly looks: Looks<string>;
  readonly rich: ReadonlySet<string>;
}

/** Whether a cell is at one of these places, which most sheets do not have. */
const isAmong = (places: ReadonlySet<string>, row: number, column: number): boolean =>
  places.size > 0 && places.has(utils.encode_cell({ r: row, c: column }));

/** Reads what a sheet shows, row by row, and counts what it does not. */
class SheetReader {
  private readonly cells: Cells;
  private readonly isHidden: Hiding;
  private readonly rules: CellRules;
  private readonly looks: Looks<string>;
  private readonly rich: ReadonlySet<string>;
  private readonly rows: string[][] = [];
  private readonly comments: string[] = [];
  private readonly usedColumns = new Set<number>();
  private readonly hiddenColumns = new Set<number>();
  /** The last row that is shown, or that is hidden below it. */
  private last = -1;
  private length = 0;
  private formulas: number;
  private unshowable = 0;
  private richValues = 0;
  private signs = 0;
  private hiddenRows = 0;
  private hiddenCells = 0;

  constructor(sheet: WorkSheet, { rules, ods, looks, rich }: BesideSheet) {
    this.cells = sheet['!data'] ?? [];
    this.isHidden = {
      row: (index) => isFlat(sheet['!rows']?.[index]) || within(ods?.rows ?? [], index),
      column: (index) => isFlat(sheet['!cols']?.[index]) || within(ods?.columns ?? [], index),
    };
    this.rules = rules;
    this.looks = looks;
    this.rich = rich;
    this.formulas = ods?.formulas ?? 0;
    for (const merge of sheet['!merges'] ?? []) this.hiddenCells += showMerged(this.cells, merge, this.isHidden);
  }

  /** A sheet's cells as it shows them, and what is said of them, without the columns that are empty throughout. */
  read(limit: number): SheetText {
    // Only the cells that there are: the last one may stand in row 1,048,576.
    for (const index of Object.keys(this.cells).map(Number)) {
      const line = this.cells[index] ?? [];
      if (this.isHidden.row(index)) this.passHidden(index, line);
      else this.readRow(index, line);
      if (this.length > limit) break;
    }
    const order = [...this.usedColumns].toSorted((a, b) => a - b);
    const table = tableText(this.rows.map((row) => (row.length === 0 ? [] : order.map((column) => row[column] ?? ''))));
    const { formulas, unshowable, richValues, signs, hiddenRows, hiddenColumns, hiddenCells } = this;
    const text = [table, ...this.comments].filter((part) => part !== '').join('\n');
    return {
      text,
      formulas,
      unshowable,
      richValues,
      signs,
      hiddenRows,
      hiddenColumns: hiddenColumns.size,
      hiddenCells,
    };
  }

  private passHidden(index: number, line: Cells[number]) {
    if (Object.values(line).some((cell) => cell?.v !== undefined)) this.hiddenRows += 1;
    if (this.last === index - 1) this.last = index;
  }

  private readRow(index: number, line: Cells[number]) {
    const row: string[] = [];
    for (const column of Object.keys(line).map(Number)) {
      const cell = line[column];
      const text = cell === undefined ? null : this.shownText(cell, index, column);
      if (text === null) continue;
      row[column] = text;
      this.usedColumns.add(column);
      this.length += text.length + 1;
    }
    if (row.length === 0) return;
    // One blank row sets a table apart from the next; many say no more.
    if (this.last >= 0 && index > this.last + 1) this.rows.push([]);
    this.last = index;
    this.rows.push(row);
  }

  /** Empty for a value that is there and cannot be shown; null for a cell that shows nothing. */
  private shownText(cell: CellObject, row: number, column: number): string | null {
    if (cell.c !== undefined && !this.isHidden.column(column))
      this.comments.push(`Comment on ${utils.encode_cell({ r: row, c: column })}: ${commentText(cell.c)}`);
    const isUnread = lacksResult(cell, this.rules.isComputedLater);
    if (!isUnread && !hasValue(cell)) return null;
    if (this.isHidden.column(column)) {
      this.hiddenColumns.add(column);
      return null;
    }
    if (isUnread) {
      this.formulas += 1;
      return '';
    }
    if (isAmong(this.rich, row, column)) {
      this.richValues += 1;
      return '';
    }
    const text = cellText(cell, this.rules);
    if (text === '' || isAmong(this.looks.unseen, row, column)) {
      this.hiddenCells += 1;
      return null;
    }
    if (text === null) {
      this.unshowable += 1;
      return '';
    }
    const drawn = cell.t === 's' ? this.drawn(text, cell, row, column) : text;
    return isAmong(this.looks.struck, row, column) ? struck(drawn) : drawn;
  }

  /** The text of a cell as its font draws it: one of symbols has signs in the places of letters. */
  private drawn(text: string, cell: CellObject, row: number, column: number): string {
    const { symbols } = this.looks;
    const isInOneFont = symbols.size > 0 && !hasFontsOfItsOwn(cell);
    const font = isInOneFont ? symbols.get(utils.encode_cell({ r: row, c: column })) : undefined;
    const drawn = drawnIn(font, text);
    this.signs += drawn.unknown;
    return drawn.text;
  }
}

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
      [
        total(({ richValues }) => richValues),
        'cell with a picture or another rich value',
        'cells with pictures or other rich values',
      ],
      [total(({ signs }) => signs), 'sign of a font of symbols', 'signs of a font of symbols'],
      [total(({ graphics }) => graphics), 'chart, diagram or object', 'charts, diagrams or objects'],
    ]),
  ];
};

/** Every sheet that is shown under its name, its rows with their cells separated by tabs. */
export const readWorkbook = (data: Uint8Array, limit: number, isOpenDocument: boolean) => {
  const { SheetNames: names, Sheets: sheets, Workbook: about, files = {} } = open(data);
  const date1904 = about?.WBProps?.date1904 === true;
  const rules = { date1904, isOpenDocument, isComputedLater: isComputedLater(about) };
  const ods = isOpenDocument ? odsSheets(data) : [];
  const isShown = (index: number) => (about?.Sheets?.[index]?.Hidden ?? 0) === 0 && ods[index]?.isHidden !== true;
  const relations = new Map((about?.Sheets ?? []).map(({ name = '', id = '' }: ListedSheet) => [name, id]));
  const { drawings, notes: ofDrawings } = drawingsIn(data, { relations, contentOf: (file) => files[file]?.content });
  const all = names.flatMap((name, index) => {
    // A sheet of its own for a chart has no cells.
    const sheet = sheets[name] ?? {};
    const over = drawings.get(name) ?? noDrawings;
    const looks = ods[index]?.looks ?? over.looks;
    const cells = new SheetReader(sheet, { rules, ods: ods[index], looks, rich: over.rich }).read(limit);
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
        signs: cells.signs + over.signs,
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
