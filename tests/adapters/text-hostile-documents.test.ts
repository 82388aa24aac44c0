import { readFile as readFromDisk } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { signed } from '../fixtures/text/cms.ts';
import { bytes, letterDocx } from '../fixtures/text/files.ts';
import { outlookMessage, winmail } from '../fixtures/text/msg.ts';
import { openText, paragraph, wordDocument } from '../fixtures/text/word.ts';

const oldDocument = async () =>
  new Uint8Array(await readFromDisk(new URL('../fixtures/text/letter.doc', import.meta.url)));

/** A good file of each kind of document, to be cut and spoiled. */
const documents = async (): Promise<readonly (readonly [string, Uint8Array])[]> => [
  ['a.docx', await letterDocx()],
  ['b.docx', wordDocument(paragraph('Total: 84.00'), { footnotes: ['footnotes', ''] })],
  [
    'a.rtf',
    bytes("{\\rtf1\\ansi{\\fonttbl{\\f0 A;}}\\pard\\intbl a\\cell\\row\\pard{\\footnote b}Caf\\'e9\\u8364?\\par}"),
  ],
  ['a.odt', openText('<text:p>Total: 84.00<text:note><text:note-body/></text:note></text:p>')],
  ['a.doc', await oldDocument()],
  [
    'a.msg',
    outlookMessage({
      properties: { '1000001F': 'Total' },
      attachments: [{ '3707001F': 'a.txt', '37010102': bytes('a') }],
    }),
  ],
  ['winmail.dat', winmail({ body: 'Total', html: '<p>a</p>', attachments: [{ short: 'a.txt', data: bytes('a') }] })],
  ['a.zip', zipSync({ 'a.txt': bytes('Total: 84.00'), 'b/c.csv': bytes('a,b') })],
  ['a.p7m', signed(bytes('Total: 84.00'))],
];

/** Documents that are bombs, and what is said of each. */
const bombs: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['deep.docx', wordDocument('<w:p>'.repeat(100_000)), /^has too many elements in each other$/],
  ['deep.rtf', bytes(`{\\rtf1${'{'.repeat(100_000)}`), /^has too many groups in each other$/],
  ['deep.html', bytes(`<p>Total${'<b>'.repeat(3_000_000)}`), /^has too many elements in each other$/],
  ['deep-unclosed.html', bytes(`<ul>${'<li><p>'.repeat(500_000)}`), /^has too many elements in each other$/],
  ['deep-comments.html', bytes('<b><!--</b>-->'.repeat(500_000)), /^has too many elements in each other$/],
  ['deep-drawing.html', bytes(`<svg>${'<g a=b/>'.repeat(500_000)}`), /^has too many elements in each other$/],
  ['binary.rtf', bytes('{\\rtf1\\bin9999999999999 }'), /^is damaged/],
  ['deep.odt', openText('<text:section>'.repeat(100_000)), /^has too many elements in each other$/],
  [
    'entities.docx',
    wordDocument('', {}, { 'word/document.xml': bytes('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') }),
    /^has a document type/,
  ],
  [
    'large.docx',
    wordDocument('', {}, { 'word/document.xml': new Uint8Array(150_000_000).fill(32) }),
    /^is too large to read$/,
  ],
];

describe('hostile documents', () => {
  const extractor = textExtractor({ timeoutSeconds: 30 });
  after(() => extractor.close());

  for (const [name, data, reason] of bombs) {
    it(`are refused: ${name}`, async () => {
      const [part] = await extractor.extract({ fileName: name, contentType: '', data });
      expect(part?.unreadable).to.match(reason);
    });
  }

  // Not read in this process: a spoiled length, or sectors that lead back to themselves, may take all the memory that it has.
  it('are read or refused in words, wherever they are cut or spoiled', async () => {
    for (const [name, data] of await documents()) {
      const place = fc.integer({ min: 0, max: data.length - 1 });
      const spoilt = fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 8 }));
      const check = async (spoiled: Uint8Array) => {
        const [part] = await extractor.extract({ fileName: name, contentType: '', data: spoiled });
        expect(part?.unreadable === null || /^[a-z]/.test(part?.unreadable ?? ''), name).to.equal(true);
      };
      await fc.assert(
        fc.asyncProperty(place, (end) => check(data.slice(0, end))),
        { numRuns: 30 },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(spoilt, { minLength: 1, maxLength: 20 }), (changes) => {
          const spoiled = data.slice();
          for (const [at, more] of changes) spoiled.set(more.slice(0, data.length - at), at);
          return check(spoiled);
        }),
        { numRuns: 60 },
      );
    }
  });
});
