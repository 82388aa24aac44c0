import { expect } from 'chai';
import { implausibleValues } from '../../src/domain/implausible-values.ts';
import { drained } from '../support/generators.ts';

const schema = {
  type: 'object',
  title: 'Invoice',
  properties: {
    supplier: { type: ['string', 'null'], title: 'Supplier name' },
    invoice_number: { type: 'string', title: 'Invoice No.' },
    parties: { anyOf: [{ type: 'null' }, { properties: { vat_id: { title: 'VAT ID:' } } }] },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
  },
  $defs: { line: { type: 'object', properties: { article: { type: 'string' }, note: { title: 'Remark' } } } },
} as const;

const of = (data: object, evidence: Readonly<Record<string, { support: string; quote: string }>> = {}) =>
  drained(implausibleValues({ data: data as Parameters<typeof implausibleValues>[0]['data'], schema, evidence }));

describe('values that are no values', () => {
  it('are the name or the title of another field, whatever their case, spaces and colon', () => {
    for (const supplier of [
      'invoice_number',
      'Invoice No.',
      'INVOICE  NO. :',
      'invoiceno.',
      'Vat Id',
      'Article',
      'Remark:',
    ])
      expect(of({ supplier }), supplier).to.deep.equal(['/supplier']);
    expect(of({ parties: { vat_id: 'Lines' }, lines: [{ article: 'A-1' }, { article: 'remark' }] })).to.deep.equal([
      '/parties/vat_id',
      '/lines/1/article',
    ]);
  });

  it('are not their own names, the title of the whole, parts of texts, numbers, and what a person entered', () => {
    expect(of({ supplier: 'Supplier name', lines: [{ note: 'Note' }, { note: 'Remark' }] })).to.deep.equal([]);
    expect(of({ supplier: 'Invoice' })).to.deep.equal([]);
    expect(of({ supplier: 'Invoice No. 7', invoice_number: 7 })).to.deep.equal([]);
    expect(of({ supplier: 'Article' }, { '/supplier': { support: 'person', quote: '' } })).to.deep.equal([]);
  });

  it('are labels that stand beside another value on the page, and no words of it', () => {
    const beside = { '/invoice_number': { support: 'exact', quote: 'Rechnungsnummer: R-7 Bestell-Datum： 3.11.2026' } };
    for (const supplier of ['Rechnungsnummer', 'rechnungs nummer:', 'R- Bestell-Datum', 'Bestell-Datum'])
      expect(of({ supplier, invoice_number: 'R-7' }, beside), supplier).to.deep.equal(
        supplier.startsWith('R-') ? [] : ['/supplier'],
      );
    expect(of({ supplier: 'R-7', invoice_number: 'R-7' }, beside)).to.deep.equal([]);
  });

  it('are found in a schema that contains itself', () => {
    const node = { properties: { name: {}, child: { $ref: '#' } } };
    expect(drained(implausibleValues({ data: { name: 'Child' }, schema: node, evidence: {} }))).to.deep.equal([
      '/name',
    ]);
  });
});
