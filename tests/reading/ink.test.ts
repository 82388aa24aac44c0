import { expect } from 'chai';
import {
  concatTransformationMatrix,
  degrees,
  PDFDocument,
  type PDFFont,
  PDFName,
  PDFOperator,
  PDFOperatorNames,
  type PDFPage,
  rgb,
  StandardFonts,
  setTextRenderingMode,
  TextRenderingMode,
} from 'pdf-lib';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import type { Raster } from '../../src/adapters/text/ocr/raster.ts';
import { papers } from '../fixtures/corpus/documents.ts';
import { layPaper } from '../fixtures/corpus/letter.ts';
import { drawCode } from '../fixtures/text/matrix-code.ts';
import { layScan, scanOf } from '../fixtures/text/scans.ts';

const MOST_CHARACTERS = 10_000;
const BOX = { x: 40, y: 95, width: 300, height: 30 } as const;
const TEXT = { x: 60, y: 105, size: 12 } as const;
const [white, black] = [rgb(1, 1, 1), rgb(0, 0, 0)];
const gray = (shade: number) => rgb(shade, shade, shade);

type Paint = (page: PDFPage, font: PDFFont) => void;

/** A page that says "Total: 84.00", and what is painted below it. */
const pageOf = async (paint: Paint): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 200]);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  page.drawText('Total: 84.00', { x: 60, y: 160, size: 12, font });
  paint(page, font);
  return pdf.save();
};

/** Paints on a layer that is off. */
const onHiddenLayer = (page: PDFPage, paint: () => void) => {
  const { context, catalog } = page.doc;
  const layer = context.register(context.obj({ Type: 'OCG', Name: 'draft' }));
  catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: { OFF: [layer] } }));
  page.node.Resources()?.set(PDFName.of('Properties'), context.obj({ L: layer }));
  const begin = PDFOperator.of(PDFOperatorNames.BeginMarkedContentSequence, [PDFName.of('OC'), PDFName.of('L')]);
  page.pushOperators(begin);
  paint();
  page.pushOperators(PDFOperator.of(PDFOperatorNames.EndMarkedContent));
};

describe('words of a PDF page', () => {
  const read = async (paint: Paint) => {
    const { pages, layouts, notes } = await readPdf(await pageOf(paint), MOST_CHARACTERS);
    return {
      text: pages[0]?.text.replace('Total: 84.00', '').trim(),
      words: layouts[0]?.words.map(({ text }) => text),
      notes,
    };
  };

  const hidden: Readonly<Record<string, Paint>> = {
    'in the colour of the paper': (page, font) => page.drawText('City: Nowhere', { ...TEXT, font, color: white }),
    'as good as in the colour of the paper': (page, font) =>
      page.drawText('City: Nowhere', { ...TEXT, font, color: gray(0.97) }),
    'in the colour of the field behind them': (page, font) => {
      page.drawRectangle({ ...BOX, color: rgb(0.1, 0.2, 0.6) });
      page.drawText('City: Nowhere', { ...TEXT, font, color: rgb(0.1, 0.2, 0.61) });
    },
    'under a field': (page, font) => {
      page.drawText('City: Nowhere', { ...TEXT, font });
      page.drawRectangle({ ...BOX, color: black });
    },
    'that are transparent': (page, font) => page.drawText('City: Nowhere', { ...TEXT, font, opacity: 0 }),
    'that are not painted': (page, font) => {
      page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
      page.drawText('City: Nowhere', { ...TEXT, font });
    },
    'on a layer that is off': (page, font) =>
      onHiddenLayer(page, () => page.drawText('City: Nowhere', { ...TEXT, font })),
    'beyond its edges': (page, font) => page.drawText('City: Nowhere', { ...TEXT, y: -30, font }),
    'white among black ones': (page, font) => {
      page.drawText('Net: 70.00', { ...TEXT, font });
      page.drawText('City: Nowhere', { ...TEXT, font, color: white, x: 62 });
    },
  };
  for (const [how, paint] of Object.entries(hidden)) {
    it(`are none ${how}, and are counted`, async () => {
      const { text, words, notes } = await read(paint);
      expect(text).to.equal(how.startsWith('white among') ? 'Net: 70.00' : '');
      expect(words).not.to.include('Nowhere');
      expect(notes).to.deep.equal([{ kind: 'hidden', page: 1, what: '2 hidden words' }]);
    });
  }

  const visible: Readonly<Record<string, Paint>> = {
    'in white on a dark field': (page, font) => {
      page.drawRectangle({ ...BOX, color: rgb(0.1, 0.2, 0.6) });
      page.drawText('City: Oslo', { ...TEXT, font, color: white });
    },
    'that are small and faint': (page, font) =>
      page.drawText('City: Oslo', { ...TEXT, size: 4, font, color: gray(0.9) }),
    'painted twice for bold print': (page, font) => {
      for (const x of [60, 60.4]) page.drawText('City: Oslo', { ...TEXT, font, x });
    },
    'that lean': (page, font) => page.drawText('City: Oslo', { ...TEXT, y: 60, font, rotate: degrees(30) }),
    'under a field that lets them through': (page, font) => {
      page.drawText('City: Oslo', { ...TEXT, font });
      page.drawRectangle({ ...BOX, color: rgb(1, 1, 0), opacity: 0.5 });
    },
    'above a word that is covered': (page, font) => {
      page.drawText('Nowhere', { ...TEXT, font });
      page.drawRectangle({ ...BOX, color: white });
      page.drawText('City: Oslo', { ...TEXT, font });
    },
  };
  for (const [how, paint] of Object.entries(visible)) {
    it(`are read ${how}`, async () => {
      const { text, notes } = await read(paint);
      expect(text).to.equal('City: Oslo');
      expect(notes).to.have.length(how.startsWith('above') ? 1 : 0);
    });
  }

  it('are read as far as they are to be seen', async () => {
    const { words } = await read((page, font) => {
      page.drawText('DE0212030000', { ...TEXT, font });
      page.drawRectangle({
        x: 60 + font.widthOfTextAtSize('DE0212', 12),
        y: 100,
        width: 100,
        height: 20,
        color: black,
      });
    });
    expect(words).to.deep.equal(['Total:', '84.00', 'DE0212']);
  });

  it('are whole at any angle', async () => {
    for (const angle of [45, 135, 221, 315]) {
      const { words } = await read((page, font) =>
        page.drawText('WOMB', { x: 250, y: 80, size: 12, font, rotate: degrees(angle) }),
      );
      expect(words, `${angle}`).to.include('WOMB');
    }
  });

  const noteOf = async (text: string): Promise<Raster> => {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([300, 40]);
    page.drawText(text, { x: 20, y: 15, size: 12, font: await pdf.embedFont(StandardFonts.Helvetica) });
    return scanOf(await pdf.save());
  };

  it('are not all that a page shows where a picture has writing, which is said to be unread', async () => {
    const note = await noteOf('City: Oslo');
    const { scans, notes } = await readPdf(
      await pageOf((page) => layScan(page, note, { width: 300, height: 40 })),
      MOST_CHARACTERS,
    );
    expect(scans).to.deep.equal([1]);
    expect(notes).to.deep.equal([{ kind: 'unread', page: 1, what: 'writing that is no text of the file' }]);
  });

  it('are all that a page shows where fields, rules and bars stand beside them', async () => {
    const data = await pageOf((page) => {
      for (let row = 0; row < 5; row += 1)
        page.drawLine({ start: { x: 40, y: 20 + row * 12 }, end: { x: 300, y: 20 + row * 12 } });
      for (let bar = 0; bar < 30; bar += 1)
        page.drawRectangle({ x: 40 + bar * 4, y: 90, width: 1 + (bar % 3), height: 25, color: black });
      page.drawRectangle({ x: 320, y: 20, width: 60, height: 150, color: rgb(0.1, 0.2, 0.6) });
    });
    const { scans, notes } = await readPdf(data, MOST_CHARACTERS);
    expect({ scans, notes }).to.deep.equal({ scans: [], notes: [] });
  });

  it('are all that a person reads beside a QR code, but not between its corners', async () => {
    const seen = async (paint: Paint) => {
      const { scans } = await readPdf(await pageOf(paint), MOST_CHARACTERS);
      return scans;
    };
    const place = { x: 220, y: 20, size: 120 };
    for (const modules of [25, 41, 57]) expect(await seen((page) => drawCode(page, modules, place))).to.deep.equal([]);
    const note = await noteOf('City: Oslo');
    expect(
      await seen((page) => {
        drawCode(page, 41, place);
        layScan(page, note, { width: 200, height: 27 });
      }),
    ).to.deep.equal([1]);
    expect(
      await seen((page) => {
        page.pushOperators(concatTransformationMatrix(1, 0, 0, 1, 216, 88));
        layScan(page, note, { width: 178, height: 24 });
        page.pushOperators(concatTransformationMatrix(1, 0, 0, 1, -216, -88));
        drawCode(page, 41, { x: 215, y: 10, size: 180 }, true);
      }),
    ).to.deep.equal([1]);
  });

  it('of the corpus leave nothing unread or hidden', async () => {
    for (const paper of papers) {
      const { scans, notes } = await readPdf((await layPaper(paper)).pdf, 1_000_000);
      expect({ scans, notes }, paper.name).to.deep.equal({ scans: [], notes: [] });
    }
  });
});
