import * as tables from '@e965/xlsx/dist/cpexcel.full.mjs';
import { expect } from 'chai';
import fc from 'fast-check';
import { decode } from '../../src/adapters/text/decode.ts';
import { dosText } from '../../src/adapters/text/dos-text.ts';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes } from '../fixtures/text/files.ts';

/** The bytes of a text in an encoding of one byte a character. */
const encoded = (charset: string, text: string): Uint8Array => {
  const all = Array.from({ length: 256 }, (_, byte) => new TextDecoder(charset).decode(Uint8Array.of(byte)));
  return Uint8Array.from(
    [...text].map((character) => {
      const byte = all.indexOf(character);
      if (byte === -1) throw new Error(`${charset} has no ${character}`);
      return byte;
    }),
  );
};

/** The bytes of a text in a code page, by the tables of the package that reads workbooks. */
const inCodePage = (codePage: number, text: string): Uint8Array => {
  const { utils } = tables as unknown as typeof tables.cptable;
  return Uint8Array.from(utils.encode(codePage, text, 'buf') as Uint8Array);
};

const samples: readonly (readonly [charset: string, text: string])[] = [
  [
    'windows-1252',
    'Größe Straße Käserei Müller Überweisung 5 € für ¿Qué señor España dirección pièces détachées où hôtel fløde Århus kærlighed João São ação',
  ],
  [
    'windows-1250',
    'Śruba żółta Łańcuch Źródło gęś Žluťoučký kůň příliš ďábelské ódy částka Számla összeg tűrő őrség Plată către șef'.replace(
      /[șț]/g,
      's',
    ),
  ],
  ['iso-8859-2', 'Śruba żółta Łańcuch źródło příliš ďábelské ódy tűrő őrség'],
  ['windows-1251', 'Счёт Клиент ООО Ромашка Итого Фактура Клієнт Разом їжак Дата Сума'],
  ['koi8-r', 'Счет Клиент ООО Ромашка Итого Дата Сумма'],
  ['windows-1253', 'Πελάτης Αρτοποιείο Σύνολο Τιμολόγιο Ημερομηνία'],
  ['windows-1254', 'Müşteri Şişli Çiçekçilik toplam ığdır İstanbul'],
  ['windows-1257', 'Klientas Šiauliai Žąsų ėdalas Ūkis Tallinn õun Rīga ķīselis'],
];
const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);

describe(`encodings (seed ${seed})`, () => {
  for (const [charset, text] of samples) {
    it(`are found or said to be uncertain: ${charset}`, () => {
      const words = fc.array(fc.constantFrom(...text.split(' '), 'Total', '84.00', '2026-10-31'), {
        minLength: 1,
        maxLength: 40,
      });
      fc.assert(
        fc.property(words, fc.constantFrom(';', ' ', ',', '\n'), (chosen, between) => {
          const wanted = chosen.join(between);
          const { text: found, isGuess } = decode(encoded(charset, wanted), '');
          if (found !== wanted) expect(isGuess, `${wanted} was read as ${found}`).to.equal(true);
        }),
        { seed, numRuns: 300 },
      );
    });
  }

  it('are found where there is enough to find them by', () => {
    const table = (words: string) =>
      `Article;Description;Amount\r\n${words
        .split(' ')
        .map((word, index) => `A-${index};${word};7,00\r\n`)
        .join('')}`;
    for (const [charset, text] of samples.filter(([name]) => !/1254|1257/.test(name))) {
      expect(decode(encoded(charset, table(text)), '').text, charset).to.equal(table(text));
    }
    const japanese = Uint8Array.from([
      0x41, 0x2d, 0x31, 0x2c, 0x82, 0xe8, 0x82, 0xf1, 0x82, 0xb2, 0x83, 0x57, 0x83, 0x85, 0x81, 0x5b, 0x83, 0x58, 0x0a,
      0x8c, 0xba, 0x95, 0xc4,
    ]);
    expect(decode(japanese, '').text).to.equal('A-1,りんごジュース\n玄米');
  });

  const old: readonly (readonly [codePage: number, name: string, texts: readonly string[]])[] = [
    [
      850,
      'ibm850',
      [
        'Artikel;Menge;Preis\nMüller Größe;2;3,50\nÄpfel;1;1.234,50\n',
        'Kunde;Betrag\nJörg Weiß;12,00\n',
        'Désignation;Montant\nRéparation à façon;12,00\nPièce;3,00\n',
        'Navn;Beløb\nSøren Ærø;12,00\n',
        'Name;Betrag\nJosé Nuñez;12,00\n',
      ],
    ],
    [852, 'ibm852', ['Odběratel;Částka\nŽluťoučký kůň;12,00\n', 'Klient;Kwota\nŁukasz Żółć;12,00\nPoznań;3,00\n']],
    [866, 'ibm866', ['Клиент;Сумма\nИванов;12,00\n']],
    [10000, 'macintosh', ['Kunde;Betrag\nJörg Weiß;12,00\nÄrger;3\n', 'Café;Größe\nCrème;12\n']],
  ];
  for (const [codePage, name, texts] of old)
    it(`are found where they are of DOS or the Macintosh: ${name}`, () => {
      for (const text of texts)
        expect(decode(inCodePage(codePage, text), 'text/csv').text, JSON.stringify(text)).to.equal(text);
      const [text = ''] = texts;
      expect(decode(inCodePage(codePage, text), `text/csv; charset=${name}`)).to.deep.equal({
        text,
        charset: name,
        isGuess: false,
      });
    });

  it('have the letters of DOS that the tables of the package have', () => {
    const all = Uint8Array.from({ length: 128 }, (_, index) => index + 128);
    const { utils } = tables as unknown as typeof tables.cptable;
    for (const page of [850, 852]) expect(dosText(`cp${page}`, all)).to.equal(utils.decode(page, all));
  });

  it('with a euro in place of the sign for no currency are of the younger Latin', () => {
    const data = encoded('iso-8859-15', 'Kunde;Betrag\nJörg;12,00 €\n');
    expect(decode(data, 'text/csv; charset=iso-8859-1').text).to.equal('Kunde;Betrag\nJörg;12,00 €\n');
  });

  it('that are declared count less than the bytes', () => {
    expect(decode(bytes('Käse'), 'text/plain; charset=iso-8859-1')).to.deep.equal({
      text: 'Käse',
      charset: 'utf-8',
      isGuess: false,
    });
    const polish = encoded('windows-1250', 'Śruba żółta;Łańcuch');
    expect(decode(polish, 'text/csv; charset=windows-1252').text).to.equal('Śruba żółta;Łańcuch');
    expect(decode(polish, 'text/csv; charset=windows-1250')).to.deep.include({
      charset: 'windows-1250',
      isGuess: false,
    });
    expect(decode(polish, 'text/csv; charset=no-such-thing').text).to.equal('Śruba żółta;Łańcuch');
  });

  it('that are spoiled in a few places are read all the same, and said to be uncertain', () => {
    const data = Uint8Array.from([...bytes('Größe Müller Käse '.repeat(20)), 0xe4, 0x20]);
    expect(decode(data, '')).to.deep.equal({
      text: `${'Größe Müller Käse '.repeat(20)}\ufffd `,
      charset: 'utf-8',
      isGuess: true,
    });
  });

  it('that are guessed are a note of the file', async () => {
    const [part] = await readFile({ fileName: 'a.csv', contentType: '', data: encoded('windows-1252', 'señor') }, 1000);
    expect(part?.notes?.map(({ kind }) => kind)).to.deep.equal(['encoding']);
    const [plain] = await readFile({ fileName: 'a.csv', contentType: '', data: bytes('señor') }, 1000);
    expect(plain).not.to.have.property('notes');
  });
});

describe('a mail', () => {
  const mailOf = (headers: string, body: Uint8Array) =>
    Uint8Array.from([
      ...bytes(`From: maud@example.com\r\nSubject: Bill\r\nMIME-Version: 1.0\r\n${headers}\r\n\r\n`),
      ...body,
    ]);
  const read = async (data: Uint8Array) => readFile({ fileName: 'a.eml', contentType: '', data }, 10_000);
  const bodyOf = async (data: Uint8Array) => (await read(data))[0]?.pages[0]?.text.split('\n\n').slice(1).join('\n\n');

  it('is read with headers that are not encoded as they should be', async () => {
    const mail = (charset: string, from: string, subject: string, type: string) =>
      encoded(
        charset,
        `From: ${from} <maud@example.com>\r\nSubject: ${subject}\r\nContent-Type: ${type}\r\n\r\nTotal: 5`,
      );
    const latin = mail('windows-1252', 'Käserei Müller', 'Rechnung für Größe', 'text/plain; charset=iso-8859-1');
    const [part] = await read(latin);
    expect(part?.pages[0]?.text).to.equal(
      'From: Käserei Müller <maud@example.com>\nSubject: Rechnung für Größe\n\nTotal: 5',
    );
    expect(part).not.to.have.property('notes');
    const [polish] = await read(mail('windows-1250', 'Łańcuch', 'Śruba żółta', 'text/plain; charset=windows-1250'));
    expect(polish?.pages[0]?.text).to.match(/^From: Łańcuch <.*\nSubject: Śruba żółta\n/);
    const [guessed] = await read(mail('windows-1252', 'Maud', 'señor', 'text/plain'));
    expect(guessed?.notes?.map(({ kind }) => kind)).to.deep.equal(['encoding']);
  });

  it('is read with the names of what is attached, also those that are not encoded as they should be', async () => {
    const attached = (headers: string) => `--b\r\n${headers}\r\n\r\nNumber: 4711\r\n`;
    const mail = (charset: string, ...parts: readonly string[]) =>
      mailOf(
        'Content-Type: multipart/mixed; boundary=b',
        encoded(
          charset,
          `--b\r\nContent-Type: text/plain; charset=${charset}\r\n\r\nTotal: 5 für\r\n${parts.join('')}--b--\r\n`,
        ),
      );
    const latin = mail(
      'windows-1252',
      attached('Content-Type: text/plain\r\nContent-Disposition: attachment;\r\n filename="Käse für Größe.txt"'),
      attached('Content-Disposition: attachment\r\nContent-Type: text/plain; name="Müller.txt"'),
      attached(
        "Content-Type: text/plain\r\nContent-Disposition: attachment; filename*0*=iso-8859-1''K%E4se; filename*1=.txt",
      ),
    );
    const parts = await read(latin);
    expect(parts[0]?.pages[0]?.text).to.match(/Total: 5 für$/);
    expect(parts.slice(1).map(({ fileName }) => fileName)).to.deep.equal([
      'Käse für Größe.txt',
      'Müller.txt',
      'Käse.txt',
    ]);
    const polish = attached(
      'Content-Type: text/plain; charset=windows-1250; name="Śruba żółta.txt"\r\nContent-Disposition: attachment',
    );
    expect((await read(mail('windows-1250', polish)))[1]?.fileName).to.equal('Śruba żółta.txt');
  });

  it('is read with the header that stands behind a byte order mark', async () => {
    const [part] = await read(bytes('\ufeffFrom: Käserei <maud@example.com>\r\nSubject: Bill\r\n\r\nTotal: 5'));
    expect(part?.pages[0]?.text).to.equal('From: Käserei <maud@example.com>\nSubject: Bill\n\nTotal: 5');
  });

  it('is read in the encoding of its bytes, whatever it declares', async () => {
    const plain = 'Content-Type: text/plain; charset=us-ascii';
    expect(await bodyOf(mailOf(`${plain}\r\nContent-Transfer-Encoding: 8bit`, bytes('Käserei Müller')))).to.equal(
      'Käserei Müller',
    );
    const quoted = bytes('K=C3=A4serei M=C3=BCller');
    expect(await bodyOf(mailOf(`${plain}\r\nContent-Transfer-Encoding: quoted-printable`, quoted))).to.equal(
      'Käserei Müller',
    );
    const base64 = bytes(Buffer.from('Käserei Müller').toString('base64'));
    expect(await bodyOf(mailOf('Content-Type: text/plain\r\nContent-Transfer-Encoding: base64', base64))).to.equal(
      'Käserei Müller',
    );
    const html = encoded(
      'windows-1250',
      '<html><head><meta charset="windows-1250"></head><body><p>Żółta Łódź</p></body></html>',
    );
    expect(await bodyOf(mailOf('Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit', html))).to.equal(
      'Żółta Łódź',
    );
    const [guessed] = await read(
      mailOf('Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit', encoded('windows-1252', 'señor')),
    );
    expect(guessed?.notes?.map(({ kind }) => kind)).to.deep.equal(['encoding']);
  });

  it('is read in an encoding of DOS', async () => {
    const body = Buffer.from(inCodePage(850, 'Käserei Müller, Größe 3')).toString('base64');
    const headers = 'Content-Type: text/plain; charset=ibm850\r\nContent-Transfer-Encoding: base64';
    expect(await bodyOf(mailOf(headers, bytes(body)))).to.equal('Käserei Müller, Größe 3');
  });

  it('is read as programs show it: its HTML, and its text where it has none', async () => {
    const parts = (text: string, html: string) =>
      mailOf(
        'Content-Type: multipart/alternative; boundary=b',
        bytes(
          `--b\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n--b--\r\n`,
        ),
      );
    expect(await bodyOf(parts('This needs HTML.', '<p>Total: 84.00</p>'))).to.equal('Total: 84.00');
    expect(await bodyOf(parts('Total: 84.00', '<p> </p>'))).to.equal('Total: 84.00');
  });

  it('is read with the files that stand in its text', async () => {
    const lines = [
      'See below.',
      'begin with this: 1',
      'begin 644 /tmp/rows.csv',
      "M3F%M93M!;6]U;G0*0F]L=',[,2PU,`I.=71S.S(L,C4*3F%I;',@;V8@<W1E",
      '(96P[,RPW-0H`',
      '`',
      'end',
      '',
      'begin 600 note.txt',
      '+1W+#ML.?93H@-0H',
      'end',
      'Regards',
    ];
    const parts = await read(mailOf('Content-Type: text/plain', bytes(lines.join('\r\n'))));
    expect(parts.map(({ fileName, pages }) => [fileName, pages[0]?.text])).to.deep.equal([
      ['a.eml', 'From: maud@example.com\nSubject: Bill\n\nSee below.\nbegin with this: 1\n\nRegards'],
      ['rows.csv', 'Name\tAmount\nBolts\t1,50\nNuts\t2,25\nNails of steel\t3,75'],
      ['note.txt', 'Größe: 5'],
    ]);
  });

  it('that is signed names the signature, which is no attachment', async () => {
    const signed = 'Content-Type: multipart/signed; boundary=b; protocol="application/pkcs7-signature"';
    const signature =
      'Content-Type: application/pkcs7-signature; name="smime.p7s"\r\nContent-Disposition: attachment; filename="smime.p7s"';
    const parts = await read(
      mailOf(
        signed,
        bytes(`--b\r\nContent-Type: text/plain\r\n\r\nTotal: 84.00\r\n--b\r\n${signature}\r\n\r\nMIIB\r\n--b--\r\n`),
      ),
    );
    expect(parts).to.have.length(1);
    expect(parts[0]?.pages[0]?.text).to.match(/\nSignature: there is one, and it was not checked\n\nTotal: 84\.00$/);
  });
});
