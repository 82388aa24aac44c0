import { type Range, utils } from '@e965/xlsx';
import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { type Fill, WHITE } from '../contrast.ts';
import { areUsual, type Font, INDEXED, type Looks, looksOf, noLooks, placesOf, solid, tinted } from './looks.ts';
import { xmlText } from './relations.ts';
import { all, attribute, colorOf, first, isOn, value } from './word-styles.ts';
import { readXml } from './xml.ts';

const CELL = /<(?:\w+:)?c\s([^>]*)>/g;
const PLACE = /\br="([A-Z]{1,3}\d{1,7})"/;
const FORMAT = /\bs="(\d{1,6})"/;

const xmlOf = (data: Uint8Array | undefined) => {
  try {
    return data && readXml(xmlText(data));
  } catch {
    return undefined;
  }
};

/** The colours of a theme in the order in which cells number them (ECMA-376 part 1, 18.8.3). */
const THEME = ['lt1', 'dk1', 'lt2', 'dk2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6'];

export const themeColors = (theme: Uint8Array | undefined): readonly (string | undefined)[] => {
  const scheme = first(xmlOf(theme), 'themeElements', 'clrScheme');
  return THEME.map((name) => {
    const color = first(scheme, name);
    return colorOf(attribute(first(color, 'srgbClr'), 'val') ?? attribute(first(color, 'sysClr'), 'lastClr'));
  });
};

const colorReader = (styles: XmlElement | undefined, theme: readonly (string | undefined)[]) => {
  const hasOwnPalette = first(styles, 'colors', 'indexedColors') !== undefined;
  const untinted = (color: XmlElement) => {
    const [rgb, index, ofTheme] = ['rgb', 'indexed', 'theme'].map((name) => attribute(color, name));
    if (rgb !== undefined) return colorOf(rgb.slice(-6));
    if (ofTheme !== undefined) return theme[Number(ofTheme)];
    return hasOwnPalette ? undefined : INDEXED.get(Number(index));
  };
  return (color: XmlElement | undefined): string | undefined =>
    color && tinted(untinted(color), Number(attribute(color, 'tint') ?? 0));
};

/** How the formats of the cells of a workbook look (ECMA-376 part 1, 18.8); none where the styles cannot be read. */
export const formatLooks = (styles: Uint8Array | undefined, theme: Uint8Array | undefined): Looks<number> => {
  const sheet = xmlOf(styles);
  const color = colorReader(sheet, themeColors(theme));
  const fonts = all(first(sheet, 'fonts'), 'font').map((font): Font => {
    const strike = first(font, 'strike');
    return {
      isStruck: strike !== undefined && isOn(attribute(strike, 'val')),
      color: color(first(font, 'color')),
      name: value(font, 'name'),
    };
  });
  const fills = all(first(sheet, 'fills'), 'fill').map((fill): Fill => {
    const pattern = first(fill, 'patternFill');
    const type = attribute(pattern, 'patternType') ?? 'none';
    if (pattern !== undefined && type === 'none') return WHITE;
    return type === 'solid' ? solid(color(first(pattern, 'fgColor'))) : 'unknown';
  });
  const number = (format: XmlElement, name: string) => Number(attribute(format, name) ?? 0);
  return looksOf(
    all(first(sheet, 'cellXfs'), 'xf').map((format) => ({
      font: fonts[number(format, 'fontId')],
      fill: fills[number(format, 'fillId')],
    })),
  );
};

const CONDITIONAL = /<(?:\w+:)?conditionalFormatting\s[^>]*?\bsqref="([^"]*)"|<xm:sqref>([^<]*)</g;
/** A picture behind all cells. */
const BACKGROUND = /<(?:\w+:)?picture\s/;

/** Each unseen cell is looked for in all of these ranges: with more of them, no cell is believed to be unseen. */
const MAX_RANGES = 1000;

/** The cells whose colours their formats alone do not say. */
const paintedRanges = (xml: string, tables: readonly string[]): readonly Range[] => {
  const conditional = Array.from(xml.matchAll(CONDITIONAL), ([, inSheet, inExtension = '']) => inSheet ?? inExtension);
  const ranges = [...conditional, ...tables].flatMap((several) => several.split(/\s+/)).filter((range) => range !== '');
  const isEverywhere = BACKGROUND.test(xml) || ranges.length > MAX_RANGES;
  return (isEverywhere ? ['A1:XFD1048576'] : ranges).map((range) => utils.decode_range(range));
};

const isWithin = (place: string, { s: from, e: to }: Range): boolean => {
  const { r: row, c: column } = utils.decode_cell(place);
  return row >= from.r && row <= to.r && column >= from.c && column <= to.c;
};

/** How the cells of a sheet look, which the package that reads them does not say. `tables`: the ranges of tables in it, which have colours of their own. */
export const cellLooks = (
  sheet: Uint8Array | undefined,
  formats: Looks<number>,
  tables: readonly string[],
): Looks<string> => {
  if (sheet === undefined || areUsual(formats)) return noLooks;
  const xml = xmlText(sheet);
  const places = placesOf(formats);
  for (const [, attributes = ''] of xml.matchAll(CELL))
    places.add(Number(FORMAT.exec(attributes)?.[1] ?? 0), () => PLACE.exec(attributes)?.[1] ?? 'A1');
  const painted = formats.unseen.size === 0 ? [] : paintedRanges(xml, tables);
  return places.looks((place) => painted.some((range) => isWithin(place, range)));
};
