import { Unreadable } from './text.ts';

const SAMPLE_BYTES = 65_536;
/** Of UTF-8's characters of several bytes. */
const FIRST_LEAD_BYTE = 0xc2;

const byMark = (data: Uint8Array): string | null => {
  if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) return 'utf-8';
  if (data[0] === 0xff && data[1] === 0xfe) return 'utf-16le';
  if (data[0] === 0xfe && data[1] === 0xff) return 'utf-16be';
  return null;
};

const count = (data: Uint8Array, wanted: (byte: number, index: number) => boolean): number =>
  data.reduce((total, byte, index) => total + (wanted(byte, index) ? 1 : 0), 0);

/** Western text in UTF-16 has a zero in nearly every second byte; text in any other encoding has none. */
const byZeros = (sample: Uint8Array): string | null => {
  const odd = count(sample, (byte, index) => byte === 0 && index % 2 === 1);
  const even = count(sample, (byte, index) => byte === 0 && index % 2 === 0);
  if (odd > sample.length / 4 && even < odd / 10) return 'utf-16le';
  return even > sample.length / 4 && odd < even / 10 ? 'utf-16be' : null;
};

const isControl = (byte: number) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte);

/** Whether bytes are likely text rather than a picture, a program or a packed file. */
export const looksLikeText = (data: Uint8Array): boolean => {
  const sample = data.subarray(0, SAMPLE_BYTES);
  return byMark(sample) !== null || byZeros(sample) !== null || count(sample, isControl) <= 1 + sample.length / 500;
};

/** The encoding that the text itself names: `<?xml encoding="…"?>`, `<meta charset="…">`. */
const byDeclaration = (data: Uint8Array): string | null => {
  const head = new TextDecoder('latin1').decode(data.subarray(0, 1024));
  return /<(?:\?xml|meta)[^>]{0,200}?(?:encoding|charset)\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ?? null;
};

const decodeAs = (data: Uint8Array, charset: string, fatal: boolean): string | null => {
  try {
    return new TextDecoder(charset, { fatal }).decode(data, { stream: true });
  } catch {
    return null;
  }
};

/** One byte of a character that is not complete, after nothing but ASCII, is the last letter of a text in another encoding. */
const utf8 = (data: Uint8Array): string | null => {
  const text = decodeAs(data, 'utf-8', true);
  const isCutAfterAscii = text !== null && text.length === data.length - 1 && (data.at(-1) ?? 0) >= FIRST_LEAD_BYTE;
  return isCutAfterAscii ? null : text;
};

/** Text of any encoding: byte order mark, then UTF-8 if it is valid, then what the type or the text declares, then Windows-1252. */
export const decode = (data: Uint8Array, contentType: string): string => {
  if (!looksLikeText(data)) throw new Unreadable('is damaged: it is named as text, but what is in it is not text');
  const certain = byMark(data) ?? byZeros(data.subarray(0, SAMPLE_BYTES));
  if (certain !== null) return new TextDecoder(certain).decode(data);
  const declared = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType)?.[1] ?? byDeclaration(data);
  return (
    utf8(data) ??
    (declared === null ? null : decodeAs(data, declared, true)) ??
    new TextDecoder('windows-1252').decode(data)
  );
};
