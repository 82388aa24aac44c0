import { expect } from 'chai';
import fc from 'fast-check';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { anId, someEvidence } from '../support/builders.ts';
import { documentMaker } from './documents-made.ts';

const schema = `
      type: object
      properties:
        supplier: { type: string }
        total: { type: number, minimum: 0 }
        lines: { type: array, items: { type: object, properties: { sku: { type: string }, amount: { type: number } }, required: [sku] } }
      required: [total]`;
const record = `{ connection: ledger, entity: public.invoices, columns: { total: /total, supplier: /supplier }, document_id_column: document_id }`;
const agent = (name: string, review: string) => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: ${schema}
    system_of_record: ${record}
    review: ${review}`;

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: max@example.com, name: Max, role: member }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:${agent('Never', 'never')}${agent('Flagged', 'when_flagged')}${agent('Always', 'always')}
`;

interface Shown {
  readonly status: string;
  readonly revision: number;
  readonly review: {
    readonly status: string;
    readonly reasons: readonly { code: string; pointer: string | null }[];
  } & Record<string, unknown>;
  readonly document_data: Record<string, unknown>;
  readonly evidence: Record<string, Record<string, unknown>>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
  readonly acceptPatch: string | null;
  readonly body: {
    readonly data: Shown;
    readonly code: string;
    readonly revision: number;
    readonly errors: readonly { path: string; message: string }[];
  };
}

describe('the review of documents', () => {
  let world: World;
  let key: string;
  let maxs: string;
  const make = documentMaker(
    () => world,
    () => key,
  );

  before(async () => {
    world = await openWorld({ workspace: file, env: { RATE_LIMIT_RUNS: '1000000' } });
    [key, maxs] = [await world.key(), await world.key({ email: 'max@example.com' })];
    await world.query(
      'create table public.invoices (document_id text unique, total numeric, supplier text check (supplier is distinct from $$nobody$$))',
    );
  });
  after(() => world.stop());

  const call = async (
    method: string,
    path: string,
    options: { body?: unknown; raw?: string; tag?: string | null; as?: string; type?: string } = {},
  ): Promise<Answer> => {
    const {
      body,
      raw = body === undefined ? undefined : JSON.stringify(body),
      tag = null,
      as = key,
      type = 'application/json',
    } = options;
    const headers = {
      'x-api-key': as,
      ...(raw !== undefined && { 'content-type': type }),
      ...(tag !== null && { 'if-match': tag }),
    };
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method,
      headers,
      ...(raw !== undefined && { body: raw }),
    });
    const text = await answer.text();
    const [etag, acceptPatch] = [answer.headers.get('etag'), answer.headers.get('accept-patch')];
    return { status: answer.status, text, etag, acceptPatch, body: text === '' ? {} : JSON.parse(text) };
  };
  const read = (id: string) => call('GET', `/documents/${id}`);
  const tagOf = async (id: string) => (await read(id)).etag as string;
  const patch = async (
    id: string,
    operations: readonly object[],
    options: { tag?: string | null; evidence?: object; as?: string } = {},
  ) => {
    const { tag = await tagOf(id), evidence, as = key } = options;
    return call('PATCH', `/documents/${id}`, { tag, as, body: { patch: operations, ...(evidence && { evidence }) } });
  };
  const decide = async (
    id: string,
    decision: string,
    { tag, note = null, as = key }: { tag?: string | null; note?: string | null; as?: string } = {},
  ) =>
    call('POST', `/documents/${id}/review`, {
      tag: tag === undefined ? await tagOf(id) : tag,
      as,
      body: { decision, note },
    });
  const process = (id: string) => call('POST', `/documents/${id}`);
  const replaceTotal = (value: unknown) => [{ op: 'replace', path: '/total', value }];
  const codeOf = ({ status, body }: Answer) => [status, body.code];
  const typesOf = async (id: string) => {
    const { body } = await call('GET', '/events?types=document.*&limit=1000');
    const { events } = body.data as unknown as { events: readonly { type: string; document_id: string }[] };
    return events.filter(({ document_id: of }) => of === id).map(({ type }) => type);
  };
  const set = (id: string, columns: string) => world.query(`update documents set ${columns} where id = $1`, [id]);

  describe('is asked for', () => {
    it('of no document of an agent without `review`, which is posted as ever', async () => {
      const id = await make('Never', { evidence: { '/total': someEvidence({ support: 'none' }) } });
      const { body } = await read(id);
      expect(body.data).to.deep.include({ revision: 1, checks: [], duplicates: [] });
      expect(body.data.review).to.deep.equal({
        status: 'not_required',
        reasons: [],
        reviewer: null,
        note: null,
        decided_at: null,
        decided_via: null,
      });
      expect((await process(id)).body.data.status).to.equal('processed');
    });

    it('of doubtful documents, with the reasons', async () => {
      const clear = await make('Flagged', {
        data: { total: 12, supplier: 'ACME' },
        evidence: { '/total': someEvidence() },
      });
      expect((await read(clear)).body.data.review).to.include({ status: 'not_required' });
      const doubtful = await make('Flagged', {
        data: { total: 12, supplier: 'ACME' },
        evidence: {
          '/total': someEvidence({ support: 'none' }),
          '/supplier': someEvidence({ source: 'ocr', confidence: 0.4 }),
        },
        coverage: {
          pagesRead: 1,
          pagesTotal: 2,
          charactersRead: 1,
          charactersTotal: 2,
          complete: false,
          unread: [{ fileName: 'a.pdf', page: 2, what: 'a "stamp"' }],
          doubts: [],
        },
        contradictions: [{ pointer: '/total', message: 'Page 1 says 12, page 60 says 13.' }],
      });
      const { review } = (await read(doubtful)).body.data;
      expect([review.status, review.reasons.map(({ code, pointer }) => [code, pointer])]).to.deep.equal([
        'pending',
        [
          ['unsupported_value', '/total'],
          ['low_confidence', '/supplier'],
          ['incomplete_coverage', null],
          ['unread_content', null],
          ['contradiction', '/total'],
        ],
      ]);
      expect(codeOf(await process(doubtful))).to.deep.equal([409, 'review_required']);
    });

    it('of every document, where the agent says so', async () => {
      const id = await make('Always', { data: { total: 12, supplier: 'ACME' } });
      expect((await read(id)).body.data.review.reasons.map(({ code }) => code)).to.deep.equal(['always']);
      expect(codeOf(await process(id))).to.deep.equal([409, 'review_required']);
    });
  });

  describe('is decided', () => {
    it('by approval: the document says by whom, and is posted', async () => {
      const id = await make('Always');
      const approved = await decide(id, 'approve', { note: 'Checked.', as: maxs });
      expect(approved.status, approved.text).to.equal(200);
      const { reviewer, note, status } = approved.body.data.review;
      expect({ reviewer, note, status }).to.deep.equal({
        reviewer: { name: 'Max', email: 'max@example.com' },
        note: 'Checked.',
        status: 'approved',
      });
      expect(approved.etag).to.equal(await tagOf(id));
      expect((await process(id)).body.data).to.include({ status: 'processed' });
    });

    it('by rejection: the document is not posted', async () => {
      const id = await make('Always');
      expect((await decide(id, 'reject')).body.data.review).to.include({ status: 'rejected', note: null });
      expect(codeOf(await process(id))).to.deep.equal([409, 'review_rejected']);
    });

    it('once for a revision: one of ten at the same time, and no other afterwards', async () => {
      const id = await make('Always');
      const tag = await tagOf(id);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => decide(id, index % 2 === 0 ? 'approve' : 'reject', { tag })),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect([...codeOf(answer), answer.body.revision]).to.deep.equal([412, 'revision_changed', 1]);
      }
      expect(codeOf(await decide(id, 'approve'))).to.deep.equal([409, 'conflict']);
    });

    it('also for a document that nobody flagged', async () => {
      const id = await make('Never');
      expect((await decide(id, 'reject')).status).to.equal(200);
      expect(codeOf(await process(id))).to.deep.equal([409, 'review_rejected']);
    });
  });

  describe('is reopened', () => {
    const undecided = { status: 'pending', reviewer: null, note: null, decided_at: null, decided_via: null };

    it('from an approval and a rejection: it is as before the decision, and everybody hears of it', async () => {
      for (const decision of ['approve', 'reject']) {
        const id = await make('Always', { data: { total: 12, supplier: 'ACME' } });
        await decide(id, decision, { note: 'So.' });
        const { status, body, etag } = await decide(id, 'reopen', { as: maxs });
        expect(status).to.equal(200);
        expect([body.data.revision, body.data.review]).to.deep.equal([
          1,
          {
            ...undecided,
            reasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
          },
        ]);
        expect(codeOf(await process(id))).to.deep.equal([409, 'review_required']);
        expect((await typesOf(id)).slice(-2)).to.deep.equal([
          decision === 'approve' ? 'document.approved' : 'document.rejected',
          'document.review_required',
        ]);
        expect((await decide(id, 'approve', { tag: etag })).body.data.review).to.include({ status: 'approved' });
        expect((await process(id)).body.data.status).to.equal('processed');
      }
    });

    it('by a person who read the decision, and only where there is one', async () => {
      const id = await make('Always');
      const tag = await tagOf(id);
      expect(codeOf(await decide(id, 'reopen'))).to.deep.equal([409, 'conflict']);
      expect(codeOf(await decide(await make('Never'), 'reopen'))).to.deep.equal([409, 'conflict']);
      await decide(id, 'approve');
      expect(codeOf(await decide(id, 'reopen', { tag: null }))).to.deep.equal([428, 'precondition_required']);
      expect(codeOf(await decide(id, 'reopen', { tag }))).to.deep.equal([412, 'revision_changed']);
      await process(id);
      expect(codeOf(await decide(id, 'reopen'))).to.deep.equal([409, 'document_processed']);
    });

    it('from an approval in the console before anything is posted: what processes it earlier waits', async () => {
      const [undone, kept] = [await make('Always'), await make('Always')];
      for (const id of [undone, kept]) await decide(id, 'approve');
      await set(undone, "decided_via = 'console', decided_at = clock_timestamp()");
      await set(kept, "decided_via = 'console', decided_at = clock_timestamp() - interval '8 seconds'");
      const processing = Promise.all([process(undone), process(kept)]);
      expect((await decide(undone, 'reopen')).status).to.equal(200);
      const [refused, posted] = await processing;
      expect(codeOf(refused)).to.deep.equal([409, 'review_required']);
      expect(posted.body.data.status).to.equal('processed');
      const sql = `select d.id, d.processed_at >= d.decided_at + interval '10 seconds' as waited
        from documents d join public.invoices i on i.document_id = d.id::text where d.id = any($1)`;
      const { rows } = await world.composition.database.pool.query(sql, [[undone, kept]]);
      expect(rows).to.deep.equal([{ id: kept, waited: true }]);
    });
  });

  describe('is not lost in the trash:', () => {
    it('a document comes back as it was, once, and everybody hears of it', async () => {
      const id = await make('Always');
      const before = (await decide(id, 'approve', { note: 'Checked.' })).body.data;
      const restored = () => call('POST', `/documents/${id}/restore`);
      expect(codeOf(await restored())).to.deep.equal([409, 'conflict']);
      await call('DELETE', `/documents/${id}`);
      expect((await read(id)).status).to.equal(404);
      const { updated_at: _, ...after } = (await restored()).body.data as unknown as Record<string, unknown>;
      expect({ ...before, ...after }).to.deep.equal(before);
      expect((await typesOf(id)).slice(-2)).to.deep.equal(['document.trashed', 'document.restored']);
      expect(codeOf(await restored())).to.deep.equal([409, 'conflict']);
      expect((await process(id)).body.data.status).to.equal('processed');
    });

    it('a document of an agent that the caller does not see is not there', async () => {
      expect((await call('POST', `/documents/${anId()}/restore`)).status).to.equal(404);
    });
  });

  describe('is of the revision that was read:', () => {
    it('without If-Match it is 428, with a tag that is none 400', async () => {
      const id = await make('Always');
      expect(codeOf(await patch(id, replaceTotal(1), { tag: null }))).to.deep.equal([428, 'precondition_required']);
      expect(codeOf(await decide(id, 'approve', { tag: null }))).to.deep.equal([428, 'precondition_required']);
      for (const tag of ['*', 'abc', '"a" "b"']) {
        const answer = await decide(id, 'approve', { tag });
        expect([answer.status, answer.body.errors?.[0]?.path], tag).to.deep.equal([400, 'headers.if-match']);
      }
      expect((await read(id)).body.data).to.deep.include({ revision: 1 });
    });

    it('after a change the tag is another one, and a weak one never the same', async () => {
      const id = await make('Always');
      const tag = await tagOf(id);
      expect(codeOf(await decide(id, 'approve', { tag: `W/${tag}` }))).to.deep.equal([412, 'revision_changed']);
      expect((await patch(id, replaceTotal(13), { tag: `"other", ${tag}` })).body.data.revision).to.equal(2);
      for (const answer of [await patch(id, replaceTotal(14), { tag }), await decide(id, 'approve', { tag })]) {
        expect([...codeOf(answer), answer.body.revision]).to.deep.equal([412, 'revision_changed', 2]);
      }
    });

    it('GET answers 304 to who has it', async () => {
      const id = await make('Always');
      const etag = await tagOf(id);
      const known = () =>
        fetch(`${world.baseUrl}/api/v1/documents/${id}`, { headers: { 'x-api-key': key, 'if-none-match': etag } });
      expect((await known()).status).to.equal(304);
      await decide(id, 'approve');
      expect((await known()).status).to.equal(200);
    });
  });

  describe('a correction', () => {
    it('keeps every digit, of what it changes and of what it does not', async () => {
      const id = await make('Always', { data: { total: jsonNumber('9007199254740993'), supplier: 'ACME' } });
      const corrected = await call('PATCH', `/documents/${id}`, {
        tag: await tagOf(id),
        raw: '{"patch":[{"op":"add","path":"/lines","value":[{"sku":"a","amount":0.12345678901234567890123}]},{"op":"test","path":"/total","value":9007199254740993.0}]}',
      });
      expect(corrected.status, corrected.text).to.equal(200);
      expect(corrected.text).to.include(
        '"document_data":{"total":9007199254740993,"supplier":"ACME","lines":[{"sku":"a","amount":0.12345678901234567890123}]}',
      );
      const { text } = await call('GET', `/documents/${id}/revisions`);
      expect(text).to.include('{"pointer":"/lines","from":null,"to":[{"sku":"a","amount":0.12345678901234567890123}]}');
    });

    it('takes an approval and a rejection back', async () => {
      for (const decision of ['approve', 'reject']) {
        const id = await make('Never');
        await decide(id, decision, { note: 'So.' });
        const { review, revision } = (await patch(id, replaceTotal(20))).body.data;
        expect([revision, review]).to.deep.equal([
          2,
          { status: 'pending', reasons: [], reviewer: null, note: null, decided_at: null, decided_via: null },
        ]);
        expect(codeOf(await process(id))).to.deep.equal([409, 'review_required']);
      }
    });

    it('is posted as it was approved', async () => {
      const id = await make('Always');
      await patch(id, replaceTotal(33));
      await decide(id, 'approve');
      await process(id);
      const { rows } = await world.composition.database.pool.query(
        'select total from public.invoices where document_id = $1',
        [id],
      );
      expect(rows).to.deep.equal([{ total: '33' }]);
    });

    it('that changes nothing makes no revision, and takes nothing back', async () => {
      const id = await make('Always');
      await decide(id, 'approve');
      const tag = await tagOf(id);
      for (const operations of [[], replaceTotal(12)]) {
        const answer = await patch(id, operations);
        expect([answer.status, answer.etag, answer.body.data.revision]).to.deep.equal([200, tag, 1]);
      }
    });

    it('settles the reasons that it corrects, and no others', async () => {
      const id = await make('Flagged', {
        data: { total: 12, supplier: 'ACME' },
        evidence: {
          '/total': someEvidence({ support: 'none' }),
          '/supplier': someEvidence({ support: 'none', quote: 'AKME' }),
        },
        contradictions: [{ pointer: '/total', message: 'Page 1 says 12, page 60 says 13.' }],
      });
      const { review } = (await patch(id, replaceTotal(13))).body.data;
      expect([review.status, review.reasons.map(({ code, pointer }) => [code, pointer])]).to.deep.equal([
        'pending',
        [['unsupported_value', '/supplier']],
      ]);
    });

    it('has the evidence that the person gives, that still supports the value, or none', async () => {
      const rows = [
        { sku: 'a', amount: 1 },
        { sku: 'b', amount: 2 },
      ];
      const evidence = {
        '/total': someEvidence({ quote: 'Total 3.00 or 5.00' }),
        '/supplier': someEvidence({ quote: 'ACME Ltd' }),
        '/lines/0/sku': someEvidence({ quote: 'a 1' }),
        '/lines/1/sku': someEvidence({ quote: 'b 2' }),
        '/lines/1/amount': someEvidence({ quote: 'b 2' }),
      };
      const id = await make('Always', { data: { total: 3, supplier: 'ACME', lines: rows }, evidence });
      const place = { file_name: 'a.txt', page: 2, boxes: [{ page: 2, x: 0, y: 0, width: 1, height: 0.5 }] };
      const answer = await patch(
        id,
        [
          { op: 'replace', path: '/total', value: 5 },
          { op: 'remove', path: '/lines/0' },
          { op: 'replace', path: '/lines/0/amount', value: 7 },
          { op: 'replace', path: '/supplier', value: 'Other' },
        ],
        { evidence: { '/supplier': place } },
      );
      expect(answer.status, answer.text).to.equal(200);
      const shown = answer.body.data.evidence;
      expect(Object.keys(shown)).to.have.members(['/total', '/supplier', '/lines/0/sku', '/lines/0/amount']);
      expect(shown['/total']).to.include({ quote: 'Total 3.00 or 5.00', support: 'normalized' });
      expect(shown['/lines/0/sku']).to.include({ quote: 'b 2', support: 'exact' });
      expect(shown['/lines/0/amount']).to.deep.include({
        quote: '',
        file_name: '',
        page: null,
        boxes: [],
        support: 'person',
      });
      expect(shown['/supplier']).to.deep.include({ quote: '', ...place, support: 'person' });
      const again = await patch(id, [{ op: 'replace', path: '/total', value: 6 }], {
        evidence: { '/supplier': place, '/nowhere': place },
      });
      expect([again.status, again.body.errors.map(({ path }) => path)]).to.deep.equal([
        400,
        ['body.evidence["/supplier"]', 'body.evidence["/nowhere"]'],
      ]);
    });

    it('takes no evidence from a row for another one that comes to its place', async () => {
      const rows = [
        { sku: 'a', amount: 1 },
        { sku: 'b', amount: 1 },
      ];
      const evidence = {
        '/lines/0/amount': someEvidence({ quote: 'a 1' }),
        '/lines/1/amount': someEvidence({ quote: 'b 1', page: 2, source: 'ocr' }),
      };
      const place = { file_name: 'a.txt', page: 2, boxes: [] };
      const insert = [{ op: 'add', path: '/lines/1', value: { sku: 'b', amount: 1 } }];
      const [found, typed] = [
        await make('Always', { data: { total: 2, lines: rows }, evidence }),
        await make('Always', { data: { total: 2, lines: rows }, evidence }),
      ];
      const answer = await patch(found, insert, { evidence: { '/lines/1/amount': place } });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.data.evidence['/lines/1/amount']).to.deep.include({
        ...place,
        quote: '',
        support: 'person',
        source: 'ocr',
      });
      expect(answer.body.data.evidence['/lines/2/amount']).to.include({ quote: 'b 1' });
      const { evidence: shown } = (await patch(typed, insert)).body.data;
      expect(shown['/lines/1/amount']).to.include({ quote: '', file_name: '', support: 'person', source: 'text' });
      const replaced = [{ op: 'remove', path: '/lines/1' }, ...insert];
      const again = await patch(found, [...replaced, { op: 'replace', path: '/total', value: 3 }], {
        evidence: { '/lines/1/amount': place },
      });
      expect(again.status, again.text).to.equal(200);
      expect(again.body.data.evidence['/lines/1/amount']).to.deep.include({ ...place, support: 'person' });
    });

    it('is all or nothing: refused with everything that is wrong with the result', async () => {
      const id = await make('Always');
      const answer = await patch(id, [
        { op: 'replace', path: '/total', value: -1 },
        { op: 'add', path: '/supplier', value: 7 },
        { op: 'add', path: '/lines', value: [{ amount: 'x' }] },
      ]);
      expect(answer.status).to.equal(400);
      expect(answer.body.errors.map(({ path }) => path)).to.have.members([
        '/total',
        '/supplier',
        '/lines/0/sku',
        '/lines/0/amount',
      ]);
      const wrong = await patch(id, [...replaceTotal(5), { op: 'remove', path: '/nowhere' }]);
      expect([wrong.status, wrong.body.errors[0]?.path]).to.deep.equal([400, 'body.patch[1].path']);
      const many = await patch(
        id,
        Array.from({ length: 1001 }, () => replaceTotal(5)[0] as object),
      );
      expect([many.status, many.body.errors[0]?.path]).to.deep.equal([400, 'body.patch']);
      expect((await patch(id, [{ op: 'replace', path: '', value: [] }])).status).to.equal(400);
      expect((await read(id)).body.data).to.deep.include({ revision: 1, document_data: { total: 12 } });
    });

    it('enters the data of a document from which nothing could be extracted', async () => {
      const id = await make('Always');
      await set(id, `status = 'error', document_data = null, evidence = '{}', revision = 0`);
      await world.query('delete from document_revisions where document_id = $1', [id]);
      expect(codeOf(await decide(id, 'approve'))).to.deep.equal([409, 'document_without_data']);
      const entered = await patch(id, [{ op: 'add', path: '', value: { total: 8 } }]);
      expect(entered.status, entered.text).to.equal(200);
      expect(entered.body.data).to.deep.include({ status: 'ready', revision: 1, document_data: { total: 8 } });
      expect(entered.body.data.evidence['/total']).to.include({ support: 'person' });
      await decide(id, 'approve');
      expect((await process(id)).body.data.status).to.equal('processed');
    });

    it('of a document that its system rejected is posted at the next attempt', async () => {
      const id = await make('Never', { data: { total: 1, supplier: 'nobody' } });
      expect((await process(id)).body.data.status).to.equal('error');
      expect((await patch(id, [{ op: 'replace', path: '/supplier', value: 'ACME' }])).body.data.revision).to.equal(2);
      expect((await process(id)).body.data.status).to.equal('processed');
    });

    it('is always of data that fits the schema, whatever is asked', async () => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      console.log(`      seed ${seed}`);
      const id = await make('Never', { data: { total: 1, lines: [{ sku: 'a' }] } });
      const path = fc.constantFrom(
        '',
        '/total',
        '/supplier',
        '/lines',
        '/lines/0',
        '/lines/-',
        '/lines/0/sku',
        '/lines/0/amount',
        '/other',
      );
      const value = fc.oneof(
        fc.integer({ min: -2, max: 9 }),
        fc.constantFrom(null, 'text', [], {}, { sku: 'b' }, [{ sku: 'c', amount: 1 }], { total: 2 }),
      );
      const operation = fc.record({
        op: fc.constantFrom('add', 'remove', 'replace', 'copy', 'move'),
        path,
        from: path,
        value,
      });
      const isValid = ({ total, supplier = '', lines = [] }: Record<string, unknown>) =>
        typeof total === 'number' &&
        total >= 0 &&
        typeof supplier === 'string' &&
        Array.isArray(lines) &&
        lines.every(
          (line: Record<string, unknown>) =>
            typeof line.sku === 'string' && typeof (line.amount ?? 0) === 'number' && line.amount !== null,
        );
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 3 }), async (operations) => {
          const { status, body } = await patch(id, operations);
          const now = (await read(id)).body.data;
          expect([200, 400]).to.include(status);
          if (status === 200) accepted += 1;
          if (status === 200) expect(now).to.deep.equal(body.data);
          expect(isValid(now.document_data), JSON.stringify(now.document_data)).to.equal(true);
        }),
        // The first is accepted, whatever chance brings after it.
        { seed, numRuns: 60, examples: [[[{ op: 'replace', path: '/total', from: '', value: 2 }]]] },
      );
      expect(accepted).to.be.at.least(1);
    });
  });

  describe('is refused', () => {
    it('while the document is extracted or processed, and once it was', async () => {
      const id = await make('Always');
      for (const [columns, code] of [
        [`status = 'extracting'`, 'document_busy'],
        [`status = 'processing', lease_expires_at = now() + interval '1 minute'`, 'document_busy'],
        [`status = 'processed'`, 'document_processed'],
      ] as const) {
        await set(id, columns);
        expect(codeOf(await patch(id, replaceTotal(5))), columns).to.deep.equal([409, code]);
        expect(codeOf(await decide(id, 'approve')), columns).to.deep.equal([409, code]);
      }
    });

    it('while it is not known whether a delivery wrote the row: the next one finds out', async () => {
      const id = await make('Never');
      await world.query('insert into public.invoices (document_id, total) values ($1, 12)', [id]);
      await set(id, 'attempted_revision = 1');
      expect(codeOf(await patch(id, replaceTotal(99)))).to.deep.equal([409, 'document_busy']);
      expect(codeOf(await decide(id, 'reject'))).to.deep.equal([409, 'document_busy']);
      expect((await process(id)).body.data).to.deep.include({
        status: 'processed',
        revision: 1,
        document_data: { total: 12 },
      });
    });

    it('of what is not there, or in the trash', async () => {
      const id = await make('Always');
      const tag = await tagOf(id);
      await call('DELETE', `/documents/${id}`);
      for (const each of [id, anId()]) {
        expect(codeOf(await patch(each, replaceTotal(5), { tag }))).to.deep.equal([404, 'not_found']);
        expect(codeOf(await decide(each, 'approve', { tag }))).to.deep.equal([404, 'not_found']);
        expect(codeOf(await call('GET', `/documents/${each}/revisions`))).to.deep.equal([404, 'not_found']);
      }
    });

    it('without the scope documents:review', async () => {
      const id = await make('Always');
      const as = await world.key({ scopes: ['runs:read', 'runs:write'] });
      expect(codeOf(await patch(id, replaceTotal(5), { as }))).to.deep.equal([403, 'missing_scope']);
      expect(codeOf(await decide(id, 'approve', { as }))).to.deep.equal([403, 'missing_scope']);
    });
  });

  it('lists who changed what, newest first, page by page', async () => {
    const id = await make('Always');
    await patch(id, replaceTotal(13), { as: maxs });
    await patch(id, [
      { op: 'add', path: '/supplier', value: 'ACME' },
      { op: 'remove', path: '/supplier' },
      ...replaceTotal(14),
    ]);
    const page = async (query: string) => {
      const { text } = await call('GET', `/documents/${id}/revisions${query}`);
      return (JSON.parse(text) as { data: { revisions: readonly Record<string, unknown>[]; next: string | null } })
        .data;
    };
    const { revisions, next } = await page('');
    expect(revisions.map(({ created_at, ...revision }) => revision)).to.deep.equal([
      {
        revision: 3,
        by: { type: 'user', name: 'Ada', via: 'api_key' },
        changes: [{ pointer: '/total', from: 13, to: 14 }],
      },
      {
        revision: 2,
        by: { type: 'user', name: 'Max', via: 'api_key' },
        changes: [{ pointer: '/total', from: 12, to: 13 }],
      },
      { revision: 1, by: { type: 'agent', name: 'Always', via: null }, changes: [] },
    ]);
    expect(next).to.equal(null);
    const first = await page('?limit=2');
    const second = await page(`?limit=2&after=${first.next}`);
    expect([first, second].map((each) => each.revisions.map(({ revision }) => revision))).to.deep.equal([[3, 2], [1]]);
    expect(second.next).to.equal(null);
  });

  it('lists as many revisions as have room in a page, at least one, and the others on the pages that follow', async () => {
    const id = await make('Never');
    for (const [index, copies] of [5, 5, 0, 0].entries()) {
      const line = { sku: String(index).repeat(copies === 0 ? 1 : 500_000) };
      const copy = { op: 'copy', from: '/lines/0', path: '/lines/-' };
      const copied = Array.from({ length: copies }, () => copy);
      const { status, text } = await patch(id, [{ op: 'add', path: '/lines', value: [line] }, ...copied]);
      expect(status, text.slice(0, 1000)).to.equal(200);
    }
    const pages: number[][] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { text } = await call('GET', `/documents/${id}/revisions?limit=100${after && `&after=${after}`}`);
      const { data } = JSON.parse(text) as { data: { revisions: { revision: number }[]; next: string | null } };
      pages.push(data.revisions.map(({ revision }) => revision));
      after = data.next;
    }
    expect(pages).to.deep.equal([[5, 4], [3], [2, 1]]);
  });

  it('finds documents by the state of their review', async () => {
    const [pending, approved] = [await make('Always'), await make('Always')];
    await decide(approved, 'approve');
    const found = async (review: string) => {
      const { text } = await call('GET', `/documents?limit=100&agent_id=${world.agentId('Always')}&review=${review}`);
      return (JSON.parse(text) as { data: { documents: readonly (Shown & { id: string })[] } }).data.documents;
    };
    for (const review of ['pending', 'approved', 'rejected', 'not_required']) {
      const listed = await found(review);
      expect(new Set(listed.map((each) => each.review.status)).size, review).to.be.at.most(1);
      for (const each of listed) expect(each.review.status).to.equal(review);
    }
    expect((await found('pending')).map(({ id }) => id))
      .to.include(pending)
      .and.not.include(approved);
    expect((await found('approved')).map(({ id }) => id)).to.include(approved);
    expect((await call('GET', '/documents?review=none')).status).to.equal(400);
  });

  it('is told of by events, in the order in which it happened', async () => {
    const id = await make('Always');
    await decide(id, 'approve');
    await patch(id, replaceTotal(15));
    await decide(id, 'reject');
    const { text } = await call('GET', '/events?limit=1000&types=document.*');
    const { data } = JSON.parse(text) as {
      data: { events: readonly { type: string; document_id: string; data: Shown }[] };
    };
    const own = data.events.filter(({ document_id: each }) => each === id);
    expect(own.map(({ type, data: { revision, review } }) => [type, revision, review.status])).to.deep.equal([
      ['document.ready', 1, 'pending'],
      ['document.review_required', 1, 'pending'],
      ['document.approved', 1, 'approved'],
      ['document.changed', 2, 'pending'],
      ['document.review_required', 2, 'pending'],
      ['document.rejected', 2, 'rejected'],
    ]);
    expect(own.at(-1)?.data.review).to.deep.include({ reviewer: { name: 'Ada', email: 'ada@example.com' } });
  });
});
