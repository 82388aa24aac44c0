import { type Fill, isUnseen, WHITE } from '../contrast.ts';
import { symbolFont } from './symbols.ts';

/**
 * Which formats, by their numbers, or cells, by their places as in `B2`, are struck out as a whole, of which nothing is seen before what
 * lies behind, and which are in a font of symbols, by its name.
 */
export interface Looks<Key> {
  readonly struck: ReadonlySet<Key>;
  readonly unseen: ReadonlySet<Key>;
  readonly symbols: ReadonlyMap<Key, string>;
}
export const noLooks: Looks<string> = { struck: new Set(), unseen: new Set(), symbols: new Map() };

/** Whether all look as usual. */
export const areUsual = <Key>({ struck, unseen, symbols }: Looks<Key>): boolean =>
  struck.size + unseen.size + symbols.size === 0;

export interface Font {
  readonly isStruck: boolean;
  /** As six hexadecimal digits; undefined where it is not known, or is made to be seen. */
  readonly color: string | undefined;
  readonly name: string | undefined;
}

export interface Format {
  readonly font: Font | undefined;
  readonly fill: Fill | undefined;
}

const looksUnseen = ({ font, fill = WHITE }: Format) => font?.color !== undefined && isUnseen(font.color, fill);

export const looksOf = (formats: readonly Format[]): Looks<number> => {
  const numbers = (is: (format: Format) => boolean) =>
    new Set(formats.flatMap((format, number) => (is(format) ? [number] : [])));
  const symbols = formats.flatMap(({ font }, number): readonly [number, string][] => {
    const name = symbolFont(font?.name);
    return name === undefined ? [] : [[number, name]];
  });
  return {
    struck: numbers(({ font }) => font?.isStruck === true),
    unseen: numbers(looksUnseen),
    symbols: new Map(symbols),
  };
};

export const BLACK = '000000';
/** Of the colours that Excel has numbers for, those of a sheet as it comes. */
export const INDEXED: ReadonlyMap<number, string> = new Map([
  [0, BLACK],
  [1, WHITE],
  [8, BLACK],
  [9, WHITE],
  [64, BLACK],
  [65, WHITE],
]);

/** A colour that is made darker (below zero) or lighter, by a share of what is left (ECMA-376 part 1, 18.8.19). */
export const tinted = (color: string | undefined, tint: number): string | undefined =>
  tint === 0 || color === undefined
    ? color
    : color.replace(/../g, (digits) => {
        const part = Number.parseInt(digits, 16);
        const changed = tint < 0 ? part * (1 + tint) : part + (255 - part) * tint;
        return Math.round(Math.min(255, Math.max(0, changed)))
          .toString(16)
          .padStart(2, '0');
      });

/** A format that is filled with one colour throughout. */
export const solid = (color: string | undefined): Fill => color ?? 'unknown';

/** Collects the places of cells by their formats. */
export const placesOf = (formats: Looks<number>) => {
  const struck = new Set<string>();
  const unseen = new Set<string>();
  const symbols = new Map<string, string>();
  return {
    add(format: number, place: () => string): void {
      if (formats.struck.has(format)) struck.add(place());
      if (formats.unseen.has(format)) unseen.add(place());
      const font = formats.symbols.get(format);
      if (font !== undefined) symbols.set(place(), font);
    },
    /** `isPainted`: whether something else than its format may give a cell its colours. */
    looks: (isPainted: (place: string) => boolean): Looks<string> => ({
      struck,
      unseen: new Set([...unseen].filter((place) => !isPainted(place))),
      symbols,
    }),
  };
};
