import { readFile } from 'node:fs/promises';
import { CFB } from '@e965/xlsx';
import { expect } from 'chai';
import { readDoc } from '../../src/adapters/text/formats/doc.ts';
import { readOdt } from '../../src/adapters/text/formats/odt.ts';
import { readRtf } from '../../src/adapters/text/formats/rtf.ts';
import { readFile as readParts } from '../../src/adapters/text/read-file.ts';
import { clean } from '../../src/adapters/text/text.ts';
import { openText } from '../fixtures/text/word.ts';

const lines = (text: string) =>
  clean(text)
    .split('\n')
    .filter((line) => line !== '');
const whats = (notes: readonly { readonly kind: string; readonly what: string }[]) =>
  notes.map(({ kind, what }) => `${kind}: ${what}`);

describe('a rich text file', () => {
  const read = (text: string) =>
    readRtf(Uint8Array.from(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252\\deff0${text}}`, 'latin1')));
  const linesOf = async (text: string) => lines((await read(text)).text);

  it('is read in the letters of its fonts', async () => {
    const fonts =
      '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset238 Arial CE;}{\\f2\\fcharset128 MS Gothic;}{\\f3\\fcharset2 Wingdings;}{\\f4\\fcharset204 Arial{\\*\\falt Other};}}';
    expect(
      await linesOf(
        [
          fonts,
          "Caf\\'e9 \\f1 \\'a3\\'f3d\\'9f\\par",
          "\\f2 \\'82\\'a0\\'83A\\par",
          "\\f4 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2\\f0  \\u8364? \\uc2\\u1046\\'c6\\'c6\\u55357??\\u56832??!\\par",
          '{\\f3 \\u-3842?}\\line\\lquote a\\rquote\\endash\\~b\\_c\\-d\\tab e \\{f\\}\\\\',
        ].join('\n'),
      ),
    ).to.deep.equal(['Café Łódź', 'あア', 'Привет € Ж😀!', '🗹', '‘a’– b-cd\te {f}\\']);
  });

  it('has its tables as rows, what stands apart after them, and its margins', async () => {
    const row = (...cells: readonly string[]) =>
      `\\trowd\\pard\\intbl ${cells.map((cell) => `${cell}\\cell `).join('')}\\row `;
    const text = [
      '\\titlepg{\\header Harbour Works\\par}{\\headerf First page\\par}{\\headerl Left page\\par}{\\footer VAT 1\\par}',
      '\\pard Before{\\footnote {\\super\\chftn} a note}{\\*\\annotation a comment} the table\\par ',
      row('Item{\\*\\shpinst{\\sp{\\sn posx}{\\sv 12}}{\\shptxt in a box\\par}}', 'Amount'),
      row('Bolts\\par M8', '50.00'),
      '\\pard After {\\listtext 1.\\tab}one\\par ',
      '{\\upr{wrong}{\\*\\ud{right}}} {\\*\\unknown no}{\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}{\\pict 00ff}',
    ].join('');
    expect(await linesOf(text)).to.deep.equal([
      'Harbour Works',
      'First page',
      'Before the table',
      'Footnote:',
      'a note',
      'Comment:',
      'a comment',
      'Item\tAmount',
      'Bolts\t50.00',
      'M8',
      'in a box',
      'After 1.\tone',
      'right 7',
      'VAT 1',
    ]);
  });

  it('has its footnotes also where older programs are told to pass over them', async () => {
    const text =
      'Total 84.00{\\super\\chftn}{\\*\\footnote\\chftn\\~\\plain\\pard {\\pard without VAT\\par}} due\\par ';
    expect(await linesOf(text)).to.deep.equal(['Total 84.00 due', 'Footnote:', 'without VAT']);
  });

  it('leaves out what is hidden or deleted, and says so; its check boxes have marks', async () => {
    const field = (form: string) =>
      `{\\field{\\*\\fldinst FORMCHECKBOX {\\*\\formfield{\\fftype1${form}}}}{\\fldrslt }}`;
    const { text, notes } = await read(
      `Seen {\\v 12345}{\\v\\v0 too}{\\deleted 678} \\v gone\\plain  here\\par ${field('\\ffres1\\ffdefres0')} a ${field('\\ffres25\\ffdefres1')} b ${field('\\ffdefres0')} c`,
    );
    expect(lines(text)).to.deep.equal(['Seen too here', '[x] a [x] b [ ] c']);
    expect(whats(notes)).to.deep.equal([
      'hidden: 9 characters of hidden text',
      'hidden: 3 characters that a tracked change deleted',
    ]);
  });

  describe('with text in the colour of what lies behind it', () => {
    const colors =
      '{\\colortbl;\\red255\\green255\\blue255;\\red31\\green56\\blue100;\\red0\\green0\\blue0;\\red254\\green255\\blue254;}';
    const cell = (definition: string, text: string) =>
      `\\trowd${definition}\\cellx5000\\pard\\intbl ${text}\\cell\\row\\pard `;
    const documentOf = (text: string) => `${colors}\\pard Total: 84.00\\par ${text}`;
    const hidden: Readonly<Record<string, string>> = {
      'white text on a page': '{\\cf1 12345}\\par',
      'text that is almost white': '{\\cf4 12345}\\par',
      'white text under a white marker': '{\\cf1\\highlight1 12345}\\par',
      'text in shading of its colour': '{\\cf2\\chshdng0\\chcbpat2 12345}\\par',
      'text in a paragraph of its colour': '\\pard\\cbpat2\\cf2 12345\\par',
      'white text in a table without a ground': cell('', '\\cf1 12345'),
      'white text in a footnote': 'Total{\\footnote\\cf1 12345}\\par',
    };
    for (const [what, text] of Object.entries(hidden))
      it(`is hidden: ${what}`, async () => {
        const answer = await read(documentOf(text));
        expect(answer.text).to.not.include('12345');
        expect(whats(answer.notes)).to.deep.equal(['hidden: 5 characters of hidden text']);
      });
    const shown: Readonly<Record<string, string>> = {
      'text whose colour is for Word to choose': '\\pard\\cbpat3\\cf0 12345\\par',
      'text of a colour that the table does not have': '{\\cf9 12345}\\par',
      'white text under a dark marker': '{\\cf1\\highlight2 12345}\\par',
      'white text in dark shading': '{\\cf1\\chshdng0\\chcbpat2 12345}\\par',
      'white text in a dark paragraph': '\\pard\\cbpat2\\cf1 12345\\par',
      'white text in a pattern': '{\\cf1\\chshdng7500 12345}\\par',
      'white text in a paragraph of dark lines': '\\pard\\bgdkhoriz\\cf1 12345\\par',
      'white text in a dark cell': cell('\\clcbpat2', '\\cf1 12345'),
      'white text in a box': 'Total{\\*\\shpinst{\\shptxt\\pard\\cf1 12345\\par}}\\par',
      'white text on pages with a background': '{\\*\\background{\\shp{\\*\\shpinst}}}\\cf1 12345\\par',
      'text after white text': '{\\cf1  }12345\\par',
      'text that is plain again': '\\cf1 \\plain 12345\\par',
      'text of a paragraph after a dark one': '\\pard\\cbpat3\\cf1 a\\par\\pard\\cf3 12345\\par',
    };
    for (const [what, text] of Object.entries(shown))
      it(`is shown: ${what}`, async () => {
        const answer = await read(documentOf(text));
        expect(answer.text).to.include('12345');
        expect(whats(answer.notes)).to.deep.equal([]);
      });
  });
});

describe('a Word document of before 2007', () => {
  const letter = async () => new Uint8Array(await readFile(new URL('../fixtures/text/letter.doc', import.meta.url)));
  /** The same document with other bytes in the stream that holds its words. */
  const changed = async (change: (words: Buffer) => void) => {
    const file = CFB.read(Buffer.from(await letter()), { type: 'buffer' });
    const words = CFB.find(file, '/WordDocument');
    if (words === null) throw new Error('no words');
    const bytes = Buffer.from(words.content as Uint8Array);
    change(bytes);
    words.content = bytes;
    return new Uint8Array(CFB.write(file, { type: 'buffer' }) as Buffer);
  };

  it('says its words, without those that are hidden', async () => {
    expect(lines((await readDoc(await letter())).text)).to.deep.equal([
      'Customer: Alder Street Bakery',
      'Total: 84.00',
      'Invoice number: D2-1',
    ]);
    const hidden = await changed((words) => {
      const page = words.subarray(5 * 512, 6 * 512);
      // Three runs instead of one, in two bytes a character; the second, from the 30th character, is hidden.
      for (const [index, place] of [2048, 2048 + 60, 2048 + 86, 2176].entries()) page.writeUInt32LE(place, index * 4);
      page.set([0, 0x60, 0], 16);
      page.set([3, 0x3c, 0x08, 1], 0xc0);
      page[511] = 3;
    });
    const { text, notes } = await readDoc(hidden);
    expect(lines(text)).to.deep.equal(['Customer: Alder Street Bakery', 'Invoice number: D2-1']);
    expect(whats(notes)).to.deep.equal(['hidden: 1 stretch of hidden text']);
  });

  it('has the hyphens at which no line ends', async () => {
    const data = await changed((words) => words.writeUInt16LE(0x1e, words.indexOf(Buffer.from('-1', 'utf16le'))));
    expect(lines((await readDoc(data)).text)).to.include('Invoice number: D2-1');
  });

  it('is read without the places where its words may be divided', async () => {
    const data = await changed((words) => words.writeUInt16LE(0x1f, words.indexOf(Buffer.from('-1', 'utf16le'))));
    expect(lines((await readDoc(data)).text)).to.include('Invoice number: D21');
  });

  it('says how many signs of fonts of symbols it has, which are ticks and boxes', async () => {
    const inText = await changed((words) => words.writeUInt16LE(0xf0fe, words.indexOf(Buffer.from('-1', 'utf16le'))));
    const formatted = await changed((words) => {
      const page = words.subarray(5 * 512, 6 * 512);
      for (const [index, place] of [2048, 2048 + 60, 2048 + 62, 2176].entries()) page.writeUInt32LE(place, index * 4);
      page.set([0, 0x60, 0], 16);
      page.set([6, 0x09, 0x6a, 1, 0, 0xfe, 0xf0], 0xc0);
      page[511] = 3;
    });
    for (const [data, text] of [
      [inText, 'Invoice number: D21'],
      [formatted, 'otal: 84.00'],
    ] as const) {
      const read = await readDoc(data);
      expect(lines(read.text)).to.include(text);
      expect(whats(read.notes)).to.deep.equal(['unread: 1 sign of a font of symbols']);
    }
  });

  it('is refused where it is encrypted', async () => {
    const data = await changed((words) => words.writeUInt16LE(words.readUInt16LE(10) | 0x100, 10));
    const [part] = await readParts({ fileName: 'a.doc', contentType: '', data }, 1000);
    expect(part?.unreadable).to.equal('is protected by a password: save it without one and upload that');
  });
});

describe('an OpenDocument text', () => {
  const style = (name: string, more: string, parent = '') =>
    `<style:style style:name="${name}" style:parent-style-name="${parent}"><style:text-properties ${more}/></style:style>`;
  const paragraph = (content: string, more = '') => `<text:p ${more}>${content}</text:p>`;
  const cell = (content: string) => `<table:table-cell>${paragraph(content)}</table:table-cell>`;

  it('has its words in order, its tables as rows, and apart what stands apart', () => {
    const body = [
      '<office:forms><form:form><form:checkbox form:id="c" form:label="by post" form:current-state="checked"/></form:form></office:forms>',
      paragraph('Number:<text:tab/>A<text:s text:c="2"/>7<text:line-break/>next'),
      paragraph(
        `Price 100<text:note><text:note-citation>1</text:note-citation><text:note-body>${paragraph('without VAT')}</text:note-body></text:note> EUR<office:annotation><dc:creator>Ann</dc:creator>${paragraph('right?')}</office:annotation>`,
      ),
      `<table:table><table:table-header-rows><table:table-row>${cell('Item')}${cell(`Sum<draw:frame><draw:text-box>${paragraph('boxed')}</draw:text-box></draw:frame>`)}</table:table-row></table:table-header-rows><table:table-row>${cell('Bolts')}${cell('50.00')}</table:table-row></table:table>`,
      paragraph('<draw:control draw:control="c"/>'),
    ].join('');
    const master = (name: string, content: string) =>
      `<style:master-page style:name="${name}">${content}</style:master-page>`;
    const header = (text: string, more = '') => `<style:header ${more}>${paragraph(text)}</style:header>`;
    const margins = master('Standard', header('Harbour Works')) + master('Off', header('not used'));
    const off = `<style:header-left style:display="false">${paragraph('off')}</style:header-left>`;
    expect(lines(readOdt(openText(body, '', margins + master('Standard', off))).text)).to.deep.equal([
      'Harbour Works',
      'Number:\tA 7',
      'next',
      'Price 100 EUR',
      'Footnote:',
      'without VAT',
      'Comment:',
      'right?',
      'Item\tSum',
      'Bolts\t50.00',
      'boxed',
      '[x] by post',
    ]);
  });

  it('has the headers of the pages that its styles begin, and of those that follow on them', () => {
    const page = (name: string, next: string) =>
      `<style:master-page style:name="${name}" style:next-style-name="${next}"><style:header>${paragraph(`on ${name}`)}</style:header></style:master-page>`;
    const pages = page('First', 'Rest') + page('Rest', 'Rest') + page('Chapter', 'Chapter') + page('Unused', 'Rest');
    const style = (name: string, master: string) =>
      `<style:style style:name="${name}" style:family="paragraph" style:master-page-name="${master}"/>`;
    const styles = style('Heading', 'Chapter') + style('Title', 'Unused');
    const text = openText(
      '<text:p text:style-name="P1">One</text:p><text:p text:style-name="Heading">Two</text:p>',
      style('P1', 'First'),
      `${pages}</office:master-styles><office:styles>${styles}</office:styles><office:master-styles>`,
    );
    expect(lines(readOdt(text).text)).to.deep.equal(['on First', 'on Rest', 'on Chapter', 'One', 'Two']);
  });

  it('has the numbers of its lists and headings, which stand in no paragraph', () => {
    const level = (at: number, more: string) => `<text:list-level-style-number text:level="${at}" ${more}/>`;
    const styles = [
      '<text:list-style style:name="L">',
      level(1, 'style:num-format="1" style:num-suffix="."'),
      level(2, 'style:num-format="1" style:num-suffix=")" text:display-levels="2"'),
      level(3, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:start-value="26"'),
      '</text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="-"/></text:list-style>',
      '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>',
      '<text:list-style style:name="R"><text:list-level-style-number text:level="1" style:num-format="I"/></text:list-style>',
    ].join('');
    const outline = [1, 2]
      .map((at) => `<text:outline-level-style text:level="${at}" style:num-format="1" text:display-levels="${at}"/>`)
      .join('');
    const item = (content: string, more = '') => `<text:list-item ${more}>${content}</text:list-item>`;
    const list = (style: string, ...items: readonly string[]) =>
      `<text:list ${style === '' ? '' : `text:style-name="${style}"`}>${items.join('')}</text:list>`;
    const again = (more: string, ...items: readonly string[]) =>
      list('L', ...items).replace('<text:list ', `<text:list ${more} `);
    const heading = (at: number, text: string) => `<text:h text:outline-level="${at}">${text}</text:h>`;
    const body = [
      heading(1, 'Scope'),
      heading(2, 'Goods'),
      list(
        'L',
        item(paragraph('one') + paragraph('its second paragraph')),
        item(
          paragraph('two') +
            list(
              '',
              item(paragraph('under') + list('', item(paragraph('z')), item(paragraph('aa')))),
              item(paragraph('next')),
            ),
        ),
        `<text:list-header>${paragraph('no item')}</text:list-header>`,
        item(paragraph('left out', 'text:style-name="Secret"')),
        item(paragraph('three')),
      ),
      paragraph('between'),
      again(
        'xml:id="a" text:continue-numbering="true"',
        item(paragraph('four')),
        item(list('', item(paragraph('under four')))),
      ),
      list('L', item(paragraph('anew')), item(paragraph('seven'), 'text:start-value="7"')),
      again('text:continue-list="a"', item(paragraph('five'))),
      list('B', item(paragraph('point'))),
      list('N', item(paragraph('plain'))),
      list('R', ...[1, 2, 3, 4].map(() => item(paragraph('roman')))),
      heading(2, 'Price'),
      heading(1, 'Term'),
    ].join('');
    const margins = `</office:master-styles><office:styles><text:outline-style>${outline}</text:outline-style></office:styles><office:master-styles>`;
    expect(lines(readOdt(openText(body, styles + style('Secret', 'text:display="none"'), margins)).text)).to.deep.equal(
      [
        '1 Scope',
        '1.1 Goods',
        '1. one',
        'its second paragraph',
        '2. two',
        '2.1) under',
        '(z) z',
        '(aa) aa',
        '2.2) next',
        'no item',
        '3. three',
        'between',
        '4. four',
        '4.1) under four',
        '1. anew',
        '7. seven',
        '5. five',
        '• point',
        'plain',
        ...['I', 'II', 'III', 'IV'].map((number) => `${number} roman`),
        '1.2 Price',
        '2 Term',
      ],
    );
  });

  it('leaves out what is hidden or deleted, and says so', () => {
    const styles =
      style('Secret', 'text:display="none"') +
      style('Inner', '', 'Secret') +
      style('Open', 'text:display="true"', 'Secret');
    const body = [
      `<text:tracked-changes><text:deletion>${paragraph('678')}</text:deletion></text:tracked-changes>`,
      paragraph(
        'Seen<text:span text:style-name="Inner">12345</text:span><text:span text:style-name="Open"> too</text:span>',
      ),
      paragraph('90', 'text:style-name="Secret"'),
      `<text:section text:display="none">${paragraph('1')}</text:section>`,
      '<text:p><text:hidden-text text:is-hidden="true">2</text:hidden-text></text:p>',
    ].join('');
    const { text, notes } = readOdt(openText(body, styles));
    expect(lines(text)).to.deep.equal(['Seen too']);
    expect(whats(notes)).to.deep.equal([
      'hidden: 9 characters of hidden text',
      'hidden: 3 characters that a tracked change deleted',
    ]);
  });

  it('shows the letters of a font of symbols as the signs that it draws', () => {
    const styles = style('Ticks', 'style:font-name="Wingdings"') + style('Plain', 'style:font-name="Arial"', 'Ticks');
    const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`;
    const body = [
      paragraph(`${span('Ticks', '\u00fe')} paid`),
      paragraph(`${span('Plain', '\u00fe')}${span('Ticks', '\uf0a8')} in parts`),
      paragraph(`${span('Plain', '\uf0a8')} unknown`),
    ];
    const { text, notes } = readOdt(openText(body.join(''), styles));
    expect(lines(text)).to.deep.equal(['🗹 paid', 'þ🞎 in parts', 'unknown']);
    expect(whats(notes)).to.deep.equal(['unread: 1 sign of a font of symbols']);
  });

  describe('with text in the colour of what lies behind it', () => {
    const painted = (name: string, family: string, color: string) =>
      `<style:style style:name="${name}" style:family="${family}"><style:${family}-properties fo:background-color="${color}"/></style:style>`;
    const styles = [
      style('Pale', 'fo:color="#fffffe"'),
      style('PaleToo', '', 'Pale'),
      style('Automatic', 'style:use-window-font-color="true" fo:color="#ffffff"', 'Pale'),
      style('Navy', 'fo:color="#1f3864"'),
      style('Marked', 'fo:color="#ffffff" fo:background-color="#1f3864"'),
      style('MarkedWhite', 'fo:color="#ffffff" fo:background-color="#ffffff"'),
      painted('Dark', 'paragraph', '#1f3864'),
      painted('Clear', 'paragraph', 'transparent'),
      painted('DarkCell', 'table-cell', '#1f3864'),
      painted('ClearCell', 'table-cell', 'transparent'),
      painted('DarkTable', 'table', '#1f3864'),
      '<style:style style:name="Pictured" style:family="paragraph"><style:paragraph-properties><style:background-image xlink:href="Pictures/a.png"/></style:paragraph-properties></style:style>',
      '<style:style style:name="Gradient" style:family="paragraph"><style:paragraph-properties draw:fill="gradient"/></style:style>',
      '<style:style style:name="Empty" style:family="paragraph"><style:paragraph-properties><style:background-image/></style:paragraph-properties></style:style>',
      '<text:list-style style:name="Points"><text:list-level-style-bullet text:level="1"><style:text-properties fo:color="#ffffff"/></text:list-level-style-bullet></text:list-style>',
    ].join('');
    const named = (name: string) => `text:style-name="${name}"`;
    const span = (name: string, text = '12345') => `<text:span ${named(name)}>${text}</text:span>`;
    const cell = (cellStyle: string, content: string, tableStyle = '') =>
      `<table:table table:style-name="${tableStyle}"><table:table-row><table:table-cell table:style-name="${cellStyle}">${content}</table:table-cell></table:table-row></table:table>`;
    const answerTo = (body: string, pages = '') => readOdt(openText(paragraph('Total: 84.00') + body, styles, pages));

    const hidden: Readonly<Record<string, string>> = {
      'white text on a page': paragraph(span('Pale')),
      'text of a style that is based on a white one': paragraph('12345', named('PaleToo')),
      'white text in a white mark': paragraph(span('MarkedWhite')),
      'text in a paragraph of its colour': paragraph(span('Navy'), named('Dark')),
      'white text in a paragraph without a ground': paragraph(span('Pale'), named('Clear')),
      'white text in a paragraph that may have a picture and has none': paragraph(span('Pale'), named('Empty')),
      'white text in a cell without a ground': cell('ClearCell', paragraph(span('Pale'))),
      'text in a cell of its colour': cell('DarkCell', paragraph(span('Navy'))),
      'white text in a footnote of a dark paragraph': paragraph(
        `Total<text:note><text:note-body>${paragraph(span('Pale'))}</text:note-body></text:note>`,
        named('Dark'),
      ),
    };
    for (const [what, body] of Object.entries(hidden))
      it(`is hidden: ${what}`, () => {
        const { text, notes } = answerTo(body);
        expect(text).to.not.include('12345');
        expect(whats(notes)).to.deep.equal(['hidden: 5 characters of hidden text']);
      });

    it('is hidden where a document writes white unless it says otherwise', () => {
      const usual = `<style:default-style style:family="paragraph"><style:text-properties fo:color="#ffffff"/></style:default-style>`;
      const margins = `</office:master-styles><office:styles>${usual}</office:styles><office:master-styles>`;
      expect(whats(answerTo('', margins).notes)).to.deep.equal(['hidden: 12 characters of hidden text']);
    });

    const shown: Readonly<Record<string, string>> = {
      'text whose colour is made to be seen': paragraph(span('Automatic')),
      'such text in a white paragraph': paragraph(span('Automatic'), named('Pale')),
      'white text in a dark mark': paragraph(span('Marked')),
      'white text in a dark paragraph': paragraph(span('Pale'), named('Dark')),
      'white text before a picture': paragraph(span('Pale'), named('Pictured')),
      'white text before a gradient': paragraph(span('Pale'), named('Gradient')),
      'white text in a dark cell': cell('DarkCell', paragraph(span('Pale'))),
      'white text in a dark table': cell('ClearCell', paragraph(span('Pale')), 'DarkTable'),
      'white text in a box': paragraph(
        `<draw:frame><draw:text-box>${paragraph(span('Pale'))}</draw:text-box></draw:frame>`,
      ),
      'text of the style before a list whose signs are white': paragraph('12345', named('Empty')),
    };
    for (const [what, body] of Object.entries(shown))
      it(`is shown: ${what}`, () => {
        const { text, notes } = answerTo(body);
        expect(text).to.include('12345');
        expect(whats(notes)).to.deep.equal([]);
      });

    for (const [what, properties] of Object.entries({
      'a colour': '<style:page-layout-properties fo:background-color="#1f3864"/>',
      'a picture':
        '<style:page-layout-properties><style:background-image xlink:href="a.png"/></style:page-layout-properties>',
      'a gradient': '<style:page-layout-properties draw:fill="gradient"/>',
    }))
      it(`is shown: white text on pages that have ${what}`, () => {
        const layout = `<style:page-layout style:name="Page">${properties}</style:page-layout>`;
        const pages = `</office:master-styles><office:automatic-styles>${layout}</office:automatic-styles><office:master-styles>`;
        expect(answerTo(paragraph(span('Pale')), pages).text).to.include('12345');
      });
  });
});
