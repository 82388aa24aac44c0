import type { JsonValue } from '../../../domain/json.ts';
import {
  compareNumbers,
  isInteger,
  isMultipleOf,
  isNumber,
  type JsonNumber,
  jsonNumber,
} from '../../../domain/json-number.ts';
import { calendarDate, hourOfDay, monthOf } from '../../../domain/quoted-dates.ts';
import { withoutAccents } from '../../../domain/text.ts';

/** A schema with its references followed: what kind of value it asks for, and within which limits. */
export interface View {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly nullable: boolean;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'const' | 'enum';
}

/** In English, German and French, without accents: the word that stands for a thing, and the other ways to write it, as patterns. */
const vocabulary = `
tax: mw st, vat, gst, mwst, ust, umsatzsteuer, tva, taxes
email: (e mail|email)( address)?, mail
taxid: (vat|tax|ust|gst)( reg| registration| ident| identification)?( id| no| nr| number| idnr| idnummer)+, ustidnr, vatin
duedate: payment due( date)?, (due|payment) date, date due, (due|payable|pay) (on|by), zahlbar bis, fallig( am)?, falligkeitsdatum, ^due$
subtotal: (net|nett) (amount|total|sum|value), (total|amount) net, sub total, nettobetrag, zwischensumme, sous total
total: (grand|gross|invoice|final) (total|amount|sum), (amount|balance|total|sum)( amount)? (due|payable|to pay|gross)
total: total (amount|price|sum|value), montant total, sum, summe, totals, gesamtbetrag, rechnungsbetrag, endbetrag, gesamtsumme, gesamt, bruttobetrag
unitprice: unit (price|cost|rate), price (per|each) ?(unit)?, einzelpreis, stuckpreis, prix unitaire
order number: bestellnummer
order: purchase order, p o, po, bestellung
customer: (bill|billed|sold|invoice|invoiced) to, buyer, client, purchaser, kunde
customer number: kundennummer
supplier: (sold|supplied|issued) by, (bill|invoice) from, vendor, seller, lieferant, fournisseur
postcode: (post|zip|postal) ?code, zip, plz
date: date of issue, issue date, issued( on)?, datum, dated, day
birthdate: date of birth, birth date, birthday, geburtsdatum
invoice number: rechnungsnummer, rechnungsnr, rechnungs nr, rechnung nr
invoice date: rechnungsdatum
invoice: rechnung, facture, inv
number: no, nr, num, nummer, numero
amount: amt, betrag, montant
quantity: qty, quantities, menge, anzahl, pcs, units, quantite
description: desc, bezeichnung, beschreibung, details, particulars
item: article, product, artikel, service, position
price: preis, cost, rate, prix
currency: ccy, wahrung, devise
reference: ref, referenz
phone: tel, telephone, mobile, telefon
sender: from
recipient: to
subject: subj, re, betreff
address: addr, adresse, anschrift
shipping: freight, postage, versand
id: identifier, ident
code: sku`;

const meanings = vocabulary
  .trim()
  .split('\n')
  .map((line) => line.split(': '))
  .map(([word = '', others = '']) => ({ word, others: others.split(', ') }));
const isWord = (text: string) => /^[a-z]+$/.test(text);
const synonyms = new Map(
  meanings.flatMap(({ word, others }) => others.filter(isWord).map((other) => [other, word] as const)),
);
const phrases = meanings.flatMap(({ word, others }) => {
  const patterns = others.filter((other) => !isWord(other));
  return patterns.length === 0 ? [] : [{ word, pattern: new RegExp(`\\b(?:${patterns.join('|')})\\b`, 'g') }];
});
const anyPhrase = new RegExp(phrases.map(({ pattern }) => pattern.source).join('|'));

/** Words without a meaning of their own. */
const fillers = new Set('the of a an in for your our and is incl including please line der die das'.split(' '));

/** The words of a label or a name in one way of writing, each once. */
export type Words = readonly string[];

const wordsOf = (text: string): Words => {
  const spaced = text
    .replace(/\([^()]{0,60}\)/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('ß', 'ss');
  const plain = withoutAccents(spaced)
    .toLowerCase()
    .replace(/\d+(?:[.,]\d+)? ?%/g, ' ')
    .replace(/[№#]/g, ' number ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const known = anyPhrase.test(plain)
    ? phrases.reduce((left, { word, pattern }) => left.replace(pattern, ` ${word} `), plain)
    : plain;
  const words = known.split(' ').flatMap((word) => (word === '' ? [] : (synonyms.get(word) ?? word).split(' ')));
  const telling = words.filter((word) => !fillers.has(word));
  return [...new Set(telling.length > 0 ? telling : words)];
};

const MOST_REMEMBERED = 5_000;

/** Documents repeat their labels. */
export const remember = <T>(make: (text: string) => T): ((text: string) => T) => {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    if (made.size >= MOST_REMEMBERED) made.clear();
    const value = make(text);
    made.set(text, value);
    return value;
  };
};

const remembered = remember(wordsOf);
export const canonical = (text: string): Words => remembered(text.slice(0, 200));

const fields = new Set(meanings.flatMap(({ word }) => word.split(' ')));
/** These are values as well: of a description, or of the kind of a document. */
const things = new Set('invoice order item shipping'.split(' '));

/** Whether these words are what forms call a field, and nothing else. */
export const namesField = (text: string): boolean => {
  const words = canonical(text);
  return words.every((word) => fields.has(word)) && words.some((word) => !things.has(word));
};

/** Pairs of words that name nearly the same thing. */
const near =
  'unitprice price, amount total, description item, description name, item name, id number, reference number, code number, code id, item code'
    .split(', ')
    .map((pair) => pair.split(' '));
const nearTo = (word: string): readonly string[] =>
  near
    .filter((pair) => pair.includes(word))
    .flat()
    .filter((other) => other !== word);
const allNear = new Map(near.flat().map((word) => [word, nearTo(word)]));
const isNear = (a: string, b: string) => allNear.get(a)?.includes(b) === true;

/** Every word that a label for one of these names may have. */
export const wordsNear = (names: readonly Words[]): ReadonlySet<string> =>
  new Set(names.flat().flatMap((word) => [word, ...(allNear.get(word) ?? [])]));

/** Words that change the meaning of a label: a label and a name that differ in one of them do not match. */
const qualifiers = new Set(
  (
    'duedate subtotal tax taxid shipping delivery discount paid unitprice customer order phone email bank iban bic birthdate previous ' +
    'contract account start end deposit postcode city country sender recipient page net gross first last min max percent terms method ' +
    'status fee currency unit weight'
  ).split(' '),
);

/** Invoices seldom name their own side. */
const penalty = (word: string, each: number) => (word === 'supplier' ? 0.3 : each);

/** How well a label names a property: 1 for the same words, 0 for something else. */
export const likeness = (label: Words, name: Words): number => {
  if (!label.some((word) => name.includes(word) || name.some((other) => isNear(word, other)))) return 0;
  let extra = label.filter((word) => !name.includes(word));
  let missing = name.filter((word) => !label.includes(word));
  let score = 1;
  for (const word of extra) {
    const twin = missing.find((other) => isNear(word, other));
    if (twin === undefined) continue;
    extra = extra.filter((other) => other !== word);
    missing = missing.filter((other) => other !== twin);
    score -= 0.25;
  }
  if (extra.length > 0 && missing.length > 0) return 0;
  if ([...extra, ...missing].some((word) => qualifiers.has(word)) || extra.includes('date')) return 0;
  for (const word of extra) score -= penalty(word, 0.12);
  for (const word of missing) score -= penalty(word, 0.15);
  return Math.max(0, score);
};

/** Which of two ways of writing a document uses; null if it does not show. */
export interface Conventions {
  readonly decimal: '.' | ',' | null;
  readonly dayFirst: boolean | null;
}

const currencies: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', $: 'USD', '¥': 'JPY', '₹': 'INR' };
const codes = 'EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|INR|BRL|MXN|ZAR|SGD|HKD|TRY|RON|BGN';
const money = new RegExp(`(?:\\b(${codes})|([€£$¥₹]))\\s?-?\\d|\\d\\s?(?:(${codes})\\b|([€£$¥₹]))`);

/** The ISO 4217 code beside an amount. */
export const currencyOf = (text: string): string | null => {
  const [, before, symbol, after, trailing] = money.exec(text.slice(0, 300)) ?? [];
  return before ?? after ?? currencies[symbol ?? trailing ?? ''] ?? null;
};

/** The decimal sign that a figure shows beyond doubt. */
const decimalOf = (text: string): '.' | ',' | null => {
  const signs = text.replace(/[^.,]/g, '');
  const last = signs.at(-1) as '.' | ',' | undefined;
  if (last === undefined) return null;
  if (signs.length > 1) return signs.slice(0, -1).includes(last) ? null : last;
  const [whole = '', fraction = ''] = text.split(last);
  return fraction.length !== 3 || whole.length > 3 || whole === '0' ? last : null;
};

/** Three digits after a single sign are thousands or decimals, as elsewhere in the document. */
const ambiguous = (text: string, whole: boolean, { decimal }: Conventions): '.' | ',' | null => {
  const signs = text.replace(/\d/g, '');
  if (signs.length !== 1) return null;
  if (decimal !== null) return signs === decimal ? decimal : null;
  return signs === '.' && !whole ? '.' : null;
};

/** The number in JSON's own digits, all of them. */
const plainDigits = (text: string, whole: boolean, conventions: Conventions): string | null => {
  const tight = text.replace(/[^\d.,]/g, '');
  const sign = decimalOf(tight) ?? ambiguous(tight, whole, conventions);
  const at = sign === null ? tight.length : tight.lastIndexOf(sign);
  const integer = tight.slice(0, at);
  if (!/^(\d+|\d{1,3}([.,]\d{3})+)$/.test(integer)) return null;
  return `${integer.replace(/[.,]/g, '')}.${tight.slice(at + 1)}`.replace(/\.$/, '');
};

/** `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `1234.5` */
const figures = /\d{1,3}(?:[.,'’\u00a0\u2009\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*/g;

/** What may stand beside a number that is still that number: a currency or "about" before it, a percent sign or a unit behind it. */
const beforeNumber = new RegExp(`^\\s*(?:(?:ca\\.?|approx\\.?|about|${codes}|US\\$|[€£$¥₹])(?:\\s+|$)){0,2}$`, 'i');
const behindNumber = /^(?!\p{L}\S{3})\s*(?:(?:[%€£$¥₹]|\p{L}{1,14}[.)]?)(?:\s+|$)){0,3}$/u;

/** Behind decimals, for `12⁹⁹` may be 12.99, and 10³ is 1000. */
const FOOTNOTE_MARK = /(?<=[.,]\d\d)[¹²³⁴-⁹]\)?(?!\S)/u;

/** The number that the text is, or null. */
const readNumber = (text: string, whole: boolean, conventions: Conventions): JsonNumber | null => {
  const trimmed = text.trim().replace(FOOTNOTE_MARK, '');
  if (trimmed.length > 80) return null;
  const negative = /^\(.*\)$|^[^\d(]{0,6}[-−–]|\d\s?[-−]$/.test(trimmed);
  const unsigned = trimmed
    .replace(/^\(|\)$/g, '')
    .replace(/[-−–]$/, '')
    .replace(/^([^\d]{0,6}?)[-−–+]\s?/, '$1')
    .trim();
  const [only, ...others] = unsigned.matchAll(figures);
  if (only === undefined || others.length > 0) return null;
  if (
    !beforeNumber.test(unsigned.slice(0, only.index)) ||
    !behindNumber.test(unsigned.slice(only.index + only[0].length))
  )
    return null;
  const digits = plainDigits(only[0], whole, conventions);
  if (digits === null) return null;
  const value = jsonNumber(digits);
  if (whole && !isInteger(value)) return null;
  return negative && value !== 0 ? jsonNumber(`-${digits}`) : value;
};

const calendar = (year: string, month: string, day: string): string | null =>
  calendarDate(year.length === 2 ? 2000 + Number(year) : Number(year), monthOf(month) ?? Number(month), Number(day));

/** `12/03/2026`: the day or the month first, as the numbers show, else as elsewhere in the document. */
const slashed = (year: string, a: string, b: string, { dayFirst }: Conventions): string | null => {
  if (Number(a) > 12 || Number(a) === Number(b)) return calendar(year, b, a);
  if (Number(b) > 12 || dayFirst === false) return calendar(year, a, b);
  return dayFirst === null ? null : calendar(year, b, a);
};

const dateForms = [
  /(?<![\d-])(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?!\d)/,
  /(?<![\d.])(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4}|\d{2})(?![\d.]*\d)/,
  /(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?:of\s)?(?<month>\p{L}{3,9})\.?,?[\s-]+(?<year>\d{4}|\d{2})(?!\d)/u,
  /(?<month>\p{L}{3,9})\.?[\s-]+(?<day>\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(?<year>\d{4})(?!\d)/u,
  /(?<![\d/])(?<first>\d{1,2})[/-](?<second>\d{1,2})[/-](?<year>\d{4}|\d{2})(?![\d/-])/,
];

/** The date that the text begins with (a weekday may come first), as `YYYY-MM-DD`; null if the day is not certain. */
const readDate = (text: string, conventions: Conventions): string | null => {
  const start = text.slice(0, 60);
  const match = dateForms
    .map((form) => form.exec(start))
    .find((each) => each && /^[\p{L}.,\s]{0,14}$/u.test(start.slice(0, each.index)));
  const { year = '', month = '', day = '', first, second = '' } = match?.groups ?? {};
  return first === undefined ? calendar(year, month, day) : slashed(year, first, second, conventions);
};

const TIME =
  /[T\s,](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(?:\s?([ap])\.?m\b\.?)?\s?(Z|[+-]\d{2}:\d{2}|[+-](?:0\d|1[0-4])[0-5]\d(?!\d))?/i;

/** RFC 3339: the zone as written, else UTC. */
const readDateTime = (text: string, conventions: Conventions): string | null => {
  const date = readDate(text, conventions);
  const [, hour = '0', minute = '00', second = '00', half, zone = 'Z'] = TIME.exec(text.slice(0, 80)) ?? [];
  const offset = zone.toUpperCase().replace(/(\d\d)(\d\d)$/, '$1:$2');
  const result = `${date}T${String(hourOfDay(hour, half)).padStart(2, '0')}:${minute}:${second}${offset}`;
  return date === null || Number.isNaN(Date.parse(result)) ? null : result;
};

const yes = new Set('yes true y ja oui on x ✓ ✔ ☑ ☒ [x]'.split(' '));
const no = new Set('no false n nein non off ✗ ☐ []'.split(' '));

const readBoolean = (text: string): boolean | null => {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]$|\s/g, '');
  if (yes.has(word)) return true;
  return no.has(word) ? false : null;
};

/** Counts the figures and dates that show a convention beyond doubt. */
export const conventionsOf = (lines: readonly string[]): Conventions => {
  const votes = { '.': 0, ',': 0, day: 0, month: 0 };
  for (const whole of lines.slice(0, 5_000)) {
    const line = whole.slice(0, 500);
    for (const [, a = '', b = ''] of line.matchAll(/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(?:\d{4}|\d{2})(?![\d/])/g)) {
      if (Number(a) > 12) votes.day += 1;
      else if (Number(b) > 12) votes.month += 1;
    }
    for (const [token] of line.matchAll(/(?<![\d.,/-])\d+(?:[.,]\d+)+(?![\d.,/-]*\d)/g)) {
      const sign = decimalOf(token);
      if (sign !== null) votes[sign] += 1;
    }
  }
  const decimal = votes['.'] > votes[','] ? '.' : ',';
  return {
    decimal: votes['.'] === votes[','] ? null : decimal,
    dayFirst: votes.day > 0 === votes.month > 0 ? null : votes.day > 0,
  };
};

const isWithin = (value: JsonNumber, low: unknown, high: unknown) =>
  !(isNumber(low) && compareNumbers(value, low) < 0) && !(isNumber(high) && compareNumbers(value, high) > 0);

const numberFits = (
  value: JsonNumber,
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: View['schema'],
): boolean =>
  isWithin(value, minimum, maximum) &&
  isWithin(value, exclusiveMinimum, exclusiveMaximum) &&
  ![exclusiveMinimum, exclusiveMaximum].some((bound) => isNumber(bound) && compareNumbers(value, bound) === 0) &&
  !(isNumber(multipleOf) && compareNumbers(multipleOf, 0) > 0 && !isMultipleOf(value, multipleOf));

const matching = (form: RegExp) => (text: string) => (form.test(text.trim()) ? text.trim() : null);

/** How a text of each format is read; one that is not here is left empty. */
const formats: ReadonlyMap<unknown, (text: string, conventions: Conventions) => string | null> = new Map([
  [undefined, (text: string) => text.trim()],
  ['date', readDate],
  ['date-time', readDateTime],
  [
    'email',
    matching(
      /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i,
    ),
  ],
  ['uri', matching(/^https?:\/\/[^\s<>"{}|\\^`[\]]{1,2000}$/i)],
  ['uuid', matching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i)],
  ['time', matching(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/)],
]);

/** A pattern is the agent's own, but a client sends the text: short texts bound what a careless pattern can cost. */
const stringFits = (text: string, { minLength, maxLength, pattern }: View['schema']): boolean =>
  isWithin([...text].length, minLength, maxLength) &&
  (typeof pattern !== 'string' || (text.length <= 200 && new RegExp(pattern, 'u').test(text)));

const readString = (text: string, schema: View['schema'], conventions: Conventions): string | undefined => {
  const value = formats.get(schema.format)?.(text, conventions) ?? '';
  return value !== '' && stringFits(value, schema) ? value : undefined;
};

const readEnum = (text: string, options: readonly unknown[], conventions: Conventions): JsonValue | undefined => {
  const texts = options.filter((option) => typeof option === 'string');
  const words = canonical(text).join(' ');
  const same = texts.find((option) => option === text || canonical(option).join(' ') === words);
  if (same !== undefined) return same;
  const number = readNumber(text, false, conventions);
  if (number !== null && options.some((option) => isNumber(option) && compareNumbers(option, number) === 0))
    return number;
  const truth = readBoolean(text);
  if (truth !== null && options.includes(truth)) return truth;
  const parts = text.split(/[^\p{L}\p{N}_-]+/u);
  const inside = texts.filter((option) => option !== '' && parts.includes(option));
  return inside.length === 1 ? inside[0] : undefined;
};

/** What the text says as a value of this schema; undefined if it says no such thing. */
export const readScalar = (text: string, { schema, kind }: View, conventions: Conventions): JsonValue | undefined => {
  if (kind === 'enum') return readEnum(text, schema.enum as readonly unknown[], conventions);
  if (kind === 'boolean') return readBoolean(text) ?? undefined;
  if (kind === 'string') return readString(text, schema, conventions);
  if (kind !== 'number' && kind !== 'integer') return undefined;
  const value = readNumber(text, kind === 'integer', conventions);
  return value !== null && numberFits(value, schema) ? value : undefined;
};
