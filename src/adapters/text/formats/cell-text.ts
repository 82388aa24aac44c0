import { type CellObject, SSF } from '@e965/xlsx';
import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { raised } from '../text.ts';
import { struck } from './html.ts';
import { drawnIn } from './symbols.ts';
import { all, attribute, first, isOn, isSuperscript, value } from './word-styles.ts';
import { readXml } from './xml.ts';

interface ShownDate {
  readonly y: number;
  readonly m: number;
  readonly d: number;
  readonly H: number;
  readonly M: number;
  readonly S: number;
}

/** What of a format is no quoted text, no colour and no condition; only the section of positive numbers can be a date. */
const bare = (format: string) =>
  format
    .replace(/"[^"]*"|\\.|[_*]./g, '')
    .split(';', 1)[0]
    ?.replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .replace(/AM\/PM|A\/P|General/gi, '')
    .toLowerCase() ?? '';

const isMoment = (tokens: string) => !/[#0?@]/.test(tokens) && /[ymdhse]/.test(tokens);

const two = (part: number) => String(part).padStart(2, '0');

/** How the days of a workbook are counted. */
interface DayCount {
  readonly date1904: boolean;
  readonly isOpenDocument: boolean;
}
/** The first day that has one number in Excel, which has a 29th of February 1900, and in OpenDocument. */
const MARCH_1900 = 61;

/**
 * In ISO 8601, the parts of a moment that its format shows; null for what is no date or time of day, such as durations, and for parts that
 * ISO 8601 has no form for: they are given as they are shown.
 */
const momentText = (value: number, tokens: string, { date1904, isOpenDocument }: DayCount): string | null => {
  if (!isMoment(tokens) || tokens.includes('[')) return null;
  const hasMinutes = /h[^a-z]*m|m[^a-z]*s/.test(tokens);
  const days = tokens.replace(/h([^a-z]*)m+/g, 'h$1').replace(/m+([^a-z]*s)/g, '$1');
  // Eras of Japan count years by e.
  const year = /[ye]/.test(days);
  const month = days.includes('m');
  const day = days.includes('d');
  const hour = tokens.includes('h');
  const second = tokens.includes('s');
  if ((day && !(year && month)) || (month && !year) || (hour && !hasMinutes) || (second && !hour)) return null;
  if (isOpenDocument && year && value < MARCH_1900) return null;
  const parts: ShownDate | null = SSF.parse_date_code(value, { date1904 });
  if (parts === null) return null;
  // Of a date and of a time, no part is shown without those before it.
  const ofDate = Number(year) + Number(month) + Number(day);
  const ofTime = Number(hour) + Number(hasMinutes) + Number(second);
  const date = [String(parts.y).padStart(4, '0'), two(parts.m), two(parts.d)].slice(0, ofDate);
  const time = [two(parts.H), two(parts.M), two(parts.S)].slice(0, ofTime);
  return [date.join('-'), time.join(':')].filter((text) => text !== '').join('T');
};

/**
 * What the package refuses in a format, or leaves out, though Excel shows it: a blank before a percent sign, a minus behind a number, a point
 * behind a part of a date, and signs beyond ASCII.
 */
const LEFT_OUT =
  /"[^"]*"|(?:\\?[ \u00a0])+(?<percent>%)|\\.|[_*].|\[[^\]]*\]|(?<sign>(?<=[0#?] ?)-(?![^;]*[0#?])|(?<=[dmyhs])\.(?!0)|[^ -~])/giu;
const spelledOut = (format: string) =>
  format.replace(
    LEFT_OUT,
    (part, percent?: string, sign?: string) => percent ?? (sign === undefined ? part : `"${sign}"`),
  );

/** undefined where the package cannot show it. */
const shownBy = (format: string, value: number, date1904: boolean): string | undefined => {
  try {
    return SSF.format(format, value, { date1904 });
  } catch {
    return undefined;
  }
};

const COLOUR = /\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]/i;
/** Whether the format shows negative numbers in a colour of their own, as `0.00;[Red]0.00` of Excel does. */
const hasOwnColourBelowZero = (format: string): boolean => {
  const [above, below] = format.split(';').map((section) => COLOUR.exec(section)?.[0].toLowerCase());
  return below !== undefined && below !== above;
};

/** The text of a run as its font draws it; if the reader does not know one of its signs, the text as it is, so that the signs are counted. */
const drawnRun = (run: XmlElement): string => {
  const text = first(run, 't')?.text ?? '';
  const drawn = drawnIn(value(run, 'rPr', 'rFont'), text);
  return drawn.unknown === 0 ? drawn.text : text;
};

/** The text of runs with formats of their own, as .xlsx has them; undefined where they are no XML. */
const runsText = (xml: string): string | undefined => {
  try {
    return all(readXml(`<is>${xml.replace(/(<\/?)\w+:/g, '$1')}</is>`), 'r').reduce((before, run) => {
      const text = drawnRun(run);
      const strike = first(run, 'rPr', 'strike');
      const shown = isSuperscript(value(run, 'rPr', 'vertAlign')) ? raised(text, before) : text;
      return before + (strike && isOn(attribute(strike, 'val')) ? struck(shown) : shown);
    }, '');
  } catch {
    return undefined;
  }
};

/** What the package does not show of runs. */
const MARKED = /"superscript"|<(?:\w+:)?strike\b|<(?:\w+:)?rFont\s[^>]*"(?:symbol|webdings|wingdings)/i;
const OWN_FONT = /<(?:\w+:)?rFont\b/;
/** Whether parts of its text have other fonts than the cell. */
export const hasFontsOfItsOwn = ({ r: runs }: CellObject): boolean => typeof runs === 'string' && OWN_FONT.test(runs);

/** What a cell shows; null where its format can show no value like this one, as no date is before 1900. */
export const cellText = (
  { t: type, v: content, w: shown, z: format, r: runs }: CellObject,
  days: DayCount,
): string | null => {
  const { date1904 } = days;
  if (type === 'z' || content === undefined || content === null) return '';
  if (type === 'b') return content ? 'TRUE' : 'FALSE';
  const isMarked = type === 's' && typeof runs === 'string' && MARKED.test(runs);
  if (isMarked) return runsText(runs) ?? shown ?? String(content);
  if (type !== 'n' || typeof format !== 'string') return shown ?? String(content);
  // A wide enough column shows the 15 digits that Excel knows of a number: 19.99, not 19.989999999999998.
  if (format === 'General') return String(Number(Number(content).toPrecision(15)));
  const tokens = bare(format);
  const spelled = spelledOut(format);
  const text =
    momentText(Number(content), tokens, days) ??
    (spelled === format ? shown : shownBy(spelled, Number(content), date1904));
  if (isMoment(tokens)) return text || null;
  const isAsAboveZero =
    Number(content) < 0 && text !== undefined && text === shownBy(spelled, -Number(content), date1904);
  return isAsAboveZero && hasOwnColourBelowZero(format) ? `-${text}` : (text ?? String(content));
};
