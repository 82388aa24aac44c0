/** A reader does not see words with less contrast than this to what lies behind them (contrast ratio of WCAG 2). */
export const LEAST_CONTRAST = 1.1;

const linear = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** From 0 to 1, of red, green and blue from 0 to 255. */
export const luminanceOf = (red: number, green: number, blue: number): number =>
  0.2126 * (linear[red] ?? 0) + 0.7152 * (linear[green] ?? 0) + 0.0722 * (linear[blue] ?? 0);

export const contrastOf = (one: number, other: number): number => {
  const lighter = Math.max(one, other);
  const darker = Math.min(one, other);
  return (lighter + 0.05) / (darker + 0.05);
};

/** What lies behind text: a colour as six hexadecimal digits, or one that the reader of the format does not know. */
export type Fill = string | 'unknown';

export const WHITE = 'FFFFFF';

const luminance = (color: string) => {
  const rgb = Number.parseInt(color, 16);
  return luminanceOf(rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff);
};

/** Whether text of this colour, as six hexadecimal digits, is invisible on this background. */
export const isUnseen = (color: string, fill: Fill): boolean =>
  fill !== 'unknown' && contrastOf(luminance(color), luminance(fill)) < LEAST_CONTRAST;
