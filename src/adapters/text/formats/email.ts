import { isUtf8 } from 'node:buffer';
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { ReadingNote, SourceFile } from '../../../application/ports/text.ts';
import { byMark, looksLikeText } from '../charset.ts';
import { decode, encodingNotes } from '../decode.ts';
import { unread } from '../notes.ts';
import { cleanName, type InnerFile, Unreadable } from '../text.ts';
import { htmlText } from './html.ts';
import { mayHoldWriting } from './pictures.ts';
import { shownHtml } from './shown-html.ts';

const MAX_MIME_DEPTH = 50;

export const addressText = (address: Address): string => {
  if (address.group !== undefined) return address.group.map(addressText).join(', ');
  if (address.name === '' || address.name === address.address) return address.address;
  const name = /[,;<>@]/.test(address.name) ? `"${address.name.replaceAll('"', "'")}"` : address.name;
  return `${name} <${address.address}>`;
};

const addressesText = (addresses: readonly Address[] | undefined) => (addresses ?? []).map(addressText).join(', ');

/** The headers of a message that a person sees, one to a line. */
export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .filter(([, value]) => value.trim() !== '')
    .map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ').trim()}`)
    .join('\n');

/** In the time of who sent it, as it is written; the parser gives that of Greenwich, which may be of another day. */
const dateText = ({ date = '', headers }: Email): string => {
  const written = headers.find(({ key }) => key === 'date')?.value ?? '';
  const [, sign, hours, minutes] = /\s([+-])(\d\d)([0-5]\d)\s*(?:\(.*\))?$/.exec(written) ?? [];
  if (sign === undefined || !date.endsWith('Z')) return date;
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(Date.parse(date) + ahead).toISOString().replace(/\.000Z$/, `${sign}${hours}:${minutes}`);
};

const headersText = (email: Email): string =>
  headerLines({
    From: email.from === undefined ? '' : addressText(email.from),
    To: addressesText(email.to),
    Cc: addressesText(email.cc),
    Subject: email.subject ?? '',
    Date: dateText(email),
  });

export interface MessageBody {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
  /** Those that its HTML holds. */
  readonly pictures: readonly InnerFile[];
}

/** Programs for mail show the HTML where there is some: the plain text beside it may say something else, or nothing. */
export const bodyOf = ({
  text,
  html,
}: {
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}): MessageBody => {
  const { html: seen, ...beside } = shownHtml(html ?? '');
  const shown = htmlText(seen);
  return shown.trim() === '' && beside.pictures.length === 0
    ? { ...beside, text: text ?? '' }
    : { text: shown, ...beside };
};

const bytesOf = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);

/** What the parser knows of a part of a message; its types do not say. */
interface MimePart {
  content: ArrayBuffer | Uint8Array | null;
  readonly contentType: { readonly parsed: { readonly value: string; readonly params: Record<string, string> } };
}
/** What it has decoded of a part, in pieces. */
interface Decoder {
  readonly chunks: (Uint8Array<ArrayBuffer> | ArrayBuffer | string)[];
}
interface PartsOfParser {
  currentNode: { readonly contentDecoder: Decoder | null };
  isInlineTextNode(part: MimePart): boolean;
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  finalize(): Promise<void>;
}
const ofParser = PostalMime.prototype as unknown as PartsOfParser;

/** The parser keeps each line as a piece, and takes seconds to put a hundred thousand of them together. */
const MOST_PIECES = 10_000;

/** Before the parser decodes a part that is text, it asks whether it is one: then the part gets the encoding that its bytes have. */
class Parser extends PostalMime {
  readonly notes: ReadingNote[] = [];
  /** By the decoder: how many of its pieces are joined ones. */
  private readonly joined = new WeakMap<Decoder, number>();

  private joinPieces(decoder: Decoder): void {
    const joined = this.joined.get(decoder) ?? 0;
    if (decoder.chunks.length - joined < MOST_PIECES) return;
    const pieces = decoder.chunks.splice(joined).map((piece) => Buffer.from(piece as string));
    decoder.chunks.push(Buffer.concat(pieces));
    this.joined.set(decoder, joined + 1);
  }

  async processLine(line: Uint8Array, isFinal: boolean): Promise<void> {
    const parser = this as unknown as PartsOfParser;
    await ofParser.processLine.call(this, line, false);
    const decoder = parser.currentNode.contentDecoder;
    if (decoder !== null) this.joinPieces(decoder);
    if (isFinal) await parser.finalize();
  }

  isInlineTextNode(part: MimePart): boolean {
    const isText = ofParser.isInlineTextNode.call(this, part);
    if (!isText || part.content === null) return isText;
    const { value, params } = part.contentType.parsed;
    const data = bytesOf(part.content);
    if (!looksLikeText(data)) return isText;
    const decoded = decode(data, params.charset === undefined ? value : `${value}; charset=${params.charset}`);
    // The parser knows fewer encodings than are read here.
    part.content = new TextEncoder().encode(decoded.text);
    params.charset = 'utf-8';
    this.notes.push(...encodingNotes(decoded));
    return isText;
  }
}

const UTF8_MARK_BYTES = 3;
/** The parser takes no more for headers. */
const MOST_HEADERS = 2 * 1024 * 1024;

/** What begins a part of a message, and its headers. */
const PART_HEADERS = /^--[^\r\n]{1,100}\r?\n((?:content-[a-z-]{1,40}:[^\n]*\n(?:[ \t][^\n]*\n)*)+)/gim;

/** The message with its headers in UTF-8, which the parser takes all headers for, and what is to be said of them. A mark before them would hide the first. */
const withReadHeaders = (file: Uint8Array): { readonly data: Uint8Array; readonly notes: readonly ReadingNote[] } => {
  const data = byMark(file) === 'utf-8' ? file.subarray(UTF8_MARK_BYTES) : file;
  if (isUtf8(data)) return { data, notes: [] };
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [start = ''] = bytes.toString('latin1', 0, MOST_HEADERS).split(/\n\r?\n/, 1);
  const read: Uint8Array[] = [];
  const notes: ReadingNote[] = [];
  let end = 0;
  const readHeaders = (from: number, length: number) => {
    const headers = bytes.subarray(from, from + length);
    if (isUtf8(headers) || !looksLikeText(headers)) return;
    // What a message says of the encoding of its body mostly holds for its headers.
    const decoded = decode(headers, headers.toString('latin1') + start);
    if (from === 0) notes.push(...encodingNotes(decoded));
    read.push(bytes.subarray(end, from), Buffer.from(decoded.text));
    end = from + length;
  };
  readHeaders(0, start.length);
  for (const { index, 0: all, 1: headers = '' } of bytes.toString('latin1').matchAll(PART_HEADERS))
    if (index > end) readHeaders(index + all.length - headers.length, headers.length);
  return { data: Buffer.concat([...read, bytes.subarray(end)]), notes };
};

const isSignature = ({ mimeType }: { readonly mimeType: string }) =>
  /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/.test(mimeType);

const isSigned = ({ contentType }: SourceFile) => /^application\/(?:x-)?pkcs7-mime$/.test(contentType);

const ENCRYPTED = /^-----BEGIN PGP MESSAGE-----[\s\S]*?(?:^-----END PGP MESSAGE-----|$(?![\s\S]))/gm;

/** Of four characters that stand for three bytes each; the first character of a line says how many bytes it has. */
const uudecodedLine = (line: string): Uint8Array => {
  const bits = (at: number) => ((line.charCodeAt(at) || 32) - 32) & 63;
  const bytes = Buffer.alloc(bits(0) + 2);
  for (let from = 0, at = 1; from < bits(0); from += 3, at += 4)
    bytes.writeUIntBE((bits(at) << 18) | (bits(at + 1) << 12) | (bits(at + 2) << 6) | bits(at + 3), from, 3);
  return bytes.subarray(0, bits(0));
};

/** A text without the files that stand in it, as programs of Unix attach them (`uuencode`), and these. */
const withoutUuencoded = (text: string): { readonly text: string; readonly files: readonly InnerFile[] } => {
  if (!/^begin [0-7]{3,4} /m.test(text)) return { text, files: [] };
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  const files: InnerFile[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, name] = /^begin [0-7]{3,4} (.+)$/.exec(lines[at] ?? '') ?? [];
    let end = at + 1;
    while (name !== undefined && /^[ -`]{1,100}$/.test(lines[end] ?? '')) end += 1;
    if (name === undefined || lines[end]?.trimEnd() !== 'end') kept.push(lines[at] ?? '');
    else {
      const data = Buffer.concat(lines.slice(at + 1, end).map(uudecodedLine));
      files.push({ fileName: cleanName(name, `attachment ${files.length + 1}`), contentType: '', data });
      at = end;
    }
  }
  return { text: kept.join('\n'), files };
};

/** Whether the line is missing that stands at the end of a message of several parts. */
const isCutOff = ({ headers }: Email, data: Uint8Array): boolean => {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? '';
  const [, quoted, plain] = /boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  return (
    boundary !== undefined &&
    !Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes(`--${boundary}--`, 0, 'latin1')
  );
};

/** The message as it is read: its headers, then its body; and what is attached to it, other messages among it. */
export const readEmail = async (
  data: Uint8Array,
): Promise<{
  text: string;
  attachments: readonly InnerFile[];
  notes: readonly ReadingNote[];
  /** Whether the message itself is signed or encrypted as a whole. */
  isContainer: boolean;
}> => {
  const parser = new Parser({ forceRfc822Attachments: true, maxNestingDepth: MAX_MIME_DEPTH });
  const { data: readable, notes: ofHeaders } = withReadHeaders(data);
  const email = await parser.parse(readable);
  const headers = headersText(email);
  if (headers === '' && !email.headers.some(({ key }) => key === 'content-type'))
    throw new Unreadable('is damaged: it is named as an e-mail, but there is no e-mail in it');
  const attachments = email.attachments
    .filter((attachment) => !isSignature(attachment))
    .map((attachment, index): InnerFile => {
      const { filename, mimeType, related = false, content } = attachment;
      const name = cleanName(filename, `attachment ${index + 1}${mimeType === 'message/rfc822' ? '.eml' : ''}`);
      const isIllustration = related && mimeType.startsWith('image/');
      return { fileName: name, contentType: mimeType, data: bytesOf(content), isIllustration };
    })
    .filter(({ isIllustration, data: picture }) => !isIllustration || mayHoldWriting(picture));
  const signature = email.attachments.some(isSignature) ? '\nSignature: there is one, and it was not checked' : '';
  const body = bodyOf(email);
  const readableText = body.text.replace(ENCRYPTED, '');
  const { text, files } = withoutUuencoded(readableText);
  const notes = [
    ...ofHeaders,
    ...parser.notes,
    ...body.notes,
    ...(readableText === body.text ? [] : [unread('its text: it is encrypted')]),
    ...(isCutOff(email, data) ? [unread('its end: it is cut off')] : []),
  ];
  const [only, ...others] = attachments;
  const isContainer = only !== undefined && others.length === 0 && isSigned(only) && text.trim() === '';
  const all = [...attachments, ...files, ...body.pictures];
  return { text: `${headers}${signature}\n\n${text}`, attachments: all, notes, isContainer };
};
