import { expect } from 'chai';
import { zipSync } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { fullCii } from '../fixtures/e-invoice/full-cii.ts';
import { fullUbl } from '../fixtures/e-invoice/full-ubl.ts';
import { encrypted, signed } from '../fixtures/text/cms.ts';
import { bytes, email, invoicePdf } from '../fixtures/text/files.ts';

const text = (words: string) => bytes(words);
const zip = (files: Readonly<Record<string, Uint8Array>>) => zipSync(files);

/** An archive of one empty file with this name, in bytes, and no word of their encoding. */
const named = (...names: readonly (readonly number[])[]): Uint8Array => {
  const placeholders = names.map((name, index) => `${String(index).padEnd(name.length - 4, 'x')}.txt`);
  const data = Buffer.from(zip(Object.fromEntries(placeholders.map((name) => [name, text('a')]))));
  for (const [index, placeholder] of placeholders.entries())
    for (let at = data.indexOf(placeholder); at >= 0; at = data.indexOf(placeholder, at + 1))
      data.set(names[index] ?? [], at);
  return new Uint8Array(data);
};
const inLatin = (name: string) => [...Buffer.from(name, 'latin1')];

describe('files within files', () => {
  const extractor = textExtractor({ timeoutSeconds: 60 });
  after(() => extractor.close());
  const read = (fileName: string, data: Uint8Array) => extractor.extract({ fileName, contentType: '', data });
  const reasonsOf = async (fileName: string, data: Uint8Array) =>
    (await read(fileName, data)).map((part) => [[part.within, part.fileName].join(' › '), part.unreadable]);

  it('are read from an archive, as deep as it goes, each by its own kind', async () => {
    const inner = zip({
      'deep/c.pdf': await invoicePdf(),
      'd.bin': Uint8Array.from({ length: 500 }, (_, at) => at % 32),
    });
    const archive = zip({
      'a/b.csv': text('x,y\n1,2'),
      'inner.zip': inner,
      'empty/': text(''),
      '__MACOSX/a': text('a'),
    });
    const mail = email('See the archive.', [{ name: 'all.zip', type: 'application/zip', data: archive }]);
    const parts = await read('mail.eml', mail);
    expect(
      parts.map(({ within, fileName, unreadable, pages }) => [within, fileName, unreadable, pages.length]),
    ).to.deep.equal(
      [
        [undefined, 'mail.eml', null, 1],
        ['mail.eml', 'all.zip', null, 0],
        ['mail.eml › all.zip', 'b.csv', null, 1],
        ['mail.eml › all.zip', 'inner.zip', null, 0],
        ['mail.eml › all.zip › inner.zip', 'c.pdf', null, 2],
        ['mail.eml › all.zip › inner.zip', 'd.bin', 'is not of a kind that can be read'],
      ].map((part) => (part.length === 3 ? [...part, 0] : part)),
    );
  });

  it('are read from an e-invoice, which has them in Base64', async () => {
    for (const invoice of [fullUbl('Invoice'), fullUbl('CreditNote'), fullCii()]) {
      const hours = Buffer.from('Day;Hours\n2026-11-01;8\n'.repeat(20)).toString('base64');
      const [own, ...attached] = await read('a.xml', text(invoice.replace('>QQ==<', `>${hours}<`)));
      expect(own?.pages[0]?.text).to.include('Attached document: text/csv, hours.csv\n').and.not.include('QQ==');
      expect(attached.map(({ within, fileName }) => `${within} › ${fileName}`)).to.deep.equal([
        'a.xml › hours.csv',
        'a.xml › miles.csv',
      ]);
      expect(attached.map(({ pages }) => pages[0]?.text.slice(0, 23))).to.deep.equal([
        'Day\tHours\n2026-11-01\t8\n',
        'A',
      ]);
    }
  });

  it('make an archive unreadable if none of them can be read', async () => {
    expect(
      await reasonsOf('a.zip', zip({ 'a.bin': Uint8Array.from({ length: 500 }, (_, at) => at % 32) })),
    ).to.deep.equal([
      [' › a.zip', 'has nothing in it that can be read'],
      ['a.zip › a.bin', 'is not of a kind that can be read'],
    ]);
    expect(await reasonsOf('a.zip', zip({ 'a/': text('') }))).to.deep.equal([
      [' › a.zip', 'has no file in it that can be read'],
    ]);
  });

  it('have the names that an archive means, in the encoding that their bytes have', async () => {
    const namesIn = async (data: Uint8Array) => (await read('a.zip', data)).slice(1).map(({ fileName }) => fileName);
    expect(await namesIn(zip({ 'Käse/Łódź.txt': text('a') }))).to.deep.equal(['Łódź.txt']);
    expect(await namesIn(named([...Buffer.from('Käsekuchen.txt')]))).to.deep.equal(['Käsekuchen.txt']);
    // As DOS and Windows write it.
    expect(
      await namesIn(named([...inLatin('K'), 0x84, ...inLatin('se f'), 0x81, ...inLatin('r alle.txt')])),
    ).to.deep.equal(['Käse für alle.txt']);
  });

  it('are left out where they are encrypted, or too large', async () => {
    const locked = Buffer.from(zip({ 'a.txt': text('a'), 'b.txt': text('b') }));
    const entry = locked.indexOf('PK\x01\x02');
    locked.writeUInt16LE(locked.readUInt16LE(entry + 8) | 1, entry + 8);
    const [own, ...others] = await read('a.zip', new Uint8Array(locked));
    expect(own?.notes).to.deep.equal([
      { kind: 'unread', page: null, what: 'the file a.txt: it is protected by a password' },
    ]);
    expect(others.map(({ fileName }) => fileName)).to.deep.equal(['b.txt']);
    const bomb = zip({ 'bomb.txt': new Uint8Array(110_000_000), 'a.txt': text('a') });
    const [large, ...read1] = await read('bomb.zip', bomb);
    expect(large?.notes?.map(({ what }) => what)).to.deep.equal([
      'the file bomb.txt: it is too large beside the others',
    ]);
    expect(read1.map(({ fileName }) => fileName)).to.deep.equal(['a.txt']);
    const lying = Buffer.from(zip({ 'bomb.txt': new Uint8Array(110_000_000), 'a.txt': text('a') }));
    lying.writeUInt32LE(1000, lying.indexOf('PK\x01\x02') + 24);
    expect((await read('lying.zip', new Uint8Array(lying)))[0]?.notes?.map(({ what }) => what)).to.deep.equal([
      'the file bomb.txt: it is damaged, or packed in a way that is not read',
    ]);
  });

  it('are bounded in number, depth and size altogether', async () => {
    const many = zip(Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`${index}.txt`, text('a')])));
    const parts = await read('many.zip', many);
    expect(parts).to.have.length(200);
    expect(parts[0]?.pages.at(-1)?.text).to.equal('[801 more attachments were not read.]');
    let nested = zip({ 'a.txt': text('a') });
    for (let depth = 0; depth < 7; depth += 1) nested = zip({ 'in.zip': nested });
    expect((await read('deep.zip', nested)).at(-1)?.unreadable).to.match(/^is inside more than 5 files/);
    const large = zip({ 'a.txt': new Uint8Array(90_000_000).fill(97) });
    const several = await read('several.zip', zip({ 'a.zip': large, 'b.zip': large, 'c.zip': large }));
    expect(several.at(-1)?.unreadable).to.equal('is too large beside the others: it was not read');
  });

  it('are read out of a signature, and refused where they are encrypted', async () => {
    const signedParts = await read('invoice.csv.p7m', signed(text('Total: 84.00')));
    expect(signedParts.map(({ fileName, unreadable, pages }) => [fileName, unreadable, pages[0]?.text])).to.deep.equal([
      ['invoice.csv.p7m', null, 'Signature: there is one, and it was not checked'],
      ['invoice.csv', null, 'Total: 84.00'],
    ]);
    const message = (data: Uint8Array) =>
      bytes(
        `From: a@example.com\r\nContent-Type: application/pkcs7-mime; name="smime.p7m"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(data).toString('base64')}\r\n`,
      );
    const inside = bytes('Content-Type: text/plain\r\n\r\nTotal: 84.00\r\n');
    const opened = await read('a.eml', message(signed(inside)));
    expect(opened.map(({ fileName, pages }) => [fileName, pages[0]?.text])).to.deep.equal([
      ['a.eml', 'From: a@example.com'],
      ['smime.p7m', 'Signature: there is one, and it was not checked'],
      ['signed message.eml', 'Total: 84.00'],
    ]);
    const reason = 'is encrypted (S/MIME): open it with the certificate that it is for, and upload what is in it';
    expect(await reasonsOf('a.eml', message(encrypted()))).to.deep.equal([
      [' › a.eml', 'has nothing in it that can be read'],
      ['a.eml › smime.p7m', reason],
    ]);
  });
});
