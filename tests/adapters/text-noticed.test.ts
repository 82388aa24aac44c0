import { readFile as readBytes } from 'node:fs/promises';
import { constants, deflateSync } from 'node:zlib';
import { type BookType, CFB, utils, write } from '@e965/xlsx';
import { expect } from 'chai';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { PDFDocument, PDFHexString, PDFName, type PDFObject, type PDFPage, PDFRawStream, PDFString } from 'pdf-lib';
import { pictureNotes } from '../../src/adapters/text/formats/picture-notes.ts';
import { decodeGif } from '../../src/adapters/text/ocr/gif.ts';
import { hasDamage } from '../../src/adapters/text/pdf-damage.ts';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, email, invoicePdf, pdfOfRuns, workbook } from '../fixtures/text/files.ts';
import { gifOf } from '../fixtures/text/pictures.ts';
import { grain, pngOf } from '../fixtures/text/scans.ts';
import { box, openPresentation, openSlide, slideShow } from '../fixtures/text/slides.ts';
import { openText, paragraph, wordDocument } from '../fixtures/text/word.ts';

const INVOICE = new URL('../fixtures/text/invoice.jpg', import.meta.url);
/** Large enough to hold writing. */
const picture = pngOf(grain(300, 200));
const small = pngOf(grain(30, 20));
const base64 = (data: Uint8Array) => Buffer.from(data).toString('base64');

/** The record of a workbook of before 2007 that says how large a sheet is. */
const DIMENSIONS = 0x0200;

/** What was read of a file: its text, what is within it, and what is said of it. */
const read = async (fileName: string, data: Uint8Array) => {
  const [own, ...inner] = await readFile({ fileName, contentType: '', data }, 100_000);
  return {
    text: own?.pages.map(({ text }) => text).join('\n') ?? '',
    inner: inner.map((part) => part.fileName),
    notes: (own?.notes ?? []).map(
      ({ kind, page, what }) => `${kind}${page === null ? '' : ` on page ${page}`}: ${what}`,
    ),
    unreadable: own?.unreadable ?? null,
  };
};
const notesOf = async (fileName: string, data: Uint8Array) => (await read(fileName, data)).notes;

const pdfWith = async (annotate: (pdf: PDFDocument, page: PDFPage) => Record<string, unknown>): Promise<Uint8Array> => {
  const pdf = await PDFDocument.load(await pdfOfRuns([['Invoice 4711', 50, 780]]));
  const page = pdf.getPage(0);
  const annotation = { Type: 'Annot', Rect: [50, 600, 300, 620], F: 4, ...annotate(pdf, page) };
  page.node.addAnnot(pdf.context.register(pdf.context.obj(annotation as unknown as Record<string, PDFObject>)));
  return pdf.save();
};
const said = (Subtype: string, words: string, more: object = {}) =>
  pdfWith(() => ({ Subtype, Contents: PDFString.of(words), ...more }));

describe('what is not read of a file is said', () => {
  describe('in a PDF', () => {
    it('of comments, which viewers show beside the page', async () => {
      expect(await read('a.pdf', await said('Text', 'Pay only half'))).to.deep.include({
        text: 'Invoice 4711',
        notes: ['unread on page 1: 1 comment'],
      });
      const marked = { QuadPoints: [50, 790, 120, 790, 50, 778, 120, 778] };
      expect(await notesOf('a.pdf', await said('Highlight', 'Wrong number', marked))).to.deep.equal([
        'unread on page 1: 1 comment',
      ]);
      expect(await notesOf('a.pdf', await said('Highlight', '', marked))).to.deep.equal([]);
      expect(await notesOf('a.pdf', await said('Text', 'Pay only half', { F: 2 })), 'one that is hidden').to.deep.equal(
        [],
      );
    });

    it('of words under a filled shape, also where the file has no drawing of it', async () => {
      const covering = { Rect: [45, 770, 300, 800], C: [0, 0, 0] };
      const corners = { Vertices: [45, 770, 300, 770, 300, 800, 45, 800] };
      const shown = pdfOfRuns([
        ['Invoice 4711', 50, 780],
        ['Total 84.00', 50, 700],
      ]);
      for (const shape of [{ Subtype: 'Square' }, { Subtype: 'Circle' }, { Subtype: 'Polygon', ...corners }]) {
        const over = async (more: object) => {
          const pdf = await PDFDocument.load(await shown);
          const wide = shape.Subtype === 'Circle' ? { Rect: [-500, 750, 700, 820] } : {};
          const about = { Type: 'Annot', F: 4, ...covering, ...shape, ...wide, ...more };
          pdf.getPage(0).node.addAnnot(pdf.context.register(pdf.context.obj(about)));
          const { text, notes } = await read('a.pdf', await pdf.save());
          return [text, ...notes];
        };
        expect(await over({ IC: [0, 0, 0] }), shape.Subtype).to.deep.equal([
          'Total 84.00',
          'hidden on page 1: 2 hidden words',
        ]);
        expect(await over({}), `${shape.Subtype}, empty`).to.deep.equal(['Invoice 4711\nTotal 84.00']);
      }
    });

    it('of films, sounds and models', async () => {
      expect(await notesOf('a.pdf', await pdfWith(() => ({ Subtype: 'RichMedia' })))).to.deep.equal([
        'unread on page 1: 1 film, sound or model',
      ]);
    });

    it('of stamps that viewers draw by their names, and of notes that strike out text', async () => {
      expect(await notesOf('a.pdf', await pdfWith(() => ({ Subtype: 'Stamp', Name: 'Approved' })))).to.deep.equal([
        'unread on page 1: 1 stamp without a drawing: Approved',
      ]);
      const struck = { Subtype: 'StrikeOut', QuadPoints: [50, 790, 120, 790, 50, 778, 120, 778] };
      expect(await notesOf('a.pdf', await pdfWith(() => struck))).to.deep.equal([
        'unread on page 1: 1 note that strikes out text',
      ]);
    });

    it('and text that is written on a page with its formats alone is read', async () => {
      const RC = PDFString.of('<body xmlns="http://www.w3.org/1999/xhtml"><p>PAID <b>84.00</b></p></body>');
      const data = await pdfWith(() => ({ Subtype: 'FreeText', RC, DA: PDFString.of('/Helv 12 Tf 0 g') }));
      expect(await read('a.pdf', data)).to.deep.include({ text: 'Invoice 4711\nPAID 84.00', notes: [] });
    });

    it('and text that is written on a page is read, also where the file has no drawing of it', async () => {
      const data = await said('FreeText', 'Total: 84.00', { DA: PDFString.of('/Helv 12 Tf 0 g') });
      expect(await read('a.pdf', data)).to.deep.include({ text: 'Invoice 4711\nTotal: 84.00', notes: [] });
    });

    for (const words of ['Zapłacono 29.11.2026 żółć', '已付款 84.00'])
      it(`and it is read also where no font that the file has can draw it: ${words}`, async () => {
        const Contents = PDFHexString.fromText(words);
        const data = await pdfWith(() => ({ Subtype: 'FreeText', Contents, DA: PDFString.of('/Helv 12 Tf 0 g') }));
        expect(await read('a.pdf', data)).to.deep.include({ text: `Invoice 4711\n${words}`, notes: [] });
      });

    it('and files that are attached to a place on a page are read', async () => {
      const data = await pdfWith(({ context }) => {
        const file = context.register(context.flateStream(bytes('Total: 84.00'), { Type: 'EmbeddedFile' }));
        const names = { F: PDFString.of('total.txt'), UF: PDFHexString.fromText('total.txt') };
        return { Subtype: 'FileAttachment', FS: context.obj({ Type: 'Filespec', ...names, EF: { F: file } }) };
      });
      expect(await read('a.pdf', data)).to.deep.include({ text: 'Invoice 4711', inner: ['total.txt'] });
      const alone = await readFile({ fileName: 'a.pdf', contentType: '', data }, 100_000, true);
      expect(alone.map(({ notes }) => notes?.map(({ what }) => what))).to.deep.equal([
        ['the attached file total.txt: it could not be read, or another file beside it could not'],
      ]);
    });
  });

  describe('of a PDF that is damaged', () => {
    /** A page whose text is packed, and a picture on it. */
    const made = async () => {
      const pdf = await PDFDocument.load(await invoicePdf());
      const jpeg = await pdf.embedJpg(new Uint8Array(await readBytes(INVOICE)));
      pdf.getPage(0).drawImage(jpeg, { x: 50, y: 20, width: 400, height: 200 });
      return pdf.save({ useObjectStreams: false });
    };

    /** The file with other bytes in one of its streams, as long as before. */
    const spoiled = async (isIt: (dictionary: string) => boolean, spoil: (stream: Uint8Array) => unknown) => {
      const pdf = await PDFDocument.load(await made());
      const streams = pdf.context.enumerateIndirectObjects().map(([, object]) => object);
      const found = streams.find(
        (one): one is PDFRawStream => one instanceof PDFRawStream && isIt(one.dict.toString()),
      );
      spoil(found?.contents ?? new Uint8Array());
      return pdf.save({ useObjectStreams: false });
    };
    const isPicture = (dictionary: string) => dictionary.includes('/Image');
    const isText = (dictionary: string) => !dictionary.includes('/Subtype');
    const DAMAGED = 'unread: damaged parts of the file';

    it('and nothing is said of one that is whole', async () => {
      const whole = await read('a.pdf', await made());
      expect(whole.text).to.include('Total');
      expect(whole.notes).not.to.include(DAMAGED);
    });

    it('of text that ends in the middle', async () => {
      const whole = await read('a.pdf', await made());
      const half = await read('a.pdf', await spoiled(isText, (text) => text.fill(0, text.length / 2)));
      expect(half.text.length).to.be.within(1, whole.text.length - 1);
      expect(half.notes).to.include(DAMAGED);
    });

    it('of a picture that has no beginning, or no end', async () => {
      for (const spoil of [
        (jpeg: Uint8Array) => jpeg.fill(0, 0, 40),
        (jpeg: Uint8Array) => jpeg.fill(0, jpeg.length / 2),
      ])
        expect(await notesOf('a.pdf', await spoiled(isPicture, spoil))).to.include(DAMAGED);
    });

    it('of pictures that cannot be decoded', async () => {
      const pictureOf = async (data: Uint8Array) => {
        const pdf = await PDFDocument.load(await invoicePdf());
        const about = { Type: 'XObject', Subtype: 'Image', Width: 400, Height: 200, Filter: 'JPXDecode' };
        const picture = PDFRawStream.of(pdf.context.obj({ ...about, Length: data.length }), data);
        const { node } = pdf.getPage(0);
        node.setXObject(PDFName.of('Photo'), pdf.context.register(picture));
        node.addContentStream(pdf.context.register(pdf.context.flateStream('q 200 0 0 50 50 30 cm /Photo Do Q')));
        return notesOf('a.pdf', await pdf.save());
      };
      const photo = new Uint8Array(await readBytes(new URL('note.jp2', INVOICE)));
      const undecoded = 'unread on page 1: 1 picture that cannot be decoded';
      expect(await pictureOf(photo)).not.to.include(undecoded);
      expect(await pictureOf(photo.fill(0, 100, photo.length - 2))).to.include(undecoded);
    });

    it('of what has no end', async () => {
      const file = Buffer.from(await made());
      file.fill(' ', file.lastIndexOf('endstream'), file.lastIndexOf('endobj'));
      expect(await notesOf('a.pdf', file)).to.include(DAMAGED);
    });

    it('but not of a picture with zeros behind it, or of streams that begin as some writers begin them', async () => {
      const pdf = await PDFDocument.load(await invoicePdf());
      const jpeg = Buffer.concat([await readBytes(INVOICE), Buffer.alloc(4096)]);
      const about = {
        Type: 'XObject',
        Subtype: 'Image',
        Width: 10,
        Height: 10,
        Filter: 'DCTDecode',
        Length: jpeg.length,
      };
      pdf.context.register(PDFRawStream.of(pdf.context.obj(about), jpeg));
      const file = Buffer.from(await pdf.save({ useObjectStreams: false })).toString('latin1');
      for (const begun of ['stream\n', 'stream\r\n', 'stream\r', 'stream \n'])
        expect(hasDamage(Buffer.from(file.replaceAll(/(?<=>>\s*)stream\n/g, begun), 'latin1')), begun).to.equal(false);
    });

    /** Whether a page whose text is in these streams is damaged. */
    const isDamaged = async (...streams: readonly Uint8Array[]) => {
      const pdf = await PDFDocument.create();
      const { node } = pdf.addPage();
      for (const data of streams) {
        const about = pdf.context.obj({ Filter: 'FlateDecode', Length: data.length });
        node.addContentStream(pdf.context.register(PDFRawStream.of(about, data)));
      }
      return hasDamage(await pdf.save({ useObjectStreams: false }));
    };
    const line = Buffer.from('BT /F1 12 Tf 50 700 Td (Total: 84.00) Tj ET');
    const sound = deflateSync(line);
    /** The text is another one, and can be unpacked. */
    const altered = Buffer.concat([deflateSync(bytes('BT ET')).subarray(0, -4), sound.subarray(-4)]);

    it('of text that can be unpacked and is not what it was', async () => {
      expect(await isDamaged(altered, sound)).to.equal(true);
    });

    it('but not where the writer of the file computes no checksum right', async () => {
      expect(await isDamaged(altered, altered)).to.equal(false);
    });

    it('but not of text whose writer left out the last block, or the checksum', async () => {
      const flushed = deflateSync(line, { finishFlush: constants.Z_SYNC_FLUSH });
      for (const packed of [flushed, sound.subarray(0, -4)]) expect(await isDamaged(packed, sound)).to.equal(false);
    });
  });

  describe('in a workbook', () => {
    const OFFICE = 'http://schemas.openxmlformats.org';
    const RELATIONS = `${OFFICE}/officeDocument/2006/relationships`;
    const relations = (list: readonly (readonly [type: string, target: string])[]) =>
      bytes(
        `<Relationships xmlns="${OFFICE}/package/2006/relationships">${list
          .map(
            ([type, target], index) =>
              `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
          )
          .join('')}</Relationships>`,
      );
    const shape = (words: string, about = '') =>
      `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="a"${about}/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr/><xdr:txBody><a:bodyPr/><a:p><a:r><a:t>${words}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
    const chart = `<xdr:graphicFrame><a:graphic><a:graphicData uri="${OFFICE}/drawingml/2006/chart"><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame>`;
    const cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>Invoice 4711</t></is></c></row>';
    /** A workbook with this over the cells of its first sheet; `images`: where its pictures are. */
    const drawn = (
      shapes: string,
      {
        rows = cell,
        images = {},
        links = Object.keys(images),
        hides = false,
      }: { rows?: string; images?: Record<string, Uint8Array>; links?: readonly string[]; hides?: boolean } = {},
    ) => {
      const files = unzipSync(workbook({ A: rows, B: cell }));
      const book = strFromU8(files['xl/workbook.xml'] ?? new Uint8Array());
      return zipSync({
        ...files,
        'xl/workbook.xml': bytes(hides ? book.replace('name="A"', 'name="A" state="veryHidden"') : book),
        'xl/worksheets/_rels/sheet1.xml.rels': relations([['drawing', '../drawings/drawing1.xml']]),
        'xl/drawings/drawing1.xml': bytes(
          `<xdr:wsDr xmlns:xdr="${OFFICE}/drawingml/2006/spreadsheetDrawing" xmlns:a="${OFFICE}/drawingml/2006/main" xmlns:c="${OFFICE}/drawingml/2006/chart" xmlns:r="${RELATIONS}">${shapes}</xdr:wsDr>`,
        ),
        'xl/drawings/_rels/drawing1.xml.rels': relations(links.map((name) => ['image', `../media/${name}`])),
        ...Object.fromEntries(Object.entries(images).map(([name, data]) => [`xl/media/${name}`, data])),
      });
    };

    it('of charts, and of shapes that are hidden; the words of the others are read', async () => {
      const data = drawn(`${shape('Total: 84.00')}${shape('secret', ' hidden="1"')}${chart}`);
      expect(await read('a.xlsx', data)).to.deep.include({
        text: '# A\nInvoice 4711\nTotal: 84.00\n\n# B\nInvoice 4711',
        notes: ['hidden: 6 characters of hidden shapes', 'unread: 1 chart, diagram or object'],
      });
      expect(await read('a.xlsx', drawn(`${shape('Total: 84.00')}${chart}`, { hides: true }))).to.deep.include({
        text: '# B\nInvoice 4711',
        notes: ['hidden: 1 hidden sheet'],
      });
    });

    it('of charts on sheets of their own, and of pictures in cells, for which the sheet has an error', async () => {
      const rich =
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Receipt</t></is></c><c r="B1" t="e" vm="1"><v>#VALUE!</v></c><c r="C1" t="e"><v>#REF!</v></c></row>';
      expect(await read('a.xlsx', workbook({ A: rich }))).to.deep.include({
        text: '# A\nReceipt\t\t#REF!',
        notes: ['unread: 1 cell with a picture or another rich value'],
      });
      const { 'xl/worksheets/sheet1.xml': _, ...files } = unzipSync(drawn(chart));
      const links = files['xl/worksheets/_rels/sheet1.xml.rels'] ?? new Uint8Array();
      const book = strFromU8(files['xl/_rels/workbook.xml.rels'] ?? new Uint8Array());
      const data = zipSync({
        ...files,
        'xl/chartsheets/sheet1.xml': bytes(
          `<chartsheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"><drawing r:id="rId1"/></chartsheet>`,
        ),
        'xl/chartsheets/_rels/sheet1.xml.rels': links,
        'xl/_rels/workbook.xml.rels': bytes(
          book.replace(/worksheet"([^>]*)worksheets\/sheet1/, 'chartsheet"$1chartsheets/sheet1'),
        ),
      });
      expect(await read('a.xlsx', data)).to.deep.include({
        text: '# A\n\n# B\nInvoice 4711',
        notes: ['unread: 1 chart, diagram or object'],
      });
    });

    it('(.xlsb) of charts; the words of the shapes are read', async () => {
      const book = { SheetNames: ['A'], Sheets: { A: utils.aoa_to_sheet([['Invoice 4711']]) } };
      const binary = unzipSync(new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsb' })));
      const over = Object.entries(unzipSync(drawn(`${shape('Total: 84.00')}${chart}`))).flatMap(([name, data]) =>
        /drawing|sheet1.*rels$/.test(name) ? [[name.replace('sheet1.xml', 'sheet1.bin'), data] as const] : [],
      );
      expect(await read('a.xlsb', zipSync({ ...binary, ...Object.fromEntries(over) }))).to.deep.include({
        text: '# A\nInvoice 4711\nTotal: 84.00',
        notes: ['unread: 1 chart, diagram or object'],
      });
    });

    it('and pictures over its cells are read, also where the cells are empty', async () => {
      expect(await read('a.xlsx', drawn('', { images: { 'a.png': picture, 'b.png': small } }))).to.deep.include({
        inner: ['a.png'],
        notes: [],
      });
      const bare = zipSync({
        ...unzipSync(drawn('', { rows: '', images: { 'a.png': picture } })),
        'xl/worksheets/sheet2.xml': bytes('<worksheet/>'),
      });
      expect(await read('a.xlsx', bare)).to.deep.include({ text: '', inner: ['a.png'] });
      expect(await notesOf('a.xlsx', drawn('', { links: ['away.png'] }))).to.deep.equal([
        'unread: 1 picture at other addresses',
      ]);
    });

    it('and pictures in its print headers are read', async () => {
      const data = zipSync({
        ...unzipSync(workbook({ A: cell })),
        'xl/worksheets/_rels/sheet1.xml.rels': relations([['vmlDrawing', '../drawings/vmlDrawing1.vml']]),
        'xl/drawings/vmlDrawing1.vml': bytes('<xml/>'),
        'xl/drawings/_rels/vmlDrawing1.vml.rels': relations([['image', '../media/letterhead.png']]),
        'xl/media/letterhead.png': picture,
      });
      expect(await read('a.xlsx', data)).to.deep.include({ inner: ['letterhead.png'], notes: [] });
    });

    it('of what lies over the cells where that is damaged, and the cells are read', async () => {
      const { text, notes } = await read('a.xlsx', drawn('<a:p>'));
      expect(text).to.contain('Invoice 4711');
      expect(notes.join()).to.match(/^unread: what lies over its cells: it is damaged/);
    });

    const commented = (bookType: BookType) => {
      const sheet = utils.aoa_to_sheet([['Invoice 4711', 84]]);
      utils.cell_add_comment(sheet.B1, 'Pay only\nhalf', 'Ada');
      return new Uint8Array(write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'buffer', bookType }));
    };
    for (const bookType of ['xlsx', 'xlsb'] as const)
      it(`(${bookType}) and comments on cells are read`, async () => {
        expect((await read(`a.${bookType}`, commented(bookType))).text).to.match(
          /^# A\nInvoice 4711\t84\nComment on B1: .*Pay only half$/,
        );
      });

    it('of before 2007, of drawings, but not of comments', async () => {
      const container = CFB.read(Buffer.from(commented('biff8')), { type: 'buffer' });
      const stream = CFB.find(container, '/Workbook');
      const objects = [8, 25].map((kind) => {
        const record = Buffer.alloc(26);
        for (const [at, value] of [
          [0, 0x5d],
          [2, 22],
          [4, 0x15],
          [6, 18],
          [8, kind],
        ] as const)
          record.writeUInt16LE(value, at);
        return record;
      });
      const records = Buffer.from(stream?.content as Uint8Array);
      let at = 0;
      while (records.readUInt16LE(at) !== DIMENSIONS) at += 4 + records.readUInt16LE(at + 2);
      const content = Buffer.concat([records.subarray(0, at), ...objects, records.subarray(at)]);
      Object.assign(stream as object, { content, size: content.length });
      const data = new Uint8Array(CFB.write(container, { type: 'buffer' }) as Buffer);
      expect(await notesOf('a.xls', data)).to.deep.equal(['unread: 1 drawing']);
    });

    it('of OpenDocument, of what lies over its cells', async () => {
      const names = ['office', 'table', 'text'].map(
        (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
      );
      const frame =
        '<table:shapes><draw:frame><draw:text-box><text:p>Total</text:p></draw:text-box></draw:frame></table:shapes>';
      const sheet = (name: string) =>
        `<table:table table:name="${name}">${frame}<table:table-row><table:table-cell office:value-type="string"><text:p>Invoice</text:p></table:table-cell></table:table-row></table:table>`;
      const ods = 'application/vnd.oasis.opendocument.spreadsheet';
      const data = bytes(
        `<?xml version="1.0"?><office:document office:mimetype="${ods}" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" ${names.join(' ')}><office:body><office:spreadsheet>${sheet('A')}${sheet('B')}</office:spreadsheet></office:body></office:document>`,
      );
      expect(await notesOf('a.fods', data)).to.deep.equal(['unread: 2 charts, diagrams or objects']);
    });
  });

  describe('in documents and presentations', () => {
    it('of documents within a Word document', async () => {
      const data = wordDocument(`${paragraph('Invoice 4711')}<w:altChunk/>`);
      expect(await read('a.docx', data)).to.deep.include({
        text: 'Invoice 4711',
        notes: ['unread: 1 document within it'],
      });
    });

    it('of headers and notes that a Word document names and does not have', async () => {
      const section = (header: string) =>
        `<w:sectPr><w:headerReference w:type="default" r:id="${header}.xml"/></w:sectPr>`;
      const parts = { header1: ['hdr', paragraph('Harbour Works')], footnotes: ['footnotes', ''] } as const;
      const whole = wordDocument(`${paragraph('Invoice 4711')}${section('header1')}`, parts);
      expect(await notesOf('a.docx', whole)).to.deep.equal([]);
      const { 'word/header1.xml': _, 'word/footnotes.xml': __, ...rest } = unzipSync(whole);
      expect(await read('a.docx', zipSync(rest))).to.deep.include({
        text: 'Invoice 4711',
        notes: ['unread: 2 parts that it names and does not have: headers or notes'],
      });
    });

    it('of what speakers alone see, and of comments on slides', async () => {
      const slides = slideShow([{ shapes: box('Offer'), links: [] }, { shapes: box('End') }], '', {});
      const files = unzipSync(slides);
      const beside = (element: string, words: string) =>
        bytes(`<${element} xmlns="a" xmlns:p="b"><p:sp><p:t>${words}</p:t></p:sp></${element}>`);
      const link = (type: string, target: string) =>
        `<Relationship Id="${type}" Type="http://a/${type}" Target="${target}"/></Relationships>`;
      const name = 'ppt/slides/_rels/slide1.xml.rels';
      const rels = strFromU8(files[name] ?? new Uint8Array());
      const data = zipSync({
        ...files,
        [name]: bytes(
          rels
            .replace('</Relationships>', link('notesSlide', '../n.xml'))
            .replace('</Relationships>', link('comments', '../c.xml')),
        ),
        'ppt/n.xml': beside('notes', 'Pay only half'),
        'ppt/c.xml': bytes('<cmLst xmlns="b"><cm><text>Half</text></cm></cmLst>'),
      });
      expect(await notesOf('a.pptx', data)).to.deep.equal([
        'hidden: speaker notes of 1 slide',
        'hidden: comments on 1 slide',
      ]);
      const numbered = zipSync({
        ...unzipSync(data),
        'ppt/n.xml': beside('notes', '1'),
        'ppt/c.xml': bytes('<cmLst/>'),
      });
      expect(await notesOf('a.pptx', numbered), 'a number alone is that of the slide').to.deep.equal([]);
      expect(await notesOf('a.odp', openPresentation(openSlide('Offer', '', 'Half')))).to.deep.equal([
        'hidden: 4 characters of speaker notes',
      ]);
    });

    it('of objects and of pictures that no file of the document holds', async () => {
      const frame = (content: string) => `<text:p>Invoice<draw:frame>${content}</draw:frame></text:p>`;
      expect(await notesOf('a.odt', openText(frame('<draw:object/>')))).to.deep.equal(['unread: 1 chart or object']);
      expect(
        await notesOf(
          'a.odt',
          openText(frame('<draw:image><office:binary-data>AA==</office:binary-data></draw:image>')),
        ),
      ).to.deep.equal(['unread: 1 picture']);
    });

    it('of pictures in rich text, once though it has them twice', async () => {
      const twice = '{\\*\\shppict{\\pict\\pngblip 89}}{\\nonshppict{\\pict\\wmetafile8 01}}';
      expect(await read('a.rtf', bytes(`{\\rtf1 Invoice ${twice}{\\pict 89}\\par}`))).to.deep.include({
        text: 'Invoice',
        notes: ['unread: 2 pictures'],
      });
    });
  });

  describe('in a web page or mail', () => {
    const page = (body: string) => bytes(`<!doctype html><html><body><p>Invoice 4711</p>${body}</body></html>`);

    it('and what stands in the fields of forms is read as browsers show it', async () => {
      const form = [
        '<p>Total: <input value="84.00"><input type=hidden value="99"></p>',
        '<p>Paid <input type=checkbox checked> Open <input type=radio></p>',
        '<p>By <select><option>Cash</option><option selected>Card</option></select> to <select><option>Ada</option><option>Bob</option></select></p>',
        '<p>With <select multiple><option>Tax</option><option selected>Fee</option></select><select multiple><option>Tax</option></select></p>',
        '<div>Ship to<textarea>Main St 1\n10115 Berlin</textarea>by Friday</div>',
      ];
      expect(await read('a.html', page(form.join('')))).to.deep.include({
        text: 'Invoice 4711\n\nTotal: 84.00\n\nPaid [x] Open [ ]\n\nBy Card to Ada\n\nWith Fee\n\nShip to\nMain St 1\n10115 Berlin\nby Friday',
        notes: [],
      });
    });

    it('of pictures that stand elsewhere, and of pages within it; pictures that it holds are read', async () => {
      const images = [
        '<img src="https://example.com/invoice.png">',
        '<img src="//example.com/logo.png" width="90" height="30"><img src="https://example.com/pixel" width=1 height=1>',
        `<img src="data:image/png;base64,${base64(picture)}"><img src="data:image/png;base64,${base64(small)}">`,
        '<img src="cid:a"><iframe src="https://example.com/"></iframe>',
      ].join('');
      const wanted = {
        inner: ['picture 1'],
        notes: ['unread: 1 picture at other addresses', 'unread: 1 frame with something else in it'],
      };
      expect(await read('a.html', page(images))).to.deep.include(wanted);
      expect(await read('a.eml', email(`<p>Invoice</p>${images}`, [], 'text/html'))).to.deep.include(wanted);
    });

    it('of text that is encrypted, in a mail, beside it and alone', async () => {
      const secret = '-----BEGIN PGP MESSAGE-----\n\nhQEMA1\n-----END PGP MESSAGE-----';
      const { text, notes } = await read('a.eml', email(`Hello\r\n${secret}\r\nBye`, []));
      expect(text).to.match(/Hello\s+Bye$/);
      expect(notes).to.deep.equal(['unread: its text: it is encrypted']);
      expect(await read('encrypted.asc', bytes(secret))).to.deep.include({
        text: '',
        unreadable: 'is encrypted: decrypt it and upload that',
      });
    });

    it('of the end of a mail that is cut off', async () => {
      const whole = email('Invoice', [{ name: 'a.txt', type: 'text/plain', data: bytes('Total: 84.00') }]);
      expect(await notesOf('a.eml', whole)).to.deep.equal([]);
      expect(await notesOf('a.eml', whole.slice(0, -20))).to.deep.equal(['unread: its end: it is cut off']);
    });
  });

  it('of the further frames of a picture that moves', async () => {
    expect(await notesOf('a.gif', gifOf([grain(60, 40), grain(60, 40), grain(60, 40)]))).to.deep.equal([
      'unread: 2 more frames of a picture that moves',
    ]);
    expect(await notesOf('a.gif', gifOf([grain(60, 40)]))).to.deep.equal([]);
  });

  it('of the frames of a picture that has millions of them, without memory for each', () => {
    const millions = 20_000_000;
    const whole = (head: Buffer, piece: Buffer) =>
      Uint8Array.from(Buffer.concat([head, Buffer.alloc(millions - (millions % piece.length), piece)]));
    const gif = whole(
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
      Buffer.from(',\0\0\0\0\x01\0\x01\0\0\x02\0', 'latin1'),
    );
    const webp = whole(Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), Buffer.from('ANMF\x01\0\0\0x\0', 'latin1'));
    const png = whole(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('\0\0\0\0fcTL\0\0\0\0', 'latin1'));
    const before = process.memoryUsage().heapUsed;
    const said = [
      ...pictureNotes(gif, 'image/gif'),
      ...pictureNotes(webp, 'image/webp'),
      ...pictureNotes(png, 'image/png'),
    ];
    expect(said.map(({ what }) => what)).to.deep.equal([
      '1,666,665 more frames of a picture that moves',
      '1,999,999 more frames of a picture that moves',
      '1,666,665 more frames of a picture that moves',
    ]);
    expect(process.memoryUsage().heapUsed - before).to.be.below(100_000_000);
  });

  it('of the first frame of a picture alone, without memory for the others', () => {
    const frame = Buffer.from(',\0\0\0\0\x01\0\x01\0\0\x02\0', 'latin1');
    const still = gifOf([grain(60, 40)]);
    const moving = Uint8Array.from(Buffer.concat([still.subarray(0, -1), Buffer.alloc(24_000_000, frame)]));
    const wanted = decodeGif(still);
    const before = process.memoryUsage().heapUsed;
    expect(Buffer.compare(decodeGif(moving).data, wanted.data)).to.equal(0);
    expect(process.memoryUsage().heapUsed - before).to.be.below(100_000_000);
  });

  it('of frames alone, and not of their names within the pixels', async () => {
    const still = Buffer.from('RIFF\x18\0\0\0WEBPVP8L\x09\0\0\0ANMFANMFx\0', 'latin1');
    expect(pictureNotes(still, 'image/webp')).to.deep.equal([]);
    const cut = gifOf([grain(60, 40), grain(60, 40)]);
    expect(await notesOf('a.gif', cut.slice(0, -1))).to.deep.equal(['unread: 1 more frame of a picture that moves']);
  });
});
