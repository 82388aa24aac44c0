import { type BookType, CFB, utils, type WorkBook, type WorkSheet, write } from '@e965/xlsx';
import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { bytes, workbook } from '../fixtures/text/files.ts';

type Row = readonly (readonly [value: string | number | boolean, format?: string])[];

const sheetOf = (rows: readonly Row[], about: Partial<WorkSheet> = {}): WorkSheet => {
  const sheet = utils.aoa_to_sheet(rows.map((row) => row.map(([value]) => value)));
  for (const [row, cells] of rows.entries()) {
    for (const [column, [, format]] of cells.entries()) {
      const cell = sheet[utils.encode_cell({ r: row, c: column })];
      if (format !== undefined) cell.z = format;
    }
  }
  return Object.assign(sheet, about);
};

const fileOf = (
  sheets: Readonly<Record<string, WorkSheet>>,
  bookType: BookType,
  about: NonNullable<WorkBook['Workbook']> = {},
): Uint8Array => {
  const book: WorkBook = { SheetNames: Object.keys(sheets), Sheets: { ...sheets }, Workbook: about };
  return new Uint8Array(write(book, { type: 'buffer', bookType, cellStyles: true }));
};

const ROW = 0x0208;
const DIMENSIONS = 0x0200;

/** A workbook of .xls with one more record behind those of the last sheet's size, because the package does not write all of them. */
const withRecord = (xls: Uint8Array, record: Buffer): Uint8Array => {
  const container = CFB.read(Buffer.from(xls), { type: 'buffer' });
  const stream = CFB.find(container, '/Workbook');
  if (stream === null) throw new Error('no workbook');
  const data = Buffer.from(stream.content as Uint8Array);
  let at = 0;
  let after = 0;
  for (; at + 4 <= data.length; at += 4 + data.readUInt16LE(at + 2))
    if (data.readUInt16LE(at) === DIMENSIONS) after = at + 4 + data.readUInt16LE(at + 2);
  stream.content = Buffer.concat([data.subarray(0, after), record, data.subarray(after)]);
  stream.size = (stream.content as Buffer).length;
  return new Uint8Array(CFB.write(container, { type: 'buffer' }) as Buffer);
};

const hideRow = (xls: Uint8Array, row: number): Uint8Array => {
  const record = Buffer.alloc(20);
  for (const [offset, value] of [
    [0, ROW],
    [2, 16],
    [4, row],
    [8, 3],
    [10, 255],
    [16, 0x120],
  ] as const)
    record.writeUInt16LE(value, offset);
  return withRecord(xls, record);
};

const HEADER = 0x14;

const printHeader = (xls: Uint8Array, text: string): Uint8Array => {
  const record = Buffer.alloc(7 + text.length * 2);
  for (const [offset, value] of [
    [0, HEADER],
    [2, 3 + text.length * 2],
    [4, text.length],
  ] as const)
    record.writeUInt16LE(value, offset);
  record[6] = 1;
  record.write(text, 7, 'utf16le');
  return withRecord(xls, record);
};

/** A text of .xlsb, which may be absent. */
const wideText = (text: string | null): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text?.length ?? 0xffffffff);
  return Buffer.concat([length, Buffer.from(text ?? '', 'utf16le')]);
};

const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
const odsNames = ['office', 'table', 'text', 'style'].map(
  (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
);
const odsContent = (tables: string, root = 'office:document-content') =>
  `<?xml version="1.0" encoding="UTF-8"?><${root} ${odsNames.join(' ')} office:mimetype="${ODS}"><office:automatic-styles>
  <style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/></style:style>
  </office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></${root}>`;
const odsOf = (tables: string): Uint8Array =>
  zipSync({
    mimetype: [strToU8(ODS), { level: 0 }],
    'META-INF/manifest.xml': strToU8('<manifest/>'),
    'styles.xml': strToU8('<a/>'),
    'content.xml': strToU8(odsContent(tables)),
  });
const odsCell = (text: string, attributes = 'office:value-type="string"') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;

describe('workbooks', () => {
  const extractor = textExtractor({ timeoutSeconds: 60, readers: 1 });
  after(() => extractor.close());

  const read = async (fileName: string, data: Uint8Array, contentType = '') => {
    const [part] = await extractor.extract({ fileName, contentType, data });
    return { ...part, lines: part?.pages[0]?.text.split('\n') ?? [], notes: part?.notes ?? [] };
  };

  const shown: readonly [format: string, value: number, text: string][] = [
    ['"INV-"00000', 42, 'INV-00042'],
    ['00000', 1067, '01067'],
    ['0%', 0.19, '19%'],
    ['#,##0.00 "EUR"', 1234.5, '1,234.50 EUR'],
    ['0 "days"', 45000, '45000 days'],
    ['0\\d', 45000, '45000d'],
    ['[Red]-#,##0.00;[Red]-#,##0.00', -45000, '-45,000.00'],
    ['# ?/?', 0.5, '1/2'],
    ['#,##0,"k"', 1234567, '1,235k'],
    ['dd/mm/yyyy', 46326, '2026-10-31'],
    ['[$-407]d. mmmm yyyy;@', 46326, '2026-10-31'],
    ['mmm yy', 46326, '2026-10'],
    ['yyyy', 46326, '2026'],
    ['yyyy-mm-dd hh:mm:ss', 46326.75, '2026-10-31T18:00:00'],
    ['hh:mm', 0.375, '09:00'],
    ['h:mm AM/PM', 0.75, '18:00'],
    ['[h]:mm', 1.5, '36:00'],
    ['[hh]:mm:ss', 1.2604166666666667, '30:15:00'],
    ['mm:ss', 0.020833333, '30:00'],
    ['yyyy-mm-dd', 59, '1900-02-28'],
    ['yyyy-mm-dd', 60, '1900-02-29'],
    ['yyyy-mm-dd', 61, '1900-03-01'],
    ['[$-411]ggge"年"m"月"d"日"', 46326, '2026-10-31'],
    ['0.0\\ %', 0.195, '19.5%'],
    ['0 %;-0 %', -0.07, '-7%'],
    ['0.00;0.00-', -12.5, '12.50-'],
    ['#,##0.00;#,##0.00-', -1300, '1,300.00-'],
    ['¥#,##0;▲#,##0', -500, '▲500'],
    ['dd. mmm', 46326, '31. Oct'],
    ['hh.mm', 0.375, '09:00'],
    ['h.mm "Uhr"', 0.375, '09:00'],
    ['0.00;[Red]0.00', -12.5, '-12.50'],
    ['0.00;[Red]0.00', 12.5, '12.50'],
    ['0.00;0.00', -12.5, '12.50'],
    ['0.00_);[Red](0.00)', -12.5, '(12.50)'],
    ['General', 401234567890123, '401234567890123'],
    ['General', 19.989999999999998, '19.99'],
  ];

  for (const bookType of ['xlsx', 'biff8'] as const) {
    const fileName = bookType === 'xlsx' ? 'a.xlsx' : 'a.xls';

    it(`(${bookType}) say what their cells show, moments in ISO 8601`, async () => {
      const sheet = sheetOf(shown.map(([format, value]) => [[format], [value, format]]));
      const { lines } = await read(fileName, fileOf({ A: sheet }, bookType));
      expect(lines.slice(1)).to.deep.equal(shown.map(([format, , text]) => `${format}\t${text}`));
    });

    it(`(${bookType}) count their days from 1904 if they say so`, async () => {
      const sheet = sheetOf([
        [['Day'], [0, 'yyyy-mm-dd']],
        [['Hours'], [1.5, '[h]:mm']],
      ]);
      const { lines } = await read(fileName, fileOf({ A: sheet }, bookType, { WBProps: { date1904: true } }));
      expect(lines).to.deep.equal(['# A', 'Day\t1904-01-01', 'Hours\t36:00']);
    });

    it(`(${bookType}) leave out hidden sheets, rows and columns, and say how many`, async () => {
      const rows: readonly Row[] = [
        [['Total'], ['secret column'], [80]],
        [['secret row'], ['x'], [1]],
        [['Tax'], ['y'], [13]],
      ];
      const visible = sheetOf(rows, { '!rows': [{}, { hidden: true }], '!cols': [{}, { hidden: true }] });
      const data = fileOf(
        { Old: sheetOf([[['secret sheet']]]), Older: sheetOf([[['secret']]]), Invoice: visible },
        bookType,
        {
          Sheets: [{ Hidden: 1 }, { Hidden: 2 }, { Hidden: 0 }],
        },
      );
      const { lines, notes } = await read(fileName, bookType === 'biff8' ? hideRow(data, 1) : data);
      expect(lines).to.deep.equal(['# Invoice', 'Total\t80', 'Tax\t13']);
      expect(notes).to.deep.equal([
        { kind: 'hidden', page: null, what: '2 hidden sheets, 1 hidden row, 1 hidden column' },
      ]);
    });
  }

  it('leave out what OpenDocument hides: sheets, rows, also by a filter, and columns', async () => {
    const hidden = 'table:visibility="collapse"';
    const tables = `
      <table:table table:name="Old" table:style-name="gone"><table:table-row>${odsCell('secret sheet')}</table:table-row></table:table>
      <table:table table:name="Invoice"><table:table-column/><table:table-column ${hidden}/><table:table-column/>
      <table:table-row>${odsCell('Total')}${odsCell('secret column')}${odsCell('12,3', 'office:value-type="float" office:value="12.3"')}</table:table-row>
      <table:table-row ${hidden} table:number-rows-repeated="3">${odsCell('secret row')}</table:table-row>
      <table:table-row table:visibility="filter">${odsCell('secret row')}</table:table-row>
      <table:table-row>${odsCell('Day')}<table:table-cell/>${odsCell('31. Okt', 'office:value-type="date" office:date-value="2026-10-31"')}</table:table-row>
      <table:table-row>${odsCell('Sum')}<table:table-cell table:formula="of:=1+1"/></table:table-row></table:table>`;
    const flat = bytes(odsContent(tables, 'office:document'));
    for (const data of [odsOf(tables), flat]) {
      const { lines, notes, contentType } = await read('file', data);
      expect(lines).to.deep.equal(['# Invoice', 'Total\t12,3', 'Day\t2026-10-31', 'Sum']);
      expect(contentType).to.equal(ODS);
      expect(notes).to.deep.equal([
        { kind: 'hidden', page: null, what: '1 hidden sheet, 4 hidden rows, 1 hidden column' },
        { kind: 'unread', page: null, what: '1 formula without a stored result' },
      ]);
    }
  });

  it('count formulas that have no stored result as not read', async () => {
    const sheet = { '!ref': 'A1:B2', A1: { t: 's', v: 'Sum' }, B1: { t: 'z', f: 'SUM(A2:B2)' }, A2: { t: 'n', v: 1 } };
    const { lines, notes } = await read('a.xlsx', fileOf({ A: sheet as WorkSheet }, 'xlsx'));
    expect(lines).to.deep.equal(['# A', 'Sum', '1']);
    expect(notes).to.deep.equal([{ kind: 'unread', page: null, what: '1 formula without a stored result' }]);
    const only = { '!ref': 'A1:A1', A1: { t: 'z', f: '1+1' } };
    expect((await read('a.xlsx', fileOf({ A: only as WorkSheet }, 'xlsx'))).unreadable).to.equal(
      'has no text: its sheets show none, only 1 formula without a stored result',
    );
    const empty = workbook({ A: '<row r="1"><c r="A1" t="str"><f>""</f><v></v></c><c r="B1"><v>5</v></c></row>' });
    expect(await read('a.xlsx', empty)).to.deep.include({ lines: ['# A', '5'], notes: [] });
  });

  it('count results that are written as 0 until the workbook is opened as not read', async () => {
    const cells = `<row r="1"><c r="A1"><v>0</v></c><c r="B1"><f>6*7</f><v>0</v></c><c r="C1"><f>6*8</f><v>48</v></c></row>`;
    const withCalculation = (how: string) => {
      const files = unzipSync(workbook({ A: cells }));
      const book = strFromU8(files['xl/workbook.xml'] as Uint8Array).replace('</workbook>', `${how}</workbook>`);
      return zipSync({ ...files, 'xl/workbook.xml': strToU8(book) });
    };
    const later = await read('a.xlsx', withCalculation('<calcPr calcId="124519" fullCalcOnLoad="1"/>'));
    expect(later.lines).to.deep.equal(['# A', '0\t\t48']);
    expect(later.notes).to.deep.equal([{ kind: 'unread', page: null, what: '1 formula without a stored result' }]);
    const computed = await read('a.xlsx', withCalculation('<calcPr calcId="191029"/>'));
    expect(computed.lines).to.deep.equal(['# A', '0\t0\t48']);
    expect(computed.notes).to.deep.equal([]);
  });

  it('say what a cell cannot show, and what it shows nothing of', async () => {
    const sheet = sheetOf([
      [['Before'], [-1, 'yyyy-mm-dd']],
      [['Less'], [-1.5, '[h]:mm']],
      [['Blank'], [5, ';;;']],
    ]);
    const { lines, notes } = await read('a.xlsx', fileOf({ A: sheet }, 'xlsx'));
    expect(lines).to.deep.equal(['# A', 'Before', 'Less', 'Blank']);
    expect(notes).to.deep.equal([
      { kind: 'hidden', page: null, what: '1 cell that shows nothing of what it holds' },
      { kind: 'unread', page: null, what: '2 numbers that their formats cannot show' },
    ]);
  });

  for (const bookType of ['xlsx', 'xlsb', 'xlml', 'biff8'] as const) {
    it(`(${bookType}) show errors, truth, and of merged cells the first alone, also in the row that is left of them`, async () => {
      const sheet = sheetOf(
        [
          [[true], ['merged'], ['under it']],
          [[1], [2], [3]],
          [['tall'], [4]],
          [['under'], [5]],
        ],
        {
          '!merges': [
            { s: { r: 0, c: 1 }, e: { r: 0, c: 2 } },
            { s: { r: 2, c: 0 }, e: { r: 3, c: 0 } },
          ],
          ...(bookType.startsWith('biff') ? {} : { '!rows': [{}, {}, { hidden: true }] }),
        },
      );
      sheet.A2 = { t: 'e', v: 0x2a, w: '#N/A' };
      const { lines } = await read('a.xls', fileOf({ A: sheet }, bookType));
      const tall = bookType.startsWith('biff') ? ['tall\t4', '\t5'] : ['tall\t5'];
      expect(lines).to.deep.equal(['# A', 'TRUE\tmerged', '#N/A\t2\t3', ...tall]);
    });
  }

  it('say what is printed above and below their cells, without page numbers, dates and fonts', async () => {
    const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>Total</t></is></c></row>';
    const files = unzipSync(workbook({ Invoice: row, Plain: row, Empty: '' }));
    const around = (sheet: number, more: string) => {
      const name = `xl/worksheets/sheet${sheet}.xml`;
      const text = strFromU8(files[name] as Uint8Array).replace('</worksheet>', `${more}</worksheet>`);
      files[name] = strToU8(text);
    };
    around(
      1,
      `<pageMargins left="1"/><headerFooter differentFirst="1"><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Müller &amp;&amp; Söhne&amp;CRechnung 4711&amp;R&amp;D</oddHeader>
      <oddFooter>&amp;KFF0000Bank: DE02 1203 0000 &amp;P/&amp;N</oddFooter><evenHeader>not used</evenHeader><firstFooter>USt-IdNr. DE123456789, Seite &amp;P von &amp;N</firstFooter></headerFooter>`,
    );
    around(2, '<headerFooter><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter></headerFooter>');
    around(3, '<headerFooter><oddHeader>&amp;LAn empty sheet</oddHeader></headerFooter>');
    const { lines, notes } = await read('a.xlsx', zipSync(files));
    expect(lines).to.deep.equal([
      '# Invoice',
      'Total',
      'Print header: Müller & Söhne; Rechnung 4711',
      'Print footer: Bank: DE02 1203 0000',
      'Print footer: USt-IdNr. DE123456789',
      '',
      '# Plain',
      'Total',
      '',
      '# Empty',
      'Print header: An empty sheet',
    ]);
    expect(notes).to.deep.equal([]);
  });

  it('say the same in .xlsb', async () => {
    const sheets = { First: sheetOf([[['one']]]), Second: sheetOf([[['two']]]) };
    const files = unzipSync(fileOf(sheets, 'xlsb'));
    const around = (sheet: number, flags: number, ...texts: readonly (string | null)[]) => {
      const name = `xl/worksheets/sheet${sheet}.bin`;
      const body = [Buffer.from([flags, 0]), ...texts.map(wideText)];
      const length = Buffer.concat(body).length;
      const record = Buffer.concat([Buffer.from([0xdf, 0x03, (length & 0x7f) | 0x80, length >> 7]), ...body]);
      const part = Buffer.from(files[name] as Uint8Array);
      // The record of the end has three bytes.
      files[name] = Buffer.concat([part.subarray(0, -3), record, part.subarray(-3)]);
    };
    around(1, 2, '&LMüller && Söhne&CRechnung 4711', null, 'not used', null, null, '&CUSt-IdNr. DE123456789, Seite &P');
    around(2, 0, null, '&CPage &P', null, null, null, null);
    const { lines } = await read('a.xlsb', zipSync(files));
    expect(lines).to.deep.equal([
      '# First',
      'one',
      'Print header: Müller & Söhne; Rechnung 4711',
      'Print footer: USt-IdNr. DE123456789',
      '',
      '# Second',
      'two',
    ]);
  });

  it('say the same of Excel before 2007', async () => {
    const sheets = { First: sheetOf([[['one']]]), Second: sheetOf([[['two']]]) };
    const { lines } = await read('a.xls', printHeader(fileOf(sheets, 'biff8'), '&LZażółć&RPage &P'));
    expect(lines).to.deep.equal(['# First', 'one', '', '# Second', 'two', 'Print header: Zażółć']);
  });

  it('say the same of OpenDocument, zipped and flat', async () => {
    const page = (name: string, more: string) => `<style:master-page style:name="${name}">${more}</style:master-page>`;
    const masters = `<office:master-styles>
      ${page('Default', '<style:header><text:p><text:sheet-name>???</text:sheet-name></text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>')}
      ${page(
        'Letter',
        `<style:header><style:region-left><text:p>Müller &amp; Söhne</text:p><text:p><text:span>Rech</text:span>nung<text:s/>4711</text:p></style:region-left>
         <style:region-right><text:p><text:date>28.11.2026</text:date></text:p></style:region-right></style:header>
         <style:header-left style:display="false"><text:p>not used</text:p></style:header-left>
         <style:footer><text:p>Bank: DE02 1203 0000 <text:page-number>1</text:page-number>/<text:page-count>9</text:page-count></text:p></style:footer>`,
      )}</office:master-styles>`;
    const styles = '<style:style style:name="ta" style:family="table" style:master-page-name="Letter"/>';
    const row = `<table:table-row>${odsCell('Total')}</table:table-row>`;
    const tables = `<table:table table:name="Invoice" table:style-name="ta">${row}</table:table><table:table table:name="Plain">${row}</table:table>`;
    const expected = [
      '# Invoice',
      'Total',
      'Print header: Müller & Söhne; Rechnung 4711',
      'Print footer: Bank: DE02 1203 0000',
      '',
      '# Plain',
      'Total',
    ];
    const content = (root?: string) => odsContent(tables, root).replace('<office:automatic-styles>', `$&${styles}`);
    const files = unzipSync(odsOf(''));
    files['content.xml'] = strToU8(content());
    files['styles.xml'] = strToU8(`<office:document-styles ${odsNames.join(' ')}>${masters}</office:document-styles>`);
    expect((await read('a.ods', zipSync(files))).lines).to.deep.equal(expected);
    const flat = content('office:document').replace('<office:body>', `${masters}$&`);
    expect((await read('a.fods', strToU8(flat))).lines).to.deep.equal(expected);
  });

  it('of OpenDocument have the days of before March 1900 that they show', async () => {
    const style =
      '<number:date-style xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" style:name="N1"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style><style:style style:name="day" style:family="table-cell" style:data-style-name="N1"/>';
    const cells = ['1900-03-01', '1900-02-28', '1900-01-01', '1899-12-31'].map((day) => {
      const shown = day.split('-').toReversed().join('.');
      return odsCell(shown, `table:style-name="day" office:value-type="date" office:date-value="${day}"`);
    });
    const content = odsContent(
      `<table:table table:name="A"><table:table-row>${cells.join('')}</table:table-row></table:table>`,
      'office:document',
    ).replace('<office:automatic-styles>', `$&${style}`);
    expect((await read('a.fods', strToU8(content))).lines[1]).to.equal(
      '1900-03-01\t28.02.1900\t01.01.1900\t31.12.1899',
    );
  });

  it('are read in the formats of OpenDocument, of XML and of Excel before 2007, by their bytes alone', async () => {
    const types = {
      xlml: 'application/vnd.ms-excel',
      biff8: 'application/vnd.ms-excel',
      xlsb: 'application/vnd.ms-excel',
    } as const;
    for (const [bookType, contentType] of Object.entries(types)) {
      const data = fileOf({ Invoice: sheetOf([[['Käse'], [12.3]]]) }, bookType as BookType);
      for (const [name, type] of [
        ['file', ''],
        ['a.pdf', 'application/pdf'],
        ['a.txt', 'text/plain'],
      ] as const) {
        const part = await read(name, data, type);
        expect(part.lines, `${bookType} as ${name}`).to.deep.equal(['# Invoice', 'Käse\t12.3']);
        expect(part.contentType).to.equal(contentType);
      }
    }
  });

  it('are read as what they are where a program called a web page or lines of text a workbook', async () => {
    const html = bytes('<html><body><table><tr><td>Total</td><td>84.00</td></tr></table></body></html>');
    expect((await read('a.xls', html, 'application/vnd.ms-excel')).lines).to.deep.equal(['Total\t84.00']);
    expect((await read('a.xls', bytes('Total\t84.00\nTax\t4\n'))).lines).to.deep.equal(['Total\t84.00', 'Tax\t4']);
  });
});
