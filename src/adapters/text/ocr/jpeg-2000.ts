import { openPdf } from '../pdfium.ts';
import type { Colours, Size } from './colours.ts';
import { drawPixels } from './pdf-raster.ts';

const START_OF_CODESTREAM = Buffer.from('ff4fff51', 'hex');

/** Of the codestream, since the size that the file around it states is not what a decoder makes room for. Null if there is none. */
export const jpeg2000Size = (data: Uint8Array): Size | null => {
  const start = Buffer.from(data.buffer, data.byteOffset, data.byteLength).indexOf(START_OF_CODESTREAM);
  if (start === -1 || start + 24 > data.length) return null;
  const view = new DataView(data.buffer, data.byteOffset + start, data.length - start);
  const [right, bottom, left, top] = [8, 12, 16, 20].map((at) => view.getUint32(at)) as [
    number,
    number,
    number,
    number,
  ];
  return { width: right - left, height: bottom - top };
};

/** A PDF document of one page with a point for each pixel: PDFium decodes JPEG 2000 there alone. */
const pdfOf = (picture: Uint8Array, { width, height }: Size): Uint8Array => {
  const content = `${width} 0 0 ${height} 0 0 cm /P Do`;
  const about = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /Filter /JPXDecode`;
  const page = `/MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${page} >>`,
    `<< /Length ${content.length} >> stream\n${content}\nendstream`,
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  const begin = `%PDF-1.7\n${objects.join('')}5 0 obj\n<< ${about} /Length ${picture.length} >> stream\n`;
  return Buffer.concat([Buffer.from(begin), picture, Buffer.from('\nendstream\nendobj\ntrailer << /Root 1 0 R >>\n')]);
};

/** Smaller than it is, where it is larger than a page is drawn. */
export const decodeJpeg2000 = async (file: Uint8Array): Promise<Colours> => {
  const size = jpeg2000Size(file);
  if (size === null) throw new Error('there is no picture in it');
  const pdf = await openPdf(pdfOf(file, size));
  try {
    const { across: width, down: height, samples } = drawPixels(pdf, 1, 3, () => 1);
    const data = new Uint8Array(width * height * 4).fill(255);
    for (let at = 0; at < width * height; at += 1) data.set(samples.subarray(3 * at, 3 * at + 3), 4 * at);
    return { width, height, data };
  } finally {
    pdf.close();
  }
};
