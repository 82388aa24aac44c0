import type { Formatter, Node } from 'html-to-text';
import { roman } from './word-lists.ts';

/** After z comes aa, and then ab (CSS Counter Styles 3, 3.1.4). */
const letters = (number: number): string => {
  let text = '';
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  return text;
};

/** The numbers of lists, by what HTML and CSS call them. */
const FORMATS: ReadonlyMap<string, (number: number) => string> = new Map([
  ['1', String],
  ['a', letters],
  ['A', (number) => letters(number).toUpperCase()],
  ['i', roman],
  ['I', (number) => roman(number).toUpperCase()],
]);
/** Beyond it browsers write no Roman numbers. */
const MOST_ROMAN = 3999;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['decimal', '1'],
  ['lower-alpha', 'a'],
  ['lower-latin', 'a'],
  ['upper-alpha', 'A'],
  ['upper-latin', 'A'],
  ['lower-roman', 'i'],
  ['upper-roman', 'I'],
]);
const SIGNS = /^(?:disc|circle|square)$/i;
/** The type of an item without a number or sign: HTML has no word for it, and styles say it. */
export const NO_MARKER = 'none';
const SIGN = ' * ';

/** The type, as in the attribute of HTML, that the value of `list-style` or `list-style-type` means; undefined where it says none that is known. */
export const markerType = (value: string): string | undefined => {
  const words = value.toLowerCase().split(/\s+/);
  const known = words.find((word) => TYPES.has(word) || SIGNS.test(word));
  if (known !== undefined) return TYPES.get(known) ?? known;
  return words.includes(NO_MARKER) ? NO_MARKER : undefined;
};

const numberText = (number: number, type: string): string => {
  const isWritten = number > 0 && (number <= MOST_ROMAN || type.toLowerCase() !== 'i');
  return isWritten ? (FORMATS.get(type) ?? String)(number) : String(number);
};

/** Browsers count no further. */
const MOST = 2 ** 31;

/** An attribute as browsers read it; undefined where there is no number in it. */
const whole = (text: string | undefined): number | undefined => {
  const number = Number.parseInt(text ?? '', 10);
  return Math.abs(number) < MOST ? number : undefined;
};

/** What stands before each item of a list (HTML, 4.4.5 and 4.4.8). */
const prefixesOf = ({ name, attribs = {} }: Node, items: readonly Node[]): readonly string[] => {
  const isReversed = attribs.reversed !== undefined;
  const count = items.filter((item) => item.name === 'li').length;
  let next = whole(attribs.start) ?? (isReversed ? count : 1);
  return items.map((item) => {
    if (item.name !== 'li') return '';
    const number = whole(item.attribs?.value) ?? next;
    next = number + (isReversed ? -1 : 1);
    const type = item.attribs?.type ?? attribs.type ?? '';
    if (type === NO_MARKER) return '';
    const hasNumbers = FORMATS.has(type) || (name === 'ol' && !SIGNS.test(type));
    return hasNumbers ? ` ${numberText(number, type)}. ` : SIGN;
  });
};

/** Each item on a line of its own, behind its number or sign. */
export const list: Formatter = (element, walk, builder) => {
  const items = (element.children ?? []).filter(({ type, data = '' }) => type !== 'text' || data.trim() !== '');
  if (items.length === 0) return;
  const isNested = element.parent?.name === 'li';
  const prefixes = prefixesOf(element, items).map((prefix) => (isNested ? prefix.trimStart() : prefix));
  const lineBreaks = isNested ? 1 : 2;
  const maxPrefixLength = prefixes.reduce((most, { length }) => Math.max(most, length), 0);
  builder.openList({ leadingLineBreaks: lineBreaks, maxPrefixLength });
  for (const [index, item] of items.entries()) {
    builder.openListItem({ prefix: prefixes[index] ?? '' });
    walk([item], builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: lineBreaks });
};
