import type { ReadingNote } from '../../../application/ports/text.ts';
import { isCompoundFile } from '../detect-format.ts';
import { counted, noteIfAny, unread } from '../notes.ts';
import { Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';
import { cellLooks, formatLooks, themeColors } from './cell-looks.ts';
import { binaryCellLooks, binaryFormatLooks, oldCellLooks } from './cell-looks-binary.ts';
import { htmlText } from './html.ts';
import { type Looks, noLooks } from './looks.ts';
import { printHeadersOf, printHeadersOfBinary, printHeadersOfOld } from './print-headers.ts';
import { type Files, mainPart, relationsOf, xmlText } from './relations.ts';
import { ShapeReader } from './shapes.ts';
import { xlsRecords, xlsStream } from './xls-records.ts';

/** What lies over the cells of a sheet, or is printed around them. */
export interface SheetDrawings {
  /** The words of its shapes. */
  readonly text: string;
  /** A line for each print header and footer. */
  readonly printed: readonly string[];
  /** How many charts, diagrams and objects of other programs there are. */
  readonly graphics: number;
  /** How many signs of symbol fonts the reader does not know. */
  readonly signs: number;
  /** How many characters stand in shapes that are not shown. */
  readonly hiddenCharacters: number;
  /** The names of its pictures. */
  readonly images: readonly string[];
  /** The cells that hold a picture or another value beside the cells, of which older programs know an error only. */
  readonly rich: ReadonlySet<string>;
  /** How its cells look. */
  readonly looks: Looks<string>;
}

export const noDrawings: SheetDrawings = {
  text: '',
  printed: [],
  graphics: 0,
  signs: 0,
  hiddenCharacters: 0,
  images: [],
  rich: new Set(),
  looks: noLooks,
};

const NO_BYTES = new Uint8Array(0);
/** Of a table, or of the cells that a pivot table takes. */
const TABLE_RANGE = /<(?:\w+:)?(?:table|location)\s[^>]*?\bref="([A-Z\d:]+)"/;

const RICH_CELL = /<(?:\w+:)?c\s(?=[^>]*\bt="e")(?=[^>]*\bvm="[1-9])[^>]*?\br="([A-Z]{1,3}\d{1,7})"/g;

/** Pictures that are placed in cells, and linked kinds of data (MS-XLSX 2.6.203): the sheet has an error in place of each. */
const richCells = (content: Uint8Array | undefined): ReadonlySet<string> => {
  if (content === undefined || !Buffer.from(content.buffer, content.byteOffset, content.length).includes(' vm="'))
    return new Set();
  return new Set(Array.from(xmlText(content).matchAll(RICH_CELL), ([, place = '']) => place));
};

const drawingsOf = (
  files: Files,
  sheet: string,
  content: Uint8Array | undefined,
  formats: Looks<number>,
): SheetDrawings => {
  const isBinary = sheet.endsWith('.bin');
  const headersOf = isBinary ? printHeadersOfBinary : printHeadersOf;
  const targets = (name: string, type: string) =>
    relationsOf(files, name).flatMap((relation) => (relation.type === type ? [relation.target] : []));
  const rangesOfTables = () =>
    ['table', 'pivotTable']
      .flatMap((type) => targets(sheet, type))
      .map((name) => TABLE_RANGE.exec(xmlText(files[name] ?? NO_BYTES))?.[1] ?? '');
  const drawings = targets(sheet, 'drawing').flatMap((name) => {
    const data = files[name];
    return data === undefined ? [] : [{ name, shapes: new ShapeReader(xmlText(data), false) }];
  });
  return {
    text: drawings
      .map(({ shapes }) => htmlText(shapes.html))
      .join('\n')
      .trim(),
    printed: content === undefined ? [] : headersOf(content),
    graphics: drawings.reduce((sum, { shapes }) => sum + shapes.graphics, 0),
    signs: drawings.reduce((sum, { shapes }) => sum + shapes.signs, 0),
    hiddenCharacters: drawings.reduce((sum, { shapes }) => sum + shapes.hidden, 0),
    // Pictures of print headers are in a drawing of the older kind.
    images: [...drawings.map(({ name }) => name), ...targets(sheet, 'vmlDrawing')].flatMap((name) =>
      targets(name, 'image'),
    ),
    rich: richCells(content),
    looks: isBinary ? binaryCellLooks(content, formats) : cellLooks(content, formats, rangesOfTables()),
  };
};

type BySheet = ReadonlyMap<string, SheetDrawings>;

/** A workbook, as the package that reads its cells knows it. */
interface Book {
  /** The sheets by their names, each with the id of its relation to its part. */
  readonly relations: ReadonlyMap<string, string>;
  /** The content of a part. */
  contentOf(name: string): Uint8Array | undefined;
}

const drawingsOfSheets = (data: Uint8Array, { relations, contentOf }: Book): BySheet => {
  const files = unpacked(data, (name) => /\/(?:drawings|tables|pivotTables)\/.*\.xml$|\.rels$/i.test(name));
  const parts = relationsOf(files, mainPart(files, 'xl/workbook.xml'));
  const targets = new Map(parts.map(({ id, target }) => [id, target]));
  const [styles, theme] = ['styles', 'theme'].map((wanted) => parts.find(({ type }) => type === wanted)?.target);
  const [styleSheet, colors] = [styles, theme].map((name) => (name === undefined ? undefined : contentOf(name)));
  const formats = styles?.endsWith('.bin')
    ? binaryFormatLooks(styleSheet, themeColors(colors))
    : formatLooks(styleSheet, colors);
  return new Map(
    [...relations].map(([name, relation]) => {
      const target = targets.get(relation);
      return [name, target === undefined ? noDrawings : drawingsOf(files, target, contentOf(target), formats)];
    }),
  );
};

/** In workbooks of before 2007: the record of an object, and which kinds of them show something, such as pictures and charts. */
const OBJECT = 0x5d;
const SHOWING = new Set([2, 3, 5, 6, 8, 9, 30]);

const objectsOfOld = (stream: Buffer): number => {
  let count = 0;
  for (const { body } of xlsRecords(stream, OBJECT))
    if (body.length >= 6 && SHOWING.has(body.readUInt16LE(4))) count += 1;
  return count;
};

const drawingsOfOld = (stream: Buffer): BySheet => {
  const looks = oldCellLooks(stream);
  return new Map(
    [...printHeadersOfOld(stream)].map(([name, printed]) => [
      name,
      { ...noDrawings, printed, looks: looks.get(name) ?? noLooks },
    ]),
  );
};

/** What lies over the cells of an Excel workbook or is printed around them, by the names of its sheets: the package that reads the cells leaves this out. */
export const drawingsIn = (
  data: Uint8Array,
  book: Book,
): { readonly drawings: BySheet; readonly notes: readonly ReadingNote[] } => {
  const none: BySheet = new Map();
  if (isCompoundFile(data)) {
    const stream = xlsStream(data);
    const count = objectsOfOld(stream);
    return { drawings: drawingsOfOld(stream), notes: noteIfAny('unread', count, counted(count, 'drawing')) };
  }
  if (data[0] !== 0x50) return { drawings: none, notes: [] };
  try {
    return { drawings: drawingsOfSheets(data, book), notes: [] };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { drawings: none, notes: [unread(`what lies over its cells: it ${error.message}`)] };
  }
};
