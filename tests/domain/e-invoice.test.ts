import { expect } from 'chai';
import { readEInvoiceText } from '../../src/adapters/text/formats/e-invoice.ts';
import { readXml } from '../../src/adapters/text/formats/xml.ts';
import { type EInvoice, nodesOf, readEInvoice } from '../../src/domain/e-invoice/e-invoice.ts';
import { lookUp } from '../../src/domain/e-invoice/on-page.ts';
import { eInvoiceText } from '../../src/domain/e-invoice/text.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { orderX, zugferd1 } from '../fixtures/e-invoice/early.ts';
import { fullCii } from '../fixtures/e-invoice/full-cii.ts';
import { fullUbl } from '../fixtures/e-invoice/full-ubl.ts';
import { ublInvoice } from '../fixtures/e-invoice/ubl.ts';

const read = (xml: string): EInvoice => {
  const invoice = readEInvoice(readXml(xml));
  return invoice ?? expect.fail('it is no e-invoice');
};

describe('e-invoices', () => {
  for (const [syntax, xml] of [
    ['ubl', ublInvoice],
    ['cii', ciiInvoice],
  ] as const) {
    it(`in ${syntax} are read by terms, each with where it stands`, () => {
      const { nodes } = read(xml());
      const texts = (id: string) => nodesOf(nodes, id).map(({ text }) => text);
      expect(texts('BT-1')).to.deep.equal(['INV-1']);
      expect(texts('BT-27')).to.deep.equal(['Brandt Verpackungen GmbH']);
      expect(texts('BT-48')).to.deep.equal(['DE987654321']);
      expect(texts('BT-84')).to.deep.equal(['DE75512108001245126199']);
      expect(texts('BT-92')).to.deep.equal(['10.00']);
      expect(texts('BT-99')).to.deep.equal(['5.00']);
      expect(texts('BT-110')).to.deep.equal(['37.05']);
      expect(texts('BT-131')).to.deep.equal(['100.00', '100.00']);
      expect(texts('BT-130')).to.deep.equal(['C62', 'C62']);
      const [, second] = nodesOf(nodes, 'BT-153');
      expect(second?.xpath).to.equal(
        syntax === 'ubl'
          ? '/Invoice/cac:InvoiceLine[2]/cac:Item[1]/cbc:Name[1]'
          : '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction[1]/ram:IncludedSupplyChainTradeLineItem[2]/ram:SpecifiedTradeProduct[1]/ram:Name[1]',
      );
    });
  }

  it('of ZUGFeRD 1 are read by the same terms, and held to no rules', () => {
    for (const [name, profile] of [
      ['basic', 'basic'],
      ['comfort', 'en16931'],
      ['extended', 'extended'],
    ] as const) {
      const { einvoice } = readEInvoiceText(zugferd1(name));
      expect({ ...einvoice, nodes: undefined }, name).to.deep.equal({
        syntax: 'cii',
        profile,
        specification: `urn:ferd:CrossIndustryDocument:invoice:1p0:${name}`,
        valid: null,
        violations: [],
        nodes: undefined,
      });
      const texts = (id: string) => nodesOf(einvoice?.nodes ?? [], id).map(({ text }) => text);
      for (const [id, expected] of Object.entries({
        'BT-1': ['INV-1'],
        'BT-2': ['20261103'],
        'BT-5': ['EUR'],
        'BT-9': ['20261203'],
        'BT-27': ['Brandt Verpackungen GmbH'],
        'BT-48': ['DE987654321'],
        'BT-72': ['20261101'],
        'BT-84': ['DE75512108001245126199'],
        'BT-110': ['38.00'],
        'BT-112': ['238.00'],
        'BT-119': ['19.00'],
        'BT-129': ['2.0000', '2.0000'],
        'BT-131': ['100.00', '100.00'],
        'BT-146': ['50.0000', '50.0000'],
        'BT-152': ['19.00', '19.00'],
        'BT-153': ['Item 1', 'Item 2'],
      }))
        expect(texts(id), id).to.deep.equal(expected);
      const [, item] = nodesOf(einvoice?.nodes ?? [], 'BT-131');
      expect(item?.xpath).to.equal(
        '/rsm:CrossIndustryDocument/rsm:SpecifiedSupplyChainTradeTransaction[1]/ram:IncludedSupplyChainTradeLineItem[2]/ram:SpecifiedSupplyChainTradeSettlement[1]/ram:SpecifiedTradeSettlementMonetarySummation[1]/ram:LineTotalAmount[1]',
      );
    }
  });

  it('are no orders: one in Order-X is read as the text that it is', () => {
    expect(readEInvoiceText(orderX())).to.deep.equal({ text: orderX(), einvoice: null, attachments: [] });
    expect(() => readEInvoiceText(orderX().replace('<rsm:S', '<!DOCTYPE x><rsm:S'))).to.throw(/document type/);
  });

  it('say of which profile they are', () => {
    for (const [specification, profile] of [
      ['urn:cen.eu:en16931:2017', 'en16931'],
      ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'xrechnung'],
      ['urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0', 'peppol'],
      ['urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'extended'],
      ['urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic', 'basic'],
      ['urn:factur-x.eu:1p0:basicwl', 'basic_wl'],
      ['urn:factur-x.eu:1p0:minimum', 'minimum'],
      ['urn:ferd:CrossIndustryDocument:invoice:1p0:comfort', 'en16931'],
      ['urn:example', 'other'],
    ] as const)
      expect(read(ublInvoice(specification)).profile, specification).to.equal(profile);
  });

  it('are printed with the names of their terms', () => {
    const text = eInvoiceText(read(ublInvoice()));
    expect(text).to.match(/^Invoice number: INV-1\nInvoice issue date: 2026-11-03\n/);
    expect(text).to.include('\nSeller\n  Seller name: Brandt Verpackungen GmbH\n');
    expect(text).to.match(/\n {4}Item name: Item 2$/);
  });

  it('are printed with what is no term of the standard, and with the currency of an amount in another one', () => {
    const beside = (xml: string) => eInvoiceText(read(xml)).split('Not terms of EN 16931-1\n')[1]?.split('\n') ?? [];
    for (const xml of [fullUbl('Invoice'), fullUbl('CreditNote', { payment: 'debit' }), fullCii(), ciiInvoice()])
      expect(beside(xml)).to.deep.equal([]);
    const withheld =
      '<cac:WithholdingTaxTotal><cbc:TaxAmount currencyID="EUR">15.00</cbc:TaxAmount></cac:WithholdingTaxTotal>';
    const parts = `<cac:SubInvoiceLine><cbc:ID>1.1</cbc:ID><cbc:LineExtensionAmount currencyID="EUR">60.00</cbc:LineExtensionAmount></cac:SubInvoiceLine>`;
    const ubl = ublInvoice()
      .replace('<cac:LegalMonetaryTotal>', `${withheld}$&`)
      .replace('</cac:InvoiceLine>', `${parts}$&`)
      .replace(/<cbc:PayableAmount currencyID="EUR"/, '<cbc:PayableAmount currencyID="USD"');
    expect(beside(ubl)).to.deep.equal([
      '  WithholdingTaxTotal/TaxAmount: 15.00 (EUR)',
      '  LegalMonetaryTotal/PayableAmount: 232.05 (USD)',
      '  InvoiceLine[1]/SubInvoiceLine/ID: 1.1',
      '  InvoiceLine[1]/SubInvoiceLine/LineExtensionAmount: 60.00 (EUR)',
    ]);
    const service = `<ram:SpecifiedLogisticsServiceCharge><ram:Description>Freight</ram:Description><ram:AppliedAmount>9.00</ram:AppliedAmount></ram:SpecifiedLogisticsServiceCharge>`;
    const test = `<ram:TestIndicator><udt:Indicator>true</udt:Indicator></ram:TestIndicator>`;
    const cii = ciiInvoice()
      .replace('<ram:SpecifiedTradePaymentTerms>', `${service}$&`)
      .replace('<rsm:ExchangedDocumentContext>', `$&${test}`);
    expect(beside(cii)).to.deep.equal([
      '  ExchangedDocumentContext/TestIndicator/Indicator: true',
      '  SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedLogisticsServiceCharge/Description: Freight',
      '  SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedLogisticsServiceCharge/AppliedAmount: 9.00',
    ]);
  });

  it('have allowances and charges also where XML writes false and true as digits', () => {
    for (const xml of [ublInvoice(), ciiInvoice()]) {
      const digits = xml.replaceAll(
        /(Indicator>)(true|false)(?=<)/g,
        (_, tag, word) => tag + (word === 'true' ? '1' : '0'),
      );
      expect(digits).to.not.equal(xml);
      expect(nodesOf(read(digits).nodes, 'BT-92').map(({ text }) => text)).to.deep.equal(['10.00']);
      expect(nodesOf(read(digits).nodes, 'BT-99').map(({ text }) => text)).to.deep.equal(['5.00']);
      expect(eInvoiceText(read(digits))).to.equal(eInvoiceText(read(xml)));
    }
  });

  it('are refused with a document type, and where they are no XML', () => {
    const bomb = ublInvoice().replace('<Invoice', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Invoice');
    expect(() => readXml(bomb)).to.throw(/document type/);
    expect(() => readXml('<a><b></a>')).to.throw(/well-formed/);
    expect(() => readXml('<a>&unknown;</a>')).to.throw(/well-formed/);
    expect(() => readXml(`${'<a>'.repeat(200)}${'</a>'.repeat(200)}`)).to.throw(/too many/);
    expect(readEInvoice(readXml('<Invoice><ID>1</ID></Invoice>'))).to.equal(null);
  });

  it('are looked up on pages that look like what is sought for long, without a try of each division', () => {
    const { nodes } = read(ciiInvoice());
    const shownOn = (...lines: readonly string[]) => {
      const looking = lookUp(nodes, [{ page: 1, text: lines.join('\n') }]);
      for (let step = looking.next(); ; step = looking.next())
        if (step.done === true) return new Map(step.value.map(({ term, shown }) => [term, shown?.text]));
    };
    const shown = shownOn(
      `AB12${'X'.repeat(40)} `.repeat(5_000),
      `Total${' '.repeat(5_000)}x`,
      'a'.repeat(100_000),
      '1 '.repeat(100_000),
      'IBAN DE75 5121 0800 1245 1261 99 of the bank',
      'Total: EUR - 1 232,05 EUR',
    );
    expect(shown.get('BT-84')).to.equal('DE75 5121 0800 1245 1261 99');
    expect(shown.get('BT-112')).to.equal('- 1 232,05');
    expect(shownOn('Account AB12 345', 'Account AB12 34').get('BT-84')).to.equal('AB12 345');
  });
});
