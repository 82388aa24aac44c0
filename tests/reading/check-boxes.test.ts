import { expect } from 'chai';
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { drawCode } from '../fixtures/text/matrix-code.ts';

const [white, black, blue] = [rgb(1, 1, 1), rgb(0, 0, 0), rgb(0, 0.46, 1)];
const SIZE = 11;
const X = 60;

interface Place {
  readonly page: PDFPage;
  readonly signs: PDFFont;
  readonly font: PDFFont;
  /** Where the box begins, from below. */
  readonly y: number;
}
type Paint = (place: Place) => void;

const read = async (rows: Readonly<Record<string, Paint>>) => {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 800]);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const signs = await pdf.embedFont(StandardFonts.ZapfDingbats);
  for (const [index, [label, paint]] of Object.entries(rows).entries()) {
    const y = 740 - 26 * index;
    paint({ page, signs, font, y });
    page.drawText(label, { x: X + 20, y: y + 2, size: 11, font });
  }
  const { pages, notes } = await readPdf(await pdf.save(), 10_000);
  const whats = notes.map(({ what }) => what);
  return { lines: pages[0]?.text.split('\n'), notes: whats.filter((what) => what.includes('box')) };
};

const frame: Paint = ({ page, y }) =>
  page.drawRectangle({ x: X, y, width: SIZE, height: SIZE, borderColor: black, borderWidth: 1 });
const fourLines: Paint = ({ page, y }) => {
  const corners = [
    [0, 0],
    [SIZE, 0],
    [SIZE, SIZE],
    [0, SIZE],
  ] as const;
  for (const [index, [left, below]] of corners.entries()) {
    const [toLeft, toBelow] = corners[(index + 1) % 4] as readonly [number, number];
    page.drawLine({ start: { x: X + left, y: y + below }, end: { x: X + toLeft, y: y + toBelow }, thickness: 1 });
  }
};
const strokes =
  (points: readonly (readonly [number, number])[], color = black): Paint =>
  ({ page, y }) => {
    for (const [index, [left, below]] of points.slice(1).entries()) {
      const [x0, y0] = points[index] as readonly [number, number];
      const start = { x: X + x0, y: y + y0 };
      page.drawLine({ start, end: { x: X + left, y: y + below }, thickness: 1.5, color });
    }
  };
const tick = strokes([
  [2, 6],
  [4.5, 3],
  [9, 9],
]);
const longTick = strokes([
  [2, 6],
  [5, 2],
  [14, 14],
]);
const cross: Paint = (place) => {
  strokes([
    [2, 2],
    [9, 9],
  ])(place);
  strokes([
    [2, 9],
    [9, 2],
  ])(place);
};
const field =
  (color = black, inset = 0): Paint =>
  ({ page, y }) =>
    page.drawRectangle({ x: X + inset, y: y + inset, width: SIZE - 2 * inset, height: SIZE - 2 * inset, color });
const ring: Paint = ({ page, y }) =>
  page.drawCircle({ x: X + SIZE / 2, y: y + SIZE / 2, size: SIZE / 2, borderColor: black, borderWidth: 1 });
const dot: Paint = ({ page, y }) => page.drawCircle({ x: X + SIZE / 2, y: y + SIZE / 2, size: 3, color: black });
const letter =
  (text: string): Paint =>
  ({ page, y, font }) =>
    page.drawText(text, { x: X + 2.5, y: y + 2, size: 10, font });
const sign =
  (text: string): Paint =>
  ({ page, y, signs }) =>
    page.drawText(text, { x: X + 1.5, y: y + 2, size: 9, font: signs });
const all =
  (...paints: readonly Paint[]): Paint =>
  (place) => {
    for (const paint of paints) paint(place);
  };

describe('boxes that are drawn on a PDF page', () => {
  it('are read as a person sees them, whatever draws them and their ticks', async () => {
    const { lines, notes } = await read({
      empty: frame,
      'of four lines': fourLines,
      tick: all(frame, tick),
      'tick that reaches out': all(frame, longTick),
      cross: all(fourLines, cross),
      square: all(frame, field(black, 2.5)),
      'tick of a browser': all(
        field(blue),
        strokes(
          [
            [2.5, 5.5],
            [4.5, 3.2],
            [8.5, 8],
          ],
          white,
        ),
      ),
      'typed cross': all(frame, letter('X')),
      'sign of a font': all(frame, sign('✔')),
      'other button': ring,
      button: all(ring, dot),
    });
    expect(lines).to.deep.equal([
      '[ ] empty',
      '[ ] of four lines',
      '[x] tick',
      '[x] tick that reaches out',
      '[x] cross',
      '[x] square',
      '[x] tick of a browser',
      '[x] typed cross',
      '[x] sign of a font',
      '[ ] other button',
      '[x] button',
    ]);
    expect(notes).to.deep.equal([]);
  });

  it('are said to be unread where it is not clear what is in them', async () => {
    const { lines, notes } = await read({
      yes: all(
        frame,
        strokes([
          [2, 3],
          [5, 8],
          [6, 3],
          [9, 8],
        ]),
      ),
      empty: frame,
      full: field(),
    });
    expect(lines).to.deep.equal(['yes', 'empty', 'full']);
    expect(notes).to.deep.equal(['2 drawings that may be a ticked box']);
  });

  it('are no legends, bullets, places for letters, table cells, logos and codes', async () => {
    const circle =
      (size: number, x = X): Paint =>
      ({ page, y }) =>
        page.drawCircle({ x, y: y + 5, size, borderColor: black, borderWidth: 1 });
    const places: Paint = ({ page, y }) => {
      for (let index = 0; index < 8; index += 1)
        page.drawRectangle({ x: 200 + 13 * index, y, width: SIZE, height: SIZE, borderColor: black, borderWidth: 1 });
    };
    const cells: Paint = ({ page, y }) => {
      for (const x of [X - 30, X - 16, X - 2])
        page.drawRectangle({ x, y: y - 2, width: 14, height: 14, borderColor: black, borderWidth: 1 });
    };
    const code: Paint = ({ page, y }) => drawCode(page, 21, { x: X - 43, y: y - 40, size: 60 });
    const { lines, notes } = await read({
      rent: field(blue),
      power: all(field(rgb(0.8, 0, 0)), frame),
      bullet: circle(2),
      digit: all(frame, letter('4')),
      name: places,
      cell: cells,
      Logo: circle(6),
      'Tick alone': tick,
      'Scan to pay': code,
    });
    expect(lines).to.deep.equal([
      'rent',
      'power',
      'bullet',
      '4  digit',
      'name',
      'cell',
      'Logo',
      'Tick alone',
      'Scan to pay',
    ]);
    expect(notes).to.deep.equal([]);
  });
});
