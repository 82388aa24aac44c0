import { formats } from './word-lists.ts';
import { attribute, type XmlTag } from './xml.ts';

interface Level {
  readonly start: number;
  /** As the file names it, such as `1` or `i`; null of a bullet. */
  readonly format: string | null;
  readonly prefix: string;
  readonly suffix: string;
  /** Of how many levels the numbers are shown, its own the last. */
  readonly shown: number;
}

interface List {
  readonly style: string;
  /** The last number of each level. */
  readonly numbers: number[];
  /** Whether the next paragraph begins an item; where it does, with which number, if the file says so. */
  item: { readonly start: number | undefined } | null;
}

const MAX_LEVEL = 10;
const MAX_NUMBER = 100_000;
const OUTLINE = Symbol('outline');
const LETTERS = 26;

/** a to z, then aa, ab and so on. */
const alphabetic = (number: number): string =>
  number < 1 ? '' : alphabetic(Math.floor((number - 1) / LETTERS)) + String.fromCharCode(97 + ((number - 1) % LETTERS));

const byFormat: Readonly<Record<string, ((number: number) => string) | undefined>> = {
  1: String,
  i: formats.lowerRoman,
  I: formats.upperRoman,
  a: alphabetic,
  A: (number) => alphabetic(number).toUpperCase(),
};

const whole = (text: string | undefined): number | undefined => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : undefined;
};

const placeOf = (text: string | undefined) => Math.min(MAX_LEVEL, Math.max(1, whole(text) ?? 1)) - 1;

/** The numbers that an OpenDocument text shows before the paragraphs of its lists and before its headings: they stand in no paragraph. */
export const openTextLists = () => {
  const styles = new Map<string | typeof OUTLINE, (Level | undefined)[]>();
  const ofStyle = new Map<string, number[]>();
  const byId = new Map<string, number[]>();
  const outline: number[] = [];
  const lists: List[] = [];
  let levels: (Level | undefined)[] = [];

  const begin = (name: string | typeof OUTLINE) => {
    levels = [];
    styles.set(name, levels);
  };

  const define = (tag: XmlTag, isBullet: boolean) => {
    levels[placeOf(attribute(tag, 'text:level'))] = {
      start: whole(attribute(tag, 'text:start-value')) ?? 1,
      format: isBullet ? null : (attribute(tag, 'style:num-format') ?? ''),
      prefix: attribute(tag, 'style:num-prefix') ?? '',
      suffix: attribute(tag, 'style:num-suffix') ?? '',
      shown: whole(attribute(tag, 'text:display-levels')) ?? 1,
    };
  };

  const openList = (tag: XmlTag) => {
    const around = lists.at(-1);
    const style = attribute(tag, 'text:style-name') ?? around?.style ?? '';
    const isContinued = attribute(tag, 'text:continue-numbering') === 'true';
    if (around !== undefined && !isContinued) around.numbers.length = Math.min(around.numbers.length, lists.length);
    const id = attribute(tag, 'xml:id');
    const other = attribute(tag, 'text:continue-list');
    const before = isContinued ? ofStyle.get(style) : undefined;
    const continued = other === undefined ? before : byId.get(other);
    const numbers = around?.numbers ?? continued ?? [];
    ofStyle.set(style, numbers);
    if (id !== undefined) byId.set(id, numbers);
    lists.push({ style, numbers, item: null });
  };

  const next = (own: readonly (Level | undefined)[], numbers: number[], at: number, start?: number): string => {
    const level = own[at];
    if (level === undefined || level.format === '') return '';
    if (level.format === null) return '•';
    for (let above = 0; above < at; above += 1) numbers[above] ??= own[above]?.start ?? 1;
    const before = numbers[at];
    numbers[at] = start ?? (before === undefined ? level.start : before + 1);
    numbers.length = at + 1;
    const first = Math.max(0, at + 1 - Math.max(1, level.shown));
    const parts = numbers
      .slice(first)
      .map((number, index) => byFormat[own[first + index]?.format ?? '']?.(number) ?? '');
    const number = parts.filter((part) => part !== '').join('.');
    return number === '' ? '' : `${level.prefix}${number}${level.suffix}`.trim();
  };

  return {
    open(tag: XmlTag): void {
      const { name } = tag;
      if (name === 'text:list-style') begin(attribute(tag, 'style:name') ?? '');
      else if (name === 'text:outline-style') begin(OUTLINE);
      else if (name === 'text:list-level-style-number' || name === 'text:outline-level-style') define(tag, false);
      else if (name === 'text:list-level-style-bullet' || name === 'text:list-level-style-image') define(tag, true);
      else if (name === 'text:list') openList(tag);
      const list = lists.at(-1);
      if (name === 'text:list-item' && list !== undefined)
        list.item = { start: whole(attribute(tag, 'text:start-value')) };
    },
    close(name: string): void {
      const list = lists.at(-1);
      if (name === 'text:list') lists.pop();
      else if (/^text:list-(?:item|header)$/.test(name) && list !== undefined) list.item = null;
    },
    /** The number of a paragraph or heading that opens and is shown; empty if it has none. */
    numberOf(tag: XmlTag): string {
      const list = lists.at(-1);
      if (list?.item) {
        const { start } = list.item;
        list.item = null;
        return next(styles.get(list.style) ?? [], list.numbers, Math.min(MAX_LEVEL, lists.length) - 1, start);
      }
      const level = attribute(tag, 'text:outline-level');
      const isHeading = tag.name === 'text:h' && level !== undefined && list === undefined;
      if (!isHeading || attribute(tag, 'text:is-list-header') === 'true') return '';
      return next(styles.get(OUTLINE) ?? [], outline, placeOf(level), whole(attribute(tag, 'text:start-value')));
    },
  };
};
