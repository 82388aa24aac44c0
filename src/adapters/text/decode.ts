import { analyse } from 'chardet';
import type { ReadingNote } from '../../application/ports/text.ts';
import { byMark, byZeros, looksLikeText, SAMPLE_BYTES } from './charset.ts';
import { dosText } from './dos-text.ts';
import { Unreadable } from './text.ts';

/** Of UTF-8's characters of several bytes. */
const FIRST_LEAD_BYTE = 0xc2;

/** The encoding that the text itself names: `<?xml encoding="…"?>`, `<meta charset="…">`. */
const byDeclaration = (data: Uint8Array): string | null => {
  const head = new TextDecoder('latin1').decode(data.subarray(0, 1024));
  return /<(?:\?xml|meta)[^>]{0,200}?(?:encoding|charset)\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ?? null;
};

/** null where the bytes are no text in this encoding. What is cut within its last character is, if that may be so. */
const decodeAs = (data: Uint8Array, charset: string, { mayBeCut = false } = {}): string | null => {
  const inDos = dosText(charset, data);
  if (inDos !== null) return inDos;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(data, { stream: mayBeCut });
  } catch {
    return null;
  }
};

/** One byte of a character that is not complete, after nothing but ASCII, is the last letter of a text in another encoding. */
const utf8 = (data: Uint8Array): string | null => {
  const text = decodeAs(data, 'utf-8', { mayBeCut: true });
  const isCutAfterAscii = text !== null && text.length === data.length - 1 && (data.at(-1) ?? 0) >= FIRST_LEAD_BYTE;
  return isCutAfterAscii ? null : text;
};

/** Whether the only character that is not ASCII is the last one, which is not complete: these bytes may be letters of another encoding. */
const isCutFirst = (text: string, data: Uint8Array): boolean =>
  (data.at(-1) ?? 0) > 127 && text.length < data.length && /^\p{ASCII}*$/u.test(text);

/** Characters that no text has, and that come out where bytes are read in an encoding that is not theirs. */
const IMPOSSIBLE = /[\u0080-\u0084\u0086-\u009f\ufffd\p{Co}\p{Cn}]/u;

const SIGN = '(?![°€$£¥™®©+=<>|~^`])[\\p{S}¬¶§·¹²³¼½¾]';
const OTHER = '[\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Hebr}\\p{sc=Arab}\\p{sc=Hang}\\p{sc=Thai}]';
const NO_CURRENCY = '¤';
/** Signs at letters (but for m²), quotation marks within words, letters of two scripts in one word, capitals within words, a sign for no currency: text in a wrong encoding is full of them. */
const ODD = [
  /(?<=\p{L})[‚„“”‘›‹«»†‡‰•˜]\p{L}|(?<=\p{Ll})[ªº]/gu,
  new RegExp(NO_CURRENCY, 'g'),
  /(?<!\p{L})\p{Lu}(?!\p{ASCII})\p{Lu}\p{Ll}/gu,
  new RegExp(`${SIGN}(?=\\p{L})|(?<=\\p{L})(?![¹²³])${SIGN}|(?<=\\p{L})[¡¿]`, 'gu'),
  new RegExp(`\\p{sc=Latin}${OTHER}|${OTHER}\\p{sc=Latin}`, 'gu'),
  /\p{Ll}\p{sc=Han}|\p{sc=Han}\p{Ll}|\p{Ll}\p{Lu}|[\uff61-\uff9f]\p{L}/gu,
];
const oddities = (text: string): number =>
  ODD.reduce((sum, pattern) => sum + (text.slice(0, SAMPLE_BYTES).match(pattern)?.length ?? 0), 0);

/** Of each character that UTF-8 cannot read, so many that it can: what is spoiled in places is still UTF-8. */
const MOSTLY = 20;
const mostlyUtf8 = (data: Uint8Array): string | null => {
  const text = new TextDecoder('utf-8').decode(data);
  const read = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return read >= MOSTLY * (text.match(/\ufffd/g)?.length ?? 0) ? text : null;
};

interface Guess {
  readonly charset: string;
  readonly text: string;
  readonly odd: number;
  readonly confidence: number;
}
/** Tried after what the detector names and windows-1252, which is read where it names nothing. */
const USUAL = ['windows-1250', 'iso-8859-2', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1257'];
/** Of DOS and of the Macintosh: programs have written them for long, and still do when they are asked to. */
const OLD = ['ibm850', 'ibm852', 'ibm866', 'macintosh'];
/** At least so many of the bytes that are not ASCII are below this one where text is in one of these encodings: there they have their letters, and Windows has signs. */
const LETTERS_END = 0xb0;
const LETTERS_SHARE = 0.5;

/** The detector's word counts from here on, if it is so much surer than of the next and has seen so many bytes that are not ASCII. */
const SURE = 60;
const SURER = 15;
const SEEN = 100;

/** From a little before the first byte that is not ASCII: what stands before it tells nothing. */
const telling = (data: Uint8Array): Uint8Array => {
  const from = Math.max(0, data.findIndex((byte) => byte > 127) - 1000);
  return data.subarray(from, from + SAMPLE_BYTES);
};

const mayBeOld = (data: Uint8Array): boolean => {
  const bytes = telling(data).filter((byte) => byte > 127);
  return bytes.filter((byte) => byte < LETTERS_END).length >= LETTERS_SHARE * bytes.length;
};

const guessesOf = (data: Uint8Array, declared: string | null): readonly Guess[] => {
  const guesses = analyse(telling(data))
    .map(({ name, confidence }) => ({ charset: name.toLowerCase(), confidence }))
    .filter(({ charset }) => !['ascii', 'utf-8'].includes(charset));
  const tried = (charset: string, confidence = 0): readonly Guess[] => {
    const text = decodeAs(data, charset, { mayBeCut: charset === declared });
    return text === null || IMPOSSIBLE.test(text) ? [] : [{ charset, confidence, text, odd: oddities(text) }];
  };
  const ordered = (all: readonly Guess[]) => all.toSorted((a, b) => a.odd - b.odd || b.confidence - a.confidence);
  const western = tried('windows-1252');
  const usual = ordered([
    ...(declared === null ? [] : tried(declared, 100)),
    ...guesses.flatMap(({ charset, confidence }) => tried(charset, confidence)),
    ...western,
    ...USUAL.flatMap((charset) => tried(charset)),
    // ISO 8859-15 has the euro sign at the byte of this sign, which hardly any text has.
    ...(western[0]?.text.includes(NO_CURRENCY) ? tried('iso-8859-15') : []),
  ]);
  const isOdd = usual[0] === undefined || usual[0].odd > 0;
  return isOdd && mayBeOld(data) ? ordered([...usual, ...OLD.flatMap((charset) => tried(charset))]) : usual;
};

export interface Decoded {
  readonly text: string;
  readonly charset: string;
  /** Whether nothing makes the encoding certain. */
  readonly isGuess: boolean;
}

/** What a person should know of it. */
export const encodingNotes = ({ charset, isGuess }: Decoded): readonly ReadingNote[] =>
  isGuess
    ? [
        {
          kind: 'encoding',
          page: null,
          what: `does not say its encoding: it was read as ${charset}, and letters may be wrong`,
        },
      ]
    : [];

/** Whether all that is as little odd says the same, or the detector tells them apart. */
const isSurest = ({ text, odd, confidence }: Guess, others: readonly Guess[], seen: number): boolean => {
  const rivals = others.filter((other) => other.text !== text && other.odd <= odd);
  const next = Math.max(0, ...rivals.map((rival) => rival.confidence));
  return rivals.length === 0 || (seen >= SEEN && confidence >= SURE && confidence - next >= SURER);
};

/** Text of any encoding: byte order mark, then UTF-8 if it is valid, then what its bytes can be, of which what is declared comes first. */
export const decode = (data: Uint8Array, contentType: string): Decoded => {
  if (!looksLikeText(data)) throw new Unreadable('is damaged: it is named as text, but what is in it is not text');
  const certain = byMark(data) ?? byZeros(data.subarray(0, SAMPLE_BYTES));
  if (certain !== null) return { text: new TextDecoder(certain).decode(data), charset: certain, isGuess: false };
  const declared = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType)?.[1] ?? byDeclaration(data);
  const start = new TextDecoder('latin1').decode(data.subarray(0, SAMPLE_BYTES));
  const isShifted = ['\u001b$B', '\u001b$@'].some((shift) => start.includes(shift));
  const plain = isShifted ? decodeAs(data, 'iso-2022-jp', { mayBeCut: true }) : utf8(data);
  if (plain !== null)
    return {
      text: plain,
      charset: isShifted ? 'iso-2022-jp' : 'utf-8',
      isGuess: !isShifted && isCutFirst(plain, data),
    };
  const spoiled = mostlyUtf8(data);
  if (spoiled !== null) return { text: spoiled, charset: 'utf-8', isGuess: true };
  const [best, ...others] = guessesOf(data, declared);
  if (best === undefined)
    return { text: new TextDecoder('windows-1252').decode(data), charset: 'windows-1252', isGuess: true };
  const isSure = best.charset === declared || isSurest(best, others, telling(data).filter((byte) => byte > 127).length);
  return { text: best.text, charset: best.charset, isGuess: !isSure };
};
