/** A place on a page as it is shown (rotation applied, origin top left), as fractions of it from 0 to 1. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How far down the middle of a place is. */
export const middle = ({ y, height }: Box): number => y + height / 2;

/** A word and its place; `confidence` from 0 to 1 if OCR read it, else null. */
export interface PageWord extends Box {
  readonly text: string;
  readonly confidence: number | null;
}

/** `number` is 1-based. `width` and `height` in points (1/72 inch) as shown; `words` in the order of the text. */
export interface PageLayout {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly source: 'text' | 'ocr';
  readonly words: readonly PageWord[];
}
