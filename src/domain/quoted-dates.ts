import { withoutAccents } from './text.ts';

const monthNames = `
january janvier januar jan janv jaenner janner
february fevrier februar feb fevr feber
march mars marz mar mrz maerz
april avril apr avr
may mai
june juin juni jun
july juillet juli jul juil
august aout aug
september septembre sept sep
october octobre oktober oct okt
november novembre nov
december decembre dezember dec dez`;

const months = new Map(
  monthNames.split('\n').flatMap((names, index) => names.split(' ').map((name) => [name, index] as const)),
);

/** 1 to 12 for the name of a month in English, German or French, shortened or not. */
export const monthOf = (name: string): number | undefined => months.get(withoutAccents(name).toLowerCase());

/** `YYYY-MM-DD`, or null if the calendar has no such day. */
export const calendarDate = (year: number, month: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isSame = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isSame && year >= 1000 && year <= 9999 ? date.toISOString().slice(0, 10) : null;
};

/** Two digits are a year of this century or of the last. */
const yearsOf = (year: string): readonly number[] =>
  year.length === 2 ? [2000 + Number(year), 1900 + Number(year)] : [Number(year)];

const forms: readonly RegExp[] = [
  /(?<!\d|\d[-./])(?<year>\d{4})([-./])(?<month>\d{1,2})\2(?<day>\d{1,2})(?![-./]?\d)/g,
  /(?<!\d)(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/g,
  /(?<!\d|\d[-./])(?<first>\d{1,2})\s?([-./])\s?(?<second>\d{1,2})\s?\2\s?(?<year>\d{4}|\d{2})(?![-./]?\d)/g,
  /(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th|er|\.)?[\s.-]{1,2}(?:of\s)?(?<name>\p{L}{3,9})\.?,?[\s.-]{0,2}['’]?(?<year>\d{4}|\d{2})(?!\d)/gu,
  /(?<!\p{L})(?<name>\p{L}{3,9})\.?[\s-](?<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s?|\s|-)(?<year>\d{4})(?!\d)/gu,
];

/** Every date that stands in the text, as `YYYY-MM-DD`: one whose day and month could be exchanged is two dates. */
export const datesIn = (text: string): ReadonlySet<string> => {
  const dates = new Set<string>();
  for (const { groups = {} } of forms.flatMap((form) => [...text.matchAll(form)])) {
    const { year = '', month, day, name, first, second } = groups;
    const named = name === undefined ? Number(month) : (monthOf(name) ?? 0);
    const orders =
      first === undefined ? [[named, Number(day)]] : [[second, first].map(Number), [first, second].map(Number)];
    for (const [m = 0, d = 0] of orders) {
      for (const y of yearsOf(year)) {
        const date = calendarDate(y, m, d);
        if (date !== null) dates.add(date);
      }
    }
  }
  return dates;
};

/** Every time of day that stands in the text, as `HH:MM`. */
export const timesIn = (text: string): ReadonlySet<string> => {
  const times = new Set<string>();
  for (const [, hour = '', minute = '', half] of text.matchAll(
    /(?<![\d:.,])(\d{1,2})\s?[:.h]\s?(\d{2})(?!\d)(?:[:.]\d{2})?(?:\s?([ap])\.?m)?/gi,
  )) {
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    times.add(`${String(hours).padStart(2, '0')}:${minute}`);
  }
  return times;
};
