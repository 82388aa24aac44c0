import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, invoicePdf } from '../fixtures/text/files.ts';
import { type MessageProperties, outlookMessage, storedRichText, winmail } from '../fixtures/text/msg.ts';

const read = (data: Uint8Array) => readFile({ fileName: 'a.msg', contentType: '', data }, 100_000);
const [SUBJECT, BODY, HTML, RICH, NAME, DATA] = [
  '0037001F',
  '1000001F',
  '10130102',
  '10090102',
  '3707001F',
  '37010102',
];

describe('a message of Outlook', () => {
  const head: MessageProperties = {
    [SUBJECT]: 'Your order',
    '0C1A001F': 'Ada Lovelace',
    '5D01001F': 'ada@example.com',
  };
  const textOf = async (properties: MessageProperties) => {
    const [own] = await read(outlookMessage({ properties: { ...head, ...properties } }));
    return own?.pages[0]?.text.replace(/^[\s\S]*?\n\n/, '');
  };

  it('is read as an e-mail is, with what is attached to it', async () => {
    const recipients = [{ '3001001F': 'Works', '39FE001F': 'works@example.com' }];
    const attachments = [
      { [NAME]: 'invoice.pdf', [DATA]: await invoicePdf() },
      { [NAME]: 'rows.csv', [DATA]: bytes('a,b\n1,2') },
    ];
    const data = outlookMessage({ properties: { ...head, [BODY]: 'Total: 84.00\r\n' }, recipients, attachments });
    const [own, ...parts] = await read(data);
    expect(own?.contentType).to.equal('application/vnd.ms-outlook');
    expect(own?.pages[0]?.text).to.equal(
      'From: Ada Lovelace <ada@example.com>\nTo: Works <works@example.com>\nSubject: Your order\n\nTotal: 84.00',
    );
    expect(parts.map(({ within, fileName, pages }) => [within, fileName, pages.length])).to.deep.equal([
      ['a.msg', 'invoice.pdf', 2],
      ['a.msg', 'rows.csv', 1],
    ]);
  });

  it('says what a person sees: its HTML, also where that lies within rich text', async () => {
    const html = '<p>Seen</p><p style="display:none">Hidden</p>';
    expect(await textOf({ [BODY]: 'another text', [HTML]: bytes(html) })).to.equal('Seen');
    const within =
      "{\\rtf1\\ansi\\ansicpg1252\\fromhtml1 {\\*\\htmltag <p>}Caf\\'e9{\\*\\htmltag </p>}\\htmlrtf not seen\\htmlrtf0 }";
    expect(await textOf({ [BODY]: 'another text', [RICH]: storedRichText(within) })).to.equal('Café');
    expect(await textOf({ [RICH]: storedRichText('{\\rtf1\\ansi plain {\\v hidden}text\\par}') })).to.equal(
      'plain text',
    );
    expect(await textOf({ [BODY]: 'its text', [RICH]: bytes('spoilt') })).to.equal('its text');
  });
});

describe('winmail.dat', () => {
  const parts = async (data: Uint8Array) =>
    (await readFile({ fileName: 'winmail.dat', contentType: 'application/octet-stream', data }, 100_000)).map(
      ({ within, fileName, pages, unreadable }) => [within, fileName, pages[0]?.text ?? unreadable],
    );

  it('is read with what is attached to it, under the long names, and with messages in it', async () => {
    const inner = winmail({ body: 'inner', attachments: [] });
    const data = winmail({
      body: 'plain',
      html: '<p>Seen</p>',
      attachments: [
        { short: 'INVOIC~1.CSV', long: 'invoice Łódź.csv', data: bytes('a,b') },
        { short: 'forwarded', data: inner, isMessage: true },
      ],
    });
    expect(await parts(data)).to.deep.equal([
      [undefined, 'winmail.dat', 'Seen'],
      ['winmail.dat', 'invoice Łódź.csv', 'a\tb'],
      ['winmail.dat', 'forwarded', 'inner'],
    ]);
  });

  it('says who sent a message in it, to whom, about what and when, and its text, wherever it has these', async () => {
    const wide = (words: string) => Buffer.from(`${words}\0`, 'utf16le');
    const submitted = Buffer.alloc(8);
    submitted.writeBigUInt64LE((BigInt(Date.UTC(2026, 10, 3, 9, 30)) + 11_644_473_600_000n) * 10_000n);
    const exchange = winmail({
      properties: [
        [0x1f, 0x0037, wide('Rechnung Łódź')],
        [0x40, 0x0039, submitted],
        [0x1f, 0x0c1a, wide('Ada Lovelace')],
        [0x1f, 0x5d01, wide('ada@example.com')],
        [0x1f, 0x0e04, wide('Books; Desk')],
        [0x1f, 0x1000, wide('Total: 84.00')],
      ],
      attachments: [],
    });
    const numbers = (...values: readonly number[]) => Buffer.from(new Uint16Array(values).buffer);
    const name = Buffer.from('Ada Lovelace\0\0');
    const address = Buffer.from('SMTP:ada@example.com\0\0');
    const old = winmail({
      attributes: {
        32768: Buffer.concat([
          numbers(4, 8 + name.length + address.length, name.length, address.length),
          name,
          address,
        ]),
        32772: Buffer.from('Invoice\0'),
        32773: numbers(2026, 11, 3, 9, 30, 0, 2),
      },
      body: 'Total: 84.00',
      attachments: [],
    });
    const messages = [exchange, old].map((data, index) => ({ short: `${index}.tnef`, data, isMessage: true }));
    expect((await parts(winmail({ attachments: messages }))).slice(1)).to.deep.equal([
      [
        'winmail.dat',
        '0.tnef',
        'From: Ada Lovelace <ada@example.com>\nTo: Books; Desk\nSubject: Rechnung Łódź\nDate: Tue, 03 Nov 2026 09:30:00 GMT\n\nTotal: 84.00',
      ],
      [
        'winmail.dat',
        '1.tnef',
        'From: Ada Lovelace <ada@example.com>\nSubject: Invoice\nDate: 2026-11-03 09:30:00\n\nTotal: 84.00',
      ],
    ]);
  });

  it('leaves out a header in it that is cut off, and reads what is behind', async () => {
    const attributes = {
      32768: Buffer.from([4, 0, 99, 0]),
      32772: Buffer.from('Invoice\0'),
      32773: Buffer.from([0xea]),
    };
    const data = winmail({
      attributes,
      body: 'Total: 84.00',
      attachments: [{ short: 'a.txt', data: Buffer.from('Seen') }],
    });
    expect(await parts(data)).to.deep.equal([
      [undefined, 'winmail.dat', 'Subject: Invoice\n\nTotal: 84.00'],
      ['winmail.dat', 'a.txt', 'Seen'],
    ]);
  });

  it('is read as far as it goes where it is cut off, and says so', async () => {
    const data = winmail({ body: 'Total: 84.00', attachments: [{ short: 'a.csv', data: bytes('a,b') }] });
    const [own] = await readFile({ fileName: 'winmail.dat', contentType: '', data: data.subarray(0, -20) }, 1000);
    expect(own?.pages[0]?.text).to.equal('Total: 84.00');
    expect(own?.notes).to.deep.equal([{ kind: 'unread', page: null, what: 'its end: it is cut off' }]);
  });

  it('has no text where there is only a file in it, which is read', async () => {
    expect(await parts(winmail({ attachments: [{ short: 'a.csv', data: bytes('a,b') }] }))).to.deep.equal([
      [undefined, 'winmail.dat', 'has nothing in it that can be read'],
      ['winmail.dat', 'a.csv', 'a\tb'],
    ]);
  });
});
