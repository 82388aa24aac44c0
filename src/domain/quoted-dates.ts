import { asciiFigures } from './ascii-figures.ts';
import { type CalendarNames, calendarNames, foldedNames } from './calendar-names.ts';

const namesNow = (): CalendarNames => {
  const learning = calendarNames();
  for (let step = learning.next(); ; step = learning.next()) if (step.done === true) return step.value;
};

/** 1 to 12 for the name of a month, shortened or not; undefined for no month, or one that languages take for different ones. */
export const monthOf = (name: string): number | undefined => {
  const [month, other] = namesNow().months.get(foldedNames(name)) ?? [];
  return other === undefined ? month : undefined;
};

/** `YYYY-MM-DD`, or null if the calendar has no such day. */
export const calendarDate = (year: number, month: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isSame = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isSame && year >= 1000 && year <= 9999 ? date.toISOString().slice(0, 10) : null;
};

/** Two digits are a year of this century or of the last. */
const yearsOf = (year: string): readonly number[] =>
  year.length === 2 ? [2000 + Number(year), 1900 + Number(year)] : [Number(year)];

/** While dates are looked for, a name of a month is one character of private use for each month that it may mean. */
const NAMED = 0xe000;
const MONTH = '[\\ue001-\\ue00c]';
const NAME = `(?<names>${MONTH}{1,2})`;
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th|er|[eoaη])?';
const YEAR = '(?<year>\\d{4})(?!\\d)';
const GAP = "[\\s.'’/-]";
/** A year that ends another date begins none. */
const FIRST = `(?<!\\d[\\s.,/-]{0,3}|${MONTH}[\\s.,'’/-]{0,4})`;

const forms: readonly RegExp[] = [
  /(?<!\d|\d[-./])(?<year>\d{4})([-/]|\.\s?)(?<month>\d{1,2})\2(?<day>\d{1,2})(?![-./]?\d)/g,
  /(?<!\d)(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/g,
  /(?<!\d)(?<year>\d{4})\s?[年년]\s?(?<month>\d{1,2})\s?[月월]\s?(?<day>\d{1,2})(?!\d)/g,
  /(?<!\d|\d[-./])(?<first>\d{1,2})\s?([-./])\s?(?<second>\d{1,2})\s?\2\s?(?<year>\d{4}|\d{2})(?![-./]?\d)/g,
  new RegExp(`(?<!\\d)${DAY}${GAP}{0,4}${NAME}[\\s.,'’/-]{0,4}(?<year>\\d{4}|\\d{2})(?!\\d|:\\d)`, 'g'),
  new RegExp(`${NAME}${GAP}{1,3}${DAY}[\\s.,-]{1,3}${YEAR}`, 'g'),
  new RegExp(`${FIRST}${YEAR}${GAP}{1,4}${NAME}${GAP}{1,3}${DAY}(?!\\d|[\\s.,/-]{1,3}\\d{4})`, 'g'),
  new RegExp(`${FIRST}${YEAR}\\.\\s{1,3}${DAY}${GAP}{1,3}${NAME}(?![\\s.,/-]{0,4}\\d{4})`, 'g'),
];

/** `令和8年5月3日` and `R8/5/3` with the year of our calendar. */
const withoutEras = (text: string, { eras }: CalendarNames): string =>
  text.replace(
    /(\p{Script=Han}{2}|(?<![\p{L}\p{N}])[a-z])\s?(\d{1,3}|元)(?=\s?[年./-]\s?\d{1,2}\s?[月./-]\s?\d{1,2}(?!\d))/gu,
    (whole, era: string, year: string) => {
      const before = eras.get(era);
      return before === undefined ? whole : ` ${before + (year === '元' ? 1 : Number(year))}`;
    },
  );

/** Each month that is named as its characters, without the words between the parts of a date. */
const withNamedMonths = (text: string, { months, particles }: CalendarNames): string =>
  text
    .replace(/[\ue001-\ue00c]/g, '')
    .replace(/(?<!\p{L})(\p{L}+) (?=(\p{L}+))/gu, (pair, first, second) =>
      months.has(`${first}_${second}`) ? `${first}_` : pair,
    )
    .replace(/[\p{L}_]+/gu, (word) => {
      // Hebrew writes "in" as a letter before the month.
      const named = months.get(word) ?? months.get(word.replace(/^ב/, ''));
      if (named === undefined) return particles.has(word) ? '' : word;
      return String.fromCharCode(...[...named].map((month) => NAMED + month));
    });

type Groups = Readonly<Record<string, string | undefined>>;

/** The months and days that the parts of a date may mean: where both are numbers and the year comes last, either may come first. */
const daysOf = ({ month, day, first, second, names }: Groups): readonly (readonly [month: number, day: number])[] => {
  if (names !== undefined) return [...names].map((name) => [name.charCodeAt(0) - NAMED, Number(day)]);
  if (first === undefined) return [[Number(month), Number(day)]];
  return [
    [Number(second), Number(first)],
    [Number(first), Number(second)],
  ];
};

/** Every date that stands in the text, as `YYYY-MM-DD`: one that can be read in two ways is two dates. */
export const datesIn = (written: string): ReadonlySet<string> => {
  const names = namesNow();
  const text = withNamedMonths(withoutEras(foldedNames(asciiFigures(written)), names), names);
  const dates = new Set<string>();
  for (const { groups = {} } of forms.flatMap((form) => [...text.matchAll(form)])) {
    for (const [month, day] of daysOf(groups)) {
      for (const year of yearsOf(groups.year ?? '')) {
        const date = calendarDate(year, month, day);
        if (date !== null) dates.add(date);
      }
    }
  }
  return dates;
};

/** From 0; `half`: the letter of a.m. or p.m., where there is one. */
export const hourOfDay = (hour: string, half: string | undefined): number => {
  if (half === undefined) return Number(hour);
  return (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
};

/** Every time of day that stands in the text, as `HH:MM`. */
export const timesIn = (written: string): ReadonlySet<string> => {
  const text = asciiFigures(written);
  const times = new Set<string>();
  for (const [, hour = '', minute = '', half] of text.matchAll(
    /(?<![\d:.,])(\d{1,2})\s?[:.h時时]\s?(\d{2})(?!\d)(?:[:.]\d{2})?(?:\s?([ap])\.?m)?/gi,
  )) {
    times.add(`${String(hourOfDay(hour, half)).padStart(2, '0')}:${minute}`);
  }
  return times;
};
