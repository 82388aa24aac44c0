import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { documentMaker } from './documents-made.ts';

interface Shown {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message: string | null }[];
  readonly review: {
    readonly status: string;
    readonly reasons: readonly { code: string; pointer: string | null; message: string }[];
  };
}

const texts = ['supplier', 'number', 'reference', 'iban', 'currency', 'due'];
const amounts = ['net', 'vat', 'total', 'paid'];
const nothing = Object.fromEntries([...texts, ...amounts].map((name) => [name, null]));
const full = {
  ...Object.fromEntries(texts.map((name) => [name, name])),
  net: 10,
  vat: 2,
  total: 12,
  paid: 0,
  lines: [{ amount: 10 }],
};

const SUM = '{ name: sum, rule: document.net + document.vat == document.total, when: document.net != null }';
const LINES = '{ name: lines, rule: "sum(document.lines.map(l, l.amount)) == document.net" }';

const file = (rules: string) => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        ${texts.map((name) => `${name}: { type: [string, "null"] }`).join('\n        ')}
        ${amounts.map((name) => `${name}: { type: [number, "null"] }`).join('\n        ')}
        lines: { type: array, items: { type: object, properties: { amount: { type: [number, "null"] } } } }
      required: [${[...texts, ...amounts].join(', ')}]
    system_of_record:
      connection: ledger
      entity: public.bills
      columns: { ${[...texts, ...amounts].map((name) => `${name}: /${name}`).join(', ')} }
    review: when_flagged
    ${rules}
`;

describe('a document of which values are missing', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ workspace: file(''), env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    const columns = [...texts.map((name) => `${name} text`), ...amounts.map((name) => `${name} numeric`)];
    await world.query(`create table public.bills (document_id text unique, ${columns.join(', ')})`);
  });
  after(() => world.stop());

  const make = documentMaker(
    () => world,
    () => key,
  );
  const apply = (rules: string) =>
    world.composition.container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(file(rules), { LEDGER_URL: world.databaseUrl }), { dryRun: false, prune: false });
  const call = async (method: string, id: string, path = '', body?: object) => {
    const url = `${world.baseUrl}/api/v1/documents/${id}`;
    const etag = (await fetch(url, { headers: { 'x-api-key': key } })).headers.get('etag') ?? '';
    const headers = { 'x-api-key': key, 'if-match': etag, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, ...((await answer.json()) as { data: Shown; code?: string }) };
  };
  const read = async (id: string) => (await call('GET', id)).data;
  const reasonsOf = async (id: string) => (await read(id)).review.reasons.map(({ code, pointer }) => [code, pointer]);
  const missing = (...names: string[]) => names.map((name) => ['missing_value', `/${name}`]);

  it('waits for a person, though the schema lets each be null and no check has failed', async () => {
    await apply(`checks: [${SUM}]`);
    const id = await make('Reader', { data: { ...nothing, supplier: 'Alder', number: 'A-1', reference: ' \u200b' } });
    const { review, checks } = await read(id);
    expect(checks.map(({ status, message }) => [status, message])).to.deep.equal([['not_applicable', null]]);
    expect(review.status).to.equal('pending');
    expect(await reasonsOf(id)).to.deep.equal(missing('reference', 'iban', 'currency', 'due', ...amounts));
    expect(review.reasons[0]?.message).to.equal('The value is missing.');
    const held = await call('POST', id);
    expect([held.status, held.code]).to.deep.equal([409, 'review_required']);
  });

  it('waits where a value is the name of another field, until a person says that it is right', async () => {
    await apply(`checks: [${SUM}]`);
    const id = await make('Reader', { data: { ...full, supplier: 'Number:' } });
    expect(await reasonsOf(id)).to.deep.equal([['implausible_value', '/supplier']]);
    const patch = [{ op: 'replace', path: '/supplier', value: 'Number' }];
    const { data } = await call('PATCH', id, '', { patch });
    expect(data.review.reasons).to.deep.equal([]);
  });

  it('does not wait where 0 is what it has, and is judged anew when it is corrected', async () => {
    await apply(`checks: [${SUM}, ${LINES}]`);
    const whole = await make('Reader', { data: full });
    expect((await read(whole)).review).to.deep.include({ status: 'not_required', reasons: [] });
    const id = await make('Reader', { data: { ...full, iban: null } });
    const patched = async (path: string, value: unknown) => {
      const { data, status } = await call('PATCH', id, '', { patch: [{ op: 'replace', path, value }] });
      expect(status).to.equal(200);
      return data.review.reasons.map(({ code, pointer }) => [code, pointer]);
    };
    expect(await reasonsOf(id)).to.deep.equal(missing('iban'));
    expect(await patched('/iban', 'GB29')).to.deep.equal([]);
    expect(await patched('/net', null)).to.deep.equal([...missing('net'), ['check_not_applicable', null]]);
    expect(await patched('/net', 10)).to.deep.equal([]);
    expect((await call('POST', id, '/review', { decision: 'approve' })).status).to.equal(200);
    expect((await call('POST', id)).data.status).to.equal('processed');
  });

  it('says of a check which value it did not find; where a list has some of its values, the check has failed', async () => {
    await apply(`checks: [${SUM}, ${LINES}]`);
    const [none, some] = [
      await make('Reader', { data: { ...full, vat: null, lines: [{ amount: null }, {}] } }),
      await make('Reader', { data: { ...full, lines: [{ amount: 10 }, { amount: null }] } }),
    ];
    expect((await read(none)).checks.map(({ status, message }) => [status, message])).to.deep.equal([
      ['not_applicable', 'It could not be applied: /vat has no value.'],
      ['not_applicable', 'It could not be applied: /lines/0/amount has no value.'],
    ]);
    expect(await reasonsOf(none)).to.deep.equal([
      ...missing('vat', 'lines/0/amount', 'lines/1/amount'),
      ['check_not_applicable', null],
      ['check_not_applicable', null],
    ]);
    expect((await read(some)).checks.map(({ status }) => status)).to.deep.equal(['passed', 'failed']);
    expect(await reasonsOf(some)).to.deep.equal([...missing('lines/1/amount'), ['check_failed', null]]);
  });

  it('has all that its agent lists, or waits, also where an empty list is listed; nothing else counts', async () => {
    await apply('required_values: [/supplier, /total, /lines]');
    const [rest, lines, total] = [
      await make('Reader', { data: { ...nothing, supplier: 'Alder', total: 0, lines: [{}] } }),
      await make('Reader', { data: { ...full, lines: [] } }),
      await make('Reader', { data: { ...nothing, supplier: '', lines: [{}] } }),
    ];
    expect(await reasonsOf(rest)).to.deep.equal([]);
    expect(await reasonsOf(lines)).to.deep.equal(missing('lines'));
    expect(await reasonsOf(total)).to.deep.equal(missing('supplier', 'total'));
    await apply('required_values: []');
    expect(await reasonsOf(await make('Reader', { data: nothing }))).to.deep.equal([]);
  });

  it('waits where the live version asks for more than its own, also when it was approved before', async () => {
    await apply('required_values: [/supplier]');
    const data = { ...full, iban: null };
    const [before, approved, seen] = [
      await make('Reader', { data }),
      await make('Reader', { data }),
      await make('Reader', { data: full }),
    ];
    for (const id of [approved, seen]) await call('POST', id, '/review', { decision: 'approve' });
    await apply('required_values: [/iban]');
    for (const id of [before, approved]) {
      expect((await call('POST', id)).code).to.equal('review_required');
      expect(await reasonsOf(id)).to.deep.equal(missing('iban'));
      expect((await call('POST', id, '/review', { decision: 'approve' })).status).to.equal(200);
      expect((await call('POST', id)).data.status).to.equal('processed');
    }
    expect((await call('POST', seen)).data.status).to.equal('processed');
  });
});
