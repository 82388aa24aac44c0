/**
 * Makes demo/samples. Every company, person and account number in them is invented.
 *
 *   node demo/make-samples.mjs           makes the files; the same bytes every time
 *   node demo/make-samples.mjs --scan    first draws demo/make-samples/scan.jpg anew (needs pdftoppm and ImageMagick's convert)
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundlePdf } from './make-samples/bundle.mjs';
import { facturX, withXml, xRechnung } from './make-samples/e-invoice.mjs';
import { columnsAt, invoicePdf, picturePdf } from './make-samples/invoice-pdf.mjs';
import { letter, workbook } from './make-samples/office.mjs';

const samples = path.join(import.meta.dirname, 'samples');
const scan = path.join(import.meta.dirname, 'make-samples', 'scan.jpg');
mkdirSync(samples, { recursive: true });
const save = (name, data) => writeFileSync(path.join(samples, name), data);

/** Cents as money: 1,284.50 in English, 1.284,50 in German. */
const money = (cents, [thousands, point] = [',', '.']) => {
  const [whole, rest] = (cents / 100).toFixed(2).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, thousands)}${point}${rest}`;
};
const german = ['.', ','];

/** Goods as [description, quantity, price in cents] → the amounts, and what they come to with tax. */
const reckon = (goods, taxPercent) => {
  const lines = goods.map(([description, quantity, price]) => ({ description, quantity, price, amount: quantity * price }));
  const net = lines.reduce((sum, { amount }) => sum + amount, 0);
  const tax = Math.round((net * taxPercent) / 100);
  return { lines, net, tax, total: net + tax };
};

const fennimore = ['Fennimore Street Kitchens Ltd', '14 Fennimore Street', 'Porthaven PH4 2RT'];
const columns = columnsAt(['Description', 56], ['Quantity', 360, 'right'], ['Unit price', 446, 'right'], ['Amount', 539, 'right']);
const row = ({ description, quantity, price, amount }, style) => [description, String(quantity), money(price, style), money(amount, style)];

// 1. Two pages: the table goes on over the page.
const paper = reckon(
  [
    ['Kraft carrier bag, medium, pack of 250', 12, 3895],
    ['Kraft carrier bag, large, pack of 200', 8, 4420],
    ['Greaseproof sheet 380 x 275 mm, pack of 500', 20, 1165],
    ['Greaseproof sheet 250 x 200 mm, pack of 1000', 14, 1340],
    ['Takeaway box no. 1, pack of 450', 10, 5210],
    ['Takeaway box no. 3, pack of 200', 10, 3985],
    ['Takeaway box no. 8, pack of 300', 6, 4675],
    ['Soup cup 12 oz, pack of 500', 9, 4490],
    ['Soup cup lid 12 oz, pack of 500', 9, 2385],
    ['Hot drink cup 8 oz, double wall, pack of 500', 15, 3860],
    ['Hot drink cup 12 oz, double wall, pack of 500', 15, 4375],
    ['Hot drink lid, fits 8 and 12 oz, pack of 1000', 16, 3190],
    ['Paper straw, 6 mm, pack of 5000', 2, 5480],
    ['Wooden fork, pack of 1000', 7, 2140],
    ['Wooden knife, pack of 1000', 7, 2140],
    ['Wooden dessert spoon, pack of 1000', 5, 2095],
    ['Napkin 2-ply 33 cm, pack of 2000', 11, 2675],
    ['Napkin 3-ply 40 cm, dark green, pack of 1000', 4, 4230],
    ['Till roll 80 x 80 mm, box of 20', 18, 2190],
    ['Card machine roll 57 x 40 mm, box of 20', 18, 1075],
    ['Label, use-by day, removable, roll of 500', 30, 465],
    ['Label, allergen, removable, roll of 500', 12, 520],
    ['Order pad, duplicate, 100 sheets', 40, 189],
    ['Baking parchment 450 mm x 75 m', 10, 1485],
    ['Cling film 450 mm x 300 m, cutter box', 8, 1630],
    ['Foil 450 mm x 75 m, cutter box', 8, 1875],
    ['Blue centre-feed roll, case of 6', 9, 1420],
    ['Delivery, two pallets', 1, 4500],
  ],
  20,
);
save(
  'harbour-row-paper.pdf',
  await invoicePdf({
    supplier: 'Harbour Row Paper Ltd',
    address: ['Unit 7, Harbour Row', 'Porthaven PH1 8QD', 'accounts@harbourrow.example'],
    accent: '1F4E79',
    
    title: 'Invoice', number: 'HR-20417', made: '2026-10-30T09:12:00Z', billTo: fennimore, columns,
    details: [
      ['Supplier', 'Harbour Row Paper Ltd'],
      ['Invoice number', 'HR-20417'],
      ['Invoice date', '30 October 2026'],
      ['Due date', '29 November 2026'],
      ['Purchase order', 'PO-7731'],
      ['Currency', 'GBP'],
    ],
    lines: paper.lines.map((line) => row(line)),
    totals: [
      ['Net amount', money(paper.net)],
      ['VAT 20%', money(paper.tax)],
      ['Total due', money(paper.total)],
    ],
    notes: ['IBAN: GB77 HROW 1020 3040 5060 70', 'Please quote the invoice number with your payment.'],
    footer: ['Harbour Row Paper Ltd · Registered in Porthaven no. 00741802 · VAT no. GB 000 7418 02'],
  }),
);

// 2. A scan: nothing in it but a picture.
if (process.argv.includes('--scan')) {
  const repairs = reckon([['Walk-in cold room: call-out, Saturday', 1, 9500], ['Compressor relay, fitted', 1, 11840], ['Labour, per hour', 3, 6200]], 20);
  const clean = await invoicePdf({
    supplier: 'Northgate Repairs',
    address: ['2 Northgate Yard, Porthaven PH2 6LK', 'Refrigeration and catering equipment'],
    accent: '333333',
    family: 'typewriter',
    
    title: 'INVOICE', number: '1093', made: '2026-10-24T16:30:00Z', billTo: fennimore, columns,
    details: [
      ['Supplier', 'Northgate Repairs'],
      ['Invoice number', '1093'],
      ['Invoice date', '24/10/2026'],
      ['Currency', 'GBP'],
    ],
    lines: repairs.lines.map((line) => row(line)),
    totals: [
      ['Net amount', money(repairs.net)],
      ['VAT 20%', money(repairs.tax)],
      ['Total', money(repairs.total)],
    ],
    notes: ['IBAN: GB13 NGRP 3040 5060 7080 90', 'Paid on the day? Please keep this as your receipt.'],
    footer: ['Northgate Repairs · sole trader · R. Northgate'],
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'scan-'));
  writeFileSync(path.join(folder, 'clean.pdf'), clean);
  execFileSync('pdftoppm', ['-r', '110', '-gray', '-singlefile', 'clean.pdf', 'page'], { cwd: folder });
  const paperAndGlass = ['-seed', '7', '-virtual-pixel', 'white', '-background', '#efeeea', '-rotate', '0.7', '-blur', '0x0.6'];
  const lamp = ['(', '+clone', '-sparse-color', 'bilinear', '0,0 #f7f6f1 900,0 #ffffff 0,1270 #dedcd4 900,1270 #f3f1ea', ')', '-compose', 'multiply', '-composite'];
  const grain = ['-attenuate', '0.28', '+noise', 'Gaussian', '-level', '4%,97%', '-gravity', 'center', '-extent', '910x1287', '-strip', '-quality', '62'];
  execFileSync('convert', ['page.pgm', ...paperAndGlass, ...lamp, ...grain, scan], { cwd: folder });
  rmSync(folder, { recursive: true });
}
save('northgate-repairs-scan.pdf', await picturePdf(readFileSync(scan), '2026-10-26T07:41:00Z'));

// 3. An e-mail whose attachment is the invoice.
const linen = reckon([['Chef jacket, laundered and pressed', 64, 245], ['Apron, laundered', 120, 95], ['Tablecloth 180 cm, hire', 36, 410], ['Glass cloth, hire', 200, 32]], 20);
const linenPdf = await invoicePdf({
  supplier: 'Tidewater Linen Services',
  address: ['Old Ropeworks, Quay Lane', 'Porthaven PH1 3AA', '0500 555 0142'],
  accent: '0F766E',
  
  title: 'Invoice', number: 'TW-3319', made: '2026-10-31T17:05:00Z', billTo: fennimore, columns,
  details: [
    ['Supplier', 'Tidewater Linen Services'],
    ['Invoice number', 'TW-3319'],
    ['Invoice date', '2026-10-31'],
    ['Due date', '2026-11-14'],
    ['Currency', 'GBP'],
  ],
  lines: linen.lines.map((line) => row(line)),
  totals: [
    ['Net amount', money(linen.net)],
    ['VAT 20%', money(linen.tax)],
    ['Total', money(linen.total)],
  ],
  notes: ['IBAN: GB61 TDWL 2030 4050 6070 80'],
  footer: ['Tidewater Linen Services · Laundry, hire and repair since 1988'],
});
save(
  'tidewater-linen.eml',
  [
    'Date: Sat, 31 Oct 2026 17:22:41 +0000',
    'From: Maud Ellery <maud@tidewater-linen.example>',
    'To: Accounts <accounts@fennimore.example>',
    'Subject: October laundry',
    'Message-ID: <20261031172241.4411@tidewater-linen.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="=_october"',
    '',
    '--=_october',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Hello both,',
    '',
    "here is October's laundry. The four cloths with scorch marks are mended and co=",
    'unted as usual.',
    '',
    'We collect on Tuesday instead of Monday next week =E2=80=93 the van is at the garage.',
    '',
    'Kind regards,',
    'Maud',
    '',
    '--=_october',
    'Content-Type: application/pdf; name="TW-3319.pdf"',
    'Content-Disposition: attachment; filename="TW-3319.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    ...Buffer.from(linenPdf).toString('base64').match(/.{1,76}/g),
    '--=_october--',
    '',
  ].join('\r\n'),
);

// 4. A spreadsheet; dates and amounts are real dates and numbers in it.
const coffee = reckon([['Harbour blend, whole bean, 6 kg', 8, 8940], ['Decaf, whole bean, 6 kg', 2, 9660], ['Cocoa, 3 kg tin', 5, 3125], ['Grinder burr set, fitted', 1, 14800]], 21);
const pair = (label, value, style) => [{ value: label, style: 'label' }, { value, style }];
save(
  'brightwater-coffee.xlsx',
  workbook(
    'Invoice',
    [
      [{ value: 'Brightwater Coffee Roasters', style: 'title' }],
      [{ value: 'Kade 41, Nieuwhaven · facturen@brightwater.example' }],
      [],
      pair('Supplier', 'Brightwater Coffee Roasters'),
      pair('Invoice number', 'BW-2026-0388'),
      pair('Invoice date', '2026-11-02', 'date'),
      pair('Due date', '2026-12-02', 'date'),
      pair('Purchase order', 'PO-7744'),
      pair('Currency', 'EUR'),
      pair('IBAN', 'NL10 BRWC 0417 1643 00'),
      [],
      ['Description', 'Quantity', 'Unit price', 'Amount'].map((value) => ({ value, style: 'head' })),
      ...coffee.lines.map(({ description, quantity, price, amount }) => [
        { value: description },
        { value: quantity },
        { value: price / 100, style: 'money' },
        { value: amount / 100, style: 'money' },
      ]),
      [],
      [{ value: 'Net amount', style: 'label' }, null, null, { value: coffee.net / 100, style: 'money' }],
      [{ value: 'VAT 21%', style: 'label' }, null, null, { value: coffee.tax / 100, style: 'money' }],
      [{ value: 'Total', style: 'label' }, null, null, { value: coffee.total / 100, style: 'moneyBold' }],
    ],
    [34, 26, 12, 12],
  ),
);

// 5. A Word letter.
const advice = reckon([['Menu costing workshop, half days', 2, 42500], ['Allergen matrix, revised', 1, 31000], ['Travel', 1, 6840]], 23);
save(
  'pell-and-daughters.docx',
  await letter({
    supplier: 'Pell & Daughters Consulting',
    address: '9 Mercer Walk, Ballinhaven · hello@pell.example',
    title: 'Invoice for advice given in October',
    details: [
      ['Supplier', 'Pell & Daughters Consulting'],
      ['Invoice number', 'PD/26/114'],
      ['Invoice date', '3 November 2026'],
      ['Due date', '17 November 2026'],
      ['Currency', 'EUR'],
      ['IBAN', 'IE42 PELS 9903 4512 3456 78'],
    ],
    head: ['Description', 'Quantity', 'Unit price', 'Amount'],
    lines: advice.lines.map((line) => row(line)),
    totals: [
      ['Net amount', money(advice.net)],
      ['VAT 23%', money(advice.tax)],
      ['Total', money(advice.total)],
    ],
    closing: ['It was a pleasure to cook with your team. Payment within fourteen days, please.', 'Agnes Pell'],
  }),
);

// 6. An order as a shop system exports it.
const order = reckon([['Rapeseed oil, 20 l', 12, 3480], ['Strong white flour, 16 kg', 30, 1495], ['Fine sea salt, 12 kg', 4, 1120], ['Tinned tomatoes, 6 x 2.5 kg', 18, 1765]], 0);
save(
  'order-PO-7781.csv',
  [
    'Order number,PO-7781',
    'Supplier,"Marsh Lane Wholesale, Porthaven"',
    'Order date,2026-11-04',
    'Delivery date,2026-11-09',
    'Currency,GBP',
    `Total,${(order.total / 100).toFixed(2)}`,
    'Deliver to,"14 Fennimore Street, Porthaven PH4 2RT"',
    '',
    'Description,Quantity,Unit price,Amount',
    ...order.lines.map(({ description, quantity, price, amount }) => `"${description}",${quantity},${(price / 100).toFixed(2)},${(amount / 100).toFixed(2)}`),
    '',
  ].join('\r\n'),
);

// 7. A web page, as an online service sends it.
const hosting = reckon([['Booking site, professional plan, November', 1, 7900], ['Table reminders by text message', 1840, 6]], 0);
const cells = (tag, values) => values.map((value, index) => `<${tag}${index > 0 ? ' class="figure"' : ''}>${value}</${tag}>`).join('');
save(
  'glasshouse-bookings.html',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invoice GH-55120 · Glasshouse Bookings</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 44rem; margin: 3rem auto; padding: 0 1.5rem; }
  h1 { color: #047857; font-size: 1.6rem; margin: 0 0 .25rem; }
  .muted { color: #6b7280; margin: 0 0 2rem; }
  table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; }
  th, td { text-align: left; padding: .45rem .6rem; border-bottom: 1px solid #e5e7eb; }
  .figure { text-align: right; }
  .totals p { margin: .15rem 0; text-align: right; }
</style>
</head>
<body>
<h1>Glasshouse Bookings Inc.</h1>
<p class="muted">Thank you, Fennimore Street Kitchens. Your card was charged today; there is nothing left to do.</p>
<p>Supplier: Glasshouse Bookings Inc.</p>
<p>Invoice number: <b>GH-55120</b></p>
<p>Invoice date: November 1, 2026</p>
<p>Currency: USD</p>
<table>
<thead><tr>${cells('th', ['Description', 'Quantity', 'Unit price', 'Amount'])}</tr></thead>
<tbody>
${hosting.lines.map((line) => `<tr>${cells('td', row(line))}</tr>`).join('\n')}
</tbody>
</table>
<div class="totals">
<p>Net amount: $${money(hosting.net)}</p>
<p>Sales tax: $${money(hosting.tax)}</p>
<p><b>Total: $${money(hosting.total)}</b></p>
</div>
<script>window.__page = { "Total": "0.00", "rendered": "2026-11-01T00:00:00Z" };</script>
</body>
</html>
`,
);

// 8. Plain text: the order confirmation of a smallholder who writes no other kind.
save(
  'greenhithe-farm.txt',
  `GREENHITHE FARM
Order confirmation

Hello Sam,

yes, we can do all of it, and the pears are early this year.

Order number: PO-7785
Supplier: Greenhithe Farm
Order date: 5 November 2026
Delivery date: 12 November 2026
Currency: GBP
Total: 412.60
Deliver to: Back door, 14 Fennimore Street, before 7 am

Description                  Quantity   Unit price   Amount
Comice pears, tray                 14         9.80   137.20
Squash, mixed, crate                6        14.50    87.00
Kale, 5 kg sack                     8        11.30    90.40
Eggs, free range, 15 dozen          2        49.00    98.00

See you on Thursday,
Hob and Nan
`,
);

// 9. A file that arrived broken: the transfer stopped half way.
const whole = await invoicePdf({
  
  supplier: 'Quayside Glassware', address: ['Quay 3, Porthaven'], accent: '7C3AED', title: 'Invoice', number: 'QG-771', made: '2026-11-02T10:00:00Z',
  
  billTo: fennimore, columns, details: [['Invoice number', 'QG-771']], lines: [['Tumbler, 48 pieces', '6', '38.40', '230.40']],
  
  totals: [['Total', '230.40']], notes: [], footer: ['Quayside Glassware'],
});
save('quayside-glassware-damaged.pdf', whole.slice(0, Math.floor(whole.length * 0.45)));

// 10. An invoice that was entered in September already: the supplier has sent a second copy.
const dairy = reckon([['Whole milk, 10 l pergal', 46, 1090], ['Double cream, 5 l', 12, 1875], ['Unsalted butter, 40 x 250 g', 4, 8360]], 0);
save(
  'castle-lane-dairy-copy.pdf',
  await invoicePdf({
    supplier: 'Castle Lane Dairy',
    address: ['Castle Lane Farm', 'Upper Marsh PH9 1BB', 'office@castlelane.example'],
    accent: '92400E',
    family: 'serif',
    
    title: 'Invoice (copy)', number: 'CL-8841', made: '2026-11-03T11:20:00Z', billTo: fennimore, columns,
    details: [
      ['Supplier', 'Castle Lane Dairy'],
      ['Invoice number', 'CL-8841'],
      ['Invoice date', '28 September 2026'],
      ['Due date', '28 October 2026'],
      ['Purchase order', 'PO-7702'],
      ['Currency', 'GBP'],
    ],
    lines: dairy.lines.map((line) => row(line)),
    totals: [
      ['Net amount', money(dairy.net)],
      ['VAT 0%', money(dairy.tax)],
      ['Total', money(dairy.total)],
    ],
    notes: ['IBAN: GB53 CSTL 4050 6070 8090 10', 'Second copy, sent on 3 November at your request.'],
    footer: ['Castle Lane Dairy · Food is zero-rated for VAT'],
  }),
);

// 11. German words, figures and dates, in euros.
const boxes = reckon([['Faltkarton 300 x 200 x 150 mm', 1200, 89], ['Versandkarton, zweiwellig', 450, 165], ['Packpapier, Rolle 12 kg', 14, 3490], ['Klebeband, braun, 36 Rollen', 3, 5220]], 19);
save(
  'brandt-verpackungen.pdf',
  await invoicePdf({
    supplier: 'Käthe Brandt Verpackungen',
    address: ['Am Güterbahnhof 12', '99991 Lindenau', 'rechnung@brandt-verpackungen.example'],
    accent: 'B91C1C',
    
    title: 'Rechnung', number: '2026-1187', made: '2026-10-14T06:50:00Z', addressee: 'Rechnung an',
    billTo: ['Fennimore Street Kitchens Ltd', '14 Fennimore Street', 'Porthaven PH4 2RT, Großbritannien'],
    columns: columnsAt(['Beschreibung', 56], ['Menge', 360, 'right'], ['Einzelpreis', 446, 'right'], ['Betrag', 539, 'right']),
    details: [
      ['Lieferant', 'Käthe Brandt Verpackungen'],
      ['Rechnungsnummer', '2026-1187'],
      ['Rechnungsdatum', '14.10.2026'],
      ['Fällig am', '13.11.2026'],
      ['Bestellnummer', 'PO-7719'],
      ['Währung', 'EUR'],
    ],
    lines: boxes.lines.map((line) => row(line, german)),
    totals: [
      ['Nettobetrag', `${money(boxes.net, german)} €`],
      ['MwSt. 19 %', `${money(boxes.tax, german)} €`],
      ['Gesamtbetrag', `${money(boxes.total, german)} €`],
    ],
    notes: ['IBAN: DE98 1000 0000 0532 0130 00', 'Zahlbar innerhalb von 30 Tagen ohne Abzug.'],
    pageOf: (number, count) => `Seite ${number} von ${count}`,
    footer: ['Käthe Brandt Verpackungen · Inhaberin Käthe Brandt · USt-IdNr. DE 000 417 882'],
  }),
);

// 12. and 13. An invoice whose total has two digits the wrong way round; the supplier notices, and sends it again under the same number.
const cheese = reckon([['Mature cheddar, 20 kg block', 4, 16450], ['Blue, half wheel', 6, 4120], ['Goat log, box of 6', 5, 2490]], 20);
const swapped = cheese.total + 1800;
for (const [file, title, made, total, note] of [
  ['marlow-cheese.pdf', 'Invoice', '2026-11-06T10:15:00Z', swapped, 'Payment within 14 days, please.'],
  ['marlow-cheese-again.pdf', 'Invoice', '2026-11-09T08:30:00Z', cheese.total, 'Takes the place of our invoice of the same number, with apologies.'],
]) {
  save(
    file,
    await invoicePdf({
      supplier: 'Marlow Cheese Company',
      address: ['The Old Creamery', 'Marlow Lane, Porthaven PH7 5DT', 'ledger@marlowcheese.example'],
      accent: '7C3AED',
      
      title, number: 'MC-2093', made, billTo: fennimore, columns,
      details: [
        ['Supplier', 'Marlow Cheese Company'],
        ['Invoice number', 'MC-2093'],
        ['Invoice date', '6 November 2026'],
        ['Due date', '20 November 2026'],
        ['Purchase order', 'PO-7752'],
        ['Currency', 'GBP'],
      ],
      lines: cheese.lines.map((line) => row(line)),
      totals: [
        ['Net amount', money(cheese.net)],
        ['VAT 20%', money(cheese.tax)],
        ['Total', money(total)],
      ],
      notes: ['IBAN: GB29 MRLW 5060 7080 9010 20', note],
      footer: ['Marlow Cheese Company · Registered in Porthaven no. 00312207'],
    }),
  );
}

// 14. An XRechnung: an invoice that is XML, and has no page.
const kitchens = { name: fennimore[0], street: fennimore[1], city: 'Porthaven', postCode: 'PH4 2RT', country: 'GB', mail: 'accounts@fennimore.example' };
const gas = reckon([['Gas cylinder 33 kg, exchanged', 6, 8460], ['Regulator, tested and sealed', 2, 3950], ['Delivery to Porthaven', 1, 11500]], 19);
save(
  'lindenau-gas.xml',
  xRechnung({
    number: 'LG-60231', date: '2026-11-05', due: '2026-12-05', order: 'PO-7760', reference: 'Kitchen 14', percent: 19, goods: gas, buyer: kitchens,
    iban: 'DE02120300000000202051',
    seller: {
      name: 'Lindenau Gas GmbH', street: 'Am Hafen 3', city: 'Lindenau', postCode: '99991', country: 'DE', vat: 'DE000417990', mail: 'rechnung@lindenau-gas.example',
      contact: { name: 'Jana Roth', telephone: '+49 500 555014' },
    },
  }),
);

// 15. A Factur-X invoice: people read the account on its page, programs the one in its XML, and these are two.
const spices = reckon([['Black pepper, whole, 5 kg', 4, 7890], ['Bay leaves, 1 kg', 6, 2145], ['Smoked paprika, 2.5 kg', 5, 3320]], 20);
const spicesMade = '2026-11-10T09:00:00Z';
save(
  'maison-verel-epices.pdf',
  await withXml(
    await invoicePdf({
      supplier: 'Maison Verel Épices',
      address: ['4 quai des Négociants', '99720 Port-Verel', 'factures@verel.example'],
      accent: 'B45309',
      
      title: 'Invoice', number: 'MV-4471', made: spicesMade, billTo: fennimore, columns,
      details: [
        ['Supplier', 'Maison Verel Épices'],
        ['Invoice number', 'MV-4471'],
        ['Invoice date', '10 November 2026'],
        ['Due date', '10 December 2026'],
        ['Purchase order', 'PO-7768'],
        ['Currency', 'EUR'],
      ],
      lines: spices.lines.map((line) => row(line)),
      totals: [
        ['Net amount', money(spices.net)],
        ['VAT 20%', money(spices.tax)],
        ['Total', money(spices.total)],
      ],
      notes: ['IBAN: FR14 2004 1010 0505 0001 3M02 606', 'Factur-X: the invoice as XML is attached to this PDF.'],
      footer: ['Maison Verel Épices · TVA FR 00 000 417 226'],
    }),
    facturX({
      number: 'MV-4471', date: '2026-11-10', due: '2026-12-10', order: 'PO-7768', percent: 20, goods: spices, buyer: kitchens,
      iban: 'LT121000011101001000',
      seller: { name: 'Maison Verel Épices', street: '4 quai des Négociants', city: 'Port-Verel', postCode: '99720', country: 'FR', vat: 'FR00000417226' },
    }),
    spicesMade,
  ),
);

// 16. What the scanner made of a day's post: four invoices, one of which lies between the pages of another, two orders and a blank sheet.
const posted = ({ supplier, address, accent, number, date, goods, title = 'Invoice', details = [], notes = [] }) => {
  const sums = reckon(goods, 20);
  return invoicePdf({
    supplier, address, accent, title, number, billTo: fennimore, columns, made: '2026-11-12T08:00:00Z',
    details: [['Supplier', supplier], [`${title === 'Invoice' ? 'Invoice' : 'Order'} number`, number], [`${title === 'Invoice' ? 'Invoice' : 'Order'} date`, date], ...details, ['Currency', 'GBP']],
    lines: sums.lines.map((line) => row(line)),
    totals: [['Net amount', money(sums.net)], ['VAT 20%', money(sums.tax)], ['Total', money(sums.total)]],
    notes,
    footer: [`${supplier} · Porthaven`],
  });
};
const shelf = Array.from({ length: 34 }, (_, index) => [`Preserving jar no. ${index + 1}, case of 12`, 1 + (index % 5), 1140 + index * 35]);
const post = await Promise.all(
  [
    { supplier: 'Saltmarsh Seafood Ltd', address: ['3 Fish Quay, Porthaven PH1 2AB'], accent: '155E75', number: 'SM-6612', date: '9 November 2026', goods: [['Hake fillet, skin on, 5 kg', 6, 8450], ['Brown crab meat, 500 g', 12, 1325]], notes: ['IBAN: GB29 SLTM 6016 1331 9268 19'] },
    { supplier: 'Corran Bakery', address: ['18 Millrace, Porthaven PH3 9LL'], accent: '92400E', title: 'Purchase order', number: 'PO-7790', date: '10 November 2026', details: [['Delivery date', '13 November 2026']], goods: [['Sourdough, 800 g', 40, 310], ['Burger bun, seeded', 240, 42]] },
    { supplier: 'Kilnhouse Preserves', address: ['The Kiln, Old Brickyard, Porthaven PH6 1CD'], accent: '7C2D12', number: 'KP-2291', date: '6 November 2026', goods: shelf, notes: ['IBAN: GB94 KILN 2020 1555 5555 55'] },
    { supplier: 'Harewood Gas Fitters', address: ['Harewood Lane 9, Porthaven PH2 7EF'], accent: '374151', number: '80417', date: '7 November 2026', goods: [['Annual check of six burners', 1, 24000], ['Valve, fitted', 2, 6150]], notes: ['IBAN: GB33 HARE 2020 1555 5555 55'] },
    { supplier: 'Bramble Hill Orchard', address: ['Bramble Hill, Porthaven PH8 4GH'], accent: '166534', number: 'BH/1188', date: '8 November 2026', goods: [['Bramley apples, 10 kg', 14, 1690], ['Apple juice, 3 l', 20, 740]], notes: ['IBAN: GB82 BRAM 1234 5698 7654 32'] },
    { supplier: 'Quarrymill Flour', address: ['Quarrymill, Porthaven PH7 5JK'], accent: '4338CA', title: 'Purchase order', number: 'PO-7791', date: '11 November 2026', details: [['Delivery date', '18 November 2026']], goods: [['Strong white flour, 25 kg', 16, 2180], ['Rye flour, 16 kg', 4, 2015]] },
  ].map(posted),
);
save('post-of-the-day.pdf', await bundlePdf(post, [[0, 1], [1, 1], [2, 1], [3, 1], [2, 2], null, [4, 1], [5, 1]], '2026-11-12T08:20:00Z'));
