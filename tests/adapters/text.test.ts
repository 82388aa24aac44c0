import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { constants, deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { Zip, type ZipInputFile } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { readLines } from '../../src/adapters/text/formats/pdf-lines.ts';
import { clean } from '../../src/adapters/text/text.ts';
import { textExtractorContract } from '../contracts/text-extractor.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { hybrid } from '../fixtures/e-invoice/hybrid.ts';
import { ublInvoice } from '../fixtures/e-invoice/ubl.ts';
import { attachmentBombPdf } from '../fixtures/text/bombs.ts';
import { bytes, email, invoicePdf, pdfOfRuns } from '../fixtures/text/files.ts';
import { aSharer } from '../support/builders.ts';

type Extractor = ReturnType<typeof textExtractor>;

const opened: Extractor[] = [];
const extractor = (options: Partial<Parameters<typeof textExtractor>[0]> = {}): Extractor => {
  const made = textExtractor({ timeoutSeconds: 150, ...options });
  opened.push(made);
  return made;
};
const html = (text: string) => ({ fileName: 'a.html', contentType: 'text/html', data: bytes(text) });
const text = (words: string) => ({ fileName: 'a.txt', contentType: 'text/plain', data: bytes(words) });
const reasonOf = async (made: Extractor, file: Parameters<Extractor['extract']>[0]) =>
  (await made.extract(file))[0]?.unreadable;

/** Keeps a reader busy for half a minute: the lines are laid out again in each table around them. */
const endless = html('<table><tr><td>'.repeat(300) + 'x<br>'.repeat(400_000));
/** One cell of an OpenDocument spreadsheet, repeated more often than fits into any heap. */
const overwhelming = {
  fileName: 'far.fods',
  contentType: '',
  data: bytes(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>
    <office:spreadsheet><table:table table:name="A"><table:table-row table:number-rows-repeated="1048576"><table:table-cell
    table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table>
    </office:spreadsheet></office:body></office:document>`),
};

/** An archive of one file of so many megabytes of spaces: the same compressed block again and again. */
const zipBomb = (filename: string, megabytes: number): Uint8Array => {
  const block = deflateRawSync(new Uint8Array(1_048_576).fill(32), { finishFlush: constants.Z_FULL_FLUSH });
  const end = Uint8Array.of(3, 0);
  const packed = Buffer.concat([...Array.from({ length: megabytes }, () => block), end]);
  const chunks: Uint8Array[] = [];
  const zip = new Zip((_, chunk) => chunks.push(chunk));
  const file: ZipInputFile = { filename, size: megabytes * 1_048_576, crc: 0, compression: 8 };
  zip.add(file);
  file.ondata?.(null, packed, true);
  zip.end();
  return new Uint8Array(Buffer.concat(chunks));
};

/** The processes that this one has started. */
const children = async (): Promise<readonly number[]> =>
  (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

describe('the text extractor', () => {
  after(() => Promise.all(opened.map((made) => made.close())));

  textExtractorContract(() => extractor());

  it('reads an e-invoice by its terms, under any type, and refuses one with a document type', async () => {
    const made = extractor();
    const file = (xml: string, contentType: string) => ({ fileName: 'a.xml', contentType, data: bytes(xml) });
    for (const [xml, contentType] of [
      [ublInvoice(), 'application/xml'],
      [ciiInvoice(), 'text/xml'],
      [ciiInvoice(), 'text/plain'],
      [ublInvoice(), ''],
    ] as const) {
      const [part] = await made.extract(file(xml, contentType));
      const [page] = part?.pages ?? [];
      expect(page?.text, contentType)
        .to.match(/^Invoice number: INV-1\n/)
        .and.include('Amount due for payment: 232.05\n');
    }
    const hostile = ublInvoice().replace('<Invoice', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Invoice');
    expect(await reasonOf(made, file(hostile, 'application/xml'))).to.match(/^has a document type/);
    expect(await reasonOf(made, file(ublInvoice().slice(0, -20), 'application/xml'))).to.match(/not well-formed XML/);
    const [other] = await made.extract(file('<order><number>1</number></order>', 'application/xml'));
    expect(other?.pages[0]?.text).to.equal('<order><number>1</number></order>');
  });

  it('reads what is attached to a PDF by name, also where its pages are empty', async () => {
    const attached = { 'b.csv': 'item,amount\nBolts,3.10', 'a.pdf': await invoicePdf() };
    for (const [lines, unreadable] of [
      [['See the attachments.'], null],
      [[], 'has no text layer: it is probably a scan, and only a model that takes PDF files or images can read it'],
    ] as const) {
      const data = await hybrid(attached, lines);
      const [own, ...parts] = await extractor().extract({ fileName: 'p.pdf', contentType: '', data });
      expect(own?.unreadable).to.equal(unreadable);
      expect(parts.map(({ fileName, within, contentType }) => [fileName, within, contentType])).to.deep.equal([
        ['a.pdf', 'p.pdf', 'application/pdf'],
        ['b.csv', 'p.pdf', 'text/csv'],
      ]);
      expect(parts.map(({ pages }) => pages.length)).to.deep.equal([2, 1]);
    }
  });

  it('reads the pages of a PDF to which far too much is attached, and says what it left out', async () => {
    const data = await hybrid({ 'bomb.xml': new Uint8Array(110 * 1_048_576).fill(32), 'a.xml': ciiInvoice() });
    const [own, ...parts] = await extractor().extract({ fileName: 'p.pdf', contentType: '', data });
    expect(own?.pages[0]?.text).to.match(/^Invoice INV-1\n/);
    const what = 'the attached file bomb.xml: it is too large beside the others';
    expect(own?.notes).to.deep.equal([{ kind: 'unread', page: null, what }]);
    expect(parts.map(({ einvoice }) => einvoice?.valid)).to.deep.equal([true]);
  });

  it('reads the pages of a PDF, and a mail, to which something is attached that ends its reader', async () => {
    const made = extractor({ memoryMegabytes: 128 });
    const pdf = await attachmentBombPdf(300);
    const mail = email('Number: A-2', [{ name: 'over.pdf', type: 'application/pdf', data: pdf }]);
    for (const [fileName, data, number] of [
      ['p.pdf', pdf, 'A-1'],
      ['m.eml', mail, 'A-2'],
    ] as const) {
      const [own, ...others] = await made.extract({ fileName, contentType: '', data });
      expect(own?.unreadable, fileName).to.equal(null);
      expect(own?.pages[0]?.text).to.contain(`Number: ${number}`);
      expect(others).to.deep.equal([]);
      expect(own?.notes?.map(({ what }) => what).join()).to.match(/^the attached file .*: it could not be read/);
    }
  });

  it('gives up on a file that takes too long, and reads the next one', async () => {
    const made = extractor({ timeoutSeconds: 4, readers: 1 });
    expect(await reasonOf(made, endless)).to.equal('took too long to read');
    expect((await made.extract(text('next')))[0]?.pages[0]?.text).to.equal('next');
  });

  it('stays alive when a reader runs out of memory, and reads the next file', async () => {
    const made = extractor({ readers: 1, memoryMegabytes: 128 });
    expect(await reasonOf(made, overwhelming)).to.equal('is too large to read');
    expect((await made.extract(text('next')))[0]?.pages[0]?.text).to.equal('next');
  });

  it('does not hold it against a file that the system ended its reader', async () => {
    const made = extractor({ readers: 1 });
    const before = new Set(await children());
    const reading = made.extract(text('read all the same'));
    let readers: readonly number[] = [];
    while (readers.length === 0) readers = (await children()).filter((pid) => !before.has(pid));
    for (const pid of readers) process.kill(pid, 'SIGKILL');
    expect((await reading)[0]?.pages[0]?.text).to.equal('read all the same');
  });

  it('stops at a spreadsheet that unpacks to more than there is memory for', async () => {
    const bomb = zipBomb('xl/worksheets/sheet1.xml', 1000);
    const made = extractor({ memoryMegabytes: 128 });
    expect(await reasonOf(made, { fileName: 'bomb.xlsx', contentType: '', data: bomb })).to.equal(
      'is too large to read',
    );
  });

  it('ends a reader whose file is no longer wanted, while the others go on', async () => {
    const made = extractor({ readers: 2 });
    const abort = new AbortController();
    const endlessly = made.extract(endless, abort.signal).catch((error) => error);
    expect((await made.extract(text('meanwhile')))[0]?.pages[0]?.text).to.equal('meanwhile');
    abort.abort(new Error('cancelled'));
    expect(await endlessly).to.have.property('message', 'cancelled');
  });

  it('rejects what is under way and what waits when it is closed', async () => {
    const made = textExtractor({ timeoutSeconds: 60, readers: 1 });
    const pending = [made.extract(endless), made.extract(text('waits'))].map((promise) =>
      promise.catch((error) => error.message),
    );
    await made.close();
    expect(await Promise.all(pending)).to.deep.equal(['the text extractor is closed', 'the text extractor is closed']);
  });

  it('reads the one file of a user before the many that another one sent earlier', async () => {
    const made = extractor({ readers: 2 });
    const large = { ...text('a'), data: new Uint8Array(10_000_000).fill(97), sharer: aSharer('many') };
    let done = 0;
    const many = Array.from({ length: 10 }, () => made.extract(large).then(() => done++));
    const [part] = await made.extract({ ...text('only one'), sharer: aSharer('few') });
    expect(part?.pages[0]?.text).to.equal('only one');
    expect(done).to.be.lessThan(4);
    await Promise.all(many);
  });

  it('refuses what it could not hold in memory until its turn', async () => {
    const made = extractor({ readers: 1, maxWaiting: 1 });
    const abort = new AbortController();
    const held = [made.extract(endless, abort.signal), made.extract(text('waits'), abort.signal)].map((each) =>
      each.catch(() => {}),
    );
    expect(await reasonOf(made, text('too many'))).to.equal('could not be read: too many files are waiting to be read');
    abort.abort();
    await Promise.all(held);
    expect(await reasonOf(made, text('again'))).to.equal(null);
  });

  it('gives the bytes of an attachment as they were', async () => {
    const pdf = await invoicePdf();
    const data = email('x', [{ name: 'a.pdf', type: 'application/pdf', data: pdf }]);
    const [mail, attachment] = await extractor().extract({ fileName: 'a.eml', contentType: '', data });
    expect(mail?.data).to.equal(data);
    expect(Buffer.from(attachment?.data ?? []).equals(pdf)).to.equal(true);
  });

  it('counts the text of all attachments against one limit', async () => {
    const attachments = ['a.txt', 'b.txt'].map((name) => ({
      name,
      type: 'text/plain',
      data: bytes('word '.repeat(100)),
    }));
    const parts = await extractor({ maxCharacters: 700 }).extract({
      fileName: 'm.eml',
      contentType: '',
      data: email('x', attachments),
    });
    const ends = parts.map(({ pages }) =>
      /The text ends here: only the first 700 characters/.test(pages[0]?.text ?? ''),
    );
    expect(ends).to.deep.equal([false, false, true]);
    const unread = parts.map(({ pages }) => pages[0]?.unread);
    expect(unread.slice(0, 2)).to.deep.equal([undefined, undefined]);
    expect(unread[2]?.pages).to.equal(0);
    expect(unread[2]?.characters).to.be.within(250, 499);
  });

  it('counts the pages and characters that a limit leaves out', async () => {
    const file = { fileName: 'a.pdf', contentType: '', data: await invoicePdf() };
    const [whole] = await extractor().extract(file);
    expect(whole?.pages.some(({ unread }) => unread !== undefined)).to.equal(false);
    const [cut] = await extractor({ maxCharacters: 20 }).extract(file);
    expect(cut?.pages).to.have.length(1);
    expect(cut?.pages[0]?.unread?.pages).to.equal(whole?.pages.length);
    expect(cut?.pages[0]?.unread?.characters).to.be.above(0);
  });

  it('lets a program that is done with it end, and prints nothing whatever the file', async () => {
    const source = fileURLToPath(new URL('../../src/adapters/text/extractor.ts', import.meta.url));
    const program = `
      const { textExtractor } = await import(${JSON.stringify(source)});
      const broken = Buffer.from('%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj trailer<</Root 1 0 R>>');
      await textExtractor({ timeoutSeconds: 20 }).extract({ fileName: 'a.pdf', contentType: '', data: broken });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    const [code] = await once(child, 'close');
    expect({ code, printed }).to.deep.equal({ code: 0, printed: '' });
  });

  it('leaves no reader behind when its program is killed', async () => {
    const source = fileURLToPath(new URL('../../src/adapters/text/reader-process.ts', import.meta.url));
    const program = `
      const { startReader } = await import(${JSON.stringify(source)});
      const reader = startReader(256);
      console.log(reader.pid);
      const data = Buffer.from('<table><tr><td>'.repeat(100000));
      await reader.read({ fileName: 'a.html', contentType: 'text/html', maxCharacters: 1000 }, data);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    child.kill('SIGKILL');
    const pid = Number(String(printed));
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect(isAlive()).to.equal(true);
    while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

describe('clean text', () => {
  it('has whole characters only, and none that control a terminal', () => {
    expect(clean('a\ud800b \udc00\u0000c\u001b[1m 😀')).to.equal('ab c[1m 😀');
  });

  it('has one kind of line end, no space before it, and no more than one empty line', () => {
    expect(clean('\n\na \t\r\nb\r\r\r\rc\u2028d\fe\n')).to.equal('a\nb\n\nc\nd\ne');
  });

  it('is cleaned in a time that grows with its length, not its square', () => {
    expect(clean(`${' '.repeat(5_000_000)}x`)).to.have.length(5_000_001);
  });

  // V8 no longer optimises patterns in a process that has compiled many of them.
  it('is cleaned of any run of blanks and empty lines in a process that has run for long', () => {
    const program = `import { clean } from './src/adapters/text/text.ts';
      console.log(['x', '', '\\n'].map((end) => clean('a' + ' '.repeat(6e6) + end + '\\n'.repeat(6e6) + 'b').length).join());`;
    const options = ['--no-regexp-optimization', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).to.equal('6000005,4,4\n');
  });
});

describe('words of a PDF page', () => {
  it('never join letters of two cells, in whatever order the file has them', async () => {
    const wordsOf = async (...runs: Parameters<typeof pdfOfRuns>[0]) =>
      (await readPdf(await pdfOfRuns(runs), 1000)).layouts[0]?.words.map((word) => word.text);
    expect(await wordsOf(['3', 100, 700], ['5', 100, 670])).to.deep.equal(['3', '5']);
    expect(await wordsOf(['3', 100, 700], ['5', 100, 689])).to.deep.equal(['3', '5']);
    expect(await wordsOf(['31', 100, 700], ['52', 100, 694])).to.deep.equal(['31', '52']);
    expect(await wordsOf(['m', 100, 700], ['2', 108.5, 704, 6], ['12', 120, 700], ['.5', 131.2, 700])).to.deep.equal([
      'm²',
      '12.5',
    ]);
  });
});

describe('lines of a PDF page', () => {
  const run = (words: string, x: number, y: number, over = {}) => ({
    text: words,
    x,
    y,
    width: words.length * 5,
    size: 10,
    angle: 0,
    isSpaced: false,
    ...over,
  });

  it('join the runs of one word, and keep words and cells apart', () => {
    const runs = [run('In', 0, 100), run('voice', 10, 100), run('No.', 38, 100), run('17', 200, 100)];
    expect(readLines(runs).text).to.equal('Invoice No.  17');
  });

  it('forgive baselines that are a little off, and no more', () => {
    expect(readLines([run('Qty', 0, 100), run('4', 40, 98.5), run('Next', 0, 88)]).text).to.equal('Qty  4\nNext');
  });

  it('show a run that is drawn twice for boldness once', () => {
    expect(readLines([run('Total', 0, 100), run('Total', 0.4, 100)]).text).to.equal('Total');
  });

  it('put text that runs in another direction after the rest', () => {
    expect(readLines([run('side', 500, 10, { angle: 90 }), run('one', 0, 100), run('two', 0, 80)]).text).to.equal(
      'one\ntwo\nside',
    );
  });

  it('read right-to-left lines from the right', () => {
    expect(readLines([run('שלום', 100, 100), run('עולם', 76, 100)]).text).to.equal('שלום עולם');
    const mixed = [run('שלום', 140, 100), run('Alder', 72, 100), run('Street', 102, 100), run('84.00', 40, 100)];
    expect(readLines([...mixed, run('עולם', 12, 100), run('רב', 0, 100)]).text).to.equal(
      'שלום Alder Street 84.00 עולם רב',
    );
    const quoted = [run('Full', 0, 100), run('name:', 24, 100), run('עולם', 53, 100), run('שלום', 77, 100)];
    expect(readLines(quoted).text).to.equal('Full name: שלום עולם');
  });

  it('keep words apart between which the file has a blank, however narrow', () => {
    expect(readLines([run('to', 0, 100), run('day', 10.5, 100, { isSpaced: true })]).text).to.equal('to day');
  });
});
