import path from 'node:path';
import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { png, workbook } from '../fixtures/text/files.ts';
import { box, slideShow } from '../fixtures/text/slides.ts';
import { paragraph, run, wordDocument } from '../fixtures/text/word.ts';

/** The file as other programs write it: every part is named from the root of the package (ECMA-376 part 2, 6.5.3). */
const namedFromTheRoot = (file: Uint8Array): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(unzipSync(file)).map(([name, data]) => {
        if (!name.endsWith('.rels')) return [name, data];
        const folder = path.posix.dirname(path.posix.dirname(name));
        const absolute = (target: string) => path.posix.join('/', folder, target);
        const text = strFromU8(data).replace(/Target="([^":]+)"/g, (_, target) => `Target="${absolute(target)}"`);
        return [name, strToU8(text)];
      }),
    ),
  );

const letter = (): Uint8Array => {
  const section = '<w:sectPr><w:headerReference w:type="default" r:id="header1.xml"/></w:sectPr>';
  const note = '<w:r><w:footnoteReference w:id="2"/></w:r>';
  return wordDocument(`<w:p>${run('Order HW-77')}${note}</w:p>${section}`, {
    header1: ['hdr', paragraph('Harbour Works Ltd')],
    footnotes: ['footnotes', `<w:footnote w:id="2">${paragraph('Without freight')}</w:footnote>`],
  });
};

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const ledger = (): Uint8Array => {
  const files = unzipSync(workbook({ Ledger: '<row r="1"><c r="A1"><v>84</v></c></row>' }));
  const main = 'http://schemas.openxmlformats.org/drawingml/2006/';
  const shape = '<xdr:sp><xdr:txBody><a:p><a:r><a:t>Paid</a:t></a:r></a:p></xdr:txBody></xdr:sp>';
  return zipSync({
    ...files,
    'xl/worksheets/_rels/sheet1.xml.rels': strToU8(
      `<Relationships><Relationship Id="rId1" Type="${RELATIONS}/drawing" Target="../drawings/drawing1.xml"/></Relationships>`,
    ),
    'xl/drawings/drawing1.xml': strToU8(
      `<xdr:wsDr xmlns:xdr="${main}spreadsheetDrawing" xmlns:a="${main}main">${shape}</xdr:wsDr>`,
    ),
  });
};

describe('documents of Office', () => {
  const extractor = textExtractor({ timeoutSeconds: 60, readers: 1 });
  after(() => extractor.close());

  const read = async (fileName: string, data: Uint8Array) => {
    const parts = await extractor.extract({ fileName, contentType: '', data });
    return parts.map(({ pages, notes }) => ({ text: pages[0]?.text, notes }));
  };

  const documents: readonly (readonly [name: string, data: Uint8Array, words: readonly string[]])[] = [
    ['a.docx', letter(), ['Harbour Works Ltd', 'Order HW-77', 'Without freight']],
    ['a.xlsx', ledger(), ['84', 'Paid']],
    [
      'a.pptx',
      slideShow([{ shapes: box('Second quarter'), links: ['../media/a.png'] }], box('Nordlicht'), {
        'ppt/media/a.png': png,
      }),
      ['Second quarter', 'Nordlicht'],
    ],
  ];
  for (const [name, data, words] of documents)
    it(`(${name}) are read whole, whether they name their parts from where they stand or from the root`, async () => {
      const found = await read(name, data);
      for (const word of words) expect(found[0]?.text).to.contain(word);
      expect(await read(name, namedFromTheRoot(data))).to.deep.equal(found);
    });
});
