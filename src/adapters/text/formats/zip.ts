import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { ReadingNote, SourceFile } from '../../../application/ports/text.ts';
import { decode } from '../decode.ts';
import { unread } from '../notes.ts';
import { type Contained, cleanName, MAX_UNPACKED_BYTES } from '../text.ts';

/** More than the parts that one file may have. */
const MAX_FILES = 1000;
const NAME_IS_UNICODE = 0x0800;
const UNICODE_NAME = 0x7075;

/** What systems put into archives for themselves. */
const OF_A_SYSTEM = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

const saysEncoding = ({ generalPurposeBitFlag: flags, extraFields }: Entry) =>
  (flags & NAME_IS_UNICODE) !== 0 || extraFields.some(({ id }) => id === UNICODE_NAME);

const ofDos = ({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry) =>
  getFileNameLowLevel(flags, fileNameRaw, extraFields, false);

/**
 * The name of an entry. Where an archive does not say its encoding, it is that of DOS if all such names come out in Latin letters, or else what
 * the bytes of all of them can be.
 */
const namesOf = (entries: readonly Entry[]): ((entry: Entry) => string) => {
  const unsaid = entries.filter((entry) => !saysEncoding(entry));
  const together = decode(
    Buffer.from(unsaid.map(({ fileNameRaw }) => fileNameRaw.toString('latin1')).join('\n'), 'latin1'),
    '',
  );
  const isOfDos =
    together.charset !== 'utf-8' && unsaid.every((entry) => /^[\p{ASCII}\p{sc=Latin}]*$/u.test(ofDos(entry)));
  return (entry) =>
    saysEncoding(entry) || isOfDos ? ofDos(entry) : new TextDecoder(together.charset).decode(entry.fileNameRaw);
};

const unpackedFile = async (archive: ZipFile, entry: Entry): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  // The package ends with an error where there is more than the archive says.
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** The files of an archive, in its order, and what of them is not read. */
export const readZip = async (data: Uint8Array): Promise<Contained> => {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const archive = await fromBufferPromise(buffer, {
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: true,
  });
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) {
    entries.push(entry);
    if (entries.length === MAX_FILES) break;
  }
  const nameOf = namesOf(entries);
  const attachments: SourceFile[] = [];
  const notes: ReadingNote[] = [];
  let left = MAX_UNPACKED_BYTES;
  const leaveOut = (fileName: string, why: string) => notes.push(unread(`the file ${fileName}: it ${why}`));
  for (const [index, entry] of entries.entries()) {
    const name = nameOf(entry);
    if (name.endsWith('/') || OF_A_SYSTEM.test(name)) continue;
    const fileName = cleanName(name, `file ${index + 1}`);
    if (entry.isEncrypted()) leaveOut(fileName, 'is protected by a password');
    else if (entry.uncompressedSize > left) leaveOut(fileName, 'is too large beside the others');
    else {
      left -= entry.uncompressedSize;
      const content = await unpackedFile(archive, entry).catch(() => null);
      if (content === null) leaveOut(fileName, 'is damaged, or packed in a way that is not read');
      else attachments.push({ fileName, contentType: '', data: content });
    }
  }
  const more = archive.entryCount - entries.length;
  if (more > 0) leaveOut(`${(entries.length + 1).toLocaleString('en')} and those after it`, 'is one of too many');
  return { attachments, notes };
};
