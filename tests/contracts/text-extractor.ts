import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FilePart, TextExtractor } from '../../src/application/ports/text.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import * as files from '../fixtures/text/files.ts';

const { bytes } = files;
const file = (fileName: string, data: Uint8Array, contentType = 'application/octet-stream') => ({
  fileName,
  contentType,
  data,
});
const textOf = (parts: readonly FilePart[], part = 0) => parts[part]?.pages.map(({ text }) => text).join('\n') ?? '';
const utf16 = (text: string, mark: string) => new Uint8Array(Buffer.from(mark + text, 'utf16le'));

/** Every TextExtractor passes this, or it is not one. */
export const textExtractorContract = (make: () => TextExtractor) =>
  describe('TextExtractor', () => {
    let extractor: TextExtractor;
    before(() => {
      extractor = make();
    });
    const read = (fileName: string, data: Uint8Array, contentType?: string) =>
      extractor.extract(file(fileName, data, contentType));

    describe('what a file is', () => {
      it('is told by its type, whatever its name', async () => {
        for (const { contentType, data, words } of await files.samples()) {
          expect(textOf(await read('file', data, contentType)), contentType).to.contain(words);
        }
      });

      it('is told by its name where the type says nothing', async () => {
        for (const { fileName, data, words } of await files.samples()) {
          expect(textOf(await read(fileName.toUpperCase(), data)), fileName).to.contain(words);
        }
      });

      it('is told by its bytes where neither says anything', async () => {
        for (const { fileName, contentType, data } of await files.samples()) {
          const [part] = await read('file', data);
          expect(part?.unreadable, fileName).to.equal(null);
          if (/pdf|office|html|rfc822/.test(contentType)) expect(part?.contentType).to.equal(contentType);
        }
      });

      it('is told by its bytes where they say it, whatever its type and name', async () => {
        const pdf = await files.invoicePdf();
        for (const { fileName, contentType } of await files.samples()) {
          const [document] = await read(fileName, pdf, contentType);
          expect(document, fileName).to.deep.include({ contentType: 'application/pdf', unreadable: null });
          const [picture] = await read(fileName, files.png, contentType);
          expect(picture?.contentType, fileName).to.equal('image/png');
          expect(picture?.unreadable, fileName).to.match(/^is an image: /);
        }
        expect((await read('a.png', pdf, 'image/png'))[0]).to.deep.include({ contentType: 'application/pdf' });
      });

      it('is told by its name where browsers send one type for several formats', async () => {
        const csv = bytes('a;b\n1;2\n');
        expect(textOf(await read('rows.csv', csv, 'application/vnd.ms-excel'))).to.equal('a\tb\n1\t2');
        expect(textOf(await read('rows.csv', csv, 'text/plain'))).to.equal('a\tb\n1\t2');
      });

      it('keeps the name and the bytes it came with', async () => {
        const data = bytes('hello');
        const [part] = await read('greeting.txt', data, 'text/plain; charset=utf-8');
        expect(part).to.deep.equal({
          fileName: 'greeting.txt',
          contentType: 'text/plain',
          data,
          pages: [{ number: null, text: 'hello' }],
          layouts: [],
          unreadable: null,
        });
      });
    });

    describe('PDF', () => {
      it('is read page by page, lines as lines and table rows as rows with their cells apart', async () => {
        const [part] = await read('invoice.pdf', await files.invoicePdf());
        expect(part?.pages.map(({ number }) => number)).to.deep.equal([1, 2]);
        const lines = part?.pages[0]?.text.split('\n') ?? [];
        expect(lines).to.include('Total: 59.90 EUR');
        expect(lines).to.include('Invoice number: NM-2026-0117  Customer');
        const table = lines.map((line) => line.split(/\t| {2,}/)).filter((cells) => cells.length === 4);
        expect(table).to.deep.equal(files.invoiceRows);
        expect(part?.pages[1]?.text).to.equal('Payment terms: 30 days net\nIBAN: DE02 1203 0000 0000 2020 51');
      });

      it('is read as it is shown when its page is turned', async () => {
        expect(textOf(await read('turned.pdf', await files.turnedPdf()))).to.equal('Name: Ada\nSecond line');
      });

      it('gives what was filled into its form', async () => {
        expect(textOf(await read('form.pdf', await files.formPdf()))).to.equal('Surname: Lovelace');
      });

      it('says that a scan has no text layer', async () => {
        const [part] = await read('scan.pdf', await files.scanPdf());
        expect(part?.unreadable).to.match(/^has no text layer/);
        expect(part).to.deep.include({ pages: [], contentType: 'application/pdf' });
      });

      it('says that it is protected by a password', async () => {
        const [part] = await read(
          'locked.pdf',
          await readFile(new URL('../fixtures/text/locked.pdf', import.meta.url)),
        );
        expect(part?.unreadable).to.match(/^is protected by a password/);
      });
    });

    describe('words with their places', () => {
      const layoutsOf = async (data: Uint8Array) => (await read('file.pdf', data))[0]?.layouts ?? [];
      /** The middle of a word in points from the top left of its page as it is shown. */
      const middle = (layout: PageLayout | undefined, text: string) => {
        const word = layout?.words.find((each) => each.text === text);
        if (!layout || !word) throw new Error(`there is no word ${text}`);
        return [(word.x + word.width / 2) * layout.width, (word.y + word.height / 2) * layout.height].map(Math.round);
      };

      it('are given page by page, as wide and high as they are shown', async () => {
        const layouts = await layoutsOf(await files.invoicePdf());
        expect(layouts.map(({ number, width, height, source }) => ({ number, width, height, source }))).to.deep.equal([
          { number: 1, width: 595, height: 842, source: 'text' },
          { number: 2, width: 595, height: 842, source: 'text' },
        ]);
        const [first] = layouts;
        expect(first?.words.map(({ text }) => text).slice(0, 8)).to.deep.equal(
          'Nordlicht Metallbau GmbH Invoice number: NM-2026-0117 Date: 2026-01-17'.split(' '),
        );
        const height = 842;
        // Drawn at these places by its baseline; letters of 10 points are some 7 points high.
        const at = middle(first, 'Total:');
        expect(at[0]).to.be.within(58, 66);
        expect(at[1]).to.be.within(height - 600 - 6, height - 600 - 1);
        expect(middle(first, 'Customer')[0]).to.be.within(365, 375);
      });

      it('stand where a turned page shows them', async () => {
        const [layout] = await layoutsOf(await files.turnedPdf());
        expect(layout).to.include({ width: 842, height: 595 });
        expect(middle(layout, 'Name:')[0]).to.be.within(60, 70);
        expect(middle(layout, 'Name:')[1]).to.be.within(92, 99);
        expect(middle(layout, 'Second')[1]).to.be.within(107, 114);
      });

      it('are whole words in the order of the text, whatever the columns, ligatures and hyphens', async () => {
        const [layout] = await layoutsOf(await files.wordsPdf());
        expect(layout?.words.map(({ text }) => text).join(' ')).to.equal(files.wordsPdfText);
      });

      it('include what was filled into a form', async () => {
        const [layout] = await layoutsOf(await files.formPdf());
        expect(middle(layout, 'Lovelace')[0]).to.be.within(120, 180);
      });

      it('lie on their page, whatever the file', async () => {
        for (const data of [
          await files.invoicePdf(),
          await files.turnedPdf(),
          await files.formPdf(),
          await files.wordsPdf(),
        ]) {
          for (const { words } of await layoutsOf(data)) {
            for (const { x, y, width, height } of words) {
              expect(Math.min(x, y, width, height)).to.be.at.least(0);
              expect(Math.max(x + width, y + height)).to.be.at.most(1);
            }
          }
        }
      });

      it('are none for formats without pages', async () => {
        for (const { fileName, contentType, data } of await files.samples()) {
          if (contentType === 'application/pdf') continue;
          expect((await read(fileName, data, contentType))[0]?.layouts, fileName).to.deep.equal([]);
        }
      });
    });

    it('reads a Word document with its header, its tables as rows, its tabs and its footer', async () => {
      const text = textOf(await read('letter.docx', await files.letterDocx()));
      expect(text).to.match(/^Harbour Works Ltd\n[\s\S]*\nVAT number: GB123456789$/);
      expect(text).to.contain(files.invoiceRows.map((row) => row.join('\t')).join('\n'));
      expect(text.split('\n')).to.include.members(['Order number: HW-77', 'Left\tRight', 'Ordered by: Zoë Müller']);
    });

    it('reads every sheet of a workbook under its name, dates in ISO 8601, numbers as Excel shows them', async () => {
      expect(textOf(await read('ledger.xlsx', files.ledgerXlsx()))).to.equal(
        [
          '# Ledger',
          'Date\tSupplier\tAmount',
          '2026-01-17\tNordlicht Metallbau\t19.99',
          '',
          '2026-01-17T12:00\tFreight',
          '',
          '# Notes',
          'Approved by:\tAda',
        ].join('\n'),
      );
    });

    describe('text whose last character is not ASCII', () => {
      const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
      const cases: readonly [string, Uint8Array, string, string][] = [
        ['in Latin-1', latin('Caf\xe9'), 'text/plain', 'Café'],
        ['in Latin-1 that says so', latin('Caf\xe9'), 'text/plain; charset=iso-8859-1', 'Café'],
        ['in UTF-8', bytes('Café'), 'text/plain', 'Café'],
        [
          'in UTF-8 that is cut within its second such character',
          bytes('Café Rosé').subarray(0, -1),
          'text/plain',
          'Café Ros',
        ],
        ['in UTF-8 that is cut within three bytes', bytes('5 €').subarray(0, -1), 'text/plain', '5'],
        ['in UTF-8 that says so and is cut', bytes('Café').subarray(0, -1), 'text/plain; charset=utf-8', 'Caf'],
      ];
      for (const [what, data, contentType, text] of cases) {
        it(`is read ${what}`, async () => {
          expect(textOf(await read('note.txt', data, contentType))).to.equal(text);
        });
      }
    });

    describe('CSV', () => {
      const cases: readonly [string, Uint8Array, string][] = [
        ['commas', bytes('Name,Amount\r\n"Bolts, M8",1.50\r\n'), 'Name\tAmount\nBolts, M8\t1.50'],
        [
          'semicolons beside decimal commas',
          bytes('Name;Amount\nBolts;1,50\nNuts;2,25\n'),
          'Name\tAmount\nBolts\t1,50\nNuts\t2,25',
        ],
        ['semicolons beside as many decimal commas', bytes('Net;100,50\nVAT;19,10\n'), 'Net\t100,50\nVAT\t19,10'],
        ['tabs', bytes('Name\tAmount\nBolts\t1\n'), 'Name\tAmount\nBolts\t1'],
        ['bars', bytes('Name|Amount\nBolts|1\n'), 'Name\tAmount\nBolts\t1'],
        [
          'line ends of several kinds',
          bytes('Name,Amount\r\nBolts,1\nNuts,2\rNails,3\r\n'),
          'Name\tAmount\nBolts\t1\nNuts\t2\nNails\t3',
        ],
        ['line ends within quotes', bytes('Name,Note\nBolts,"one\ntwo"\n'), 'Name\tNote\nBolts\tone two'],
        ['rows of different lengths', bytes('a,b\n1\n1,2,3\n'), 'a\tb\n1\n1\t2\t3'],
        ['a byte order mark', bytes('\ufeffName,Amount\nBolts,1\n'), 'Name\tAmount\nBolts\t1'],
        ['UTF-16', utf16('Name\tOrt\nMüller\tKöln\n', '\ufeff'), 'Name\tOrt\nMüller\tKöln'],
        ['UTF-16 without a mark', utf16('Name\tOrt\nMüller\tKöln\n', ''), 'Name\tOrt\nMüller\tKöln'],
        [
          'Windows-1252',
          Uint8Array.from(Buffer.from('Name,Preis\nMüller,5 \x80\n', 'latin1')),
          'Name\tPreis\nMüller\t5 €',
        ],
        ['a quote that is never closed', bytes('a,b\n1,"two\n'), 'a,b\n1,"two'],
      ];
      for (const [what, data, text] of cases) {
        it(`is read with ${what}`, async () => {
          expect(textOf(await read('rows.csv', data, 'text/csv'))).to.equal(text);
        });
      }
    });

    describe('an e-mail', () => {
      it('gives its headers and its body, then each attachment as a part of its own, to any depth', async () => {
        const inner = files.email('See the picture.', [{ name: 'p.png', type: 'image/png', data: files.png }]);
        const outer = files.email('Total: 5 EUR', [
          { name: 'invoice.pdf', type: 'application/octet-stream', data: await files.invoicePdf() },
          { name: 'forwarded.eml', type: 'message/rfc822', data: inner },
          { name: '../../rows.csv', type: 'text/csv', data: bytes('a,b\n1,2') },
        ]);
        const parts = await read('mail.eml', outer, 'message/rfc822');
        expect(parts.map(({ fileName }) => fileName)).to.deep.equal([
          'mail.eml',
          'invoice.pdf',
          'forwarded.eml',
          'p.png',
          'rows.csv',
        ]);
        expect(textOf(parts)).to.equal(
          [
            'From: Ada Lovelace <ada@example.com>',
            'To: accounts@example.com, "Works, Harbour" <harbour@example.com>',
            'Subject: Rechnung für Januar',
            'Date: 2026-01-17T10:00:00+01:00',
            '',
            'Total: 5 EUR',
          ].join('\n'),
        );
        expect(parts[1]).to.deep.include({
          contentType: 'application/pdf',
          data: await files.invoicePdf().then(() => parts[1]?.data),
        });
        expect(parts[1]?.pages).to.have.length(2);
        expect(textOf(parts, 2)).to.match(/See the picture\.$/);
        expect(parts[3]).to.deep.include({ contentType: 'image/png', data: files.png });
        expect(textOf(parts, 4)).to.equal('a\tb\n1\t2');
      });

      it('takes a message that is forwarded within it for an attachment too', async () => {
        const inner = 'From: Bob <bob@example.com>\nSubject: Order\n\nOrder number: 4711';
        const lines = [
          'From: ada@example.com',
          'Content-Type: multipart/mixed; boundary=x',
          '',
          '--x',
          '',
          'See below.',
          '--x',
        ];
        const parts = await read(
          'mail.eml',
          bytes([...lines, 'Content-Type: message/rfc822', '', inner, '--x--', ''].join('\n')),
        );
        expect(parts.map(({ fileName }) => fileName)).to.deep.equal(['mail.eml', 'attachment 1.eml']);
        expect(textOf(parts)).to.equal('From: ada@example.com\n\nSee below.');
        expect(textOf(parts, 1)).to.equal('From: Bob <bob@example.com>\nSubject: Order\n\nOrder number: 4711');
      });

      it('has the day on which its sender wrote it', async () => {
        const dates = {
          'Tue, 03 Nov 2026 00:30:00 +0100': '2026-11-03T00:30:00+01:00',
          'Tue, 3 Nov 2026 23:59:59 -0530 (somewhere)': '2026-11-03T23:59:59-05:30',
          'Tue, 03 Nov 2026 00:30:00 GMT': '2026-11-03T00:30:00.000Z',
          yesterday: 'yesterday',
        };
        for (const [written, date] of Object.entries(dates)) {
          const parts = await read('mail.eml', bytes(`From: ada@example.com\nDate: ${written}\nSubject: Order\n\nx`));
          expect(textOf(parts)).to.equal(`From: ada@example.com\nSubject: Order\nDate: ${date}\n\nx`);
        }
      });

      it('gives a body that is HTML as text', async () => {
        const parts = await read('mail.eml', files.email(files.orderHtml, [], 'text/html'));
        expect(textOf(parts)).to.contain('Order number: 4711').and.not.to.contain('<p>');
      });

      it('is not followed deeper than five messages', async () => {
        const nested = (depth: number): Uint8Array =>
          files.email('x', depth === 0 ? [] : [{ name: 'next.eml', type: 'message/rfc822', data: nested(depth - 1) }]);
        const parts = await read('mail.eml', nested(12));
        expect(parts).to.have.length(7);
        expect(parts[6]?.unreadable).to.match(/^is inside more than 5 files/);
        expect(parts.map(({ within }) => within).slice(0, 3)).to.deep.equal([
          undefined,
          'mail.eml',
          'mail.eml › next.eml',
        ]);
      });

      it('is not followed further than two hundred parts, and says so', async () => {
        const many = Array.from({ length: 250 }, (_, index) => ({
          name: `${index}.txt`,
          type: 'text/plain',
          data: bytes('y'),
        }));
        const parts = await read('mail.eml', files.email('x', many));
        expect(parts).to.have.length(200);
        expect(textOf(parts)).to.contain('[51 more attachments were not read.]');
        expect(parts[0]?.pages.at(-1)?.unread).to.deep.equal({ pages: 0, characters: 0 });
      });
    });

    it('reads HTML as a reader sees it: no scripts, tables as rows, links with their addresses', async () => {
      expect(textOf(await read('order.html', bytes(files.orderHtml)))).to.equal(
        'Order confirmation\n\nOrder number: 4711\n\nItem\tQty\nBolts\t4\nFreight\n\nSee the terms [https://example.com/terms].',
      );
    });

    it('begins lines of HTML where browsers do', async () => {
      const html =
        '<dl><dt>Net</dt><dd>5.00</dd><dt>Total<dd>6.00</dl><center>Paid</center><details><summary>Terms</summary>14 days</details>' +
        '<fieldset><legend>Ship to</legend>Kiel</fieldset><figure>A<figcaption>B</figcaption></figure>';
      expect(textOf(await read('order.html', bytes(html)))).to.equal(
        'Net\n5.00\nTotal\n6.00\nPaid\nTerms\n14 days\nShip to\nKiel\nA\nB',
      );
      const part = (text: string) => [
        '--x',
        'Content-Type: text/html',
        '',
        `<html><body style="margin:0">${text}</body></html>`,
      ];
      const mail = [
        'From: a@example.com',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        ...part('See:'),
        ...part('Total: 6'),
      ];
      expect(textOf(await read('mail.eml', bytes([...mail, '--x--', ''].join('\n'))))).to.match(/\n\nSee:\n+Total: 6$/);
    });

    describe('a table of HTML', () => {
      const row = '<tr><td>Bolts</td><td>4</td></tr>';
      const cases: readonly [string, string, string][] = [
        [
          'a form around its rows',
          `<form action="/"><tr><th>Item</th><th>Qty</th></tr>${row}</form>`,
          'Item\tQty\nBolts\t4',
        ],
        ['a form around its cells', '<tr><form><td>Bolts</td><td>4</td></form></tr>', 'Bolts\t4'],
        [
          'rows within several elements',
          `<tbody><font size="2"><center>${row}</center></font></tbody>${row}`,
          'Bolts\t4\nBolts\t4',
        ],
        ['text beside its rows', `Order 4711${row}<p>Total: <b>12.50</b></p>`, 'Order 4711\nBolts\t4\nTotal: 12.50'],
        ['text beside its cells', '<tr>Bolts<td>4</td><script>x()</script><!-- y --></tr>', 'Bolts\t4'],
        ['a table beside its rows', `${row}<table><tr><td>Nuts</td><td>2</td></tr></table>`, 'Bolts\t4\nNuts\t2'],
        [
          'cells that reach into the rows below',
          '<tr><th>Item<th>Month<th>Price</tr><tr><td rowspan="2">Hosting<td>May<td rowspan=3>7.00</tr><tr><td>June</tr><tr><td>Mail<td>July</tr><tr><td>Bolts<td><td>1.00</tr>',
          'Item\tMonth\tPrice\nHosting\tMay\t7.00\n\tJune\nMail\tJuly\nBolts\t\t1.00',
        ],
        [
          'cells that reach into rows and columns',
          '<tr><td rowspan="2" colspan="2">A<td>B</tr><tr><td>C</tr><tr><td rowspan="x">D<td>E<td>F</tr>',
          'A\t\tB\n\t\tC\nD\tE\tF',
        ],
        ['a caption', `<caption>Order</caption><colgroup><col></colgroup>\n ${row}`, 'Order\nBolts\t4'],
      ];
      for (const [what, html, text] of cases) {
        it(`is read with ${what}`, async () => {
          expect(textOf(await read('order.html', bytes(`<html><body><table>${html}</table></body></html>`)))).to.equal(
            text,
          );
        });
      }
    });

    it('reads words of HTML whole that may be divided', async () => {
      const html = '<p>Rechnungs&shy;betrag: 84.00</p><p>Donau&#173;dampf\u00adschiff</p>';
      expect(textOf(await read('order.html', bytes(html)))).to.equal('Rechnungsbetrag: 84.00\n\nDonaudampfschiff');
    });

    it('believes the encoding that XML and HTML declare', async () => {
      const xml = Uint8Array.from(Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb1</a>', 'latin1'));
      expect(textOf(await read('a.xml', xml))).to.contain('<a>ą</a>');
      const html = Uint8Array.from(Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8</p>', 'latin1'));
      expect(textOf(await read('a.html', html))).to.equal('При');
    });

    it('gives clean text: no NUL, no half characters, one kind of line end', async () => {
      const html = await read('a.html', bytes('<pre>a&#13;&#10;b&#0;c\r\nd&#xD800;e</pre>'));
      expect(textOf(html)).to.match(/^a\n+b.?c\nd.?e$/u);
      for (const text of [textOf(html), textOf(await read('a.txt', bytes('a\u0000b\rc\r\nd\u2028e\u0007')))]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(text).not.to.match(/[\u0000-\u0008\r\u2028]|\p{Surrogate}/u);
      }
    });

    it('cuts what is too long, and says so where it ends', async () => {
      const parts = await read('long.txt', bytes('ä'.repeat(3_000_000)));
      expect(textOf(parts)).to.have.length.below(2_000_200);
      expect(textOf(parts)).to.match(
        /ä\n\[The text ends here: only the first 2,000,000 characters of this file were read\.\]$/,
      );
      const rows = await read('long.csv', bytes('name,"some text"\n'.repeat(400_000)));
      expect(textOf(rows)).to.match(/\n\[The text ends here: .*\]$/);
    });

    describe('without text', () => {
      const reasons: readonly [string, string, Uint8Array, RegExp][] = [
        ['a picture', 'p.png', files.png, /^is an image: /],
        ['another picture', 'p.gif', files.gif, /^is an image: /],
        [
          'a picture of another kind',
          'p.heic',
          bytes('\u0000\u0000\u0000\u0018ftypheic'),
          /^is an image that only OCR can read: save it as PNG or JPEG/,
        ],
        ['a picture without a picture in it', 'p.jpg', bytes('hello'), /^is damaged: /],
        ['an empty file', 'a.pdf', new Uint8Array(0), /^is empty/],
        ['a blank file', 'a.txt', bytes(' \n\n'), /^has no text/],
        ['an archive', 'a.zip', bytes('PK\u0003\u0004xxxx'), /^is damaged: it is not a complete archive/],
        [
          'an old document',
          'a.doc',
          Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0),
          /^is damaged: it is not a complete Word document/,
        ],
        [
          'a locked workbook',
          'a.xlsx',
          Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0),
          /^is protected by a password/,
        ],
        [
          'a program',
          'a.bin',
          Uint8Array.from({ length: 500 }, (_, index) => index % 32),
          /^is not of a kind that can be read/,
        ],
      ];
      for (const [what, fileName, data, reason] of reasons) {
        it(`${what} is unreadable, and says why`, async () => {
          const parts = await read(fileName, data);
          expect(parts).to.have.length(1);
          expect(parts[0]?.unreadable).to.match(reason);
          expect(parts[0]).to.deep.include({ fileName, data, pages: [] });
        });
      }

      it('a picture of another kind than its name says is what it is', async () => {
        expect((await read('p.jpg', files.png))[0]).to.deep.include({ contentType: 'image/png' });
      });
    });

    describe('damaged', () => {
      it('a file that is cut off is unreadable, and says so', async () => {
        for (const { fileName, contentType, data } of await files.samples()) {
          if (!/pdf|office/.test(contentType)) continue;
          const [part] = await read(fileName, data.subarray(0, Math.min(300, data.length / 2)), contentType);
          expect(part?.unreadable, fileName).to.match(
            /^is damaged: it is not a complete (PDF document|Word document|Excel workbook)$/,
          );
        }
      });

      it('a file that is no file of any kind is unreadable, and says so', async () => {
        const noise = Uint8Array.from({ length: 500 }, (_, index) => (index * 7) % 256);
        for (const { fileName, contentType } of await files.samples()) {
          const [part] = await read(fileName, noise, contentType);
          expect(part?.unreadable, fileName).to.match(/^is damaged: /);
          expect(part?.pages, fileName).to.deep.equal([]);
        }
      });
    });

    it('answers something for any bytes, and rejects never', async function () {
      this.timeout(300_000);
      const all = [
        ...(await files.samples()),
        { fileName: 'scan.pdf', contentType: 'application/pdf', data: await files.scanPdf() },
      ];
      const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
      const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) });
      const changes = fc.array(change, { minLength: 1, maxLength: 60 });
      const told = fc.constantFrom('type', 'name', 'bytes');
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...all), changes, told, async ({ fileName, contentType, data }, list, by) => {
          const mutated = data.slice();
          for (const { at, byte } of list) mutated[Math.min(data.length - 1, Math.floor(at * data.length))] = byte;
          const parts = await read(by === 'bytes' ? 'file' : fileName, mutated, by === 'type' ? contentType : '');
          expect(parts).to.have.length.above(0);
          for (const { pages, unreadable } of parts) expect(pages.length > 0).to.equal(unreadable === null);
        }),
        { seed, numRuns: 200 },
      );
    });

    it('reads ten files at once', async () => {
      const samples = await files.samples();
      const answers = await Promise.all(
        samples.map(({ fileName, contentType, data }) => read(fileName, data, contentType)),
      );
      expect(answers).to.have.length(10);
      for (const [index, { words }] of samples.entries()) expect(textOf(answers[index] ?? [])).to.contain(words);
    });

    it('rejects with the reason of an abort, before, during and while it waits', async () => {
      const reason = new Error('enough');
      const before = await extractor
        .extract(file('a.txt', bytes('a')), AbortSignal.abort(reason))
        .catch((error) => error);
      expect(before).to.equal(reason);
      const abort = new AbortController();
      const under = Array.from({ length: 6 }, () =>
        extractor.extract(file('a.txt', new Uint8Array(20_000_000).fill(97)), abort.signal),
      );
      abort.abort(reason);
      for (const outcome of await Promise.allSettled(under))
        expect(outcome).to.deep.equal({ status: 'rejected', reason });
      expect(textOf(await read('a.txt', bytes('still here')))).to.equal('still here');
    });
  });
