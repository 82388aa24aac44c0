import { utils } from '@e965/xlsx';
import { type Fill, WHITE } from '../contrast.ts';
import {
  areUsual,
  type Font,
  type Format,
  INDEXED,
  type Looks,
  looksOf,
  noLooks,
  placesOf,
  solid,
  tinted,
} from './looks.ts';
import { BEGINNING, xlsbRecords, xlsRecords, xlsSheets } from './xls-records.ts';

const NEVER = () => false;
const ALWAYS = () => true;

const buffer = (data: Uint8Array) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
/** The flag of a font that strikes out, in both formats. */
const STRIKES = 0x08;
/** What of a format is filled with nothing, and with one colour. */
const fillOf = (pattern: number, color: string | undefined): Fill => {
  if (pattern === 0) return WHITE;
  return pattern === 1 ? solid(color) : 'unknown';
};

/** Records of the styles of .xlsb (MS-XLSB 2.3.2), and of a sheet. */
const XLSB = { font: 43, fill: 45, format: 47, cellFormats: 617, endCellFormats: 618 };
const XLSB_ROW = 0;
/** Cells with their column before their format; and those that stand behind the cell before them, and have a format alone. */
const XLSB_CELLS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62]);
const XLSB_NEXT_CELLS: ReadonlySet<number> = new Set([12, 13, 14, 15, 16, 17, 18]);
/** Rules that colour cells, a table, a picture behind the cells. */
const XLSB_PAINTING: ReadonlySet<number> = new Set([461, 1046, 562, 661]);
const COLOR_BYTES = 8;

/** MS-XLSB 2.5.14. */
const xlsbColor = (body: Buffer, at: number, theme: readonly (string | undefined)[]): string | undefined => {
  const index = body.readUInt8(at + 1);
  const byKind = [undefined, INDEXED.get(index), body.toString('hex', at + 4, at + 7), theme[index]][
    body.readUInt8(at) >> 1
  ];
  return tinted(byKind, body.readInt16LE(at + 2) / 32_767);
};

const XLSB_FONT_NAME = 21;
/** The count of its characters, then these, of two bytes each (MS-XLSB 2.5.168). */
const xlsbName = (body: Buffer, at: number): string | undefined =>
  body.length < at + 4 ? undefined : body.toString('utf16le', at + 4, at + 4 + 2 * body.readUInt32LE(at));

/** How the formats of the cells of a workbook of .xlsb look. */
export const binaryFormatLooks = (
  styles: Uint8Array | undefined,
  theme: readonly (string | undefined)[],
): Looks<number> => {
  const fonts: Font[] = [];
  const fills: Fill[] = [];
  const formats: Format[] = [];
  let isOfCells = false;
  for (const { type, body } of styles === undefined ? [] : xlsbRecords(buffer(styles))) {
    if (type === XLSB.cellFormats) isOfCells = true;
    else if (type === XLSB.endCellFormats) isOfCells = false;
    else if (type === XLSB.font && body.length >= 12 + COLOR_BYTES)
      fonts.push({
        isStruck: (body.readUInt8(2) & STRIKES) !== 0,
        color: xlsbColor(body, 12, theme),
        name: xlsbName(body, XLSB_FONT_NAME),
      });
    else if (type === XLSB.fill && body.length >= 4 + COLOR_BYTES)
      fills.push(fillOf(body.readUInt32LE(0), xlsbColor(body, 4, theme)));
    else if (type === XLSB.format && isOfCells && body.length >= 8)
      formats.push({ font: fonts[body.readUInt16LE(4)], fill: fills[body.readUInt16LE(6)] });
  }
  return looksOf(formats);
};

/** How the cells of a sheet of .xlsb look. */
export const binaryCellLooks = (sheet: Uint8Array | undefined, formats: Looks<number>): Looks<string> => {
  if (sheet === undefined || areUsual(formats)) return noLooks;
  const places = placesOf(formats);
  let isPainted = false;
  let row = 0;
  let column = 0;
  const add = (format: number) => places.add(format, () => utils.encode_cell({ r: row, c: column }));
  for (const { type, body } of xlsbRecords(buffer(sheet))) {
    if (XLSB_PAINTING.has(type)) isPainted = true;
    else if (type === XLSB_ROW && body.length >= 4) row = body.readUInt32LE(0);
    else if (XLSB_CELLS.has(type) && body.length >= 8) {
      column = body.readUInt32LE(0);
      add(body.readUIntLE(4, 3));
    } else if (XLSB_NEXT_CELLS.has(type) && body.length >= 4) {
      column += 1;
      add(body.readUIntLE(0, 3));
    }
  }
  return places.looks(isPainted ? ALWAYS : NEVER);
};

/** Records of a workbook of before 2007 (MS-XLS 2.3). */
const XLS = { font: 0x31, format: 0xe0, palette: 0x92, numbers: 0xbd };
/** Cells of one value each: a number, texts, a formula, TRUE or an error. */
const XLS_CELLS: ReadonlySet<number> = new Set([0x203, 0x27e, 0x204, 0xfd, 0xd6, 0x06, 0x205]);
/** Rules that colour cells, a picture behind the cells, a table. */
const XLS_PAINTING: ReadonlySet<number> = new Set([0x1b0, 0x879, 0xe9, 0x872]);
/** No font has this number. */
const NO_FONT = 4;
const FIRST_OF_PALETTE = 8;

const XLS_FONT_NAME = 14;
/** The count of its characters, a flag, then these, of one or two bytes each (MS-XLS 2.5.240). */
const xlsName = (body: Buffer, at: number): string | undefined => {
  if (body.length < at + 2) return undefined;
  const isWide = (body.readUInt8(at + 1) & 1) !== 0;
  const end = at + 2 + body.readUInt8(at) * (isWide ? 2 : 1);
  return body.toString(isWide ? 'utf16le' : 'latin1', at + 2, end);
};

/** How the formats of a workbook of before 2007 look. */
const oldFormatLooks = (stream: Buffer): Looks<number> => {
  const palette = new Map(INDEXED);
  for (const { body } of xlsRecords(stream, XLS.palette))
    for (let at = 2; at + 4 <= body.length; at += 4)
      palette.set(FIRST_OF_PALETTE + (at - 2) / 4, body.toString('hex', at, at + 3));
  const fonts: Font[] = [];
  const formats: Format[] = [];
  for (const { type, body } of xlsRecords(stream, XLS.font, XLS.format)) {
    if (type === XLS.font && body.length >= 6) {
      if (fonts.length === NO_FONT) fonts.push({ isStruck: false, color: undefined, name: undefined });
      fonts.push({
        isStruck: (body.readUInt8(2) & STRIKES) !== 0,
        color: palette.get(body.readUInt16LE(4)),
        name: xlsName(body, XLS_FONT_NAME),
      });
    } else if (type === XLS.format && body.length >= 20)
      formats.push({
        font: fonts[body.readUInt16LE(0)],
        fill: fillOf(body.readUInt32LE(14) >>> 26, palette.get(body.readUInt16LE(18) & 0x7f)),
      });
  }
  return looksOf(formats);
};

/** How the cells of each sheet of .xls look, by its name. */
export const oldCellLooks = (stream: Buffer): ReadonlyMap<string, Looks<string>> => {
  const formats = oldFormatLooks(stream);
  if (areUsual(formats)) return new Map();
  const names = xlsSheets(stream);
  const sheets = new Map<string, { readonly places: ReturnType<typeof placesOf>; isPainted: boolean }>();
  let sheet = { places: placesOf(formats), isPainted: false };
  for (const { type, at, body } of xlsRecords(stream, BEGINNING, XLS.numbers, ...XLS_CELLS, ...XLS_PAINTING)) {
    const name = type === BEGINNING ? names.get(at) : undefined;
    if (name !== undefined) {
      sheet = { places: placesOf(formats), isPainted: false };
      sheets.set(name, sheet);
    } else if (XLS_PAINTING.has(type)) sheet.isPainted = true;
    else if (type !== BEGINNING && body.length >= 6) addOld(sheet.places, type, body);
  }
  return new Map([...sheets].map(([name, { places, isPainted }]) => [name, places.looks(isPainted ? ALWAYS : NEVER)]));
};

/** A cell, or several numbers side by side: of each, its format and four bytes of its value. */
const addOld = (places: ReturnType<typeof placesOf>, type: number, body: Buffer): void => {
  const row = body.readUInt16LE(0);
  const column = body.readUInt16LE(2);
  const count = type === XLS.numbers ? Math.floor((body.length - 6) / 6) : 1;
  for (let index = 0; index < count; index += 1)
    places.add(body.readUInt16LE(4 + 6 * index), () => utils.encode_cell({ r: row, c: column + index }));
};
