import { heightOf, type Mark, marksOf, median } from './marks.ts';
import type { Raster } from './raster.ts';

/** A sign between digits; `gap` counts the signs before it. */
interface Separator {
  readonly gap: number;
  /** `?`: the ink does not say whether it is a point or a comma. */
  readonly sign: '.' | ',' | "'" | '?';
}

/** Digits and signs of currency, by their number, and what separates them. */
export interface NumberSigns {
  readonly signs: number;
  readonly separators: readonly Separator[];
}

/** A number as the engine reads it: anything else has signs of several marks, or of another height. */
const NUMBER = /^-?[$€£]?[\d.,'’]*\d[€$£]?$/;
const SEPARATORS = /[.,'’]/g;

export const isNumber = (text: string): boolean => NUMBER.test(text);

/** As shares of a digit's height: the least of a digit, and what a separator is. */
const LEAST_DIGIT = 0.7;
const SEPARATOR = { height: [0.1, 0.45], width: 0.36, area: 0.014 } as const;
/** How far the bottom of a separator lies below that of the digits. */
const APOSTROPHE = -0.4;
const RAISED = -0.15;
const POINT = 0.02;
const COMMA = 0.08;
const DEEP = 0.35;
const POINT_HEIGHT = 0.22;
const COMMA_HEIGHT = 0.27;
/** The least width of a blank. */
const BLANK = 0.3;

const middle = ({ left, right }: Mark) => (left + right) / 2;

/** Null for what is no separator. */
const separatorOf = (mark: Mark, baseline: number, height: number): Separator['sign'] | null => {
  const high = heightOf(mark) / height;
  const wide = (mark.right - mark.left) / height;
  const below = (mark.bottom - baseline) / height;
  const [least, most] = SEPARATOR.height;
  if (high < least || high > most || wide > SEPARATOR.width || mark.area < SEPARATOR.area * height ** 2 || below > DEEP)
    return null;
  if (below < RAISED) return below < APOSTROPHE && (baseline - mark.top) / height > 1 - LEAST_DIGIT / 2 ? "'" : null;
  if (below >= COMMA || high >= COMMA_HEIGHT) return ',';
  return below <= POINT && high <= POINT_HEIGHT ? '.' : '?';
};

/** What the picture of a number shows. */
interface Ink extends NumberSigns {
  /** Whether a digit reaches below the others, as one that touches a comma. */
  readonly hasTail: boolean;
  /** Whether there is room for a blank between two marks, as between thousands. */
  readonly hasBlank: boolean;
}

const inkOf = (picture: Raster, share: number): Ink => {
  const marks = marksOf(picture, share);
  const highest = Math.max(...marks.map(heightOf));
  const digits = marks.filter((mark) => heightOf(mark) >= LEAST_DIGIT * highest);
  const height = median(digits.map(heightOf));
  const baseline = median(digits.map(({ bottom }) => bottom));
  const separators = marks.flatMap((mark): Separator | readonly [] => {
    const gap = digits.filter((digit) => middle(digit) < middle(mark)).length;
    const sign = gap > 0 && gap < digits.length ? separatorOf(mark, baseline, height) : null;
    return sign === null ? [] : { gap, sign };
  });
  const hasBlank = marks.some((mark, index) => mark.left - (marks[index - 1] ?? mark).right > BLANK * height);
  const bottoms = digits.map(({ bottom }) => bottom);
  return {
    signs: digits.length,
    separators,
    hasTail: Math.max(...bottoms) - Math.min(...bottoms) > COMMA * height,
    hasBlank,
  };
};

const unspaced = (text: string) => text.replace(/ /g, '');
const bare = (text: string) => text.replace(/^-/, '').replace(SEPARATORS, '');

const signsOf = (text: string): NumberSigns => {
  const signs = bare(text).length;
  const signsAt = [...text.replace(/^-/, '').matchAll(SEPARATORS)].map(({ 0: sign, index }, earlier) => ({
    gap: index - earlier,
    sign,
  }));
  const separators = signsAt.filter(({ gap }) => gap > 0 && gap < signs) as { gap: number; sign: string }[];
  return {
    signs,
    separators: separators.map(({ gap, sign }) => ({ gap, sign: (sign === '’' ? "'" : sign) as Separator['sign'] })),
  };
};

/** What is wrong with a reading, by the ink: `less` has fewer digits, `without` fewer separators, `other` another separator. */
const faultOf = (read: NumberSigns, ink: NumberSigns): 'less' | 'without' | 'other' | null => {
  if (ink.signs > read.signs) return 'less';
  // Digits that touch are one mark: then separators have no place among them, but a number.
  if (ink.signs < read.signs) return ink.separators.length > read.separators.length ? 'without' : null;
  const pairs = ink.separators.map(({ gap, sign }) => ({
    sign,
    read: read.separators.find((each) => each.gap === gap)?.sign,
  }));
  if (pairs.some((each) => each.read === undefined)) return 'without';
  return pairs.some(({ sign, read: other }) => sign !== '?' && sign !== other) ? 'other' : null;
};

const WELL_FORMED = /^-?[$€£]?(?:\d+|\d{1,3}(?:[.,']\d{3})+)(?:[.,]\d{1,2})?[€$£]?$/;

/** The number with the separators that its ink shows; null where that makes none. */
const withSeparators = (text: string, { separators }: NumberSigns): string | null => {
  const signs = bare(text);
  const signAt = (gap: number) => separators.find((each) => each.gap === gap)?.sign ?? '';
  const made = (text.startsWith('-') ? '-' : '') + [...signs].map((sign, gap) => signAt(gap) + sign).join('');
  return WELL_FORMED.test(made) ? made : null;
};

export type DecimalSign = '.' | ',';

/** So many numbers show how a page writes decimals, if so many of them do it alike. */
const LEAST_NUMBERS = 5;
const ALIKE = 0.6;

/** How a page writes decimals, by what was read of it; null if it is not clear. */
export const decimalSignOf = (texts: readonly string[]): DecimalSign | null => {
  const signs = texts.filter(isNumber).flatMap((text) => /([.,])\d\d$/.exec(text)?.[1] ?? []);
  const commas = signs.filter((sign) => sign === ',').length / signs.length;
  if (signs.length < LEAST_NUMBERS) return null;
  if (commas >= ALIKE) return ',';
  return commas <= 1 - ALIKE ? '.' : null;
};

/** The number with this sign before its one or two decimals, if it has another one; else null. */
const withDecimalSign = (text: string, decimal: DecimalSign): string | null => {
  const [, before, sign, after] = /^(-?[\d.,']*)([.,])(\d\d?)$/.exec(text) ?? [];
  return sign === undefined || sign === decimal || before?.includes(decimal) ? null : `${before}${decimal}${after}`;
};

/** Why a number may have been misread. */
export interface Doubt {
  /** Whether another reading of the same picture mends what is wrong. */
  accepts(other: string): boolean;
  /** Whether the same reading once more is proof enough. */
  readonly isWeak: boolean;
  /** The best that can be made of it without another reading. */
  readonly text: string;
}

/** The ink is looked at twice: faint marks count, and then only dark ones, because blurred marks run together. */
const FAINT = 0.35;
const STRONG = 0.55;

/**
 * The engine leaves out points, commas and digits of numbers though it is sure of what it reads: the picture of the number, with a little
 * of what is around it, shows them. Where it does not tell a point from a comma, `decimal` does, the sign of the page's other numbers.
 * Null if it agrees with what was read.
 */
export const doubtOf = (text: string, picture: Raster, decimal: DecimalSign | null): Doubt | null => {
  const read = signsOf(text);
  const ink = inkOf(picture, FAINT);
  const fault = faultOf(read, ink);
  const usual = decimal && withDecimalSign(text, decimal);
  const isSame = (other: string) => bare(other) === bare(text);
  if (fault !== null) {
    const accepts = (other: string) => {
      const signs = signsOf(other);
      if (!isNumber(other) || faultOf(signs, ink) !== null) return false;
      return isSame(other)
        ? signs.separators.length === ink.separators.length
        : fault === 'less' && signs.signs === ink.signs;
    };
    const asUsual = fault === 'other' && ink.separators.at(-1)?.sign === decimal ? usual : null;
    const asInk = fault === 'without' && ink.signs === read.signs ? withSeparators(text, ink) : null;
    const made = asUsual ?? asInk;
    return { accepts, isWeak: fault === 'less', text: made ?? text };
  }
  if (usual !== null && ink.separators.at(-1)?.sign !== (decimal === ',' ? '.' : ',')) {
    return { accepts: (other) => other === usual, isWeak: false, text: usual };
  }
  if (ink.hasBlank && read.separators.length > ink.separators.length) {
    const accepts = (other: string) =>
      isSame(unspaced(other)) && signsOf(unspaced(other)).separators.length === ink.separators.length;
    return { accepts, isWeak: true, text };
  }
  if (read.separators.length > 0 || read.signs < 2) return null;
  const mayMiss = ink.hasTail || faultOf(read, inkOf(picture, STRONG)) === 'without';
  return mayMiss
    ? { accepts: (other) => isSame(other) && signsOf(other).separators.length > 0, isWeak: true, text }
    : null;
};
