import { expect } from 'chai';
import { type Portico, portico, type Schemas } from '../../src/client/portico.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { hybrid } from '../fixtures/e-invoice/hybrid.ts';
import { ublInvoice } from '../fixtures/e-invoice/ubl.ts';
import { bytes } from '../fixtures/text/files.ts';
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
      });
      expect(value?.invoice_number).to.equal('INV-1');
      expect(coverage?.complete).to.equal(true);
    }
    const { einvoice } = await documentOf('note.txt', bytes('Invoice number: INV-1'));
    expect(einvoice).to.equal(null);
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
