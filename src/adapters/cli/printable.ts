import { styleText } from 'node:util';
import { obeyed, spelled } from '../../domain/obeyed.ts';

const familiar: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line that a terminal only shows: control characters and reversals of direction are spelled out. */
export const printable = (text: string): string =>
  text.toWellFormed().replaceAll(obeyed, (character) => familiar[character] ?? spelled(character));

/** The same for text of several lines. */
export const printableLines = (text: string): readonly string[] =>
  text.split(/\r\n|\r|\n/).map((line) => printable(line.replaceAll('\t', '    ')));

/** A time of the API to the second, in UTC. */
export const shownTime = (time: string | null): string =>
  time === null ? '-' : printable(time.slice(0, 19).replace('T', ' '));

/** JSON for people and programs. The escapes are JSON's own, so the value stays what it was. */
export const json = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(obeyed, (character) =>
    character === '\n' ? character : spelled(character),
  );

let segmenter: Intl.Segmenter | null = null;

/** The segmenter is made when it is first needed: that takes milliseconds of every start. */
const graphemes = (text: string): Iterable<Intl.SegmentData> => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60\u3000-\u303f]/u;

/** How many columns of a terminal the text takes. */
export const widthOf = (text: string): number =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all ASCII is one column a character
  /^[\x00-\x7f]*$/.test(text)
    ? text.length
    : [...graphemes(text)].reduce((width, { segment }) => width + (wide.test(segment) ? 2 : 1), 0);

/** The text cut to so many columns, with an ellipsis where something was cut. */
export const fitted = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export const painter =
  (coloured: boolean): Paint =>
  (style, text) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
