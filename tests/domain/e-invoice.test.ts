import { expect } from 'chai';
import { readXml } from '../../src/adapters/text/formats/xml.ts';
import { type EInvoice, eInvoiceText, nodesOf, readEInvoice } from '../../src/domain/e-invoice/e-invoice.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
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

  it('are refused with a document type, and where they are no XML', () => {
    const bomb = ublInvoice().replace('<Invoice', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Invoice');
    expect(() => readXml(bomb)).to.throw(/document type/);
    expect(() => readXml('<a><b></a>')).to.throw(/well-formed/);
    expect(() => readXml('<a>&unknown;</a>')).to.throw(/well-formed/);
    expect(() => readXml(`${'<a>'.repeat(200)}${'</a>'.repeat(200)}`)).to.throw(/too many/);
    expect(readEInvoice(readXml('<Invoice><ID>1</ID></Invoice>'))).to.equal(null);
  });
});
