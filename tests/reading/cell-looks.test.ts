import { readFileSync } from 'node:fs';
import { utils, write } from '@e965/xlsx';
import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { sharedText } from '../fixtures/text/files.ts';

type Changes = Readonly<Record<string, (xml: string) => string>>;

/** One row, `Total`, `120` and `99`, in a workbook whose parts are changed. */
const xlsx = (changes: Changes, more: Readonly<Record<string, string>> = {}): Uint8Array => {
  const sheet = utils.aoa_to_sheet([['Total', 120, 99]]);
  const made = unzipSync(new Uint8Array(write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'array' })));
  const changed = Object.entries(changes).map(([name, change]) => [
    name,
    strToU8(change(strFromU8(made[name] ?? new Uint8Array()))),
  ]);
  const added = Object.entries(more).map(([name, xml]) => [name, strToU8(xml)]);
  return zipSync({ ...made, ...Object.fromEntries([...changed, ...added]) });
};

/** The cell B1 has a font and a fill of its own. */
const dressed = (
  font: string,
  fill: string,
  sheet = (xml: string) => xml,
  more: Readonly<Record<string, string>> = {},
) =>
  xlsx(
    {
      'xl/styles.xml': (xml) =>
        xml
          .replace(/<fonts.*<\/fonts>/s, `<fonts><font><sz val="12"/></font><font>${font}</font></fonts>`)
          .replace(
            /<fills.*<\/fills>/s,
            `<fills><fill><patternFill patternType="none"/></fill><fill>${fill}</fill></fills>`,
          )
          .replace(
            /<cellXfs.*<\/cellXfs>/s,
            '<cellXfs><xf fontId="0" fillId="0"/><xf fontId="1" fillId="1"/></cellXfs>',
          ),
      'xl/worksheets/sheet1.xml': (xml) => sheet(xml.replace('<c r="B1"', '<c r="B1" s="1"')),
    },
    more,
  );

const WHITE = '<color rgb="FFFFFFFF"/>';
const NONE = '<patternFill patternType="none"/>';
const solid = (color: string) => `<patternFill patternType="solid"><fgColor ${color}/></patternFill>`;
const relation = (type: string, target: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;

const read = async (fileName: string, data: Uint8Array) => {
  const [part] = await readFile({ fileName, contentType: '', data }, 10_000);
  return {
    text: part?.pages[0]?.text,
    unreadable: part?.unreadable,
    notes: part?.notes?.map(({ what }) => what) ?? [],
  };
};

const ALL = '# A\nTotal\t120\t99';
const HIDDEN = '# A\nTotal\t99';
const NOTE = '1 cell that shows nothing of what it holds';

/** Changes the records of these types in a part of .xlsb, in place. */
const withRecords = (part: Uint8Array, wanted: number, change: (body: Buffer) => void): void => {
  const data = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  for (let at = 0; at < data.length; ) {
    const number = () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = data[at++] ?? 0;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const type = number();
    const length = number();
    if (type === wanted) change(data.subarray(at, at + length));
    at += length;
  }
};

const BRT_FONT = 43;
const xlsb = (change: (font: Buffer) => void): Uint8Array => {
  const sheet = utils.aoa_to_sheet([['Total', 120, 99]]);
  const made = unzipSync(
    new Uint8Array(write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'array', bookType: 'xlsb' })),
  );
  withRecords(made['xl/styles.bin'] as Uint8Array, BRT_FONT, change);
  return zipSync(made);
};

const names = ['office', 'table', 'text', 'style', 'number', 'fo', 'calcext']
  .map((name) =>
    name === 'fo'
      ? 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
      : `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'number' ? 'datastyle' : name}:1.0"`,
  )
  .join(' ');
const odsCell = (text: string, more = '') =>
  `<table:table-cell ${more} office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
const cellStyle = (name: string, properties: string, parent = 'Base') =>
  `<style:style style:name="${name}" style:family="table-cell" style:parent-style-name="${parent}">${properties}</style:style>`;
const ods = (cells: string, { columns = '', behind = '' } = {}): Uint8Array => {
  const styles = [
    cellStyle('Base', '<style:text-properties fo:color="#000000"/>', ''),
    cellStyle('ticks', '<style:text-properties style:font-name="Wingdings"/>'),
    cellStyle('struck', '<style:text-properties style:text-line-through-style="solid"/>'),
    cellStyle('white', '<style:text-properties fo:color="#ffffff"/>'),
    cellStyle('inverse', '<style:table-cell-properties fo:background-color="#1f4e79"/>', 'white'),
    cellStyle('auto', '<style:text-properties style:use-window-font-color="true"/>', 'white'),
    '<number:number-style style:name="N1"><style:text-properties fo:color="#ffffff"/></number:number-style>',
  ].join('');
  const type = 'application/vnd.oasis.opendocument.spreadsheet';
  return strToU8(
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${names} office:mimetype="${type}"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="A">${columns}<table:table-row>${cells}</table:table-row>${behind}</table:table></office:spreadsheet></office:body></office:document>`,
  );
};

describe('cells of a workbook', () => {
  const unseen: Readonly<Record<string, Uint8Array>> = {
    'white on no fill': dressed(WHITE, NONE),
    'white on white': dressed(WHITE, solid('rgb="FFFFFFFF"')),
    'black on black': dressed('<color indexed="8"/>', solid('indexed="64"')),
    'the first colour of the theme': dressed('<color theme="0"/>', NONE),
    'a lighter black of the theme on one': dressed('<color theme="1" tint="0.99"/>', NONE),
  };
  for (const [what, data] of Object.entries(unseen))
    it(`are left out, with a note, where nothing of them is seen: ${what}`, async () => {
      expect(await read('a.xlsx', data)).to.deep.equal({ text: HIDDEN, unreadable: null, notes: [NOTE] });
    });

  const table = {
    'xl/worksheets/_rels/sheet1.xml.rels': relation('table', '../tables/t.xml'),
    'xl/tables/t.xml': '<table ref="A1:C1"/>',
  };
  const seen: Readonly<Record<string, Uint8Array>> = {
    'white on dark blue': dressed(WHITE, solid('rgb="FF1F4E79"')),
    'white on a darker white': dressed(WHITE, solid('theme="0" tint="-0.5"')),
    'white on a pattern': dressed(WHITE, '<patternFill patternType="gray125"/>'),
    'white on a gradient': dressed(WHITE, '<gradientFill/>'),
    'a colour that is made to be seen': dressed('<color auto="1"/>', solid('rgb="FF000000"')),
    'a colour of a palette': dressed('<color indexed="20"/>', NONE),
    'white in a table, which has colours of its own': dressed(WHITE, NONE, undefined, table),
    'white where a rule colours it': dressed(WHITE, NONE, (xml) =>
      xml.replace('</sheetData>', '</sheetData><conditionalFormatting sqref="D4 A1:B2"/>'),
    ),
    'white before a picture': dressed(WHITE, NONE, (xml) =>
      xml.replace('</worksheet>', '<picture r:id="rId1"/></worksheet>'),
    ),
  };
  for (const [what, data] of Object.entries(seen))
    it(`are read where they may be seen: ${what}`, async () => {
      expect(await read('a.xlsx', data)).to.deep.equal({ text: ALL, unreadable: null, notes: [] });
    });

  it('of .xls say what is struck out, and leave out what is not seen', async () => {
    const data = new Uint8Array(readFileSync(new URL('../fixtures/text/cell-looks.xls', import.meta.url)));
    const { text, notes } = await read('a.xls', data);
    expect(text?.split('\n').filter((line) => line !== '')).to.deep.equal([
      '# A',
      'Item\tPrice\tNote',
      '~~Bolts~~\t~~120~~\t~~old~~',
      'Nuts\t99\tnew',
      'Total\t99\tEUR',
    ]);
    expect(notes).to.deep.equal(['3 cells that show nothing of what they hold']);
  });

  it('of .xlsb say what is struck out, and leave out what is not seen', async () => {
    const struck = xlsb((font) => void font.writeUInt16LE(font.readUInt16LE(2) | 0x08, 2));
    expect((await read('a.xlsb', struck)).text).to.equal('# A\n~~Total~~\t~~120~~\t~~99~~');
    const white = xlsb((font) => void Buffer.from([0x05, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).copy(font, 12));
    expect((await read('a.xlsb', white)).unreadable).to.equal(
      'has no text: its sheets show none, only 3 cells that show nothing of what they hold',
    );
    expect(
      (
        await read(
          'a.xlsb',
          xlsb(() => {}),
        )
      ).text,
    ).to.equal(ALL);
  });

  it('of OpenDocument say what is struck out, and leave out what is not seen', async () => {
    const named = (name: string) => `table:style-name="${name}"`;
    const row = odsCell('Total') + odsCell('120', named('struck')) + odsCell('40', named('white'));
    expect(
      await read('a.fods', ods(row + odsCell('99', named('inverse')) + odsCell('EUR', named('auto')))),
    ).to.deep.equal({ text: '# A\nTotal\t~~120~~\t99\tEUR', unreadable: null, notes: [NOTE] });
    const columns = `<table:table-column table:number-columns-repeated="2"/><table:table-column table:default-cell-style-name="struck"/>`;
    expect((await read('a.fods', ods(odsCell('Total') + odsCell('99') + odsCell('120'), { columns }))).text).to.equal(
      '# A\nTotal\t99\t~~120~~',
    );
    const behind = '<calcext:conditional-formats><calcext:conditional-format/></calcext:conditional-formats>';
    expect((await read('a.fods', ods(odsCell('Total') + odsCell('40', named('white')), { behind }))).text).to.equal(
      '# A\nTotal\t40',
    );
  });

  describe('in a font of symbols show the signs that it draws', () => {
    const wingdings = '<name val="Wingdings"/>';
    const withText = (text: string, font = wingdings) =>
      dressed(font, NONE, (xml) =>
        xml.replace(/<c r="B1" s="1"[^>]*>.*?<\/c>/s, `<c r="B1" s="1" t="inlineStr"><is>${text}</is></c>`),
      );

    it('of .xlsx', async () => {
      expect(await read('a.xlsx', withText('<t>&#252; &#xF0FE;</t>'))).to.deep.equal({
        text: '# A\nTotal\t✓ 🗹\t99',
        unreadable: null,
        notes: [],
      });
      expect((await read('a.xlsx', withText('<t>&#252;</t>', '<name val="Arial"/>'))).text).to.include('Total\tü\t99');
      // Numbers count as they are.
      expect((await read('a.xlsx', dressed(wingdings, NONE))).text).to.equal(ALL);
    });

    it('of which some are known to nobody, with a note', async () => {
      expect(await read('a.xlsx', withText('<t>&#xF0FE; paid</t>', '<name val="Own Signs"/>'))).to.deep.equal({
        text: '# A\nTotal\tpaid\t99',
        unreadable: null,
        notes: ['1 sign of a font of symbols'],
      });
      expect((await read('a.xlsx', withText('<t>&#xF0FE;</t>', '<name val="Own Signs"/>'))).notes).to.deep.equal([
        '1 sign of a font of symbols',
      ]);
    });

    it('of .xlsx in parts of a cell', async () => {
      const cellRun = (text: string, font: string) => `<r><rPr><rFont val="${font}"/></rPr><t>${text}</t></r>`;
      const parts = cellRun('\u00fc', 'Wingdings') + cellRun('für', 'Arial');
      expect((await read('a.xlsx', sharedText(parts))).text).to.include('✓für');
    });

    it('of .xlsb', async () => {
      const data = xlsb((font) => {
        font.writeUInt32LE('Symbol'.length, 21);
        font.write('Symbol', 25, 'utf16le');
      });
      expect((await read('a.xlsb', data)).text).to.equal('# A\nΤοταλ\t120\t99');
    });

    it('of .xls', async () => {
      const file = readFileSync(new URL('../fixtures/text/cell-looks.xls', import.meta.url));
      const at = file.indexOf(Buffer.from('Calibri', 'utf16le'));
      file.write('Symbol', at, 'utf16le');
      file[at - 2] = 'Symbol'.length;
      expect((await read('a.xls', new Uint8Array(file))).text).to.include('Ιτεμ\tΠριχε\tΝοτε');
    });

    it('of OpenDocument', async () => {
      const cells = odsCell('Total') + odsCell('ü', 'table:style-name="ticks"') + odsCell('ü');
      expect((await read('a.fods', ods(cells))).text).to.equal('# A\nTotal\t✓\tü');
    });
  });

  it('of OpenDocument that stand for a million each are read', async () => {
    const many = `table:style-name="struck" table:number-columns-repeated="1000000"`;
    expect((await read('a.fods', ods(odsCell('Total') + `<table:table-cell ${many}/>`.repeat(1000)))).text).to.equal(
      '# A\nTotal',
    );
  });
});
