import { expect } from 'chai';
import { zipSync } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';

const BOUNDARY = 'b';

const aMail = (headers: string, parts: readonly string[]) =>
  Buffer.from(
    `From: ada@example.com\r\nSubject: bomb\r\n${headers}Content-Type: multipart/mixed; boundary=${BOUNDARY}\r\n\r\n${parts
      .map((part) => `--${BOUNDARY}\r\n${part}\r\n`)
      .join('')}--${BOUNDARY}--\r\n`,
  );

const attached = (name: string, text: string, encoding = '') =>
  `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\n${encoding}\r\n${text}`;

/** Unpacks to more than all that is within one file may be. */
const zipBomb = () => {
  const packed = Buffer.from(zipSync({ 'a.txt': new Uint8Array(300_000_000) }, { level: 9 })).toString('base64');
  return attached('z.zip', packed.replace(/.{76}/g, '$&\r\n'), 'Content-Transfer-Encoding: base64\r\n');
};

describe('mails that are made to do harm', () => {
  const extractor = textExtractor({ timeoutSeconds: 30 });
  after(() => extractor.close());

  const read = (data: Uint8Array) => extractor.extract({ fileName: 'mail.eml', contentType: 'message/rfc822', data });

  it('are read up to the parts that one file may have, and say how many were not', async () => {
    const parts = await read(
      aMail(
        '',
        Array.from({ length: 10_000 }, (_, n) => attached(`${n}.txt`, `Total: ${n}`)),
      ),
    );
    expect(parts.length).to.be.at.most(201);
    expect(parts[1]?.pages[0]?.text).to.include('Total: 0');
    expect(parts[0]?.pages.at(-1)?.text).to.match(/^\[9,?80\d more attachments were not read\.\]$/);
  });

  it('unpack no archive that is a bomb, however many they have', async () => {
    const bomb = zipBomb();
    const parts = await read(aMail('', [...Array.from({ length: 20 }, () => bomb), attached('a.txt', 'Total: 1')]));
    expect(parts[1]?.notes?.[0]?.what).to.match(/^the file a\.txt: it is too large/);
    expect(parts.at(-1)?.pages[0]?.text).to.include('Total: 1');
  });

  it('are refused in words where their headers have no end, or their parts are nested too deeply', async () => {
    const nested = Array.from(
      { length: 1000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    const bombs = [
      aMail('X-A: b\r\n'.repeat(1_000_000), []),
      aMail(`X-A: ${'x'.repeat(20_000_000)}\r\n`, []),
      aMail(`To: ${'a@example.com,\r\n '.repeat(500_000)}z@example.com\r\n`, []),
      Buffer.from(`From: ada@example.com\r\n${nested.join('')}Content-Type: text/plain\r\n\r\nhello`),
    ];
    for (const bomb of bombs)
      expect((await read(bomb)).map(({ unreadable }) => unreadable)).to.deep.equal([
        'is damaged: it is not a complete e-mail',
      ]);
  });

  it('are read in time however many lines they have, and however many messages are within each other', async () => {
    const begin = 'From: ada@example.com\r\nSubject: lines\r\n';
    const inner = 'Content-Type: message/rfc822\r\n\r\n';
    const nested = await read(Buffer.from(`${begin}${inner.repeat(400_000)}${begin}\r\nhello`));
    expect(nested.at(-1)?.unreadable).to.match(/^is inside more than 5 files/);
    const [lines] = await read(
      Buffer.from(`${begin}Content-Type: text/plain\r\n\r\n${'\r\n'.repeat(5_000_000)}Total: 1`),
    );
    expect(lines?.pages[0]?.text).to.include('Total: 1');
    const [, pieces] = await read(
      aMail('', [attached('a.txt', 'YQ=='.repeat(1_000_000), 'Content-Transfer-Encoding: base64\r\n')]),
    );
    expect(pieces?.pages[0]?.text).to.match(/^a{10,}/);
  });

  it('have attachments whose names are one line, and nothing that a terminal obeys or that turns it', async () => {
    const names = ['a\r\nX-Evil: 1\u001b[31m.txt', 'a\u009b31m\u0085.txt', '../invoice\u202efdp.exe', '\u2066\u202e'];
    const word = (name: string) => `=?utf-8?B?${Buffer.from(name).toString('base64')}?=`;
    const [, ...parts] = await read(
      aMail(
        '',
        names.map((name) => attached(word(name), 'Total: 1')),
      ),
    );
    expect(parts.map(({ fileName }) => fileName)).to.deep.equal([
      'a X-Evil: 1[31m.txt',
      'a31m .txt',
      'invoicefdp.exe',
      'attachment 4',
    ]);
  });
});
