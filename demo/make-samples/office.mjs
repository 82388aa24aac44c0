/** Word and Excel files that come out the same byte for byte whenever they are made. */
import { AlignmentType, BorderStyle, Document, Packer, Paragraph, Table, TableCell, TableRow, TextRun, WidthType } from 'docx';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

const MADE = '2026-10-30T08:00:00Z';
const ZIP_TIME = new Date(2026, 9, 30, 8, 0, 0);

const zip = (files) => zipSync(Object.fromEntries(Object.entries(files).map(([name, data]) => [name, [data, { mtime: ZIP_TIME }]])), { level: 9 });

const xml = (body) => strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`);
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Days since 1899-12-30, which is how a spreadsheet holds a date. */
const serial = (day) => Math.round((Date.parse(`${day}T00:00:00Z`) - Date.UTC(1899, 11, 30)) / 86_400_000);

const styles = { text: 0, title: 1, head: 2, date: 3, money: 4, moneyBold: 5, label: 6 };

const cellXml = (ref, { value, style = 'text' }) => {
  const s = ` s="${styles[style]}"`;
  if (style === 'date') return `<c r="${ref}"${s}><v>${serial(value)}</v></c>`;
  if (typeof value === 'number') return `<c r="${ref}"${s}><v>${value}</v></c>`;
  return `<c r="${ref}"${s} t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
};

const sheetXml = (rows, widths) => {
  const body = rows.map((cells, row) => {
    const filled = cells.map((cell, column) => (cell === null ? '' : cellXml(`${'ABCDEFGH'[column]}${row + 1}`, cell))).join('');
    return `<row r="${row + 1}">${filled}</row>`;
  });
  const cols = widths.map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`).join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return xml(`<worksheet xmlns="${main}"><cols>${cols}</cols><sheetData>${body.join('')}</sheetData></worksheet>`);
};

const stylesXml = xml(`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="#,##0.00"/></numFmts>
<fonts count="4"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="18"/><color rgb="FF6B3E1D"/><name val="Calibri"/></font>
<font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>
<fill><patternFill patternType="solid"><fgColor rgb="FF6B3E1D"/></patternFill></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="0" fontId="2" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment horizontal="left"/></xf>
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="165" fontId="3" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>
<xf numFmtId="0" fontId="3" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`);

/** A workbook of one sheet. A cell is null or `{ value, style? }`. */
export const workbook = (name, rows, widths) => {
  const rels = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packageRels = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const type = (part, kind) => `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  return zip({
    '[Content_Types].xml': xml(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('workbook', 'sheet.main')}${type('styles', 'styles')}${type('worksheets/sheet1', 'worksheet')}</Types>`,
    ),
    '_rels/.rels': xml(`<Relationships xmlns="${packageRels}"><Relationship Id="rId1" Type="${rels}/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
    'xl/workbook.xml': xml(
      `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${rels}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(
      `<Relationships xmlns="${packageRels}"><Relationship Id="rId1" Type="${rels}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${rels}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/styles.xml': stylesXml,
    'xl/worksheets/sheet1.xml': sheetXml(rows, widths),
  });
};

const text = (words, { bold = false, size = 21, color, align } = {}) =>
  new Paragraph({ alignment: align, spacing: { after: 60 }, children: [new TextRun({ text: words, bold, size, color, font: 'Cambria' })] });

const thin = { style: BorderStyle.SINGLE, size: 4, color: 'C9CDD2' };
const lined = { top: thin, bottom: thin, left: thin, right: thin };

const tableOf = (head, lines) =>
  new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: [head, ...lines].map(
      (cells, row) =>
        new TableRow({
          tableHeader: row === 0,
          children: cells.map(
            (cell, column) =>
              new TableCell({
                borders: lined,
                shading: row === 0 ? { fill: 'E8EEF0' } : undefined,
                margins: { top: 50, bottom: 50, left: 90, right: 90 },
                children: [text(cell, { bold: row === 0, align: column === 0 ? undefined : AlignmentType.RIGHT })],
              }),
          ),
        }),
    ),
  });

/** A letter in Word: a heading, `Label: value` lines, a table, totals, closing words. */
export const letter = async ({ supplier, address, title, details, head, lines, totals, closing }) => {
  const gap = () => text('');
  const document = new Document({
    creator: supplier,
    title,
    sections: [
      {
        children: [
          text(supplier, { bold: true, size: 36, color: '1F4E5F' }),
          text(address, { size: 18, color: '6B7280' }),
          gap(),
          text(title, { bold: true, size: 26 }),
          ...details.map(([label, value]) => text(`${label}: ${value}`)),
          gap(),
          tableOf(head, lines),
          gap(),
          ...totals.map(([label, value], index) => text(`${label}: ${value}`, { bold: index === totals.length - 1, align: AlignmentType.RIGHT })),
          gap(),
          ...closing.map((words) => text(words)),
        ],
      },
    ],
  });
  const parts = unzipSync(new Uint8Array(await Packer.toBuffer(document)));
  const core = strFromU8(parts['docProps/core.xml']).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, MADE);
  return zip({ ...parts, 'docProps/core.xml': strToU8(core) });
};
