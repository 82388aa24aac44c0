import { xmlText } from './relations.ts';
import { all, attribute, first, isOn } from './word-styles.ts';
import { readXml } from './xml.ts';

const CELL = /<(?:\w+:)?c\s([^>]*)>/g;
const PLACE = /\br="([A-Z]{1,3}\d{1,7})"/;
const FORMAT = /\bs="(\d{1,6})"/;

const styleSheet = (data: Uint8Array) => {
  try {
    return readXml(xmlText(data));
  } catch {
    return undefined;
  }
};

/** The numbers of the formats of cells whose fonts strike out (ECMA-376 part 1, 18.8.10 and 18.8.22); none where the styles cannot be read. */
export const strikingFormats = (styles: Uint8Array | undefined): ReadonlySet<string> => {
  const sheet = styles && styleSheet(styles);
  const fonts = all(first(sheet, 'fonts'), 'font').map((font) => {
    const strike = first(font, 'strike');
    return strike !== undefined && isOn(attribute(strike, 'val'));
  });
  const formats = all(first(sheet, 'cellXfs'), 'xf');
  return new Set(formats.flatMap((format, index) => (fonts[Number(attribute(format, 'fontId'))] ? [`${index}`] : [])));
};

/** The places of the cells of a sheet that are struck out as a whole, as in `B2`: the package that reads the cells does not say it. */
export const struckCells = (sheet: Uint8Array | undefined, formats: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    sheet === undefined || formats.size === 0
      ? []
      : Array.from(xmlText(sheet).matchAll(CELL), ([, attributes = '']) => {
          const isStruck = formats.has(FORMAT.exec(attributes)?.[1] ?? '');
          return isStruck ? (PLACE.exec(attributes)?.[1] ?? '') : '';
        }).filter((place) => place !== ''),
  );
