import type { PageSize } from '../../../application/ports/page-images.ts';
import { type DecodedPages, type Size, shownSize } from '../ocr/colours.ts';
import { DAMAGED, inPoints, openDecoded, pictureIn } from '../ocr/pages.ts';
import { drawPixels } from '../ocr/pdf-raster.ts';
import { pictureHeader } from '../ocr/picture-header.ts';
import { startDecoder } from '../ocr/tesseract.ts';
import { showsText } from '../pdf-layouts.ts';
import { openPdf, pageSize } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import type { Pixels } from './png.ts';
import { scaledTo } from './scale.ts';

/** The pages of a file, by their numbers from 1. */
export interface OpenPages {
  readonly count: number;
  sizes(): readonly PageSize[];
  /** So many pixels wide, or less. Throws Unreadable. */
  draw(number: number, width: number): Promise<Pixels>;
  close(): void;
}

const MAX_PAGES = 10_000;
/** Whether a page has text is only worth a look while that is quick. */
const LOOK_MILLISECONDS = 3000;

let decoder: ReturnType<typeof startDecoder> | null = null;

const close = () => undefined;

const pictured = (page: number, pixels: Size): PageSize => ({ page, ...inPoints(pixels), source: 'ocr' });

const numbersTo = (count: number) => Array.from({ length: Math.min(count, MAX_PAGES) }, (_, index) => index + 1);

const pagesOfPdf = async (data: Uint8Array): Promise<OpenPages> => {
  const pdf = await openPdf(data);
  const sizes = () => {
    const end = performance.now() + LOOK_MILLISECONDS;
    const sourceOf = (page: number) => {
      try {
        return performance.now() > end || showsText(pdf, page) ? 'text' : 'ocr';
      } catch {
        return 'text';
      }
    };
    return numbersTo(pdf.pageCount).map((page) => ({ page, ...pageSize(pdf, page), source: sourceOf(page) }) as const);
  };
  return {
    count: pdf.pageCount,
    sizes: () => sizes().filter(({ width, height }) => width > 0 && height > 0),
    async draw(number, width) {
      const { across, down, samples } = drawPixels(pdf, number, 3, (points) => width / points);
      return { width: across, height: down, channels: 3, samples };
    },
    close: pdf.close,
  };
};

const decodedPages = ({ pageCount, sizeOf, colours }: DecodedPages): OpenPages => ({
  count: pageCount,
  sizes: () => numbersTo(pageCount).map((page) => pictured(page, sizeOf(page))),
  async draw(number, most) {
    const picture = await colours(number);
    return scaledTo(most, { ...picture, channels: 3, offset: 0, stride: picture.width * 4, step: 4 });
  },
  close,
});

const pageOfPicture = (data: Uint8Array): OpenPages => {
  const header = pictureHeader(data);
  if (header === null || header.width * header.height === 0) throw new Unreadable(DAMAGED);
  return {
    count: 1,
    sizes: () => [pictured(1, shownSize(header, header.orientation))],
    async draw(_, most) {
      decoder ??= startDecoder();
      const { rows, channels: step, ...size } = pictureIn(await decoder, data);
      const stride = size.width * step + 1;
      return scaledTo(most, { ...size, channels: step < 3 ? 1 : 3, data: rows, offset: 1, stride, step });
    },
    close,
  };
};

/** Throws for what cannot be opened. */
export const openPages = async (data: Uint8Array, contentType: string): Promise<OpenPages> => {
  if (contentType === 'application/pdf') return pagesOfPdf(data);
  const decoded = openDecoded(data, contentType);
  return decoded === undefined ? pageOfPicture(data) : decodedPages(decoded);
};
