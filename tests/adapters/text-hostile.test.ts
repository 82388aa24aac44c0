import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  PDFDocument,
  type PDFFont,
  type PDFPage,
  StandardFonts,
  setTextRenderingMode,
  TextRenderingMode,
} from 'pdf-lib';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import type { Raster } from '../../src/adapters/text/ocr/raster.ts';
import type { FilePart } from '../../src/application/ports/text.ts';
import { jpegOf } from '../fixtures/corpus/scans.ts';
import { emptyPdf, pictureBombPdf } from '../fixtures/text/bombs.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { bmpOf, gifOf } from '../fixtures/text/pictures.ts';
import { layScan, pdfOfScans, pngBomb, pngOf, scanOf, tiffOf } from '../fixtures/text/scans.ts';

type Extractor = ReturnType<typeof textExtractor>;
type OcrLimits = Omit<NonNullable<Parameters<typeof textExtractor>[0]['ocr']>, 'languages'>;

const MEGABYTE = 1_048_576;
/** What tells the format: without it a file is refused before anything of it is decoded. */
const SIGNATURE_BYTES = 16;

const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../fixtures/text/${name}`, import.meta.url)));

/** The processes that this one has started. */
const children = async (): Promise<readonly string[]> =>
  (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).split(' ').filter(Boolean);

const TERMS = 'Payment terms: 30 days net';
const NOTE = { width: 300, height: 100 } as const;

/** A small page with one line on it, as a scanner sees it: what is proved with it needs no more, and larger ones take longer. */
const noteOf = async (): Promise<Raster> => {
  const pdf = await PDFDocument.create();
  pdf
    .addPage([NOTE.width, NOTE.height])
    .drawText(TERMS, { x: 30, y: 50, size: 10, font: await pdf.embedFont(StandardFonts.Helvetica) });
  return scanOf(await pdf.save());
};

/** The text of its page is one thing, the picture that lies over it another. */
const coveredPdf = async (): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([NOTE.width, NOTE.height]);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  page.drawText('Total: 99999.00 EUR', { x: 30, y: 70, size: 10, font });
  layScan(page, await noteOf(), NOTE);
  return pdf.save();
};

/** What another program has read of a scan lies under it as text that is not painted, on the page or in a form. */
const searchablePdf = async (
  text: string,
  { inForm, picture = true }: { inForm: boolean; picture?: boolean },
): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const write = (on: PDFPage, own: PDFFont) => {
    on.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
    on.drawText(text, { x: 30, y: 70, size: 10, font: own });
  };
  const page = pdf.addPage([NOTE.width, NOTE.height]);
  if (picture) layScan(page, await noteOf(), NOTE);
  else page.drawText('Invoice number: NM-2026-0117, of which most is to be seen', { x: 10, y: 30, size: 10, font });
  if (!inForm) write(page, font);
  else {
    const other = await PDFDocument.create();
    const inner = other.addPage([NOTE.width, NOTE.height]);
    write(inner, await other.embedFont(StandardFonts.Helvetica));
    page.drawPage(await pdf.embedPage(inner));
  }
  return pdf.save();
};

describe('hostile files', () => {
  const opened: Extractor[] = [];
  let made: Extractor;
  const limited = (limits: OcrLimits): Extractor => {
    const extractor = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng'], readers: 1, ...limits } });
    opened.push(extractor);
    return extractor;
  };
  before(() => {
    made = limited({});
  });
  after(() => Promise.all(opened.map((each) => each.close())));

  const read = async (fileName: string, data: Uint8Array, extractor = made): Promise<FilePart> => {
    const [part] = await extractor.extract({ fileName, contentType: '', data });
    if (part === undefined) throw new Error('a file has no part');
    return part;
  };

  it('are refused in plain words when their pictures unpack to gigabytes, while the memory of the server stays flat', async () => {
    const huge = 20_000;
    const jpeg = await fixture('invoice.jpg');
    const frame = Buffer.from(jpeg).indexOf(Buffer.from('ffc0', 'hex'));
    const wide = Uint8Array.from(jpeg);
    wide.fill(255, frame + 5, frame + 9);
    const tiff = tiffOf([{ width: 8, height: 8, gray: new Uint8Array(64) }]);
    // The values of the first two tags are its width and height.
    for (const at of [8 + 2 + 8, 8 + 2 + 12 + 8]) new DataView(tiff.buffer).setUint32(at, huge, true);
    const tiny = { width: 8, height: 8, gray: new Uint8Array(64) };
    /** The same with this side in place of the width and height, behind so many bytes. */
    const sized = (data: Uint8Array, at: number, bytes: 2 | 4, little: boolean) => {
      const copy = Buffer.from(data);
      for (const place of [at, at + bytes])
        little ? copy.writeUIntLE(huge, place, bytes) : copy.writeUIntBE(huge, place, bytes);
      return new Uint8Array(copy);
    };
    const behind = (data: Uint8Array, mark: string) => Buffer.from(data).indexOf(mark, 0, 'latin1') + mark.length;
    const [heic, avif, jp2] = [await fixture('photo.heic'), await fixture('invoice.avif'), await fixture('note.jp2')];
    const files: readonly [string, Uint8Array, RegExp][] = [
      ['wide.gif', sized(gifOf([tiny]), 6, 2, true), /^has more pixels than can be read/],
      ['wide.bmp', sized(bmpOf(tiny), 18, 4, true), /^has more pixels than can be read/],
      ['wide.heic', sized(heic, behind(heic, 'ispe') + 4, 4, false), /^has more pixels than can be read/],
      ['wide.avif', sized(avif, behind(avif, 'ispe') + 4, 4, false), /^has more pixels than can be read/],
      // Where the codestream begins, as it says itself.
      ['wide.jp2', sized(jp2, behind(jp2, '\xff\x4f\xff\x51') + 4, 4, false), /^has more pixels than can be read/],
      ['bomb.png', pngBomb(huge), /^has more pixels than can be read/],
      ['wide.jpg', wide, /^has more pixels than can be read/],
      ['wide.tif', tiff, /^has more pixels than can be read/],
      ['bomb.pdf', await pictureBombPdf(30_000, 'page'), /^has a picture on it that is too large to read$/],
      ['form.pdf', await pictureBombPdf(30_000, 'form'), /^has a picture on it that is too large to read$/],
    ];
    const before = process.memoryUsage.rss();
    for (const [name, data, reason] of files) expect((await read(name, data)).unreadable, name).to.match(reason);
    expect((process.memoryUsage.rss() - before) / MEGABYTE).to.be.below(60);
  });

  it('end no more than their own reader when a pattern hides how large a picture is', async () => {
    const data = await pictureBombPdf(30_000, 'pattern');
    const before = process.memoryUsage.rss();
    const part = await read('bomb.pdf', data, limited({ memoryMegabytes: 300, pageSeconds: 20 }));
    expect(part.pages).to.deep.equal([]);
    expect(part.unreadable).to.match(/^is too large to read$|^took too long to read$|^has no text on its pages$/);
    expect((process.memoryUsage.rss() - before) / MEGABYTE).to.be.below(60);
  });

  it('may have pages as large as a house, and thousands of them', async () => {
    expect((await read('house.pdf', await emptyPdf(1, 1_000_000))).unreadable).to.equal('has no text on its pages');
    const part = await read('many.pdf', await emptyPdf(2000, 100), limited({ maxPages: 20 }));
    expect(part.unreadable).to.equal('has no text on its first pages, and too many more for the time of one file');
  });

  it('are read as far as the limits go, and say what was left', async () => {
    const note = await noteOf();
    const data = await pdfOfScans([note, note, note, note]);
    const some = await read('long.pdf', data, limited({ maxPages: 2 }));
    expect(some.pages.map(({ number }) => number)).to.deep.equal([1, 2, 3]);
    expect(some.pages[1]?.text).to.contain(TERMS);
    expect(some.pages[2]?.text).to.equal(
      '[This page and 1 more that are pictures were not read: one file may take no more time.]',
    );
    expect(some.layouts.map(({ number, source, words }) => [number, source, words.length > 0])).to.deep.equal([
      [1, 'ocr', true],
      [2, 'ocr', true],
      [3, 'ocr', false],
      [4, 'ocr', false],
    ]);
    const none = await read('long.pdf', data, limited({ fileSeconds: 0 }));
    expect(none.unreadable).to.equal('has too many pages that are pictures for the time that there is for one file');
  });

  it('lose the page that takes too long, and no more', async () => {
    const part = await read(
      'slow.pdf',
      await pdfOfScans([await scanOf(await invoicePdf())]),
      limited({ pageSeconds: 0.01 }),
    );
    expect(part.unreadable).to.match(/took too long to read$/);
  });

  it('are read as they are shown, not by the text that a picture covers', async () => {
    const part = await read('covered.pdf', await coveredPdf());
    expect(part.pages[0]?.text).to.contain(TERMS).and.not.to.contain('99999');
    expect(part.layouts.map(({ source }) => source)).to.deep.equal(['ocr']);
  });

  it('are read as they are shown, not by text that is not painted', async () => {
    const forged = 'Total: 99999.00 EUR';
    for (const inForm of [false, true]) {
      const part = await read('searchable.pdf', await searchablePdf(forged, { inForm }));
      expect(part.pages[0]?.text, String(inForm)).to.contain(TERMS).and.not.to.contain('99999');
      expect(part.layouts.map(({ source }) => source)).to.deep.equal(['ocr']);
    }
    const off = textExtractor({ timeoutSeconds: 60 });
    opened.push(off);
    const unlooked = await read('searchable.pdf', await searchablePdf(forged, { inForm: false }), off);
    expect(unlooked, 'no text of the document').to.deep.include({
      pages: [],
      notes: [{ kind: 'hidden', page: 1, what: '3 hidden words' }],
    });
    const visible = await read('a.pdf', await searchablePdf(forged, { inForm: false, picture: false }), off);
    const words = visible.layouts[0]?.words.map(({ text }) => text);
    expect(words, 'no box around what is not there').to.include('NM-2026-0117,').and.not.to.include('99999.00');
  });

  it('may go round in circles', async () => {
    const tiff = tiffOf([{ width: 8, height: 8, gray: new Uint8Array(64) }]);
    // The place of the next page, behind nine tags, is made that of the first.
    new DataView(tiff.buffer).setUint32(8 + 2 + 9 * 12, 8, true);
    expect((await read('circle.tif', tiff)).unreadable).to.match(/^is damaged/);
  });

  it('may claim to have more values than bytes', async () => {
    const tiff = tiffOf([{ width: 8, height: 8, gray: new Uint8Array(64) }]);
    // How many values the first entry of the first page has: room for all of them would be more than there is.
    new DataView(tiff.buffer).setUint32(8 + 2 + 4, 0xffff_ffff, true);
    expect((await read('many.tif', tiff)).unreadable).to.match(/^is damaged/);
  });

  it('may be broken anywhere', async () => {
    const small = { width: 200, height: 60, gray: Uint8Array.from({ length: 12_000 }, (_, at) => (at % 7) * 36) };
    const whole: readonly [string, Uint8Array][] = [
      ['a.png', pngOf(small)],
      ['a.tif', tiffOf([small, small])],
      ['a.jpg', jpegOf(small, 85)],
      ['a.webp', await fixture('small.webp')],
      ['a.gif', gifOf([small, small])],
      ['a.bmp', bmpOf(small)],
      ['a.heic', await fixture('photo.heic')],
      ['a.avif', await fixture('invoice.avif')],
      ['a.jp2', await fixture('note.jp2')],
      ['a.pdf', await pdfOfScans([small])],
    ];
    const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
    const changes = fc.array(fc.record({ place: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 20 });
    const extractor = limited({ pageSeconds: 10 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...whole), changes, async ([name, data], list) => {
        const broken = data.slice();
        for (const { place, byte } of list) broken[SIGNATURE_BYTES + (place % (data.length - SIGNATURE_BYTES))] = byte;
        // Every third is cut off as well.
        const [{ place: first = 0 } = {}] = list;
        const left = first % 3 === 0 ? broken.subarray(0, SIGNATURE_BYTES + (first % data.length)) : broken;
        const { pages, unreadable } = await read(name, left, extractor);
        expect(pages.length > 0).to.equal(unreadable === null);
      }),
      { seed, numRuns: 50 },
    );
  });

  it('are refused where more pictures wait than fit into memory', async () => {
    const extractor = textExtractor({ timeoutSeconds: 60, maxWaiting: 1, ocr: { languages: ['eng'], readers: 1 } });
    opened.push(extractor);
    const data = pngOf(await noteOf());
    const parts = await Promise.all(['a.png', 'b.png', 'c.png'].map((name) => read(name, data, extractor)));
    expect(parts.map(({ unreadable }) => unreadable)).to.deep.equal([
      null,
      null,
      'could not be read: too many files are waiting to be read',
    ]);
  });

  it('leave no reader behind when they are no longer wanted, nor when all is closed', async () => {
    const before = new Set(await children());
    const own = async () => (await children()).filter((pid) => !before.has(pid));
    const extractor = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng'], readers: 1 } });
    const abort = new AbortController();
    const page = await scanOf(await invoicePdf());
    const data = await pdfOfScans([page, page, page]);
    const reading = extractor
      .extract({ fileName: 'a.pdf', contentType: '', data }, abort.signal)
      .catch((error: Error) => error.message);
    // One reads the text of the file, then a second one its pictures.
    while ((await own()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort(new Error('cancelled'));
    expect(await reading).to.equal('cancelled');
    while ((await own()).length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
    await extractor.close();
    expect(await own()).to.deep.equal([]);
  });
});
