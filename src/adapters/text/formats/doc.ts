import { CFB } from '@e965/xlsx';
import WordExtractor from 'word-extractor';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny } from '../notes.ts';
import { Unreadable } from '../text.ts';

const SECTOR = 512;
const FLAGS = 0x0a;
const IS_ENCRYPTED = 0x0100;
const USES_SECOND_TABLE = 0x0200;
/** Where the first stream says where the second has the list of the pages of formatting, and how long it is. */
const FORMATTING = 0x00fa;
const IS_HIDDEN = 0x083c;
const IS_DELETED = 0x0800;
/** The bytes that the operand of a property takes, by the highest three bits of the property; the seventh says it itself. */
const OPERANDS = [1, 1, 2, 4, 2, 2, null, 3];

/** The types of the package leave its container of streams out. */
interface Stream {
  content: Uint8Array;
}

/** Marks what one page of formatting hides as deleted, and answers how many runs these are. */
const hideOnPage = (page: Buffer): number => {
  const runs = page.readUInt8(SECTOR - 1);
  let count = 0;
  for (let run = 0; run < runs; run += 1) {
    const from = page.readUInt8((runs + 1) * 4 + run) * 2;
    if (from === 0) continue;
    const to = Math.min(SECTOR - 3, from + 1 + page.readUInt8(from));
    for (let at = from + 1; at + 2 < to; ) {
      const property = page.readUInt16LE(at);
      if (property === IS_HIDDEN && page.readUInt8(at + 2) % 2 === 1) {
        page.writeUInt16LE(IS_DELETED, at);
        count += 1;
      }
      at += 2 + (OPERANDS[property >> 13] ?? 1 + page.readUInt8(at + 2));
    }
  }
  return count;
};

/** The package leaves deleted text out and knows of no hidden text: what is hidden becomes deleted. */
const withoutHidden = (data: Buffer): { readonly data: Buffer; readonly hidden: number } => {
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
  let hidden = 0;
  for (let page = 0; page < pages; page += 1) {
    const place = table.readUInt32LE(at + (pages + 1 + page) * 4) * SECTOR;
    hidden += hideOnPage(words.subarray(place, place + SECTOR));
  }
  if (hidden === 0) return { data, hidden };
  main.content = words;
  return { data: CFB.write(file, { type: 'buffer' }) as Buffer, hidden };
};

/** A hyphen at which Word ends no line. */
const HYPHEN = '\u001e';

/** The words of a Word document of before 2007: headers, the body with its tables as rows of cells, boxes, notes and comments apart, footers. */
export const readDoc = async (
  bytes: Uint8Array,
): Promise<{ readonly text: string; readonly notes: readonly ReadingNote[] }> => {
  const { data, hidden } = withoutHidden(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
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
  return {
    text: texts
      .filter((text) => text.trim() !== '')
      .join('\n\n')
      .replaceAll(HYPHEN, '-'),
    notes: noteIfAny('hidden', hidden, `${counted(hidden, 'stretch', 'stretches')} of hidden text`),
  };
};
