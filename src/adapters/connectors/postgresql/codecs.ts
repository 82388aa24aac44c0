import type { Codec, JsonWriter } from './json-writer.ts';

const [QUOTE, PLUS, MINUS, ZERO, NINE, SPACE, T_UPPER, T_LOWER] = [0x22, 0x2b, 0x2d, 0x30, 0x39, 0x20, 0x54, 0x74];

/** What is JSON already: integers, json. */
export const verbatim: Codec = (out, from, start, end) => out.raw(from, start, end);

export const text: Codec = (out, from, start, end) => out.string(from, start, end);

/** Every digit as the database wrote it; NaN and the infinities, which JSON has no numbers for, as strings. */
export const number: Codec = (out, from, start, end) => {
  const first = from[from[start] === MINUS ? start + 1 : start] as number;
  if (first >= ZERO && first <= NINE) out.raw(from, start, end);
  else out.string(from, start, end);
};

export const boolean: Codec = (out, from, start) => out.ascii(from[start] === T_LOWER ? 'true' : 'false');

/** `\x0aff` as base64. */
export const bytes: Codec = (out, from, start, end) => {
  const decoded = Buffer.from(from.toString('latin1', start + 2, end), 'hex');
  out.byte(QUOTE);
  out.ascii(decoded.toString('base64'));
  out.byte(QUOTE);
};

const instant = /^(\d{4,})(-\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d(?::\d\d)?)?)?)?( BC)?$/;

/** The year of ISO 8601: 1 BC is 0000, and what has other than four digits has a sign. */
const isoYear = (digits: string, beforeChrist: boolean) => {
  const year = beforeChrist ? 1 - Number(digits) : Number(digits);
  const written = `${Math.abs(year)}`.padStart(4, '0');
  return year < 0 ? `-${written}` : year > 9999 ? `+${written}` : written;
};

/** Dates and timestamps that are rare: far from now, or infinite, which is left as it is. */
const rare = (written: string): string => {
  const [, year, day, time, hours, rest, era] = instant.exec(written) ?? [];
  if (year === undefined) return written;
  const zone = hours === undefined ? '' : hours + (rest ?? ':00');
  return `${isoYear(year, era !== undefined)}${day}${time === undefined ? '' : `T${time}`}${zone}`;
};

const writeText = (out: JsonWriter, value: string) => {
  const encoded = Buffer.from(value);
  out.string(encoded, 0, encoded.length);
};

const isPlain = (from: Buffer, start: number, end: number) =>
  (from[start] as number) <= NINE && from[start + 4] === MINUS && (from[end - 1] as number) <= NINE;

/** `2026-11-20`, also for an array's element of that type. */
export const date: Codec = (out, from, start, end) => {
  if (isPlain(from, start, end)) out.string(from, start, end);
  else writeText(out, rare(from.toString('latin1', start, end)));
};

/** `2026-11-20 09:30:00.25+00` with a T, and minutes in its offset. */
export const timestamp: Codec = (out, from, start, end) => {
  if (!isPlain(from, start, end) || from[start + 10] !== SPACE) return writeText(out, rare(from.toString('latin1', start, end)));
  out.byte(QUOTE);
  out.raw(from, start, start + 10);
  out.byte(T_UPPER);
  out.raw(from, start + 11, end);
  if (endsInHours(from, end)) out.ascii(':00');
  out.byte(QUOTE);
};

const endsInHours = (from: Buffer, end: number) => from[end - 3] === PLUS || from[end - 3] === MINUS;

/** `09:30:00+02`, whose offset lacks its minutes. */
export const timeWithZone: Codec = (out, from, start, end) => {
  out.byte(QUOTE);
  out.raw(from, start, end);
  if (endsInHours(from, end)) out.ascii(':00');
  out.byte(QUOTE);
};
