import { expect } from 'chai';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { letterDocx, pdfOfRuns } from '../fixtures/text/files.ts';
import { pngOf, scanOf } from '../fixtures/text/scans.ts';
import { paragraph, wordDocument } from '../fixtures/text/word.ts';

describe('pictures within documents and mails', () => {
  const extractor = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng'], readers: 1 } });
  after(() => extractor.close());
  const read = async (fileName: string, data: Uint8Array) => {
    const parts = await extractor.extract({ fileName, contentType: '', data });
    return parts.map(({ fileName: name, unreadable, pages, notes = [] }) => ({
      name,
      unreadable,
      text: pages.map(({ text }) => text).join('\n'),
      notes: notes.map(({ what }) => what),
    }));
  };
  const blank = (width: number, height: number) =>
    pngOf({ width, height, gray: new Uint8Array(width * height).fill(255) });
  let stamp: Uint8Array;
  before(async () => {
    stamp = pngOf(await scanOf(await pdfOfRuns([['Received: 17 January 2026', 50, 700, 14]])));
  });
  const media = (files: Readonly<Record<string, Uint8Array>>) =>
    Object.fromEntries(Object.entries(files).map(([name, data]) => [`word/media/${name}`, data]));

  it('are read by OCR where writing may stand on them, and are no parts without it', async () => {
    const pictures = media({
      'stamp.png': stamp,
      'photo.png': blank(400, 300),
      'logo.png': blank(60, 60),
      'a.emf': new Uint8Array(9),
    });
    const [own, ...others] = await read('a.docx', wordDocument(paragraph('Order 7'), {}, pictures));
    expect(own).to.deep.include({ unreadable: null, text: 'Order 7', notes: ['1 drawing (EMF, WMF)'] });
    expect(others.map(({ name, unreadable }) => [name, unreadable])).to.deep.equal([['stamp.png', null]]);
    expect(others[0]?.text).to.equal('Received: 17 January 2026');
  });

  it('are all there is to read in a document of scans', async () => {
    const [own, picture] = await read('a.docx', wordDocument('', {}, media({ 'page.png': stamp })));
    expect([own?.unreadable, picture?.unreadable]).to.deep.equal([null, null]);
    const [bare] = await read('a.docx', wordDocument('', {}, media({ 'page.png': blank(400, 300) })));
    expect(bare?.unreadable).to.equal('has nothing in it that can be read');
  });

  it('are read in a mail where its text shows them', async () => {
    const part = (head: string, data: Uint8Array) =>
      `--b\r\n${head}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(data).toString('base64')}\r\n`;
    const inline = (id: string, data: Uint8Array) =>
      part(`Content-Type: image/png; name="${id}.png"\r\nContent-ID: <${id}>`, data);
    const mail = [
      'From: a@example.com\r\nContent-Type: multipart/related; boundary=b\r\n\r\n',
      '--b\r\nContent-Type: text/html\r\n\r\n<p>See below</p><img src="cid:stamp">\r\n',
      inline('stamp', stamp),
      inline('logo', blank(60, 60)),
      inline('photo', blank(400, 300)),
      '--b--\r\n',
    ].join('');
    const parts = await read('a.eml', Buffer.from(mail));
    expect(parts.map(({ name, unreadable }) => [name, unreadable])).to.deep.equal([
      ['a.eml', null],
      ['stamp.png', null],
    ]);
  });

  it('leave a document without any as it was', async () => {
    expect((await read('letter.docx', await letterDocx())).map(({ name }) => name)).to.deep.equal(['letter.docx']);
  });
});
