/** Draws an invoice as PDF: letterhead, addressee, details, a table that goes on over pages, totals, footer. */
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';

const A4 = [595.28, 841.89];
const MARGIN = 56;
const BOTTOM = 96;
const INK = rgb(0.13, 0.14, 0.16);
const MUTED = rgb(0.42, 0.44, 0.48);
const RULE = rgb(0.8, 0.82, 0.84);

const colour = (hex) => rgb(...[0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255));

const families = {
  sans: [StandardFonts.Helvetica, StandardFonts.HelveticaBold],
  serif: [StandardFonts.TimesRoman, StandardFonts.TimesRomanBold],
  typewriter: [StandardFonts.Courier, StandardFonts.CourierBold],
};

const pen = (page, fonts) => (text, x, y, { size = 9.5, bold = false, color = INK, align = 'left' } = {}) => {
  const font = bold ? fonts.bold : fonts.regular;
  page.drawText(text, { x: align === 'right' ? x - font.widthOfTextAtSize(text, size) : x, y, size, font, color });
};

const letterhead = (write, { supplier, address, accent, title }) => {
  write(supplier, MARGIN, 770, { size: 19, bold: true, color: accent });
  address.forEach((line, index) => write(line, MARGIN, 753 - index * 12, { size: 8.5, color: MUTED }));
  write(title, A4[0] - MARGIN, 770, { size: 19, color: MUTED, align: 'right' });
};

const opening = (write, { addressee = 'Bill to', billTo, details }) => {
  let y = 692;
  write(addressee, MARGIN, y, { size: 8.5, color: MUTED });
  for (const line of billTo) write(line, MARGIN, (y -= 13));
  y -= 28;
  const labels = Math.max(...details.map(([label]) => label.length)) * 5.6 + 14;
  for (const [label, value] of details) {
    write(`${label}:`, MARGIN, y, { color: MUTED });
    write(value, MARGIN + labels, y, { bold: /^(Invoice |Rechnungs)num/.test(label) });
    y -= 15;
  }
  return y - 14;
};

const tableHead = (page, write, y, { columns, accent }) => {
  page.drawRectangle({ x: MARGIN - 6, y: y - 6, width: A4[0] - 2 * MARGIN + 12, height: 20, color: accent });
  for (const { title, x, align } of columns) write(title, x, y, { size: 9, bold: true, color: rgb(1, 1, 1), align });
  return y - 22;
};

const footing = (write, { footer, pageOf = (at, of) => `Page ${at} of ${of}` }, number, count) => {
  footer.forEach((line, index) => write(line, MARGIN, 56 - index * 11, { size: 8, color: MUTED }));
  write(pageOf(number, count), A4[0] - MARGIN, 56, { size: 8, color: MUTED, align: 'right' });
};

/** Where the columns stand: text at the left, figures flush right. */
export const columnsAt = (...columns) => columns.map(([title, x, align = 'left']) => ({ title, x, align }));

export const invoicePdf = async (invoice) => {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  pdf.setTitle(`${invoice.title} ${invoice.number}`);
  pdf.setAuthor(invoice.supplier);
  pdf.setCreationDate(new Date(invoice.made));
  const [regular, bold] = await Promise.all(families[invoice.family ?? 'sans'].map((font) => pdf.embedFont(font)));
  const fonts = { regular, bold };
  const sheet = { ...invoice, accent: colour(invoice.accent) };
  const pages = [];
  const turnOver = () => {
    const page = pdf.addPage(A4);
    const write = pen(page, fonts);
    pages.push(write);
    return { page, write };
  };

  let { page, write } = turnOver();
  letterhead(write, sheet);
  let y = tableHead(page, write, opening(write, sheet), sheet);
  const room = (height) => {
    if (y - height >= BOTTOM) return;
    ({ page, write } = turnOver());
    write(`${sheet.supplier}  ·  ${sheet.title.toLowerCase()} ${sheet.number}, continued`, MARGIN, 786, { size: 8.5, color: MUTED });
    y = tableHead(page, write, 752, sheet);
  };
  for (const line of sheet.lines) {
    room(18);
    line.forEach((cell, index) => write(cell, sheet.columns[index].x, y, { align: sheet.columns[index].align }));
    page.drawLine({ start: { x: MARGIN - 6, y: y - 6 }, end: { x: A4[0] - MARGIN + 6, y: y - 6 }, thickness: 0.5, color: RULE });
    y -= 18;
  }
  room(24 + sheet.totals.length * 16 + sheet.notes.length * 13);
  y -= 12;
  sheet.totals.forEach(([label, value], index) => {
    const last = index === sheet.totals.length - 1;
    write(`${label}:`, 400, y, { bold: last, color: last ? INK : MUTED });
    write(value, A4[0] - MARGIN, y, { bold: last, align: 'right' });
    y -= 16;
  });
  y -= 10;
  for (const note of sheet.notes) write(note, MARGIN, (y -= 13));
  pages.forEach((on, index) => footing(on, sheet, index + 1, pages.length));
  return pdf.save();
};

/** A PDF whose only page is a picture: what a scanner without text recognition makes. */
export const picturePdf = async (jpeg, made) => {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  pdf.setProducer('Flatbed 2.1');
  pdf.setCreationDate(new Date(made));
  pdf.addPage(A4).drawImage(await pdf.embedJpg(jpeg), { x: 0, y: 0, width: A4[0], height: A4[1] });
  return pdf.save();
};
