/** English, and what German and French papers commonly say, without accents and in lower case. */
const alike = `
number: no nr num nummer numero
amount: amt betrag montant
quantity: qty quantities menge anzahl pcs units quantite
tax: vat gst mwst ust umsatzsteuer tva taxes
supplier: vendor seller lieferant fournisseur
customer: buyer client purchaser kunde
invoice: rechnung facture inv
date: datum dated day
total: sum summe totals
description: desc bezeichnung beschreibung details particulars
item: article product artikel service position
price: preis cost rate prix
currency: ccy wahrung devise
reference: ref referenz
phone: tel telephone mobile telefon
email: mail
sender: from
recipient: to
subject: subj re betreff
address: addr adresse anschrift
shipping: freight postage versand
id: identifier ident
code: sku
`;

const list = (text: string): readonly (readonly [string, string])[] =>
  text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [word = '', others = ''] = line.split(': ');
      return others.split(' ').map((other) => [other, word] as const);
    });

/** A word → the one that stands for it. */
export const synonyms: ReadonlyMap<string, string> = new Map(list(alike));

/** Words that name nearly the same thing. */
export const near: readonly (readonly [string, string])[] = list(`
unitprice: price
amount: total
description: item
description: name
item: name
id: number
reference: number
code: number
code: id
item: code
`);

/** Several words that mean one; replaced in this order. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bmw st\b/g, 'tax'],
  [/\b(e mail|email)( address)?\b/g, 'email'],
  [
    /\b(vat|tax|ust|gst)( reg| registration| ident| identification)?( id| no| nr| number| idnr| idnummer)+\b|\bustidnr\b|\bvatin\b/g,
    'taxid',
  ],
  [
    /\bpayment due( date)?\b|\b(due|payment) date\b|\bdate due\b|\b(due|payable|pay) (on|by)\b|\bzahlbar bis\b|\bfallig( am)?\b|\bfalligkeitsdatum\b/g,
    'duedate',
  ],
  [/^due$/g, 'duedate'],
  [
    /\b(net|nett) (amount|total|sum|value)\b|\b(total|amount) net\b|\bsub ?total\b|\bnettobetrag\b|\bzwischensumme\b|\bsous total\b/g,
    'subtotal',
  ],
  [
    /\b(grand|gross|invoice|final) (total|amount|sum)\b|\b(amount|balance|total|sum)( amount)? (due|payable|to pay|gross)\b|\btotal (amount|price|sum|value)\b/g,
    'total',
  ],
  [/\b(gesamtbetrag|rechnungsbetrag|endbetrag|gesamtsumme|gesamt|bruttobetrag|montant total)\b/g, 'total'],
  [/\bunit (price|cost|rate)\b|\bprice (per|each) ?(unit)?\b|\beinzelpreis\b|\bstuckpreis\b|\bprix unitaire\b/g, 'unitprice'],
  [/\bpurchase order\b|\bp o\b|\bpo\b|\bbestellung\b/g, 'order'],
  [/\bbestellnummer\b/g, 'order number'],
  [/\b(bill|billed|sold|invoice|invoiced) to\b/g, 'customer'],
  [/\b(sold|supplied|issued) by\b|\b(bill|invoice) from\b/g, 'supplier'],
  [/\b(post|zip|postal) ?code\b|\bzip\b|\bplz\b/g, 'postcode'],
  [/\bdate of issue\b|\bissue date\b|\bissued( on)?\b/g, 'date'],
  [/\bdate of birth\b|\bbirth date\b|\bbirthday\b|\bgeburtsdatum\b/g, 'birthdate'],
  [/\b(rechnungsnummer|rechnungsnr|rechnungs nr|rechnung nr)\b/g, 'invoice number'],
  [/\brechnungsdatum\b/g, 'invoice date'],
  [/\bkundennummer\b/g, 'customer number'],
];

/** They say nothing about what is meant. */
export const fillers = new Set('the of a an in for your our and is incl including please line der die das'.split(' '));

/** Words that change what a label means: one side must not have them alone. */
export const qualifiers = new Set(
  (
    'duedate subtotal tax taxid shipping delivery discount paid unitprice customer order phone email bank ' +
    'iban bic birthdate previous contract account start end deposit postcode city country sender recipient ' +
    'page net gross first last min max percent terms method status fee currency unit ' +
    'weight'
  ).split(' '),
);
