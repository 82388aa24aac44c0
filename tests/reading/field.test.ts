import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Portico, portico } from '../../src/client/portico.ts';
import { type FieldFile, generatedFiles } from '../fixtures/text/field.ts';
import { printed } from '../support/program.ts';
import { aServer, type Server } from '../support/server.ts';

/** Files of the kinds about which people write bug reports, where they lie beside the checkout: each with what a person reads in it. */
const FOLDER = path.resolve(import.meta.dirname, '../../../shared/field');

/** Kinds that are not read as a person reads them yet, by the beginnings of their names. A kind that is read must leave this list. */
const notYet: readonly string[] = [];

/** Where the words of a file are a remark, or another way of writing is as good. */
const read: Readonly<Record<string, object>> = {
  '12d-content-controls.docx': { approved: '[x]' },
  '12e-footnote-hidden-fields.docx': { invoice_number: 'FN-7', reason: 'hidden_text' },
  '15r-hebrew.pdf': { customer: 'מאפיית רחוב האלון', total: 84 },
  '15e-xfa.pdf': { error: 'XFA' },
  '15a-acroform.pdf': { payment_method: 'Card', approved: '[x]' },
  '05-formula-no-cache.xlsx': { reason: 'unread_content' },
  '19-twelve-thousand-rows.csv': { lines: Array.from({ length: 12_000 }, () => ({ quantity: 2, amount: 7 })) },
  '17-excel-formats.xlsx': {
    Area: '45000.00 m²',
    Debt: '-45,000.00',
    Kronor: '45,000.00 kr',
    'Letter d': '45000d',
    'Year only': '2026',
    Leap: '1900-02-29',
    Frac: '1/2',
    Big: '1234567890123456800',
    Minute: '30:00',
    Thousands: '1,235k',
  },
};

const filesOf = (folder: string): readonly FieldFile[] =>
  readdirSync(folder)
    .filter((name) => !/\.(?:json|md)$/.test(name))
    .map((name) => {
      const words = JSON.parse(readFileSync(path.join(folder, name.replace(/\.\w+$/, '.json')), 'utf8')) as object;
      const wanted = ['05-formula-no-cache.xlsx', '15e-xfa.pdf', '15r-hebrew.pdf'].includes(name) ? {} : words;
      const expected = Object.fromEntries(
        Object.entries({ ...wanted, ...read[name] }).filter(([key]) => !/^(?:note|or$)/.test(key)),
      );
      return { name, data: new Uint8Array(readFileSync(path.join(folder, name))), expected };
    });

const files = [...generatedFiles(), ...(existsSync(FOLDER) ? filesOf(FOLDER) : [])];

const LINE = ['article', 'description', 'quantity', 'unit_price', 'amount'];
const numbers = new Set(['total', 'quantity', 'unit_price', 'amount']);
/** What the labels are in a document whose language the offline model does not know. */
const titles: Readonly<Record<string, string>> = { customer: 'לקוח', total: 'סה"כ' };
const typeOf = (name: string) => ({
  type: [numbers.has(name) ? 'number' : 'string', 'null'],
  title: titles[name] ?? name,
});
const names = [...new Set(files.flatMap(({ expected }) => Object.keys(expected)))].filter(
  (name) => !['lines', 'reason', 'error'].includes(name),
);
const schema = {
  type: 'object',
  properties: {
    ...Object.fromEntries(names.map((name) => [name, typeOf(name)])),
    lines: {
      type: 'array',
      items: { type: 'object', properties: Object.fromEntries(LINE.map((name) => [name, typeOf(name)])) },
    },
  },
};

describe('files from the field, in real runs', () => {
  let server: Server;
  let client: Portico;
  let agentId: string;
  before(async () => {
    const agents = [
      {
        name: 'Reader',
        workflow_type: 'document_extraction',
        model: 'offline',
        instructions: 'Read.',
        document_schema: schema,
        review: 'when_flagged',
      },
    ];
    const users = [{ email: 'rea@example.com', name: 'Rea', role: 'admin' }];
    // A file of many values keeps a busy machine longer than the short lease of the tests.
    server = await aServer({ env: { RUN_LEASE_SECONDS: '15' } });
    await server.start();
    const applied = await server.command(
      ['apply', '-f', '-'],
      {},
      JSON.stringify({ workspace: 'field', users, agents }),
    );
    expect(applied.code, applied.stderr).to.equal(0);
    const made = await server.command(['keys', 'create', '--user', 'rea@example.com', '--json']);
    const { key } = printed<{ readonly key: string }>(made);
    client = portico({ baseUrl: server.baseUrl, apiKey: key });
    agentId = (await client.get('/api/v1/agents')).agents[0]?.id ?? '';
  });
  after(() => server.close());

  const runOf = async ({ name, data }: FieldFile) => {
    const files = await client.upload(agentId, [{ name, content: new Blob([data as Uint8Array<ArrayBuffer>]) }]);
    const { id } = await client.post('/api/v1/agents/{agent_id}/run', {
      params: { path: { agent_id: agentId } },
      body: { files },
    });
    return client.waitForRun(id, { waitSeconds: 60 });
  };

  const documentOf = async (file: FieldFile) => {
    const { status, documents = [], error } = await runOf(file);
    const [made] = documents;
    if (status !== 'completed' || made === undefined) throw new Error(`the run is ${status}: ${JSON.stringify(error)}`);
    return client.get('/api/v1/documents/{id}', { params: { path: { id: made.id } } });
  };

  const expectRefused = async (file: FieldFile, why: string) => {
    const { status, error } = await runOf(file);
    expect(status).to.equal('failed');
    expect(error).to.contain(why);
  };

  const expectReadAsByAPerson = async (file: FieldFile) => {
    if (typeof file.expected.error === 'string') return expectRefused(file, file.expected.error);
    const { document_data: data, review, coverage } = await documentOf(file);
    const { lines, reason, ...expected } = file.expected;
    const seen = JSON.stringify({ data, review, coverage }).slice(0, 4000);
    for (const [key, value] of Object.entries(expected)) {
      const found = (data as Readonly<Record<string, unknown>>)[key];
      // White space is as the file has it.
      expect(typeof found === 'string' ? found.replace(/\s/g, ' ') : found, `${key} of ${seen}`).to.equal(value);
    }
    if (lines !== undefined) {
      const found = (data as { readonly lines: readonly object[] }).lines;
      expect(found, seen).to.have.length(lines.length);
      for (const [index, line] of lines.entries()) expect(found[index], seen).to.include(line);
    }
    if (reason !== undefined)
      expect(
        review.reasons.map(({ code }) => code),
        seen,
      ).to.include(reason);
  };

  for (const file of files) {
    if (notYet.some((start) => file.name.startsWith(start)))
      it(`does not read ${file.name} yet`, async () => {
        const outcome = await expectReadAsByAPerson(file).then(() => 'read', String);
        expect(outcome, 'take it off the list').not.to.equal('read');
      });
    else it(`reads ${file.name} as a person does`, () => expectReadAsByAPerson(file));
  }
});
