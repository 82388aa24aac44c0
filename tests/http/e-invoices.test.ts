import { expect } from 'chai';
import { type Portico, portico, type Schemas } from '../../src/client/portico.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { orderX, zugferd1 } from '../fixtures/e-invoice/early.ts';
import { hybrid, shownLines } from '../fixtures/e-invoice/hybrid.ts';
import { ublInvoice } from '../fixtures/e-invoice/ubl.ts';
import { bytes, email } from '../fixtures/text/files.ts';
import { aPlace, serveHere } from '../support/here.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read the invoice.
    review: when_flagged
    document_schema:
      type: object
      properties: { invoice_number: { type: [string, 'null'] } }
  - name: Mapper
    workflow_type: document_extraction
    model: offline
    instructions: Read the invoice.
    review: when_flagged
    einvoice: { map: { /number: BT-1, /seller/name: BT-27, /due: BT-9, /rows: BG-25, /rows/*/item: BT-153, /rows/*/amount: BT-131 } }
    document_schema:
      type: object
      properties:
        number: { type: string }
        seller: { type: object, properties: { name: { type: string }, vat_identifier: { type: [string, 'null'] } } }
        due: { type: string, format: date }
        rows: { type: array, items: { $ref: '#/$defs/row' } }
        remark: { type: [string, 'null'] }
      required: [number, seller, rows]
      additionalProperties: false
      $defs:
        row: { type: object, properties: { item: { type: string }, amount: { type: number } }, required: [item, amount] }
  - name: Usual
    workflow_type: document_extraction
    model: offline
    instructions: Read the invoice.
    review: when_flagged
    document_schema: &usual
      type: object
      properties:
        invoice_number: { type: string }
        invoice_date: { type: string, format: date }
        due_date: { type: [string, 'null'] }
        currency: { type: string }
        supplier: { type: string }
        customer: { type: string }
        po_number: { type: [string, 'null'] }
        net: { type: number }
        vat: { type: number }
        total: { type: number }
        iban: { type: [string, 'null'] }
        lines:
          type: array
          items:
            type: object
            properties: { description: { type: string }, quantity: { type: number }, unit_price: { type: number }, amount: { type: number } }
  - name: Text
    workflow_type: document_extraction
    model: offline
    instructions: Read the invoice.
    einvoice: off
    document_schema: *usual
`;

type Document = Schemas['DocumentDetail'];

describe('e-invoices', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let client: Portico;
  let agentOf: (name: string) => string;
  before(async () => {
    place = await aPlace();
    server = await serveHere(place.settings);
    const find = await server.apply(workspace);
    agentOf = (name) => find('agents', name);
    client = portico({ baseUrl: server.url, apiKey: await server.key('ada@example.com') });
    server.container.get(RunWorker).start();
  });
  after(async () => {
    await server.container.get(RunWorker).stop(1000);
    await server.stop();
    await place.remove();
  });

  const runOf = async (name: string, data: Uint8Array, agent = 'Reader') => {
    const agentId = agentOf(agent);
    const files = await client.upload(agentId, [{ name, content: new Uint8Array(data) }]);
    const { id } = await client.post('/api/v1/agents/{agent_id}/run', {
      params: { path: { agent_id: agentId } },
      body: { files: [...files] },
    });
    return client.waitForRun(id);
  };
  const documentOf = async (name: string, data: Uint8Array, agent?: string): Promise<Document> => {
    const { documents, error } = await runOf(name, data, agent);
    const [document] = documents;
    if (document === undefined) throw new Error(`there is no document: ${error}`);
    return client.get('/api/v1/documents/{id}', { params: { path: { id: document.id } } });
  };
  const reasonsOf = ({ review }: Document) => review.reasons.map(({ code }) => code);

  it('are found by their content, under any name, and in a PDF', async () => {
    const names = {
      'a.xml': bytes(ublInvoice()),
      'a.pdf': bytes(ciiInvoice()),
      'b.pdf': await hybrid({ data: ciiInvoice() }),
    };
    for (const [name, data] of Object.entries(names)) {
      const { einvoice, document_data: value, coverage } = await documentOf(name, data);
      expect(einvoice, name).to.deep.equal({
        syntax: name === 'a.xml' ? 'ubl' : 'cii',
        profile: 'en16931',
        specification: 'urn:cen.eu:en16931:2017',
        valid: true,
        violations: [],
        differences: [],
      });
      expect(value?.invoice_number).to.equal('INV-1');
      expect(coverage?.complete).to.equal(true);
    }
    const { einvoice } = await documentOf('note.txt', bytes('Invoice number: INV-1'));
    expect(einvoice).to.equal(null);
  });

  it('of ZUGFeRD 1 fill fields, in a PDF too, with rules for none; an order in Order-X is read as text', async () => {
    for (const [name, data] of Object.entries({
      'a.xml': bytes(zugferd1()),
      'a.pdf': await hybrid({ data: zugferd1() }),
    })) {
      const { einvoice, document_data: value } = await documentOf(name, data);
      expect({ profile: einvoice?.profile, valid: einvoice?.valid }, name).to.deep.equal({
        profile: 'en16931',
        valid: null,
      });
      expect(value?.invoice_number, name).to.equal('INV-1');
    }
    const order = await documentOf('order.xml', bytes(orderX()));
    expect(order.einvoice).to.equal(null);
    expect(order.coverage?.complete).to.equal(true);
  });

  for (const [syntax, xml, root] of [
    ['ubl', ublInvoice, '/Invoice'],
    ['cii', ciiInvoice, '/rsm:CrossIndustryInvoice'],
  ] as const)
    it(`in ${syntax} fill fields of the usual names without a model`, async () => {
      const run = await runOf('a.xml', bytes(xml()), 'Usual');
      expect(run.usage).to.deep.equal({ input_tokens: 0, output_tokens: 0 });
      const [made] = run.documents;
      const {
        document_data: data,
        evidence,
        coverage,
        review,
      } = await client.get('/api/v1/documents/{id}', {
        params: { path: { id: made?.id ?? '' } },
      });
      expect(data).to.deep.equal({
        invoice_number: 'INV-1',
        invoice_date: '2026-11-03',
        due_date: syntax === 'ubl' ? '2026-12-03' : '20261203',
        currency: 'EUR',
        supplier: 'Brandt Verpackungen GmbH',
        customer: 'Harbour Row Ltd',
        po_number: null,
        net: 195,
        vat: 37.05,
        total: 232.05,
        iban: 'DE75512108001245126199',
        lines: [
          { description: 'Item 1', quantity: 2, unit_price: 50, amount: 100 },
          { description: 'Item 2', quantity: 4, unit_price: 25, amount: 100 },
        ],
      });
      expect(evidence['/total']).to.include({
        source: 'xml',
        quote: '232.05',
        support: 'exact',
        file_name: 'a.xml',
        page: null,
      });
      expect(evidence['/net']).to.include({ quote: '195.00', support: 'normalized' });
      expect(evidence['/lines/1/description']?.xpath).to.match(new RegExp(`^${root}/.*\\[2\\]/`));
      expect(coverage?.complete).to.equal(true);
      expect(review.status).to.equal('not_required');
    });

  it('fill the fields that an agent maps, and the model is asked for the rest', async () => {
    const xml = ublInvoice().replace('<cbc:Note>Thank you.</cbc:Note>', '<cbc:Note>Remark: Fragile</cbc:Note>');
    const { document_data: data, evidence } = await documentOf('a.xml', bytes(xml), 'Mapper');
    expect(data).to.deep.equal({
      number: 'INV-1',
      seller: { name: 'Brandt Verpackungen GmbH', vat_identifier: 'DE123456789' },
      due: '2026-12-03',
      rows: [
        { item: 'Item 1', amount: 100 },
        { item: 'Item 2', amount: 100 },
      ],
      remark: 'Fragile',
    });
    expect(evidence['/seller/name']?.source).to.equal('xml');
    expect(evidence['/remark']?.source).to.equal('text');
  });

  it('are text for an agent that says so', async () => {
    const { einvoice, evidence } = await documentOf('a.xml', bytes(ublInvoice()), 'Text');
    expect(einvoice).to.equal(null);
    expect(evidence['/invoice_number']?.source).to.equal('text');
  });

  it('of a profile without lines are incomplete where the schema wants lines', async () => {
    const document = await documentOf('a.xml', bytes(ciiInvoice('urn:factur-x.eu:1p0:basicwl', '')), 'Usual');
    expect(document.document_data?.lines).to.deep.equal([]);
    expect(reasonsOf(document)).to.deep.equal(['einvoice_incomplete']);
  });

  it('can be downloaded as they came, from their file or from the PDF around them', async () => {
    for (const [name, data] of [
      ['get.xml', bytes(ciiInvoice())],
      ['get.pdf', await hybrid({ 'factur-x.xml': ciiInvoice() })],
      ['get.txt', bytes('Invoice number: INV-1')],
    ] as const) {
      const { id } = await documentOf(name, data);
      const headers = { 'x-api-key': await server.key('ada@example.com') };
      const answer = await fetch(`${server.url}/api/v1/documents/${id}/files/0/einvoice`, { headers });
      if (name === 'get.txt') {
        expect(answer.status).to.equal(404);
        continue;
      }
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'application/xml']);
      expect(answer.headers.get('content-disposition')).to.match(/^attachment/);
      expect(await answer.text()).to.equal(ciiInvoice());
    }
  });

  describe('inside a PDF', () => {
    const made = (xml: string, lines: readonly string[] = shownLines) => hybrid({ 'factur-x.xml': xml }, lines);

    it('show the values of their page, and where', async () => {
      const { einvoice, evidence, review, coverage } = await documentOf('same.pdf', await made(ciiInvoice()), 'Usual');
      expect(einvoice?.differences).to.deep.equal([]);
      expect(review.status).to.equal('not_required');
      expect(coverage?.complete).to.equal(true);
      const { source, xpath, boxes, file_name: name } = evidence['/total'] as Schemas['Evidence'];
      expect([source, name, boxes.length, boxes[0]?.page]).to.deep.equal(['xml', 'factur-x.xml', 1, 1]);
      expect(xpath).to.match(/GrandTotalAmount\[1\]$/);
      expect(evidence['/iban']?.boxes).to.have.length(1);
    });

    const forged: readonly (readonly [term: string, from: string, to: string, shown: string | null])[] = [
      ['/invoice_number', '>INV-1</ram:ID>', '>INV-7</ram:ID>', 'INV-1'],
      ['/invoice_date', '>20261103<', '>20261130<', '3 November 2026'],
      ['/currency', '<ram:InvoiceCurrencyCode>EUR<', '<ram:InvoiceCurrencyCode>CHF<', 'EUR'],
      ['/net', '>195.00</ram:TaxBasisTotalAmount>', '>159.00</ram:TaxBasisTotalAmount>', '195.00'],
      ['/vat', '>37.05</ram:TaxTotalAmount>', '>37.50</ram:TaxTotalAmount>', '37.05'],
      ['/total', '>232.05</ram:GrandTotalAmount>', '>223.05</ram:GrandTotalAmount>', '232.05'],
      ['BT-115', '>232.05</ram:DuePayableAmount>', '>232.50</ram:DuePayableAmount>', '232.05'],
      ['/iban', 'DE75512108001245126199', 'DE02120300000000202051', 'DE75 5121 0800 1245 1261 99'],
    ];
    for (const [pointer, from, to, shown] of forged)
      it(`differ from their page in ${pointer}, and wait for a person`, async () => {
        const xml = ciiInvoice();
        expect(xml).to.include(from);
        const document = await documentOf('forged.pdf', await made(xml.replace(from, to)), 'Usual');
        const [difference, ...others] = document.einvoice?.differences ?? [];
        expect(others).to.deep.equal([]);
        expect([difference?.pointer, difference?.page_value, difference?.page]).to.deep.equal([pointer, shown, 1]);
        expect(difference?.boxes).to.have.length(1);
        expect(to).to.include(difference?.xml);
        expect(reasonsOf(document)).to.include('einvoice_differs');
      });

    it('differ where the page shows a value twice, and changed once', async () => {
      const lines = shownLines.map((line) => line.replace('Total EUR 232.05', 'Total EUR 232.50'));
      const { einvoice } = await documentOf('page.pdf', await made(ciiInvoice(), lines), 'Usual');
      expect(einvoice?.differences.map(({ pointer, page_value: shown }) => [pointer, shown])).to.deep.equal([
        ['/total', '232.50'],
      ]);
    });

    it('differ where the page shows nothing of them, or another one is attached that differs', async () => {
      const { einvoice } = await documentOf('none.pdf', await made(ciiInvoice(), ['See the attachment.']), 'Usual');
      expect(einvoice?.differences).to.have.length(8);
      expect(einvoice?.differences.map(({ page_value: shown, page, boxes }) => [shown, page, boxes])).to.deep.include([
        null,
        null,
        [],
      ]);
      const two = { 'a.xml': ciiInvoice(), 'b.xml': ciiInvoice().replace('INV-1', 'INV-2') };
      const document = await documentOf('two.pdf', await hybrid(two), 'Usual');
      expect(document.document_data?.invoice_number).to.equal('INV-1');
      expect(reasonsOf(document)).to.deep.equal(['einvoice_differs']);
    });
  });

  it('wait for a person where another one came beside them, unless it says the same', async () => {
    const attached = (...invoices: readonly string[]) =>
      email(
        'Our invoices.',
        invoices.map((xml, index) => ({ name: `${index}.xml`, type: 'application/xml', data: bytes(xml) })),
      );
    const two = await documentOf('two.eml', attached(ublInvoice(), ublInvoice().replace('INV-1', 'INV-2')), 'Usual');
    expect(two.document_data?.invoice_number).to.equal('INV-1');
    expect(two.review.reasons.map(({ code, message }) => [code, message])).to.deep.equal([
      ['einvoice_differs', 'The e-invoice two.eml › 1.xml says something else than 0.xml, which was read.'],
    ]);
    const same = await documentOf('same.eml', attached(ublInvoice(), ublInvoice()), 'Usual');
    expect(same.review.status).to.equal('not_required');
  });

  it('that break a rule wait for a person, in the list as well', async () => {
    const wrong = ciiInvoice().replace('>232.05</ram:GrandTotal', '>232.06</ram:GrandTotal');
    const document = await documentOf('wrong.xml', bytes(wrong));
    expect(document.einvoice?.valid).to.equal(false);
    expect(document.einvoice?.violations.map(({ rule }) => rule)).to.include('BR-CO-15');
    expect(reasonsOf(document)).to.include('einvoice_invalid');
    const { documents } = await client.get('/api/v1/documents', { params: { query: { q: 'wrong.xml' } } });
    expect(documents.map(({ einvoice }) => einvoice)).to.deep.equal([document.einvoice]);
  });

  it('with a document type fail their run; in a PDF they are not read, and the page is', async () => {
    const bomb = ublInvoice().replace('<Invoice', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Invoice');
    const run = await runOf('bomb.xml', bytes(bomb));
    expect([run.status, run.error]).to.deep.equal(['failed', run.error]);
    expect(run.error).to.match(/document type/);
    const { einvoice, coverage } = await documentOf('bomb.pdf', await hybrid({ 'factur-x.xml': bomb }));
    expect(einvoice).to.equal(null);
    expect(coverage?.complete).to.equal(false);
    expect(coverage?.unread).to.have.length(1);
    expect(coverage?.unread[0]).to.include({ file_name: 'bomb.pdf › factur-x.xml', page: null });
  });
});
