import { CFB } from '@e965/xlsx';
import WordExtractor from 'word-extractor';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny } from '../notes.ts';
import { Unreadable } from '../text.ts';
import { unknownSigns } from './symbols.ts';

const SECTOR = 512;
const FLAGS = 0x0a;
const IS_ENCRYPTED = 0x0100;
const USES_SECOND_TABLE = 0x0200;
/** Where the first stream says where the second has the list of the pages of formatting, and how long it is. */
const FORMATTING = 0x00fa;
/** The same of the list of the pieces of its text. */
const PIECES = 0x01a2;
const IS_HIDDEN = 0x083c;
const IS_DELETED = 0x0800;
/** A sign of a font of symbols: what stands for it in the text is mostly a bracket. */
const IS_SYMBOL = 0x6a09;
/** The bytes that the operand of a property takes, by the highest three bits of the property; the seventh says it itself. */
const OPERANDS = [1, 1, 2, 4, 2, 2, null, 3];

/** The types of the package leave its container of streams out. */
interface Stream {
  content: Uint8Array;
}

interface LeftOut {
  hidden: number;
  signs: number;
  softHyphens: number;
}

/** Twice over it takes the bytes of a property with an operand of four. */
const DELETED = Buffer.from([IS_DELETED & 0xff, IS_DELETED >> 8, 1]);

/** Marks what one page of formatting hides, and the signs of fonts of symbols, as deleted, and counts these runs. */
const hideOnPage = (page: Buffer, counts: LeftOut): void => {
  const runs = page.readUInt8(SECTOR - 1);
  for (let run = 0; run < runs; run += 1) {
    const from = page.readUInt8((runs + 1) * 4 + run) * 2;
    if (from === 0) continue;
    const to = Math.min(SECTOR - 3, from + 1 + page.readUInt8(from));
    for (let at = from + 1; at + 2 < to; ) {
      const property = page.readUInt16LE(at);
      const end = at + 2 + (OPERANDS[property >> 13] ?? 1 + page.readUInt8(at + 2));
      if (property === IS_HIDDEN && page.readUInt8(at + 2) % 2 === 1) {
        page.set(DELETED, at);
        counts.hidden += 1;
      } else if (property === IS_SYMBOL && end <= to) {
        page.set([...DELETED, ...DELETED], at);
        counts.signs += 1;
      }
      at = end;
    }
  }
};

const TEXT_OF_PIECES = 2;
const IS_IN_BYTES = 0x40000000;
/** Where Word may divide a word: the package writes the word "undefined" in its place. */
const MAY_DIVIDE = 0x1f;
const SOFT_HYPHEN = '\u00ad';

/** Writes soft hyphens as other programs do (MS-DOC 2.9.38 and 2.9.177), and counts them. */
const writeSoftHyphens = (words: Buffer, table: Buffer, counts: LeftOut): void => {
  const start = words.readUInt32LE(PIECES);
  let at = start;
  const end = Math.min(table.length, start + words.readUInt32LE(PIECES + 4));
  // Properties of pieces stand before the pieces.
  while (at + 5 <= end && table[at] !== TEXT_OF_PIECES) at += 3 + table.readUInt16LE(at + 1);
  if (at + 5 > end) return;
  const list = table.subarray(at + 5, Math.min(end, at + 5 + table.readUInt32LE(at + 1)));
  const count = Math.floor((list.length - 4) / 12);
  for (let piece = 0; piece < count; piece += 1) {
    const length = list.readUInt32LE((piece + 1) * 4) - list.readUInt32LE(piece * 4);
    const place = list.readUInt32LE((count + 1) * 4 + piece * 8 + 2);
    const isInBytes = (place & IS_IN_BYTES) !== 0;
    const from = isInBytes ? (place & ~IS_IN_BYTES) / 2 : place;
    const text = words.subarray(from, from + length * (isInBytes ? 1 : 2));
    for (let index = 0; index < text.length; index += isInBytes ? 1 : 2) {
      if (text[index] !== MAY_DIVIDE || (!isInBytes && text[index + 1] !== 0)) continue;
      text[index] = SOFT_HYPHEN.charCodeAt(0);
      counts.softHyphens += 1;
    }
  }
};

/** The package leaves deleted text out and knows of no hidden text: what is hidden becomes deleted. */
const prepared = (data: Buffer): { readonly data: Buffer; readonly counts: LeftOut } => {
  const file = CFB.read(data, { type: 'buffer' });
  const streamOf = (name: string): Stream | null => CFB.find(file, `/${name}`);
  const main = streamOf('WordDocument');
  if (main === null) throw new Unreadable('is damaged: there is no document in it');
  const words = Buffer.from(main.content);
  const flags = words.readUInt16LE(FLAGS);
  if ((flags & IS_ENCRYPTED) !== 0)
    throw new Unreadable('is protected by a password: save it without one and upload that');
  const table = Buffer.from(streamOf(flags & USES_SECOND_TABLE ? '1Table' : '0Table')?.content ?? []);
  const at = words.readUInt32LE(FORMATTING);
  const length = words.readUInt32LE(FORMATTING + 4);
  const pages = Math.floor((length - 4) / 8);
  const counts: LeftOut = { hidden: 0, signs: 0, softHyphens: 0 };
  for (let page = 0; page < pages; page += 1) {
    const place = table.readUInt32LE(at + (pages + 1 + page) * 4) * SECTOR;
    hideOnPage(words.subarray(place, place + SECTOR), counts);
  }
  writeSoftHyphens(words, table, counts);
  if (Object.values(counts).every((count) => count === 0)) return { data, counts };
  main.content = words;
  return { data: CFB.write(file, { type: 'buffer' }) as Buffer, counts };
};

/** Signs of a font of symbols that stand in the text themselves: which font it is, the package does not say. */
const SIGNS = /[\uf020-\uf0ff]/g;
/** A hyphen at which Word ends no line. */
const HYPHEN = '\u001e';

/** The words of a Word document of before 2007: headers, the body with its tables as rows of cells, boxes, notes and comments apart, footers. */
export const readDoc = async (
  bytes: Uint8Array,
): Promise<{ readonly text: string; readonly notes: readonly ReadingNote[] }> => {
  const { data, counts } = prepared(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const document = await new WordExtractor().extract(data);
  const raw = { filterUnicode: false } as const;
  const labelled = (label: string, text: string) => (text.trim() === '' ? '' : `${label}:\n${text}`);
  const texts = [
    document.getHeaders({ ...raw, includeFooters: false }),
    document.getBody(raw),
    document.getTextboxes(raw),
    labelled('Footnotes', document.getFootnotes(raw)),
    labelled('Endnotes', document.getEndnotes(raw)),
    labelled('Comments', document.getAnnotations(raw)),
    document.getFooters(raw),
  ];
  const text = texts
    .filter((part) => part.trim() !== '')
    .join('\n\n')
    .replaceAll(HYPHEN, '-')
    .replaceAll(SOFT_HYPHEN, '');
  const signs = counts.signs + (text.match(SIGNS)?.length ?? 0);
  return {
    text: text.replace(SIGNS, ''),
    notes: [
      ...noteIfAny('hidden', counts.hidden, `${counted(counts.hidden, 'stretch', 'stretches')} of hidden text`),
      ...unknownSigns(signs),
    ],
  };
};
