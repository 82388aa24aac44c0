import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { type Raster, rasterOf, rowsOfPng } from '../../src/adapters/text/ocr/raster.ts';
import { pageImages } from '../../src/adapters/text/pages/page-images.ts';
import { jpegOf } from '../fixtures/corpus/scans.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { bmpOf, gifOf, heifTurned, imir, irot, pngTurned, tiffTurned, webpTurned } from '../fixtures/text/pictures.ts';
import { pngChunks, pngOf, scanOf, tiffOf, withOrientation } from '../fixtures/text/scans.ts';

const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../fixtures/text/${name}`, import.meta.url)));

const NUMBER = 'NM-2026-0117';

/** Where the pixel at a place of the stored picture is shown, by EXIF's number. */
const shownAt: readonly ((x: number, y: number, right: number, bottom: number) => readonly [number, number])[] = [
  (x, y) => [x, y],
  (x, y) => [x, y],
  (x, y, right) => [right - x, y],
  (x, y, right, bottom) => [right - x, bottom - y],
  (x, y, _, bottom) => [x, bottom - y],
  (x, y) => [y, x],
  (x, y, _, bottom) => [bottom - y, x],
  (x, y, right, bottom) => [bottom - y, right - x],
  (x, y, right) => [y, right - x],
];

const asShown = ({ width, height, gray }: Raster, orientation: number): Raster => {
  const wide = orientation < 5 ? width : height;
  const shown = new Uint8Array(gray.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [across = 0, down = 0] = shownAt[orientation]?.(x, y, width - 1, height - 1) ?? [];
      shown[down * wide + across] = gray[y * width + x] ?? 0;
    }
  }
  return { width: wide, height: orientation < 5 ? height : width, gray: shown };
};

describe('pictures of every format', () => {
  let images: ReturnType<typeof pageImages>;
  let reader: ReturnType<typeof textExtractor>;
  let page: Raster;
  before(async () => {
    images = pageImages();
    reader = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng'] } });
    page = await scanOf(await invoicePdf());
  });
  after(() => Promise.all([images.close(), reader.close()]));

  const file = (data: Uint8Array, fileName = 'picture') => ({ fileName, contentType: '', data });
  const drawn = async (data: Uint8Array): Promise<Raster> =>
    rasterOf(rowsOfPng(await images.draw(file(data), 1, 2400)));
  const read = async (data: Uint8Array) => {
    const [part] = await reader.extract(file(data));
    return { ...part, text: part?.pages.map(({ text }) => text).join('\n') ?? '' };
  };

  const expectTurned = async (plain: Uint8Array, turned: (orientation: number) => Uint8Array) => {
    const stored = await drawn(plain);
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      const { width, height, gray } = await drawn(turned(orientation));
      const wanted = asShown(stored, orientation);
      expect([width, height], String(orientation)).to.deep.equal([wanted.width, wanted.height]);
      expect(Buffer.compare(gray, wanted.gray), String(orientation)).to.equal(0);
      const [size] = (await images.sizes(file(turned(orientation)))) ?? [];
      expect((size?.width ?? 0) / (size?.height ?? 1)).to.be.closeTo(width / height, 0.001);
    }
  };

  const small: Raster = { width: 40, height: 24, gray: Uint8Array.from({ length: 960 }, (_, at) => (at * 7) % 251) };

  it('are turned and mirrored as the EXIF of a PNG says', () =>
    expectTurned(pngOf(small), (orientation) => pngTurned(pngOf(small), orientation)));
  it('are turned and mirrored as the EXIF of a JPEG says', () =>
    expectTurned(jpegOf(small, 85), (orientation) => withOrientation(jpegOf(small, 85), orientation)));
  it('are turned and mirrored as the tag of a TIFF says', () =>
    expectTurned(tiffOf([small]), (orientation) => tiffTurned(tiffOf([small]), orientation)));
  it('are turned and mirrored as the EXIF of a WebP says', async () => {
    const webp = await fixture('small.webp');
    const size = await drawn(webp);
    await expectTurned(webp, (orientation) => webpTurned(webp, size, orientation));
  });

  const turns: readonly (readonly Buffer[])[] = [
    [],
    [],
    [imir(1)],
    [irot(2)],
    [imir(0)],
    [imir(1), irot(1)],
    [irot(3)],
    [irot(1), imir(1)],
    [irot(1)],
  ];
  for (const name of ['photo.heic', 'invoice.avif'])
    it(`are turned and mirrored as ${name} says`, async () => {
      const plain = await fixture(name);
      await expectTurned(plain, (orientation) => heifTurned(plain, turns[orientation] ?? []));
    });

  it('are read from HEIC, AVIF and JPEG 2000', async () => {
    const wanted: readonly (readonly [string, string, string])[] = [
      ['photo.heic', 'image/heic', 'Alder Street Bakery'],
      ['invoice.avif', 'image/avif', NUMBER],
      ['note.jp2', 'image/jp2', 'Payment terms: 30 days net'],
    ];
    for (const [name, contentType, words] of wanted) {
      const part = await read(await fixture(name));
      expect(part).to.deep.include({ unreadable: null, contentType });
      expect(part.text).to.contain(words);
    }
  });

  it('are read from BMP and from the first frame of a GIF, also where its ground is transparent', async () => {
    const blank = { ...page, gray: new Uint8Array(page.gray.length).fill(255) };
    for (const data of [bmpOf(page), gifOf([page, blank]), gifOf([page, blank], { clear: true })])
      expect((await read(data)).text).to.contain(NUMBER);
    expect(await drawn(bmpOf(small))).to.deep.equal(small);
  });

  it('are read where print is white on black all over', async () => {
    const dark = { ...page, gray: page.gray.map((shade) => 230 - 0.8 * shade) };
    const { text } = await read(pngOf(dark));
    for (const words of [NUMBER, 'Date: 2026-01-17', 'Nordlicht Metallbau GmbH']) expect(text).to.contain(words);
  });

  it('may be a PNG of black and white, or of colours by their numbers', async () => {
    const black = { width: 16, height: 2, gray: Uint8Array.from({ length: 32 }, (_, at) => (at % 3 === 0 ? 255 : 0)) };
    const bits = Buffer.from([0, 0b10010010, 0b01001001, 0, 0b00100100, 0b10010010]);
    expect(await drawn(pngChunks(16, 2, { bits: 1, type: 0 }, deflateSync(bits)))).to.deep.equal(black);
    const palette = Buffer.from(
      Array.from({ length: 256 }, (_, index) => [index, index, index === 7 ? 0 : index]).flat(),
    );
    const rows = Buffer.concat(
      Array.from({ length: small.height }, (_, y) => Buffer.from([0, ...small.gray.slice(y * 40, y * 40 + 40)])),
    );
    const indexed = await drawn(pngChunks(40, 24, { bits: 8, type: 3, palette }, deflateSync(rows)));
    expect([...indexed.gray].filter((shade, at) => Math.abs(shade - (small.gray[at] ?? 0)) > 1)).to.deep.equal([]);
  });
});
