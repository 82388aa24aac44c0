import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { pdfOfPages } from '../fixtures/text/files.ts';

type Cell = readonly [text: string, x: number];

type Lines = readonly (readonly Cell[] | null)[];

/** Pages of lines from top to bottom, each a number of cells; `null` leaves a line free. */
const pagesOf = async (pages: readonly Lines[]): Promise<readonly string[]> => {
  const runs = pages.map((lines) =>
    lines.flatMap((line, index) => (line ?? []).map(([text, x]) => [text, x, 800 - 14 * index] as const)),
  );
  const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await pdfOfPages(runs) }, 100_000);
  return part?.pages.map(({ text }) => text) ?? [];
};
const pageOf = async (lines: Lines): Promise<string> => (await pagesOf([lines]))[0] ?? '';

/** Columns beside each other, each from its own height on. */
const columnsOf = async (
  columns: readonly { readonly x: number; readonly y: number; readonly lines: readonly string[] }[],
) => {
  const runs = columns.flatMap(({ x, y, lines }) => lines.map((text, index) => [text, x, y - 14 * index] as const));
  const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await pdfOfPages([runs]) }, 100_000);
  return part?.pages[0]?.text;
};

const leftProse = [
  'The goods that this contract names',
  'are sent to the address of the buyer',
  'within ten days of the day on which',
  'both parties have signed it, without',
  'any cost that is not named in it.',
];
const rightProse = [
  'Should the seller not be able to send',
  'them in this time, the buyer may take',
  'them from another seller, and the first',
  'one bears what these cost beyond the',
  'price on which both had agreed.',
];
const sender = ['Nordlicht Metallbau GmbH', 'Hafenstrasse 12', '20457 Hamburg', 'Germany'];

describe('columns of a PDF page', () => {
  it('of prose are read one after the other, three as well as two, also under a title', async () => {
    const two = leftProse.map((text, index): readonly Cell[] => [
      [text, 50],
      [rightProse[index] ?? '', 300],
    ]);
    const title: readonly Cell[] = [
      ['General terms of the sale of goods to companies within the European Union, 2026', 50],
    ];
    const text = await pageOf([title, ...two]);
    expect(text.split('\n').slice(1)).to.deep.equal([...leftProse, ...rightProse]);

    const third = leftProse.map((line) => line.replace('the', 'all'));
    const three = two.map((line, index): readonly Cell[] => [
      ...line.map(([own, x]): Cell => [own, x / 1.3]),
      [third[index] ?? '', 430],
    ]);
    expect((await pageOf(three)).split('\n')).to.deep.equal([...leftProse, ...rightProse, ...third]);
  });

  it('of prose go on over paragraphs', async () => {
    const lines = [0, 1, 2, 3, 4, null, 0, 1, 2, 3, 4].map((index): readonly Cell[] | null =>
      index === null
        ? null
        : [
            [leftProse[index] ?? '', 50],
            [rightProse[index] ?? '', 300],
          ],
    );
    expect((await pageOf(lines)).split('\n')).to.deep.equal([...leftProse, ...leftProse, ...rightProse, ...rightProse]);
  });

  for (const isJustified of [false, true])
    it(`of prose with headings between, whose lines stand at heights of their own, are read apart: ${isJustified ? 'filled' : 'ragged'} lines`, async () => {
      const pdf = await PDFDocument.create();
      const font = await pdf.embedFont(StandardFonts.Helvetica);
      const page = pdf.addPage([595, 842]);
      const [size, width] = [10, 190];
      const put = (text: string, x: number, y: number) => page.drawText(text, { x, y, size, font });
      /** In lines that are as wide as the column, blanks are so wide that they could set cells apart. */
      const line = (text: string, x: number, y: number, isLast: boolean) => {
        const words = text.split(' ');
        const isFilled = isJustified && !isLast;
        const letters = words.reduce((sum, word) => sum + font.widthOfTextAtSize(word, size), 0);
        const gap = (width - letters) / (words.length - 1);
        let along = x;
        for (const word of isFilled ? words : [text]) {
          put(word, along, y);
          along += font.widthOfTextAtSize(word, size) + gap;
        }
      };
      const left = [
        ['1 Delivery', ...leftProse, 'a) by road', 'b) by rail'],
        ['2 Delay', ...rightProse, 'a) rebate', 'b) repair'],
      ];
      const right = [
        [...rightProse, 'c) return'],
        ['3 Default', ...leftProse, 'a) notice', 'b) arrest'],
      ];
      // From the second section on, the lines of both columns stand at the same heights.
      for (const [x, top, apart, sections] of [
        [50, 700, 6, left],
        [260, 706, 12, right],
      ] as const) {
        let y = top;
        for (const section of sections) {
          for (const [index, text] of section.entries()) {
            line(text, x, y, text.length < 12 || index > 4);
            y -= 12;
          }
          y -= apart;
        }
      }
      const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await pdf.save() }, 100_000);
      const read = part?.pages[0]?.text.split('\n').map((each) => each.replace(/ +/g, ' '));
      expect(read).to.deep.equal([...left, ...right].flat());
    });

  it('at the head of an invoice are read apart: the sender, then the data', async () => {
    const data = ['Invoice number: NM-2026-0117', 'Date: 2026-01-17', 'Customer number: 4711', 'Due: 2026-02-16'];
    const head = sender.map((text, index): readonly Cell[] => [
      [text, 50],
      [data[index] ?? '', 350],
    ]);
    const table: readonly (readonly Cell[])[] = [
      ['Description', 'Qty', 'Unit price', 'Amount'],
      ['Steel bolts M8, box of 100', '4', '12.50', '50.00'],
      ['Steel nuts M8, box of 100', '2', '10.50', '21.00'],
      ['Freight', '1', '9.90', '9.90'],
    ].map((row) => row.map((text, column): Cell => [text, [50, 300, 370, 460][column] ?? 0]));
    const text = await pageOf([...head, null, null, ...table]);
    expect(text.split('\n')).to.deep.equal([
      ...sender,
      ...data,
      'Description  Qty  Unit price  Amount',
      'Steel bolts M8, box of 100  4  12.50  50.00',
      'Steel nuts M8, box of 100  2  10.50  21.00',
      'Freight  1  9.90  9.90',
    ]);
  });

  it('at the head of an invoice end where a table begins right below them', async () => {
    const data = ['Invoice number: NM-2026-0117', 'Date: 2026-01-17', 'Customer number: 4711', 'Due: 2026-02-16'];
    const head = sender.map((text, index): readonly Cell[] => [
      [text, 50],
      [data[index] ?? '', 350],
    ]);
    const rows = [
      ['Item', 'Unit', 'Quantity', 'Amount'],
      ['Steel bolts', 'box', '4', '50.00'],
    ].map((row) => row.map((text, column): Cell => [text, [50, 150, 350, 460][column] ?? 0]));
    expect((await pageOf([...head, ...rows])).split('\n')).to.deep.equal([
      ...sender,
      ...data,
      'Item  Unit  Quantity  Amount',
      'Steel bolts  box  4  50.00',
    ]);
  });

  it('at the head of an invoice are read apart where labels have no colon, and values a column of their own', async () => {
    const data = [
      ['Invoice number', 'NM-2026-0117'],
      ['Date', '17.01.2026'],
      ['Customer', 'Harbour Works'],
      ['Amount due', '80.90 EUR'],
    ];
    const lines = sender.map((text, index): readonly Cell[] => [
      [text, 50],
      [data[index]?.[0] ?? '', 350],
      [data[index]?.[1] ?? '', 460],
    ]);
    expect((await pageOf(lines)).split('\n')).to.deep.equal([...sender, ...data.map((pair) => pair.join('  '))]);
  });

  it('are read apart where their lines do not stand at one height', async () => {
    const receiver = ['Harbour Works Ltd', 'Quay Street 7', 'Bristol BS1 4XX', 'United Kingdom'];
    const text = await columnsOf([
      { x: 50, y: 750, lines: receiver },
      { x: 350, y: 757, lines: sender },
    ]);
    expect(text?.split('\n')).to.deep.equal([...receiver, ...sender]);
  });

  it('under headings of their own are read apart', async () => {
    const [bill, ship] = [
      ['Bill to:', 'Harbour Works Ltd', 'Quay Street 7', 'Bristol'],
      ['Ship to:', 'Harbour Works Yard', 'Dock Road 3', 'Avonmouth'],
    ];
    const lines = (bill ?? []).map((text, index): readonly Cell[] => [
      [text, 50],
      [ship?.[index] ?? '', 300],
    ]);
    expect((await pageOf(lines)).split('\n')).to.deep.equal([...(bill ?? []), ...(ship ?? [])]);
  });

  for (const [kind, rows] of Object.entries({
    'labels and values': [
      ['Invoice number:', 'NM-17'],
      ['Date:', '2026-01-17'],
      ['Customer:', 'Harbour Works'],
      ['Total:', '84.00'],
    ],
    'labels without colons': [
      ['Invoice number', 'NM-17'],
      ['Date', '2026-01-17'],
      ['Customer', 'Harbour Works'],
      ['Total', '84.00'],
    ],
    'words in two columns': [
      ['Country', 'Capital'],
      ['Iceland', 'Reykjavik'],
      ['Norway', 'Oslo'],
      ['Sweden', 'Stockholm'],
    ],
    'words in three columns': [
      ['Country', 'Capital', 'Language'],
      ['Iceland', 'Reykjavik', 'Icelandic'],
      ['Norway', 'Oslo', 'Norwegian'],
    ],
    'items, units and amounts': [
      ['Item', 'Unit', 'Price'],
      ['Bolts', 'box', '12.50'],
      ['Nuts', 'bag', '10.50'],
      ['Oil', 'can', '3.10'],
    ],
    'items with a colon in each row': [
      ['Bolts M8', 'Size: 8 mm'],
      ['Bolts M6', 'Size: 6 mm'],
      ['Bolts M4', 'Size: 4 mm'],
    ],
    'times of a day': [
      ['Open', '08:00 to 12:00'],
      ['Lunch', '12:00 to 13:00'],
      ['Closed', '18:00 to 08:00'],
    ],
    'long descriptions and notes': [
      ['Steel bolts M8, box of one hundred', 'not in stock'],
      ['Freight', 'to the gate, without unloading of the goods'],
      ['Packing of the goods in wooden boxes', 'returned boxes are refunded'],
    ],
  }))
    it(`of a table stay rows: ${kind}`, async () => {
      const lines = rows.map((row) => row.map((text, column): Cell => [text, 50 + 200 * column]));
      const spaced = rows.map((row) => row.reduce((line, cell) => `${line}${line.endsWith(':') ? ' ' : '  '}${cell}`));
      expect((await pageOf(lines)).split('\n')).to.deep.equal(spaced);
    });

  it('of a table stay rows where a cell has two lines and the others stand beside their middle', async () => {
    const text = await columnsOf([
      {
        x: 50,
        y: 700,
        lines: ['Steel bolts M8,', 'box of 100', 'Steel nuts M8,', 'box of 100', 'Steel wire,', '10 m'],
      },
      ...[693, 665, 637].map((y, index) => ({ x: 300, y, lines: [['50.00', '21.00', '9.90'][index] ?? ''] })),
    ]);
    const lines = text?.split('\n') ?? [];
    expect(lines.indexOf('50.00')).to.equal(1);
    expect(lines.indexOf('9.90')).to.be.above(lines.indexOf('Steel nuts M8,'));
  });

  const foot: readonly Cell[] = [['Page 1 of 2', 280]];
  const rowsAt =
    (...xs: readonly number[]) =>
    (row: readonly string[]): readonly Cell[] =>
      row.map((text, column): Cell => [text, xs[column] ?? 0]);
  const spaced = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join('  '));

  for (const [kind, xs, first, next] of [
    [
      'words and dates',
      [50, 200, 400],
      [
        ['Name', 'Role', 'Since'],
        ['Ada Byron', 'Engineer', '2019'],
        ['Bob Stone', 'Cook', '2018'],
      ],
      [
        ['Cy Young', 'Clerk', '2020'],
        ['Di Brown', 'Baker', 'since May'],
        ['Ed White', 'Carpenter', '2021'],
        ['Flo Green', 'Driver', '2022'],
      ],
    ],
    [
      'sentences',
      [50, 300],
      [
        ['Clause', 'Meaning'],
        ['Delivery of all goods', 'The goods are sent at once'],
      ],
      [
        ['Warranty of the goods sold', 'The seller is liable for two'],
        ['Return of unwanted goods', 'The buyer may send all back'],
        ['Law of the contract', 'The law of Germany applies'],
        ['Court of all disputes', 'The court of Hamburg decides'],
      ],
    ],
  ] as const)
    it(`of a table that goes on on the next page without its heading stay rows: ${kind}`, async () => {
      const row = rowsAt(...xs);
      const pages = await pagesOf([[...first.map(row), null, null, foot], next.map(row), next.map(row)]);
      expect(pages.map((text) => text.split('\n'))).to.deep.equal([
        [...spaced(first), 'Page 1 of 2'],
        spaced(next),
        spaced(next),
      ]);
    });

  it('of prose are read apart behind a page that ends with a table of other columns', async () => {
    const table = [
      ['Item', 'Unit', 'Price'],
      ['Bolts', 'box', '12.50'],
      ['Nuts', 'bag', '10.50'],
    ];
    const prose = leftProse.map((text, index): readonly Cell[] => [
      [text, 50],
      [rightProse[index] ?? '', 300],
    ]);
    const pages = await pagesOf([table.map(rowsAt(50, 250, 400)), prose]);
    expect(pages[1]?.split('\n')).to.deep.equal([...leftProse, ...rightProse]);
  });
});
