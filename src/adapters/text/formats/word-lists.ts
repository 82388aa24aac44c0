import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { all, attribute, first, value, type WordStyles } from './word-styles.ts';

interface Level {
  readonly start: number;
  readonly format: string;
  /** Such as `%1.%2`. */
  readonly text: string;
  readonly style: string | undefined;
}

interface List {
  readonly abstractId: string;
  readonly levels: readonly (Level | undefined)[];
  /** Levels that begin anew with this list. */
  readonly starts: ReadonlyMap<number, number>;
}

/** What the properties of a paragraph, or its style, say of the list that it is in. */
export interface ListPlace {
  readonly list?: string | undefined;
  readonly level?: string | undefined;
}

const MAX_LEVEL = 8;
const MAX_NUMBER = 100_000;

const whole = (text: string | undefined, otherwise: number) => {
  const number = Number(text ?? otherwise);
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : otherwise;
};

const levelOf = (element: XmlElement): Level => ({
  start: whole(value(element, 'start'), 1),
  format: value(element, 'numFmt') ?? 'decimal',
  text: value(element, 'lvlText') ?? '',
  style: value(element, 'pStyle'),
});

const levelsOf = (element: XmlElement): (Level | undefined)[] => {
  const levels: (Level | undefined)[] = [];
  for (const level of all(element, 'lvl').slice(0, MAX_LEVEL + 1))
    levels[Math.min(MAX_LEVEL, whole(attribute(level, 'ilvl'), 0))] = levelOf(level);
  return levels;
};

const ROMAN = [
  ['m', 1000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
] as const;
export const roman = (number: number): string => {
  let left = number;
  let text = '';
  for (const [letters, worth] of ROMAN) {
    text += letters.repeat(Math.floor(left / worth));
    left %= worth;
  }
  return text;
};
const letter = (number: number): string =>
  number < 1 ? '' : String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));

export const formats: Readonly<Record<string, (number: number) => string>> = {
  decimal: String,
  decimalZero: (number) => String(number).padStart(2, '0'),
  lowerRoman: roman,
  upperRoman: (number) => roman(number).toUpperCase(),
  lowerLetter: letter,
  upperLetter: (number) => letter(number).toUpperCase(),
  none: () => '',
};

/** The numbers that Word counts and shows before paragraphs: they stand in no paragraph. */
export const wordLists = (numbering: XmlElement | undefined, { ofStyle }: WordStyles) => {
  const abstract = new Map(
    all(numbering, 'abstractNum').map((each) => [attribute(each, 'abstractNumId') ?? '', each] as const),
  );

  const lists = new Map<string, List>();
  for (const list of all(numbering, 'num')) {
    const abstractId = value(list, 'abstractNumId') ?? '';
    const definition = abstract.get(abstractId);
    const levels = definition === undefined ? [] : levelsOf(definition);
    const starts = new Map<number, number>();
    for (const override of all(list, 'lvlOverride')) {
      const index = Math.min(MAX_LEVEL, whole(attribute(override, 'ilvl'), 0));
      const level = first(override, 'lvl');
      if (level !== undefined) levels[index] = levelOf(level);
      const start = value(override, 'startOverride');
      if (start !== undefined) starts.set(index, whole(start, 1));
    }
    lists.set(attribute(list, 'numId') ?? '', { abstractId, levels, starts });
  }

  const counts = new Map<string, number[]>();
  const begun = new Set<string>();

  const label = ({ levels }: List, at: number, numbers: readonly number[]): string => {
    const level = levels[at];
    if (level?.format === 'bullet') return '•';
    const parts = [...(level?.text ?? '').matchAll(/%([1-9])|[^%]+|%/g)].map(([text, digit]) => {
      if (digit === undefined) return text;
      const index = Number(digit) - 1;
      return formats[levels[index]?.format ?? 'decimal']?.(numbers[index] ?? levels[index]?.start ?? 1);
    });
    return parts.includes(undefined) ? '' : parts.join('').trim();
  };

  return {
    /** The number of the next paragraph of this style at this place; empty if it has none, or one that is not known. */
    next(style: string | undefined, place: ListPlace): string {
      const id = place.list ?? ofStyle(style, (each) => value(each, 'pPr', 'numPr', 'numId'));
      const list = lists.get(id ?? '');
      if (id === undefined || list === undefined) return '';
      const ofOwnStyle = list.levels.findIndex((level) => level?.style !== undefined && level.style === style);
      const level = place.level ?? ofStyle(style, (each) => value(each, 'pPr', 'numPr', 'ilvl'));
      const at = Math.min(MAX_LEVEL, whole(level, Math.max(0, ofOwnStyle)));
      const numbers = counts.get(list.abstractId) ?? [];
      counts.set(list.abstractId, numbers);
      for (let above = 0; above < at; above += 1) numbers[above] ??= list.levels[above]?.start ?? 1;
      const start = list.starts.get(at);
      const isFirst = start !== undefined && !begun.has(`${id} ${at}`);
      begun.add(`${id} ${at}`);
      const before = isFirst ? undefined : numbers[at];
      numbers[at] = before === undefined ? (start ?? list.levels[at]?.start ?? 1) : before + 1;
      numbers.length = at + 1;
      return label(list, at, numbers);
    },
  };
};

export type WordLists = ReturnType<typeof wordLists>;
