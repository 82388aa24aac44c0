import { withoutAccents } from './text.ts';

/** The official languages of the European Union, of its neighbours, and Hebrew and Arabic, with regions that name months otherwise. */
const languages = (
  'en de fr es it nl pt pl ro cs sk hu sl hr bg el da sv fi et lv lt ga mt en-US de-AT fr-CA ' +
  'tr uk ru nb he ar ar-SY ar-DZ ar-MA'
).split(' ');

/** How German months are written as well, which Intl does not know. */
const unlisted = Object.entries({ jaenner: 1, feber: 2, maerz: 3, mrz: 3 });

/** A text as names of a calendar are compared: without case, accents and letters that a language writes in two ways. */
export const foldedNames = (text: string): string =>
  withoutAccents(text.toLowerCase()).normalize('NFC').replaceAll('ı', 'i').replaceAll('ς', 'σ').replaceAll('׳', '');

export interface CalendarNames {
  /** 1 to 12 by folded name, with `_` between its words; two where languages differ, as about `listopad`. */
  readonly months: ReadonlyMap<string, ReadonlySet<number>>;
  /** Words between the parts of a date: `of`, `de`, `gada`. */
  readonly particles: ReadonlySet<string>;
  /** The year before the first one of an era: `令和`, `r`, `民國`. */
  readonly eras: ReadonlyMap<string, number>;
}

/** Without a day and with one: many languages inflect the name of a month. */
const styles: readonly Intl.DateTimeFormatOptions[] = [
  { year: 'numeric', month: 'long' },
  { month: 'short' },
  { dateStyle: 'long' },
  { dateStyle: 'medium' },
];

const months = new Map<string, Set<number>>();
const particles = new Set(['of', 'del']);
const eras = new Map<string, number>();

const addMonth = (name: string, month: number): void => {
  const key = foldedNames(name).replaceAll('.', '').replaceAll(' ', '_');
  if (/^\p{L}/u.test(key)) months.set(key, (months.get(key) ?? new Set()).add(month));
};

const addLanguage = (language: string): void => {
  for (const style of styles) {
    const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...style, timeZone: 'UTC' });
    for (let month = 1; month <= 12; month += 1) {
      for (const { type, value } of format.formatToParts(Date.UTC(2026, month - 1, 15))) {
        if (type === 'month') addMonth(value, month);
        if (type === 'literal') for (const word of foldedNames(value).match(/\p{L}+/gu) ?? []) particles.add(word);
      }
    }
  }
};

const addEras = (calendar: string, era: 'long' | 'narrow'): void => {
  const format = new Intl.DateTimeFormat(calendar, { era, year: 'numeric', timeZone: 'UTC' });
  // No era of these years was shorter than that.
  for (let year = 1913; year < 2100; year += 4) {
    const parts = Object.fromEntries(
      format.formatToParts(Date.UTC(year, 11, 31)).map(({ type, value }) => [type, value]),
    );
    // The first year of an era may have a name instead of a number.
    if (/^\d+$/.test(parts.year ?? '')) eras.set(foldedNames(parts.era ?? ''), year - Number(parts.year));
  }
};

function* learned(): Generator<void, void> {
  for (const [name, month] of unlisted) addMonth(name, month);
  for (const language of languages) {
    addLanguage(language);
    yield;
  }
  for (const calendar of ['ja-u-ca-japanese', 'zh-Hant-u-ca-roc', 'zh-Hans-u-ca-roc']) {
    addEras(calendar, 'long');
    addEras(calendar, 'narrow');
    yield;
  }
}

const learning = learned();

/** Asks Intl for all names, once in the life of the process. Yields between languages: each takes some milliseconds. */
export function* calendarNames(): Generator<void, CalendarNames> {
  while (learning.next().done !== true) yield;
  return { months, particles, eras };
}
