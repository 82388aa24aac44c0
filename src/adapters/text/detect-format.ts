import type { SourceFile } from '../../application/ports/text.ts';
import { looksLikeText } from './charset.ts';
import { type Format, formats, pictures, type TextFormat } from './file-formats.ts';

export type DetectedFormat =
  | { readonly format: TextFormat; readonly contentType: string }
  /** A picture that OCR reads. `reason`: why it has no text without that. */
  | { readonly format: 'picture'; readonly contentType: string; readonly reason: string }
  /** `reason`: why it has no text that can be read. */
  | { readonly format: null; readonly contentType: string; readonly reason: string };

const ODS = formats.ods.type;
const ODT = formats.odt.type;
const ODP = formats.odp.type;

/** Pictures that models take as they are. */
const forModels = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

const old = (what: string, instead: string) =>
  `is ${what}, which cannot be read: save it as ${instead} and upload that`;
const ascii = (data: Uint8Array, from: number, to: number) => Buffer.from(data.subarray(from, to)).toString('latin1');

/** The first element of an e-invoice stands near the start, behind comments at most. */
const START = 20_000;
const FIRST_ELEMENT =
  /<(?:[\w.-]{1,40}:)?(?:Invoice|CreditNote|CrossIndustryInvoice|CrossIndustryDocument|SCRDMCCBDACIOMessageStructure)[\s>]/;

/** Zeros are left out because UTF-16 has one in nearly every second byte. */
const startsEInvoice = (data: Uint8Array): boolean => {
  const start = ascii(data, 0, START).replaceAll('\0', '');
  return /^[^<\w]*</.test(start) && FIRST_ELEMENT.test(start);
};

const entries = Object.entries(formats) as [TextFormat, Format][];
const byType = new Map(
  entries.flatMap(([format, { type, aliases }]) => [type, ...aliases].map((name) => [name, format] as const)),
);
const byExtension = new Map(
  entries.flatMap(([format, { extensions }]) => extensions.map((name) => [name, format] as const)),
);

const mediaType = (contentType: string) => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
const extensionOf = (fileName: string) => /\.([a-z0-9]{1,8})$/i.exec(fileName.trim())?.[1]?.toLowerCase() ?? '';

/** Whether a ZIP archive has a file of this name: each name stands before its file, and all of them stand at the end. */
const contains = (data: Uint8Array, name: string) =>
  ascii(data, 0, 65_536).includes(name) ||
  ascii(data, Math.max(0, data.length - 1_000_000), data.length).includes(name);

const signatures: readonly (readonly [RegExp, string])[] = [
  [/^.PNG\r\n.\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  // A length, two numbers that are 0, where the pixels begin, and the length of one of the headers that there are.
  [/^BM.{4}\0{4}.{4}[(48@l|]\0{3}/s, 'image/bmp'],
  [/^(?:\0{3}.jP {2}\r\n\x87\n|\xff\x4f\xff\x51)/, 'image/jp2'],
  // The brands of the file: the first that it has, and, behind a number, the others.
  [/^\0{2}..ftyp(?:.{4}){0,30}(?:avif|avis)/s, 'image/avif'],
  [/^\0{2}..ftyp(?:.{4}){0,30}(?:hei[cxms]|hev[cmsx]|mif1|msf1)/s, 'image/heic'],
];

const imageType = (data: Uint8Array): string | null => {
  const head = ascii(data, 0, 160);
  return signatures.find(([signature]) => signature.test(head))?.[1] ?? null;
};

const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/** Whether the bytes are a container of the Office formats before 2007, which also wraps encrypted files of today's. */
export const isCompoundFile = (data: Uint8Array): boolean => ascii(data, 0, 8) === COMPOUND;

const inUtf16 = (name: string) => Buffer.from(name, 'utf16le').toString('latin1');
/** What a compound file holds, by the names of its streams: they stand in its directory, which may lie anywhere. */
const inCompoundFile = (data: Uint8Array): TextFormat | null => {
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const has = (name: string) => whole.includes(Buffer.from(inUtf16(`${name}\0`), 'latin1'));
  // A message may have a document attached to it.
  if (has('__properties_version1.0')) return 'msg';
  if (has('Workbook') || has('Book')) return 'xls';
  if (has('PowerPoint Document')) return 'ppt';
  return has('WordDocument') ? 'doc' : null;
};

const WORD_2003 = 'http://schemas.microsoft.com/office/word/2003/wordml';
const SPREADSHEET_2003 = 'urn:schemas-microsoft-com:office:spreadsheet';

/** A sequence that begins with the identifier of signed or encrypted data (CMS), in hexadecimal digits. */
const CMS = /^30(?:..){1,9}?06(?:092a864886f70d0107(?:02|03)|0b2a864886f70d01091001(?:09|17))/;

const inArchive = (data: Uint8Array, head: string): TextFormat | null => {
  if (head.includes(`mimetype${ODS}`)) return 'ods';
  if (head.includes(`mimetype${ODT}`)) return 'odt';
  if (head.includes(`mimetype${ODP}`)) return 'odp';
  if (contains(data, 'xl/workbook.bin')) return 'xls';
  if (contains(data, 'xl/workbook')) return 'xlsx';
  if (contains(data, 'word/document')) return 'docx';
  return contains(data, 'ppt/presentation') ? 'pptx' : null;
};

const inXml = (head: string): TextFormat | null => {
  if (head.includes(`office:mimetype="${ODT}"`)) return 'odt';
  if (head.includes('<?mso-application progid="Word.Document"?>') || head.includes(WORD_2003)) return 'docx';
  if (head.includes(`office:mimetype="${ODP}"`)) return 'odp';
  if (head.includes(SPREADSHEET_2003)) return 'xls';
  return head.includes(`office:mimetype="${ODS}"`) ? 'ods' : null;
};

/** What the bytes say for certain: they say it whatever the file is called. */
const byMark = (data: Uint8Array): TextFormat | null => {
  const head = ascii(data, 0, 1024);
  if (/^\s*%PDF-/.test(head)) return 'pdf';
  // `winmail.dat`
  if (head.startsWith('\x78\x9f\x3e\x22')) return 'tnef';
  if (head.startsWith('PK\x03\x04')) return inArchive(data, head);
  if (isCompoundFile(data)) return inCompoundFile(data);
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (CMS.test(Buffer.from(data.subarray(0, 32)).toString('hex'))) return 'signed';
  return /^\W{0,3}\s*<\?xml/.test(head) ? inXml(head) : null;
};

const byBytes = (data: Uint8Array): TextFormat | null => {
  const head = ascii(data, 0, 1024);
  if (head.includes('%PDF-')) return 'pdf';
  if (head.startsWith('PK\x03\x04') || !looksLikeText(data)) return null;
  if (/^\W{0,3}\s*<(?:!doctype html|html|head|body)\b/i.test(head)) return 'html';
  const headers =
    head.match(
      /^(?:received|return-path|delivered-to|from|to|subject|date|message-id|mime-version|content-type):/gim,
    ) ?? [];
  return /^[\w-]+:\s/.test(head) && new Set(headers.map((name) => name.toLowerCase())).size >= 3 ? 'email' : 'plain';
};

/** Formats that are archives themselves: what is called so and lacks its main part is a damaged one. */
const zipped = new Set<TextFormat | undefined>(['docx', 'odt', 'pptx', 'odp', 'xlsx', 'xls', 'ods']);

/** An archive of files, and not one document in a form that is an archive. */
const isArchive = (data: Uint8Array, called: TextFormat | undefined): boolean =>
  ascii(data, 0, 4) === 'PK\x03\x04' &&
  !zipped.has(called) &&
  !contains(data, '[Content_Types].xml') &&
  !ascii(data, 0, 1024).includes('mimetypeapplication/');

/** Programs export tables of HTML, or of plain lines, under the names of workbooks: those are read as what they are. */
const ofTextCalledWorkbook = (data: Uint8Array): TextFormat | null => {
  if (!looksLikeText(data)) return null;
  const format = byBytes(data);
  return format === 'plain' ? 'csv' : format;
};

const image = (contentType: string): DetectedFormat => ({
  format: 'picture',
  contentType,
  reason: forModels.has(contentType)
    ? 'is an image: only a model that takes images can read it'
    : 'is an image that only OCR can read: save it as PNG or JPEG and upload that',
});

/** Of a file that is called a picture and does not begin like one. */
const imageFormat = (data: Uint8Array, declared: string): DetectedFormat => {
  if (/^(?:II\+\0|MM\0\+)/.test(ascii(data, 0, 4))) {
    return {
      format: null,
      contentType: 'image/tiff',
      reason: old('a TIFF file for more than 4 GB (BigTIFF)', 'TIFF, PNG or PDF'),
    };
  }
  const reason = Object.values(pictures).includes(declared)
    ? 'is damaged: it is named as an image, but there is no image in it'
    : `is an image of a kind that cannot be read (${declared}): save it as PNG or JPEG and upload that`;
  return { format: null, contentType: declared, reason };
};

const opaque = (contentType: string, data: Uint8Array): DetectedFormat => {
  const reason = data.length === 0 ? 'is empty' : 'is not of a kind that can be read';
  return { format: null, contentType: contentType || 'application/octet-stream', reason };
};

/** Text that only its receiver can make readable. */
const isEncryptedText = (data: Uint8Array) =>
  ascii(data, 0, 1024).trimStart().startsWith('-----BEGIN PGP MESSAGE-----');

/** Clients send these types for all sorts of files (browsers send Excel's for CSV): the file's name counts before them. */
const vague = new Set(['text/plain', 'application/vnd.ms-excel', 'text/xml', 'application/xml']);

const known = (format: TextFormat, type: string): DetectedFormat => ({
  format,
  contentType: byType.get(type) === format ? type : formats[format].type,
});

/** What a file is whose bytes do not say it for certain, by its type and its name. */
const calledFormat = (data: Uint8Array, type: string, extension: string): DetectedFormat => {
  const named = byExtension.get(extension);
  const isText = /^text\/|^application\/.+\+(?:json|xml)$/.test(type);
  const typed = byType.get(type) ?? (isText ? 'plain' : undefined);
  const certain = vague.has(type) ? (named ?? typed) : typed;
  const called = certain ?? named;
  if (isArchive(data, called)) return known('zip', type);
  if (certain === undefined && type.startsWith('image/')) return imageFormat(data, type);
  if (called === 'xls' || called === 'xlsx') {
    const text = ofTextCalledWorkbook(data);
    if (text !== null) return known(text, '');
  }
  if (certain !== undefined) return { format: certain, contentType: certain === typed ? type : formats[certain].type };
  const imageName = pictures[extension];
  if (imageName !== undefined) return imageFormat(data, imageName);
  const format = named ?? byBytes(data);
  return format === null ? opaque(type, data) : { format, contentType: formats[format].type };
};

/** What a file is: its bytes say it; its type and its name, in this order, decide where they say nothing. */
export const detectFormat = ({ fileName, contentType, data }: SourceFile): DetectedFormat => {
  const type = mediaType(contentType);
  if (data.length === 0) return opaque(type, data);
  if (startsEInvoice(data)) return { format: 'e-invoice', contentType: formats['e-invoice'].type };
  if (isEncryptedText(data))
    return {
      format: null,
      contentType: 'application/pgp-encrypted',
      reason: 'is encrypted: decrypt it and upload that',
    };
  const marked = byMark(data);
  if (marked !== null) return known(marked, type);
  const picture = imageType(data);
  return picture === null ? calledFormat(data, type, extensionOf(fileName)) : image(picture);
};
