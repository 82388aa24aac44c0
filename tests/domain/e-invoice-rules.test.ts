import { expect } from 'chai';
import { readXml } from '../../src/adapters/text/formats/xml.ts';
import { type EInvoice, readEInvoice } from '../../src/domain/e-invoice/e-invoice.ts';
import { violationsOf } from '../../src/domain/e-invoice/violations.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { tax, ublInvoice } from '../fixtures/e-invoice/ubl.ts';

const XRECHNUNG = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
const PEPPOL = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0';

const read = (xml: string): EInvoice => {
  const invoice = readEInvoice(readXml(xml));
  return invoice ?? expect.fail('it is no e-invoice');
};

const brokenBy = (xml: string): readonly string[] => [...new Set(violationsOf(read(xml)).map(({ rule }) => rule))];

/** Takes these pieces of a text out or puts others in their place, and fails where one is not there. */
const without = (xml: string, ...changes: readonly (string | readonly [string, string])[]): string =>
  changes.reduce<string>((text, change) => {
    const [from, to] = typeof change === 'string' ? [change, ''] : change;
    expect(text).to.include(from);
    return text.replace(from, () => to);
  }, xml);

type Change = string | readonly [string, string];

const amount = (name: string, value: string) => `<cbc:${name} currencyID="EUR">${value}</cbc:${name}>`;

/** What breaks one rule of EN 16931-1 in `ublInvoice`, and no other. */
const broken: readonly (readonly [string, ...(readonly Change[])])[] = [
  ['BR-02', '<cbc:ID>INV-1</cbc:ID>'],
  ['BR-03', '<cbc:IssueDate>2026-11-03</cbc:IssueDate>'],
  ['BR-04', '<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>'],
  ['BR-06', '<cbc:RegistrationName>Brandt Verpackungen GmbH</cbc:RegistrationName>'],
  ['BR-07', '<cbc:RegistrationName>Harbour Row Ltd</cbc:RegistrationName>'],
  ['BR-09', '<cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country>'],
  ['BR-21', '<cbc:ID>1</cbc:ID>'],
  ['BR-22', ['<cbc:InvoicedQuantity unitCode="C62">2<', '<cbc:InvoicedQuantity unitCode="C62"><']],
  ['BR-23', [' unitCode="C62">2<', '>2<']],
  ['BR-25', '<cbc:Name>Item 1</cbc:Name>'],
  ['BR-26', amount('PriceAmount', '50.00')],
  ['BR-27', ['>50.00<', '>-50.00<']],
  ['BR-29', ['2026-10-31', '2026-09-30']],
  ['BR-50', '<cbc:ID>DE75512108001245126199</cbc:ID>', ['>58<', '>49<']],
  ['BR-53', ['<cbc:BuyerReference>', '<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode><cbc:BuyerReference>']],
  ['BR-62', [' schemeID="EM">billing', '>billing']],
  ['BR-63', [' schemeID="EM">invoices', '>invoices']],
  ['BR-CO-09', ['DE123456789', '123456789']],
  [
    'BR-CO-10',
    ['>200.00<', '>201.00<'],
    ['>195.00</cbc:TaxExclusive', '>196.00</cbc:TaxExclusive'],
    ['>232.05</cbc:TaxInc', '>233.05</cbc:TaxInc'],
    ['>232.05</cbc:Pay', '>233.05</cbc:Pay'],
  ],
  [
    'BR-CO-11',
    ['>10.00</cbc:AllowanceTotal', '>11.00</cbc:AllowanceTotal'],
    ['>195.00</cbc:TaxExclusive', '>194.00</cbc:TaxExclusive'],
    ['>232.05</cbc:TaxInc', '>231.05</cbc:TaxInc'],
    ['>232.05</cbc:Pay', '>231.05</cbc:Pay'],
  ],
  [
    'BR-CO-12',
    ['>5.00</cbc:ChargeTotal', '>6.00</cbc:ChargeTotal'],
    ['>195.00</cbc:TaxExclusive', '>196.00</cbc:TaxExclusive'],
    ['>232.05</cbc:TaxInc', '>233.05</cbc:TaxInc'],
    ['>232.05</cbc:Pay', '>233.05</cbc:Pay'],
  ],
  [
    'BR-CO-13',
    ['>195.00</cbc:TaxExclusive', '>196.00</cbc:TaxExclusive'],
    ['>232.05</cbc:TaxInc', '>233.05</cbc:TaxInc'],
    ['>232.05</cbc:Pay', '>233.05</cbc:Pay'],
  ],
  [
    'BR-CO-14',
    ['<cbc:TaxAmount currencyID="EUR">37.05', '<cbc:TaxAmount currencyID="EUR">37.15'],
    ['>232.05</cbc:TaxInc', '>232.15</cbc:TaxInc'],
    ['>232.05</cbc:Pay', '>232.15</cbc:Pay'],
  ],
  ['BR-CO-15', ['>232.05</cbc:TaxInc', '>232.15</cbc:TaxInc'], ['>232.05</cbc:Pay', '>232.15</cbc:Pay']],
  ['BR-CO-16', ['>232.05</cbc:Pay', '>232.15</cbc:Pay']],
  ['BR-CO-25', '<cbc:DueDate>2026-12-03</cbc:DueDate>'],
  ['BR-DEC-12', ['>195.00</cbc:TaxExclusive', '>195.001</cbc:TaxExclusive']],
  ['BR-DEC-18', ['>232.05</cbc:Pay', '>232.050</cbc:Pay']],
  ['BR-DEC-23', ['>100.00<', '>100.000<']],
  [
    'BR-S-10',
    [
      `${tax('S', '19')}</cac:TaxCategory></cac:TaxSubtotal>`,
      `${tax('S', '19', '<cbc:TaxExemptionReason>No</cbc:TaxExemptionReason>')}</cac:TaxCategory></cac:TaxSubtotal>`,
    ],
  ],
];

describe('the rules of e-invoices', () => {
  for (const [syntax, xml] of [
    ['ubl', ublInvoice],
    ['cii', ciiInvoice],
  ] as const) {
    it(`in ${syntax} keep every rule of the standard, of XRechnung and of Peppol`, () => {
      for (const [specification, profile] of [
        ['urn:cen.eu:en16931:2017', 'en16931'],
        [XRECHNUNG, 'xrechnung'],
        [PEPPOL, 'peppol'],
        ['urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'extended'],
        ['urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic', 'basic'],
      ] as const) {
        const invoice = read(xml(specification));
        expect([invoice.syntax, invoice.profile, invoice.kind]).to.deep.equal([syntax, profile, 'invoice']);
        expect(violationsOf(invoice), specification).to.deep.equal([]);
      }
    });
  }

  it('say which rule is broken, and no other', () => {
    for (const [rule, ...changes] of broken) {
      expect(brokenBy(without(ublInvoice(), ...changes)), rule).to.deep.equal([rule]);
    }
  });

  it('say which rule of XRechnung is broken, and no other', () => {
    for (const [rule, ...changes] of [
      ['BR-DE-2', /<cac:Contact>.*<\/cac:Contact>/],
      ['BR-DE-6', '<cbc:Telephone>+49 30 123456</cbc:Telephone>'],
      ['BR-DE-15', '<cbc:BuyerReference>04011000-12345-03</cbc:BuyerReference>'],
      ['BR-DE-19', ['DE75512108001245126199', 'DE75512108001245126198']],
      ['BR-DE-27', ['+49 30 123456', 'none']],
      ['BR-DE-28', ['ada@brandt.example', 'ada']],
      [
        'BR-DE-23-b',
        [
          '</cac:PaymentMeans>',
          '<cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID></cac:CardAccount></cac:PaymentMeans>',
        ],
      ],
    ] as const) {
      const xml = changes.reduce<string>(
        (text, change) => (change instanceof RegExp ? text.replace(change, '') : without(text, change)),
        ublInvoice(XRECHNUNG),
      );
      expect(brokenBy(xml), rule).to.deep.equal([rule]);
    }
  });

  it('say which rule of Peppol is broken, and no other', () => {
    for (const [rule, ...changes] of [
      ['001', '<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>'],
      ['002', ['<cbc:Note>Thank you.</cbc:Note>', '<cbc:Note>Thank you.</cbc:Note><cbc:Note>Bye.</cbc:Note>']],
      ['003', '<cbc:BuyerReference>04011000-12345-03</cbc:BuyerReference>'],
      ['007', ['billing:01:1.0</cbc:ProfileID>', 'billing:1</cbc:ProfileID>']],
      ['010', '<cbc:EndpointID schemeID="EM">invoices@harbour.example</cbc:EndpointID>'],
      ['020', '<cbc:EndpointID schemeID="EM">billing@brandt.example</cbc:EndpointID>'],
      ['051', ['<cbc:PriceAmount currencyID="EUR">', '<cbc:PriceAmount currencyID="USD">']],
      ['120', ['>50.00<', '>51.00<']],
      ['008', ['</cac:LegalMonetaryTotal>', '</cac:LegalMonetaryTotal><cac:Signature/>']],
    ] as const)
      expect(brokenBy(without(ublInvoice(PEPPOL), ...changes)), rule).to.deep.equal([`PEPPOL-EN16931-R${rule}`]);
  });

  it('of VAT categories without tax need a reason, the right parties and no tax', () => {
    const exempt = (code: string, reason: string, rate: string | null = '0') =>
      ublInvoice()
        .replaceAll(tax('S', '19'), tax(code, rate))
        .replace(
          `<cac:TaxCategory>${tax(code, rate)}</cac:TaxCategory></cac:TaxSubtotal>`,
          `<cac:TaxCategory>${tax(code, rate, reason)}</cac:TaxCategory></cac:TaxSubtotal>`,
        )
        .replaceAll('>37.05<', '>0.00<')
        .replaceAll('>232.05<', '>195.00<');
    const reason = '<cbc:TaxExemptionReason>Exempt</cbc:TaxExemptionReason>';
    expect(brokenBy(exempt('E', reason))).to.deep.equal([]);
    expect(brokenBy(exempt('E', ''))).to.deep.equal(['BR-E-10']);
    expect(brokenBy(exempt('Z', ''))).to.deep.equal([]);
    expect(brokenBy(exempt('Z', reason))).to.deep.equal(['BR-Z-10']);
    expect(brokenBy(exempt('AE', reason))).to.deep.equal([]);
    expect(brokenBy(exempt('K', reason))).to.deep.equal(['BR-IC-12']);
    expect(brokenBy(exempt('G', reason))).to.deep.equal([]);
    expect(brokenBy(exempt('O', reason, null))).to.deep.equal(['BR-O-02', 'BR-O-03', 'BR-O-04']);
    expect(brokenBy(exempt('E', reason).replace('>0.00</cbc:TaxAmount>\n', '>1.00</cbc:TaxAmount>\n'))).to.include(
      'BR-CO-14',
    );
  });

  it('of profiles with few terms are held by the rules over these terms alone', () => {
    const minimum = 'urn:factur-x.eu:1p0:minimum';
    const xml = ciiInvoice(minimum, '');
    expect(read(xml).profile).to.equal('minimum');
    expect(brokenBy(xml)).to.deep.equal([]);
    expect(brokenBy(xml.replace('>232.05</ram:GrandTotal', '>232.06</ram:GrandTotal'))).to.deep.equal(['BR-CO-15']);
    const basic = ciiInvoice('urn:factur-x.eu:1p0:basicwl', '');
    expect(brokenBy(basic)).to.deep.equal([]);
    expect(brokenBy(basic.replace('>37.05</ram:Calc', '>39.05</ram:Calc'))).to.deep.equal([
      'BR-CO-14',
      'BR-CO-17',
      'BR-S-09',
    ]);
    expect(brokenBy(ciiInvoice(undefined, ''))).to.include('BR-16');
  });
});
