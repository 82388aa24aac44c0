import { utils } from '@e965/xlsx';
import type { SaxesTagPlain } from 'saxes';
import { type Fill, isUnseen, WHITE } from '../contrast.ts';
import { type Looks, noLooks } from './looks.ts';
import { symbolFont } from './symbols.ts';
import { colorOf } from './word-styles.ts';

type Attributes = SaxesTagPlain['attributes'];

interface CellStyle {
  readonly parent: string;
  isStruck?: boolean;
  /** null: one that is made to be seen. */
  color?: string | null;
  font?: string;
  fill?: Fill;
}

interface CellLook {
  readonly isStruck: boolean;
  readonly isUnseen: boolean;
  /** Its font, if that is one of symbols. */
  readonly symbols: string | undefined;
}

/** The style of cells that name none. */
const DEFAULT = 'Default';
const USUAL = '';
/** Of one file: a cell stands for a million in one element. */
const MAX_PLACES = 200_000;

const hex = (color: string) => colorOf(color.replace('#', ''));

/** How the cells of an OpenDocument spreadsheet look, by their styles, while it is parsed. */
export const openCellLooks = () => {
  const styles = new Map<string, CellStyle>();
  /** The style that is open, if it is one of cells. */
  let style: CellStyle | undefined;
  let left = MAX_PLACES;
  const known = new Map<string, CellLook>();

  /** What a style says, or else the one that it is based on. */
  const says = <Key extends keyof CellStyle>(name: string, key: Key): CellStyle[Key] => {
    const seen = new Set<string>();
    for (let at = name; !seen.has(at); at = styles.get(at)?.parent ?? USUAL) {
      seen.add(at);
      const said = styles.get(at)?.[key];
      if (said !== undefined) return said;
    }
    return undefined as CellStyle[Key];
  };

  const lookOf = (name: string) => {
    const before = known.get(name);
    if (before) return before;
    const color = says(name, 'color');
    const look = {
      isStruck: says(name, 'isStruck') === true,
      isUnseen: typeof color === 'string' && isUnseen(color, says(name, 'fill') ?? WHITE),
      symbols: symbolFont(says(name, 'font')),
    };
    known.set(name, look);
    return look;
  };

  const defineText = (attributes: Attributes, of: CellStyle) => {
    const line = attributes['style:text-line-through-style'] ?? attributes['style:text-line-through-type'];
    if (line !== undefined) of.isStruck = line !== 'none';
    const color = attributes['fo:color'];
    if (color !== undefined) of.color = hex(color) ?? null;
    if (attributes['style:use-window-font-color'] === 'true') of.color = null;
    const font = attributes['style:font-name'];
    if (font !== undefined) of.font = font;
  };

  const openStyle = (name: string, attributes: Attributes) => {
    const isOfCells = attributes['style:family'] === 'table-cell';
    style = isOfCells ? { parent: attributes['style:parent-style-name'] ?? USUAL } : undefined;
    if (style) styles.set(name === 'style:style' ? (attributes['style:name'] ?? '') : USUAL, style);
  };

  const defineStyle = (of: CellStyle, name: string, attributes: Attributes) => {
    const ground = attributes['fo:background-color'];
    if (name === 'style:text-properties') defineText(attributes, of);
    else if (name === 'style:table-cell-properties' && ground !== undefined) of.fill = hex(ground) ?? WHITE;
    // A rule may colour the cell.
    else if (name === 'style:map') of.fill = 'unknown';
  };

  return {
    define(name: string, attributes: Attributes): void {
      if (/^style:(?:default-)?style$/.test(name)) openStyle(name, attributes);
      else if (name.startsWith('number:')) style = undefined;
      else if (style !== undefined) defineStyle(style, name, attributes);
    },
    /** A sheet with its cells, which come row by row. */
    sheet() {
      const struck = new Set<string>();
      const unseen = new Set<string>();
      const fonts = new Map<string, string>();
      const note = (place: string, { isStruck, isUnseen: isHidden, symbols }: CellLook) => {
        if (isStruck) struck.add(place);
        if (isHidden) unseen.add(place);
        if (symbols !== undefined) fonts.set(place, symbols);
      };
      return {
        add(name: string | undefined, rows: readonly [number, number], columns: readonly [number, number]): void {
          const look = lookOf(name ?? DEFAULT);
          if (!look.isStruck && !look.isUnseen && look.symbols === undefined) return;
          for (let row = rows[0]; row < rows[1] && left > 0; row += 1)
            for (let column = columns[0]; column < columns[1] && left > 0; column += 1, left -= 1)
              note(utils.encode_cell({ r: row, c: column }), look);
        },
        looks: (isPainted: boolean): Looks<string> => ({
          struck,
          unseen: isPainted ? noLooks.unseen : unseen,
          symbols: fonts,
        }),
      };
    },
  };
};
