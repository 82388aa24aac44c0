import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { degrees, PDFDocument } from 'pdf-lib';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { type Raster, rasterOf, rowsOfPng } from '../../src/adapters/text/ocr/raster.ts';
import { pageImages } from '../../src/adapters/text/pages/page-images.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import { emptyPdf, pictureBombPdf } from '../fixtures/text/bombs.ts';
import { bytes, formPdf, invoicePdf, letterDocx } from '../fixtures/text/files.ts';
import { joined, pdfOfScans, pngBomb, pngOf, scanOf, tiffOf, withOrientation } from '../fixtures/text/scans.ts';

type Images = ReturnType<typeof pageImages>;

const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../fixtures/text/${name}`, import.meta.url)));

const rotated = async (data: Uint8Array, by: number): Promise<Uint8Array> => {
  const pdf = await PDFDocument.load(data);
  for (const page of pdf.getPages()) page.setRotation(degrees(by));
  return pdf.save();
};

/** The processes that this one has started. */
const children = async (): Promise<readonly string[]> =>
  (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).split(' ').filter(Boolean);

const DARK = 128;

/** How many pixels of the picture are dark, and how many of them lie in none of the boxes, each a hair larger. */
const darkPixels = ({ width, height, gray }: Raster, { words }: PageLayout) => {
  const left = Uint8Array.from(gray);
  const reach = width / 400;
  for (const { x, y, width: wide, height: high } of words) {
    const [from, to] = [Math.max(0, Math.floor(x * width - reach)), Math.ceil((x + wide) * width + reach)];
    for (
      let row = Math.max(0, Math.floor(y * height - reach));
      row < Math.min(height, (y + high) * height + reach);
      row += 1
    ) {
      left.fill(255, row * width + from, row * width + Math.min(width, to));
    }
  }
  const count = (shades: Uint8Array) => shades.reduce((sum, shade) => sum + (shade < DARK ? 1 : 0), 0);
  return { all: count(gray), outside: count(left) };
};

describe('images of pages', () => {
  let images: Images;
  before(() => {
    images = pageImages();
  });
  after(() => images.close());

  const named = (fileName: string, data: Uint8Array) => ({ fileName, contentType: '', data });
  const drawn = async (fileName: string, data: Uint8Array, page = 1, width = 640): Promise<Raster> =>
    rasterOf(rowsOfPng(await images.draw(named(fileName, data), page, width)));
  const sizeOf = ({ width, height }: Raster) => [width, height];

  const refusal = async (fileName: string, data: Uint8Array, page = 1, from = images): Promise<string> => {
    const error: unknown = await from.draw(named(fileName, data), page, 640).catch((thrown: unknown) => thrown);
    if (!(error instanceof DomainError)) throw new Error(`${fileName} was not refused: ${String(error)}`);
    return `${error.code}: ${error.message}`;
  };

  it('are as wide as they should be, and show the page as it is to be turned', async () => {
    const data = await invoicePdf();
    expect(sizeOf(await drawn('a.pdf', data))).to.deep.equal([640, 906]);
    expect(sizeOf(await drawn('a.pdf', await rotated(data, 90), 2, 160))).to.deep.equal([160, 113]);
    const jpeg = await fixture('invoice.jpg');
    expect(sizeOf(await drawn('a.jpg', jpeg))).to.deep.equal([640, 448]);
    expect(sizeOf(await drawn('a.jpg', withOrientation(jpeg, 6)))).to.deep.equal([640, 914]);
    expect(sizeOf(await drawn('a.webp', await fixture('invoice.webp'), 1, 2400)), 'never enlarged').to.deep.equal([
      1000, 700,
    ]);
  });

  it('have the size that the pages have in points, with where the words come from', async () => {
    const mixed = await joined(await invoicePdf(), await pdfOfScans([await scanOf(await invoicePdf(), 2)]));
    expect(await images.sizes(named('a.pdf', await rotated(mixed, 90)))).to.deep.equal([
      { page: 1, width: 842, height: 595, source: 'text' },
      { page: 2, width: 842, height: 595, source: 'text' },
      { page: 3, width: Math.fround(842.04), height: Math.fround(595.08), source: 'ocr' },
    ]);
    const jpeg = withOrientation(await fixture('invoice.jpg'), 8);
    expect(await images.sizes(named('a.jpg', jpeg))).to.deep.equal([
      { page: 1, width: 252, height: 360, source: 'ocr' },
    ]);
  });

  it('are those that a reading of the file reports', async () => {
    const text = textExtractor({ timeoutSeconds: 60 });
    try {
      const mixed = await joined(
        await rotated(await invoicePdf(), 270),
        await pdfOfScans([await scanOf(await invoicePdf(), 2)]),
      );
      const [part] = await text.extract(named('a.pdf', mixed));
      const read = part?.layouts.map(({ number, width, height, source }) => ({ page: number, width, height, source }));
      expect(read)
        .to.have.length(3)
        .and.to.deep.equal(await images.sizes(named('a.pdf', mixed)));
    } finally {
      await text.close();
    }
  });

  it('show the words where the reading of the file has its boxes', async () => {
    const scan = await pdfOfScans([await scanOf(await invoicePdf())]);
    const files: readonly [string, Uint8Array][] = [
      ['digital.pdf', await invoicePdf()],
      ['turned.pdf', await rotated(await invoicePdf(), 90)],
      ['turned-scan.pdf', await rotated(scan, 270)],
    ];
    const text = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng'] } });
    try {
      for (const [name, data] of files) {
        const [layout] = (await text.extract(named(name, data)))[0]?.layouts ?? [];
        if (layout === undefined) throw new Error(`${name} has no layout`);
        const { all, outside } = darkPixels(await drawn(name, data, 1, 1200), layout);
        expect(all, name).to.be.above(1000);
        expect(outside / all, name).to.be.below(0.005);
      }
    } finally {
      await text.close();
    }
  });

  it('show what is filled into forms, and colours', async () => {
    const { gray } = await drawn('form.pdf', await formPdf());
    const empty = await drawn('form.pdf', await emptyPdf(1, 600));
    expect(gray.some((shade) => shade < DARK)).to.equal(true);
    expect(empty.gray.every((shade) => shade === 255)).to.equal(true);
    expect(rowsOfPng(await images.draw(named('a.jpg', await fixture('invoice.jpg')), 1, 160)).channels).to.equal(3);
    expect(rowsOfPng(await images.draw(named('a.pdf', await invoicePdf()), 1, 160)).channels).to.equal(1);
  });

  it('are made of each page of a TIFF file', async () => {
    const [one, two] = [await scanOf(await invoicePdf()), await scanOf(await invoicePdf(), 2)];
    const tiff = tiffOf([one, two]);
    expect((await images.sizes(named('a.tif', tiff)))?.map(({ page }) => page)).to.deep.equal([1, 2]);
    const [first, second] = [await drawn('a.tif', tiff, 1, 320), await drawn('a.tif', tiff, 2, 320)];
    expect(first).not.to.deep.equal(second);
    expect(second).to.deep.equal(await drawn('two.png', pngOf(two), 1, 320));
  });

  it('are not there of formats without pages, and of pages that the file does not have', async () => {
    const files: readonly [string, Uint8Array][] = [
      ['a.txt', bytes('Total: 5')],
      ['a.docx', await letterDocx()],
      ['broken.pdf', bytes('%PDF-1.7\nnothing of the kind')],
      ['locked.pdf', await fixture('locked.pdf')],
      ['broken.png', pngOf(await scanOf(await invoicePdf())).subarray(0, 20)],
    ];
    for (const [name, data] of files) {
      expect(await images.sizes(named(name, data)), name).to.deep.equal([]);
      expect(await refusal(name, data), name).to.equal('not_found: There is no such page.');
    }
    expect(await refusal('a.pdf', await invoicePdf(), 3)).to.equal('not_found: There is no such page.');
    expect(await refusal('a.jpg', await fixture('invoice.jpg'), 2)).to.equal('not_found: There is no such page.');
  });

  it('are refused in plain words if the page is hostile, and the memory of the server stays flat', async () => {
    const before = process.memoryUsage.rss();
    expect(sizeOf(await drawn('house.pdf', await emptyPdf(1, 1_000_000)))).to.deep.equal([640, 640]);
    const tooLarge = 'page_unreadable: The page cannot be shown: it has';
    expect(await refusal('bomb.png', pngBomb(20_000))).to.equal(
      `${tooLarge} more pixels than can be read: make it smaller.`,
    );
    const bomb = await pictureBombPdf(30_000, 'page');
    expect(await refusal('bomb.pdf', bomb)).to.equal(`${tooLarge} a picture on it that is too large to read.`);
    const cut = (await fixture('invoice.jpg')).subarray(0, 4000);
    expect(await refusal('cut.jpg', cut)).to.match(/^page_unreadable: The page cannot be shown: it is damaged/);
    expect((process.memoryUsage.rss() - before) / 1_048_576).to.be.below(100);
  });

  it('are given up when they take too long, and with the server', async () => {
    const data = await invoicePdf();
    const before = (await children()).length;
    const slow = pageImages({ timeoutSeconds: 0.001 });
    expect(await refusal('a.pdf', data, 1, slow)).to.equal(
      'page_unreadable: The page cannot be shown: it takes too long to draw.',
    );
    expect(await slow.sizes(named('a.pdf', data))).to.equal(null);
    await slow.close();
    const closing = pageImages();
    const drawing = closing.draw(named('a.pdf', data), 1, 640).then(
      () => 'drawn',
      (error: Error) => error.message,
    );
    await closing.close();
    expect(await drawing).to.equal('the server is closing');
    expect((await children()).length).to.equal(before);
  });
});
