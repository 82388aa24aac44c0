/** A date, a time or both, as they were written: nothing is converted from one zone to another. */
export interface Moment {
  /** `2026-11-20`, in the calendar, or null. */
  readonly date: string | null;
  /** `09:30:00.1234567`, or null. */
  readonly time: string | null;
  /** `+02:00`, or null if there was none. */
  readonly offset: string | null;
}

/** Why a column refuses a text with a part that it does not keep. */
export const loses = (part: 'a date' | 'a time' | 'an offset', declared: string): string =>
  `has ${part}, which ${declared} does not keep`;

const DATE = String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`;
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:[.,](?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`(?<zone>[Zz]|[+-]\d\d(?::?\d\d)?)`;
/** Between a date and a time stands a T or a blank. */
const ISO = new RegExp(String.raw`^(?:${DATE})?(?:(?:^|(?<=\d)[Tt ])${TIME})?${ZONE}?$`);

const MOST_OFFSET_MINUTES = 14 * 60;

const inCalendar = (year: string, month: string, day: string): boolean => {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return Number(year) > 0 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
};

const offsetOf = (written: string): string | null => {
  if (/^[Zz]$/.test(written)) return '+00:00';
  const hours = written.slice(0, 3);
  const minutes = written.slice(3).replace(':', '') || '00';
  const total = Math.abs(Number(hours)) * 60 + Number(minutes);
  return Number(minutes) < 60 && total <= MOST_OFFSET_MINUTES ? `${hours}:${minutes}` : null;
};

/** Reads ISO 8601 as far as the types of the database go: 7 digits of a second, offsets of 14 hours. Null if it is something else. */
export const readMoment = (text: string): Moment | null => {
  const { year, month, day, hour, minute, second = '00', fraction = '', zone } = ISO.exec(text)?.groups ?? {};
  if ((year === undefined && hour === undefined) || (hour === undefined && zone !== undefined)) return null;
  if (year !== undefined && !inCalendar(year, month ?? '', day ?? '')) return null;
  if (/[1-9]/.test(fraction.slice(7))) return null;
  const offset = zone === undefined ? null : offsetOf(zone);
  if (zone !== undefined && offset === null) return null;
  return {
    date: year === undefined ? null : `${year}-${month}-${day}`,
    time: hour === undefined ? null : `${hour}:${minute}:${second}.${fraction.slice(0, 7).padEnd(7, '0')}`,
    offset,
  };
};
