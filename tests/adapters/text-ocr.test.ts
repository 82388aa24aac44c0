import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import type { FilePart } from '../../src/application/ports/text.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import { email, invoicePdf, png, scanPdf } from '../fixtures/text/files.ts';
import {
  grain,
  joined,
  noisy,
  pdfOfScans,
  pngOf,
  scanOf,
  shaded,
  skewed,
  tiffOf,
  turned,
  withOrientation,
} from '../fixtures/text/scans.ts';
import { laySheet, writing } from '../fixtures/text/scenes.ts';

type Extractor = ReturnType<typeof textExtractor>;

const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../fixtures/text/${name}`, import.meta.url)));

/** What stands on the first page of the invoice, as a reader of tables wants it. */
const STANDING = [
  'Invoice number: NM-2026-0117',
  'Date: 2026-01-17',
  'Steel bolts M8, box of 100  4  12.50  50.00',
  'Total: 59.90 EUR',
];

const middles = ({ words }: PageLayout) =>
  new Map(words.map(({ text, x, y, width, height }) => [text, [x + width / 2, y + height / 2] as const]));

/** How far at most the words of one page lie from the same words on the other, as a share of the page. */
const distance = (one: PageLayout | undefined, other: PageLayout | undefined): number => {
  if (one === undefined || other === undefined) throw new Error('a page has no layout');
  const [found, known] = [middles(one), middles(other)];
  const shared = ['Nordlicht', 'NM-2026-0117', '12.50', '59.90', 'EUR'];
  return Math.max(
    ...shared.map((word) => {
      const [[a, b], [c, d]] = [found.get(word) ?? [9, 9], known.get(word) ?? [0, 0]];
      return Math.hypot(a - c, b - d);
    }),
  );
};

describe('the reading of scans and pictures', () => {
  let made: Extractor;
  before(() => {
    made = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng', 'deu'] } });
  });
  after(() => made.close());

  const read = async (fileName: string, data: Uint8Array): Promise<FilePart> => {
    const [part] = await made.extract({ fileName, contentType: '', data });
    if (part === undefined) throw new Error('a file has no part');
    return part;
  };
  const textOf = ({ pages }: FilePart) => pages.map(({ text }) => text).join('\n');
  const spaced = (text: string) => text.replace(/ {2,}/g, '  ');

  it('gives the text, the words, their places and how sure they are', async () => {
    const digital = await read('invoice.pdf', await invoicePdf());
    const part = await read('scan.pdf', await pdfOfScans([await scanOf(await invoicePdf())]));
    expect(part.unreadable).to.equal(null);
    for (const line of STANDING) expect(spaced(textOf(part))).to.contain(line);
    expect(part.layouts.map(({ number, source }) => ({ number, source }))).to.deep.equal([
      { number: 1, source: 'ocr' },
    ]);
    expect(distance(part.layouts[0], digital.layouts[0])).to.be.below(0.005);
    for (const { confidence } of part.layouts[0]?.words ?? []) expect(confidence).to.be.within(0.3, 1);
  });

  it('sets a noisy page straight that lies askew, and says where its words are on the page as it lies', async () => {
    const clean = await scanOf(await invoicePdf());
    const part = await read('scan.pdf', await pdfOfScans([noisy(skewed(clean, 2), 20)]));
    for (const line of STANDING) expect(spaced(textOf(part))).to.contain(line);
    const [layout] = part.layouts;
    const words = layout?.words.filter(({ text }) => text === 'Amount' || text === 'Description') ?? [];
    const [left, right] = words.toSorted((a, b) => a.x - b.x);
    // Turned clockwise by two degrees, the end of a line lies lower than its beginning.
    const fall = ((right?.y ?? 0) - (left?.y ?? 0)) * (layout?.height ?? 0);
    const run = ((right?.x ?? 0) - (left?.x ?? 0)) * (layout?.width ?? 0);
    expect((Math.atan2(fall, run) * 180) / Math.PI).to.be.within(1.5, 2.5);
  });

  it('turns a page upright, and finds the words where they are on the page as it lies', async () => {
    const digital = await read('invoice.pdf', await invoicePdf());
    const part = await read('turned.png', pngOf(turned(await scanOf(await invoicePdf()))));
    for (const line of STANDING) expect(spaced(textOf(part))).to.contain(line);
    const upright = (digital.layouts[0]?.words ?? []).map((word) => {
      return { ...word, x: 1 - word.y - word.height, y: word.x, width: word.height, height: word.width };
    });
    expect(distance(part.layouts[0], { ...(part.layouts[0] as PageLayout), words: upright })).to.be.below(0.005);
  });

  it('takes the shadow from a photo', async () => {
    const part = await read('photo.png', pngOf(shaded(await scanOf(await invoicePdf()))));
    for (const line of STANDING) expect(spaced(textOf(part))).to.contain(line);
  });

  it('reads only the pages of a PDF that have no text', async () => {
    const both = await joined(await invoicePdf(), await pdfOfScans([await scanOf(await invoicePdf(), 2)]));
    const part = await read('mixed.pdf', both);
    expect(part.pages.map(({ number }) => number)).to.deep.equal([1, 2, 3]);
    expect(part.layouts.map(({ source }) => source)).to.deep.equal(['text', 'text', 'ocr']);
    expect(part.pages[2]?.text).to.contain('IBAN: DE02 1203 0000 0000 2020 51');
    expect(part.layouts[0]?.words[0]?.confidence).to.equal(null);
  });

  it('still says that a note of a page may be on a layer that is off', async () => {
    const sheet = { paper: 0, rotation: 0, isCropped: false };
    const scene = { stem: 'abc', font: 0, size: 12, angle: 0, field: null, ink: 0 };
    const scenes = ['plain', 'in a picture', 'in a note on a layer'].map((way) => ({ ...scene, way }));
    const part = await read('noted.pdf', (await laySheet({ ...sheet, scenes }, await writing())).pdf);
    expect(textOf(part))
      .to.include('abcA')
      .and.to.match(/Address/);
    expect(part.notes?.map(({ what }) => what)).to.deep.equal(['1 note on a layer, which may be off']);
  });

  const INVOICE = ['NM-2026-0117', 'Rechnungsdatum: 17.01.2026', '59.90 EUR'];

  it('reads a JPEG', async () => {
    const part = await read('invoice.jpg', await fixture('invoice.jpg'));
    for (const words of INVOICE) expect(textOf(part)).to.contain(words);
    expect(part).to.deep.include({ unreadable: null, contentType: 'image/jpeg' });
  });

  it('reads the small faint print and the white print on black of a picture of few pixels', async () => {
    const part = await read(
      'scan.jpg',
      new Uint8Array(await readFile(new URL('../../demo/make-samples/scan.jpg', import.meta.url))),
    );
    const wanted = [
      'Invoice number: 1093',
      'Invoice date: 24/10/2026',
      'Description  Quantity  Unit price  Amount',
      'VAT 20%: 79.88',
    ];
    for (const line of wanted) expect(spaced(textOf(part))).to.contain(line);
  });

  it('believes what EXIF says of how a photo was held', async () => {
    const part = await read('photo.jpg', withOrientation(await fixture('invoice.jpg'), 6));
    const [layout] = part.layouts;
    expect(textOf(part)).to.contain('NM-2026-0117');
    // As viewers show it, a picture of 1000 by 700 pixels that is to be turned by a quarter stands upright.
    expect((layout?.height ?? 0) / (layout?.width ?? 1)).to.be.within(1.4, 1.45);
  });

  it('reads every page of a TIFF, and takes a blank one for what it is', async () => {
    const blank = { width: 200, height: 200, gray: new Uint8Array(40_000).fill(250) };
    const terms = await scanOf(await invoicePdf(), 2);
    const part = await read('fax.tiff', tiffOf([terms, blank, terms]));
    expect(part.contentType).to.equal('image/tiff');
    expect(part.pages.map(({ number }) => number)).to.deep.equal([1, 2, 3]);
    expect(part.pages[1]?.text).to.equal('');
    for (const page of [0, 2]) expect(part.pages[page]?.text).to.contain('Payment terms: 30 days net');
  });

  it('reads a WebP that is attached to an e-mail', async () => {
    const data = email('See the picture.', [
      { name: 'p.webp', type: 'image/webp', data: await fixture('invoice.webp') },
    ]);
    const [, part] = await made.extract({ fileName: 'a.eml', contentType: '', data });
    for (const words of INVOICE) expect(part?.pages[0]?.text).to.contain(words);
    expect(part).to.deep.include({ unreadable: null, contentType: 'image/webp' });
  });

  describe('says in plain words', () => {
    const reason = async (fileName: string, data: Uint8Array) => (await read(fileName, data)).unreadable;

    it('that a picture holds no text', async () => {
      expect(await reason('grain.png', pngOf(grain(900, 900)))).to.equal('is a picture without text that can be read');
      expect(await reason('dot.png', png)).to.equal('has no text on its pages');
      expect(await reason('blank.pdf', await scanPdf())).to.equal('has no text on its pages');
    });

    it('that a picture is damaged', async () => {
      const picture = await fixture('invoice.jpg');
      expect(await reason('cut.jpg', picture.subarray(0, 100))).to.match(/^is damaged/);
    });
  });

  for (const [name, what] of [
    ['g4.tif', 'a fax'],
    ['cmyk.jpg', 'a JPEG in the colours of printers'],
    ['lzw-pyramid.tif', 'a TIFF with smaller copies of its page, which are no pages,'],
    ['transparent.webp', 'black print on a transparent ground'],
  ] as const) {
    it(`reads ${what} once`, async () => {
      const part = await read(name, await fixture(name));
      expect(part.unreadable).to.equal(null);
      expect(part.layouts).to.have.length(1);
      for (const line of STANDING) expect(spaced(textOf(part))).to.contain(line);
    });
  }

  it('refuses kinds of TIFF that it cannot decode, with advice', async () => {
    const advice = 'cannot be read: save it as PNG, JPEG or PDF and upload that';
    const tiff = tiffOf([await scanOf(await invoicePdf())]);
    /** The same with this value in the entry of a tag. */
    const changed = (entry: number, value: number) => {
      const copy = Uint8Array.from(tiff);
      new DataView(copy.buffer).setUint32(8 + 2 + entry * 12 + 8, value, true);
      return copy;
    };
    for (const data of [changed(3, 50_001), changed(4, 5), changed(2, 4)]) {
      expect((await read('a.tif', data)).unreadable).to.equal(`is a TIFF file of a kind that ${advice}`);
    }
    const big = Uint8Array.from(Buffer.from('49492b000800000000000000', 'hex'));
    expect((await read('big.tif', big)).unreadable).to.match(
      /^is a TIFF file for more than 4 GB \(BigTIFF\), which cannot be read: save it as TIFF/,
    );
  });

  it('leaves pictures alone when it is off', async () => {
    const off = textExtractor({ timeoutSeconds: 60 });
    const [part] = await off.extract({ fileName: 'a.png', contentType: '', data: png });
    await off.close();
    expect(part).to.deep.include({
      unreadable: 'is an image: only a model that takes images can read it',
      pages: [],
      layouts: [],
    });
  });
});
