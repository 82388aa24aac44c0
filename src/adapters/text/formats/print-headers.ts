import type { SaxesTagPlain } from 'saxes';
import { xmlText } from './relations.ts';
import { BEGINNING, textIn, xlsbRecords, xlsRecords, xlsSheets } from './xls-records.ts';
import { parseXml, type XmlTag } from './xml.ts';

/** Where the left, the middle and the right part begin; fields, such as the date; fonts, sizes and colours; and `&&`, which is one `&`. */
const CODE = /&(?:"[^"]*"|\d+|K(?:[\dA-F]{6}|\d\d[+-]\d{3})|[PN](?:[+-]\d+)?|.)/gis;
const PAGE = '\0';
const meaning = (code: string): string => {
  if (code === '&&') return '&';
  if (/^&[LCR]$/i.test(code)) return '\n';
  return /^&[PN]/i.test(code) ? PAGE : '';
};
/** A page number, with the word before it: `Page &P of &N`. */
const NUMBERED = new RegExp(`(?:[\\p{L}.]+\\s*)?${PAGE}`, 'gu');
/** What is left at an end where a field was. */
const SEPARATORS = /^[\s/|,;–—-]+|[\s/|,;–—-]+$/gu;

/** So much of a print header is read; Excel takes 255 characters. */
const LONGEST = 1000;

/** The words of a print header or footer, without what its fields would show. */
const wordsOf = (header: string): string =>
  header
    .replace(NUMBERED, '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').replace(SEPARATORS, ''))
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join('; ');

/** One line for each print header and footer that says something. */
const linesOf = (headers: readonly string[], footers: readonly string[]): readonly string[] => {
  const lines = (name: string, all: readonly string[]) =>
    [...new Set(all.map(wordsOf))].filter((words) => words !== '').map((words) => `${name}: ${words}`);
  return [...lines('Print header', headers), ...lines('Print footer', footers)];
};

/** The text of a header of Excel (ECMA-376 part 1, 18.3.1.46), its parts in lines of their own. */
const textOf = (header: string): string => header.slice(0, LONGEST).replace(CODE, meaning);

/** Of the headers of odd, even and first pages, those that are used. */
const usedOf = ([odd = '', even = '', first = '']: readonly string[], has: { even: boolean; first: boolean }) => [
  odd,
  ...(has.even ? [even] : []),
  ...(has.first ? [first] : []),
];

/** What stands behind the cells of a sheet, as a document of its own, because there may be millions of cells; null if it has no print header. */
const behindCells = (sheet: Uint8Array): string | null => {
  const bytes = Buffer.from(sheet.buffer, sheet.byteOffset, sheet.byteLength);
  const [root] = /<(?:[\w.-]+:)?worksheet\b[^>]*>/.exec(bytes.subarray(0, 8192).toString()) ?? [];
  const cells = bytes.lastIndexOf('sheetData');
  if (root === undefined || cells < 0 || !bytes.includes('headerFooter', cells)) return null;
  return root + xmlText(bytes.subarray(bytes.indexOf('>', cells) + 1));
};

/** The print headers and footers of a sheet of .xlsx. */
export const printHeadersOf = (sheet: Uint8Array): readonly string[] => {
  const xml = behindCells(sheet);
  if (xml === null) return [];
  const path: string[] = [];
  const texts = new Map<string, string>();
  let settings: XmlTag['attributes'] = {};
  // Piece by piece, because merged cells and links stand behind the cells as well, and there may be as many.
  parseXml(xml, {
    open({ local, attributes }) {
      path.push(local);
      if (path.length === 2 && local === 'headerFooter') settings = attributes;
    },
    text(more) {
      const [, parent, name = ''] = path;
      if (path.length === 3 && parent === 'headerFooter') texts.set(name, (texts.get(name) ?? '') + more);
    },
    close: () => void path.pop(),
  });
  const isOn = (name: string) => /^(?:1|true)$/.test(settings[name]?.value ?? '');
  const has = { even: isOn('differentOddEven'), first: isOn('differentFirst') };
  const every = (kind: 'Header' | 'Footer') =>
    usedOf(
      ['odd', 'even', 'first'].map((page) => textOf(texts.get(page + kind) ?? '')),
      has,
    );
  return linesOf(every('Header'), every('Footer'));
};

/** The record of .xlsb that has all of them (MS-XLSB 2.4.36): two bytes of flags, then six texts, for odd, even and first pages. */
const HEADERS_AND_FOOTERS = 0x1df;

/** Six texts, each behind its length in characters; no text has the length 0xFFFFFFFF. */
const sixTexts = (body: Buffer): readonly string[] => {
  const texts: string[] = [];
  for (let at = 2; at + 4 <= body.length && texts.length < 6; ) {
    const length = body.readUInt32LE(at);
    const start = at + 4;
    at = start + (length === 0xffffffff ? 0 : 2 * length);
    texts.push(body.toString('utf16le', start, Math.min(at, start + 2 * LONGEST)));
  }
  return texts;
};

/** The same of a sheet of .xlsb. */
export const printHeadersOfBinary = (sheet: Uint8Array): readonly string[] => {
  for (const { type, body } of xlsbRecords(Buffer.from(sheet.buffer, sheet.byteOffset, sheet.byteLength))) {
    if (type !== HEADERS_AND_FOOTERS || body.length < 2) continue;
    const texts = sixTexts(body);
    const flags = body.readUInt8(0);
    const has = { even: (flags & 1) === 1, first: (flags & 2) === 2 };
    const every = (rest: number) => usedOf(texts.filter((_, index) => index % 2 === rest).map(textOf), has);
    return linesOf(every(0), every(1));
  }
  return [];
};

/** Records of a workbook of before 2007 (MS-XLS 2.3): a header, a footer. */
const HEADER = 0x14;
const FOOTER = 0x15;

/** The same of each sheet of .xls, by its name. A sheet has one header and one footer. */
export const printHeadersOfOld = (stream: Buffer): ReadonlyMap<string, readonly string[]> => {
  const names = xlsSheets(stream);
  const headers = new Map<string, string>();
  const footers = new Map<string, string>();
  let sheet = '';
  for (const { type, at, body } of xlsRecords(stream, BEGINNING, HEADER, FOOTER)) {
    if (type === BEGINNING) sheet = names.get(at) ?? sheet;
    else if (type === HEADER) headers.set(sheet, textOf(textIn(body, 0, 2)));
    else if (type === FOOTER) footers.set(sheet, textOf(textIn(body, 0, 2)));
  }
  return new Map(
    [...names.values()].map((name) => [name, linesOf([headers.get(name) ?? ''], [footers.get(name) ?? ''])]),
  );
};

const OPEN_HEADER = /^style:(header|footer)(?:-first|-left)?$/;
const OPEN_NUMBER = /^text:page-(?:number|count)$/;
const OPEN_FIELD = /^text:(?:date|time|sheet-name|file-name|title)$/;

/** Collects the headers and footers of the master pages of an OpenDocument spreadsheet (ODF 1.3 part 3, 16.9), while it is parsed. */
export const openPrintHeaders = () => {
  const pages = new Map<string, { readonly header: string[]; readonly footer: string[] }>();
  let page: { readonly header: string[]; readonly footer: string[] } = { header: [], footer: [] };
  /** The header that is open. */
  let text: string | null = null;
  let isField = false;
  return {
    open({ name, attributes }: SaxesTagPlain): void {
      if (name === 'style:master-page') {
        page = { header: [], footer: [] };
        pages.set(attributes['style:name'] ?? '', page);
      } else if (OPEN_HEADER.test(name)) text = attributes['style:display'] === 'false' ? null : '';
      else if (text === null) return;
      else if (name === 'text:p' || name === 'text:line-break') text += '\n';
      else if (name === 'text:s' || name === 'text:tab') text += ' ';
      else if (OPEN_NUMBER.test(name)) text += PAGE;
      isField = OPEN_NUMBER.test(name) || OPEN_FIELD.test(name);
    },
    text(more: string): void {
      if (text !== null && !isField && text.length < LONGEST) text += more;
    },
    close({ name }: SaxesTagPlain): void {
      if (text === null) return;
      isField = false;
      const [, kind] = OPEN_HEADER.exec(name) ?? [];
      if (kind === undefined) return;
      page[kind as 'header' | 'footer'].push(text);
      text = null;
    },
    /** Those of the pages of this name. */
    linesOf(master: string): readonly string[] {
      const { header, footer } = pages.get(master) ?? { header: [], footer: [] };
      return linesOf(header, footer);
    },
  };
};
