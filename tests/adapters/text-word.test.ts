import { expect } from 'chai';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { readDocx } from '../../src/adapters/text/formats/docx.ts';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes } from '../fixtures/text/files.ts';
import { paragraph, run, wordDocument } from '../fixtures/text/word.ts';

const linesOf = (...document: Parameters<typeof wordDocument>): readonly string[] =>
  readDocx(wordDocument(...document))
    .text.split('\n')
    .filter((line) => line !== '');
const notesOf = (...document: Parameters<typeof wordDocument>) =>
  readDocx(wordDocument(...document)).notes.map(({ kind, what }) => `${kind}: ${what}`);

const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
const shape = (text: string) => `<w:pict><v:shape><v:textbox>${box(text)}</v:textbox></v:shape></w:pict>`;
const char = (type: string, more = '') => `<w:r><w:fldChar w:fldCharType="${type}">${more}</w:fldChar></w:r>`;
const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (instruction: string, result: string) =>
  `${char('begin')}${code(instruction)}${char('separate')}${run(result)}${char('end')}`;
const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(content)}</w:tc>`;

describe('a Word document', () => {
  it('says what stands in its text boxes once, whichever way they are drawn', () => {
    const alternative = (choice: string, fallback: string) =>
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent></w:r>`;
    const word = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>';
    const body = [
      paragraph(`${run('One')}${alternative(box('In a drawing'), shape('In a drawing'))}${run(', and on')}`),
      paragraph(`<w:r>${shape('In old markup')}</w:r>`),
      paragraph(alternative('<c:chart/>', shape('In old markup alone'))),
      paragraph(word),
      `<w:tbl><w:tr>${cell(`<w:r>${shape('In a cell')}</w:r>${run('Total')}`)}${cell('84.00')}</w:tr></w:tbl>`,
    ];
    expect(linesOf(body.join(''))).to.deep.equal([
      'One, and on',
      'In a drawing',
      'In old markup',
      'In old markup alone',
      'DRAFT',
      'Total\t84.00',
      'In a cell',
    ]);
    expect(notesOf(body.join(''))).to.deep.equal(['unread: 1 chart or diagram']);
  });

  it('says what its fields show, and the answers of its forms', () => {
    const answer = (form: string) => char('begin', `<w:ffData>${form}</w:ffData>`) + code(' FORM ') + char('end');
    const entries = '<w:listEntry w:val="Cash"/><w:listEntry w:val="Card"/>';
    const control = (isChecked: string) =>
      `<w:sdt><w:sdtPr><w14:checkbox>${isChecked}</w14:checkbox></w:sdtPr><w:sdtContent>${run('☐')}</w:sdtContent></w:sdt>`;
    const nested = char('begin') + code(' IF ') + field('MERGEFIELD a', 'hidden') + code(' = 1 ') + char('separate');
    const symbol = (font: string, sign: string) => `<w:r><w:sym w:font="${font}" w:char="${sign}"/></w:r>`;
    const body = [
      paragraph(run('Number: ') + field(' MERGEFIELD no ', 'A-7')),
      paragraph(run('Outcome: ') + nested + run('shown') + char('end')),
      paragraph(answer('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + run(' post')),
      paragraph(answer('<w:checkBox><w:default w:val="1"/></w:checkBox>') + run(' mail')),
      paragraph(answer('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>') + run(' fax')),
      paragraph(answer(`<w:ddList><w:result w:val="1"/>${entries}</w:ddList>`)),
      paragraph(`${control('<w14:checked w14:val="1"/>')}${run(' yes ')}${control('')}${run(' no')}`),
      paragraph(symbol('Wingdings', 'F0FE') + run(' a sign') + symbol('Own Font', 'F0FE')),
    ];
    expect(linesOf(body.join(''))).to.deep.equal([
      'Number: A-7',
      'Outcome: shown',
      '[x] post',
      '[x] mail',
      '[ ] fax',
      'Card',
      '[x] yes [ ] no',
      '🗹 a sign',
    ]);
    expect(notesOf(body.join(''))).to.deep.equal(['unread: 1 sign of a font of symbols']);
  });

  it('shows the letters of a font of symbols as the signs that it draws', () => {
    const fonts = (name: string) => `<w:rFonts w:ascii="${name}" w:hAnsi="${name}"/>`;
    const styles = `<w:style w:type="character" w:styleId="Ticks"><w:rPr>${fonts('Wingdings')}</w:rPr></w:style>`;
    const body = [
      paragraph(`${run('\u00fe', fonts('Wingdings'))}${run(' paid')}`),
      paragraph(`${run('\uf0a8', fonts('Wingdings'))}${run(' in parts')}`),
      paragraph(run('\u00fc yes', '<w:rStyle w:val="Ticks"/>')),
      paragraph(`${run('\u00fc', `<w:rStyle w:val="Ticks"/>${fonts('Arial')}`)}${run('a', fonts('Symbol'))}`),
      paragraph(run('\u201e', fonts('Wingdings'))),
      paragraph(run('\uf0e0 and \uf0ff', fonts('Calibri'))),
    ];
    const document = [body.join(''), { styles: ['styles', styles] }] as const;
    expect(linesOf(...document)).to.deep.equal(['🗹 paid', '🞎 in parts', '✓ ⮹♏🞟', 'üα', '➃', 'and']);
    expect(notesOf(...document)).to.deep.equal(['unread: 2 signs of a font of symbols']);
  });

  it('leaves out what is hidden or deleted, and says how much it was', () => {
    const style = (type: string, id: string, properties: string, basedOn = '') =>
      `<w:style w:type="${type}" w:styleId="${id}">${basedOn}<w:rPr>${properties}</w:rPr></w:style>`;
    const styles = [
      style('paragraph', 'Secret', '<w:vanish/>'),
      style('paragraph', 'Inner', '', '<w:basedOn w:val="Secret"/>'),
      style('character', 'Gone', '<w:vanish w:val="1"/>'),
    ].join('');
    const body = [
      paragraph(run('Seen') + run('12345', '<w:vanish/>') + run(' too', '<w:vanish w:val="0"/>')),
      paragraph(run('67') + run('Shown', '<w:vanish w:val="false"/>'), '<w:pStyle w:val="Inner"/>'),
      paragraph(run('890', '<w:rStyle w:val="Gone"/>')),
      paragraph(`<w:del>${'<w:r><w:delText>old</w:delText></w:r>'}</w:del><w:ins>${run('new')}</w:ins>`),
      paragraph(`<w:moveFrom>${run('moved')}</w:moveFrom><w:moveTo>${run('moved')}</w:moveTo>`),
      paragraph(run('as before', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>')),
      paragraph('its mark alone', '<w:rPr><w:vanish/></w:rPr>'),
    ];
    const document = [body.join(''), { styles: ['styles', styles] }] as const;
    expect(linesOf(...document)).to.deep.equal(['Seen too', 'Shown', 'new', 'moved', 'as before', 'its mark alone']);
    expect(notesOf(...document)).to.deep.equal([
      'hidden: 10 characters of hidden text',
      'hidden: 3 characters that a tracked change deleted',
    ]);
  });

  describe('text in the colour of what lies behind it', () => {
    const white = '<w:color w:val="FFFFFE"/>';
    const shade = (fill: string, pattern = 'clear') => `<w:shd w:val="${pattern}" w:color="auto" w:fill="${fill}"/>`;
    const style = (type: string, id: string, content: string, more = '') =>
      `<w:style w:type="${type}" w:styleId="${id}"${more}>${content}</w:style>`;
    const table = (content: string, properties = '') => `<w:tbl><w:tblPr>${properties}</w:tblPr>${content}</w:tbl>`;
    const row = (content: string) => `<w:tr>${content}</w:tr>`;
    const styles = [
      style('paragraph', 'Pale', `<w:rPr>${white}</w:rPr>`),
      style('character', 'PaleToo', '<w:basedOn w:val="Pale"/>'),
      style('paragraph', 'Banner', `<w:basedOn w:val="Pale"/><w:pPr>${shade('1F3864')}</w:pPr>`),
      style('table', 'Plain', '<w:tblPr/>'),
      style('table', 'Banded', `<w:tblStylePr w:type="firstRow"><w:tcPr>${shade('000000')}</w:tcPr></w:tblStylePr>`),
      style('table', 'Ours', '<w:basedOn w:val="Banded"/>'),
    ];
    const documentOf = (body: string, more = styles) =>
      [`${paragraph('Total: 84.00')}${body}`, { styles: ['styles', more.join('')] }] as const;

    const unseen: Readonly<Record<string, string>> = {
      'white text on a page': paragraph(run('12345', white)),
      'white text in white shading': paragraph(run('12345', white), shade('FFFFFF')),
      'black text in black shading': paragraph(run('12345', `<w:color w:val="000000"/>${shade('000000')}`)),
      'text under a marker of its colour': paragraph(
        run('12345', '<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>'),
      ),
      'text of a paragraph whose style is white': paragraph(run('12345'), '<w:pStyle w:val="Pale"/>'),
      'text of a run whose style is white': paragraph(run('12345', '<w:rStyle w:val="PaleToo"/>')),
      'white text in a table without a ground': table(
        row(`<w:tc>${paragraph(run('12345', white))}</w:tc>`),
        '<w:tblStyle w:val="Plain"/>',
      ),
    };
    for (const [what, body] of Object.entries(unseen)) {
      it(`is hidden: ${what}`, () => {
        expect(linesOf(...documentOf(body))).to.deep.equal(['Total: 84.00']);
        expect(notesOf(...documentOf(body))).to.deep.equal(['hidden: 5 characters of hidden text']);
      });
    }
    it('is hidden where a document writes white unless it says otherwise', () => {
      const usual = `<w:docDefaults><w:rPrDefault><w:rPr>${white}</w:rPr></w:rPrDefault></w:docDefaults>`;
      const black = style('paragraph', 'N', '<w:rPr><w:color w:val="auto"/></w:rPr>', ' w:default="1"');
      expect(notesOf(...documentOf('', [usual]))).to.deep.equal(['hidden: 12 characters of hidden text']);
      expect(notesOf(...documentOf('', [usual, black]))).to.deep.equal([]);
    });

    const seen: Readonly<Record<string, string>> = {
      'light grey text': paragraph(run('12345', '<w:color w:val="D9D9D9"/>')),
      'text that Word colours itself, on black': paragraph(run('12345', `<w:color w:val="auto"/>${shade('000000')}`)),
      'white text in a dark run': paragraph(run('12345', white + shade('1F3864'))),
      'white text under a dark marker': paragraph(run('12345', `${white}<w:highlight w:val="darkBlue"/>`)),
      'white text in a dark paragraph': paragraph(run('12345', white), shade('1F3864')),
      'white text in a pattern': paragraph(run('12345', white), shade('FFFFFF', 'pct75')),
      'text of a style that is white on blue': paragraph(run('12345'), '<w:pStyle w:val="Banner"/>'),
      'white text in a dark cell': table(
        row(`<w:tc><w:tcPr>${shade('1F3864')}</w:tcPr>${paragraph(run('12345', white))}</w:tc>`),
      ),
      'white text in a table within a dark cell': table(
        row(
          `<w:tc><w:tcPr>${shade('1F3864')}</w:tcPr>${table(row(`<w:tc>${paragraph(run('12345', white))}</w:tc>`))}${paragraph(run(' '))}</w:tc>`,
        ),
      ),
      'white text in a table of a style with dark rows': table(
        row(`<w:tc>${paragraph(run('12345', white))}</w:tc>`),
        '<w:tblStyle w:val="Ours"/>',
      ),
      'white text in a text box, whose ground is not known': paragraph(
        `<w:r>${shape('').replace(paragraph(''), paragraph(run('12345', white)))}</w:r>`,
      ),
      'white text of a document with a picture behind it': paragraph(
        `${run('12345', white)}<w:r><w:drawing><wp:anchor behindDoc="1" xmlns:wp="x"/></w:drawing></w:r>`,
      ),
    };
    for (const [what, body] of Object.entries(seen)) {
      it(`is no such text: ${what}`, () => {
        expect(linesOf(...documentOf(body)).join(' ')).to.include('12345');
        expect(notesOf(...documentOf(body))).to.deep.equal([]);
      });
    }
    it('is not looked for on a page with a colour of its own', () => {
      const [body, parts] = documentOf(paragraph(run('12345', white)));
      const of = (color: string) => notesOf(`${body}</w:body><w:background w:color="${color}"/><w:body>`, parts);
      expect(of('002060')).to.deep.equal([]);
      expect(of('FFFFFF')).to.deep.equal(['hidden: 5 characters of hidden text']);
    });
  });

  it('shows the numbers of its lists, also those of its styles', () => {
    const level = (index: number, format: string, text: string, more = '') =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = [
      `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', '§ %1', '<w:pStyle w:val="Clause"/>')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="2">${level(0, 'bullet', '')}${level(1, 'chineseCounting', '%2.')}</w:abstractNum>`,
      ...['0', '1', '2'].map((id) => `<w:num w:numId="${id}1"><w:abstractNumId w:val="${id}"/></w:num>`),
      '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>',
    ].join('');
    const styles =
      '<w:style w:styleId="Clause"><w:pPr><w:numPr><w:numId w:val="11"/></w:numPr></w:pPr></w:style><w:style w:styleId="Sub"><w:basedOn w:val="Clause"/></w:style>';
    const item = (text: string, list: string, at = 0) =>
      paragraph(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`);
    const styled = (text: string, style: string) => paragraph(text, `<w:pStyle w:val="${style}"/>`);
    const body = [
      item('one', '01'),
      item('one a', '01', 1),
      item('one b', '01', 1),
      item('two', '01'),
      item('two a', '01', 1),
      item('seven', '3'),
      item('eight', '3'),
      styled('clause', 'Clause'),
      ...['', '', ''].map((_, index) => styled(`clause ${index}`, 'Sub')),
      item('point', '21'),
      item('not known', '21', 1),
      item('none', '0'),
    ];
    const document = [body.join(''), { numbering: ['numbering', numbering], styles: ['styles', styles] }] as const;
    expect(linesOf(...document)).to.deep.equal([
      '1. one',
      '1.a) one a',
      '1.b) one b',
      '2. two',
      '2.a) two a',
      '7. seven',
      '8. eight',
      '§ I clause',
      '§ II clause 0',
      '§ III clause 1',
      '§ IV clause 2',
      '• point',
      'not known',
      'none',
    ]);
  });

  it('has its notes and comments apart, after the paragraph or table that they are of', () => {
    const notes = (kind: string, text: string) =>
      [
        `${kind}s`,
        `<w:${kind} w:id="4">${paragraph(text)}</w:${kind}><w:${kind} w:id="5">${paragraph('unused')}</w:${kind}>`,
      ] as const;
    const reference = (kind: string) => `<w:r><w:${kind}Reference w:id="4"/></w:r>`;
    const body = [
      paragraph(run('Price 100') + reference('footnote') + run(' EUR') + reference('endnote')),
      `<w:tbl><w:tr>${cell(run('Total') + reference('comment'))}${cell('84.00')}</w:tr></w:tbl>`,
    ].join('');
    const parts = {
      footnotes: notes('footnote', 'without VAT'),
      endnotes: notes('endnote', 'of 2026'),
      comments: notes('comment', 'is it right?'),
    };
    expect(linesOf(body, parts)).to.deep.equal([
      'Price 100 EUR',
      'Footnote:',
      'without VAT',
      'Endnote:',
      'of 2026',
      'Total\t84.00',
      'Comment:',
      'is it right?',
    ]);
  });

  it('is found under the name that its relations give it', () => {
    const others = Object.fromEntries(
      Object.entries(unzipSync(wordDocument(paragraph('Total: 84.00')))).map(([name, data]) => [
        name.replace('document.xml', 'document2.xml'),
        name === '_rels/.rels' ? bytes(strFromU8(data).replaceAll('document.xml', 'document2.xml')) : data,
      ]),
    );
    expect(readDocx(zipSync(others)).text.trim()).to.equal('Total: 84.00');
  });

  it('has the headers that its pages show, and its cells where they stand', () => {
    const table = [
      `<w:tr>${cell('wide', '<w:gridSpan w:val="2"/>')}${cell('end')}</w:tr>`,
      `<w:tr>${cell('a')}${cell('b')}<w:sdt><w:sdtContent>${cell('c')}</w:sdtContent></w:sdt></w:tr>`,
    ].join('');
    const section = (more: string) =>
      `<w:sectPr>${['default', 'first', 'even'].map((type, index) => `<w:headerReference w:type="${type}" r:id="header${index + 1}.xml"/>`).join('')}${more}</w:sectPr>`;
    const header = (text: string) => ['hdr', paragraph(text)] as const;
    const parts = {
      header1: header('usual'),
      header2: header('first'),
      header3: header('even'),
      header4: header('of no page'),
    };
    const body = (more: string) => `<w:tbl>${table}</w:tbl>${section(more)}`;
    const rows = ['wide\t\tend', 'a\tb\tc'];
    expect(linesOf(body(''), parts)).to.deep.equal(['usual', ...rows]);
    const even = { ...parts, settings: ['settings', '<w:evenAndOddHeaders/>'] as const };
    expect(linesOf(body('<w:titlePg/>'), even)).to.deep.equal(['usual', 'first', 'even', ...rows]);
  });

  it('of 2003 is one XML file, and is read under any name', async () => {
    const xml = [
      '<?xml version="1.0" encoding="UTF-8"?><?mso-application progid="Word.Document"?>',
      '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"><w:body>',
      paragraph(run('Invoice number: 17')),
      `<w:tbl><w:tr><w:tc>${paragraph(run('Item'))}</w:tc><w:tc>${paragraph(run('Amount'))}</w:tc></w:tr></w:tbl>`,
      '<w:p><w:pPr><w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/><wx:t wx:val="2."/></w:listPr></w:pPr>',
      `${run('in a list')}<w:r><w:footnote>${paragraph(run('a note'))}</w:footnote></w:r></w:p>`,
      '<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:pict><w:binData w:name="a.png">AAAA</w:binData></w:pict></w:r></w:p>',
      '</w:body></w:wordDocument>',
    ].join('');
    for (const fileName of ['a.xml', 'a.doc', 'a']) {
      const [part] = await readFile({ fileName, contentType: '', data: bytes(xml) }, 10_000);
      expect(
        part?.pages[0]?.text.split('\n').filter((line) => line !== ''),
        fileName,
      ).to.deep.equal(['Invoice number: 17', 'Item\tAmount', '2. in a list', 'a note']);
      expect(part?.notes?.map(({ kind, what }) => `${kind}: ${what}`)).to.deep.equal([
        'hidden: 6 characters of hidden text',
        'unread: 1 picture',
      ]);
    }
  });
});
