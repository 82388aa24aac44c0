import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  anInvoice,
  clientOf,
  type DocumentBody,
  dataOf,
  type Platform,
  type RunBody,
  type Uploaded,
} from './platform.ts';

/** The whole job over HTTP: nothing is needed but an address and a key. */
export const mainJob = (platform: () => Platform) =>
  describe('the main job', () => {
    const number = `ACC-${randomUUID().slice(0, 8)}`;
    let use: ReturnType<typeof clientOf>;
    let agentId: string;
    let files: readonly Uploaded[];
    let runId: string;
    let documents: readonly DocumentBody[];

    before(async () => {
      use = clientOf(platform());
      agentId = await use.agent('Invoice reader');
    });

    const runBody = () => ({ files, process_together: false, user_message: 'Please read these.' });

    it('takes files at presigned addresses, for an hour', async () => {
      files = await use.upload(agentId, [anInvoice(number), anInvoice(`${number}-bad`, '999.99')]);
      expect(files.map(({ file_name: name }) => name)).to.deep.equal([`${number}.txt`, `${number}-bad.txt`]);
      const url = files[0]?.upload_url ?? '';
      const wrongType = await fetch(url, { method: 'PUT', headers: { 'content-type': 'text/html' }, body: 'x' });
      expect(wrongType.status).to.be.oneOf([400, 403]);
      const changed = await fetch(
        url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        {
          method: 'PUT',
          headers: { 'content-type': 'text/plain' },
          body: 'x',
        },
      );
      expect(changed.status).to.equal(403);
    });

    it('starts a run at once, and the same request again starts nothing', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await use.create(agentId, runBody(), headers);
      expect(first.status).to.equal(200);
      expect(dataOf<RunBody>(first)).to.include({ status: 'queued', error: null });
      runId = dataOf<RunBody>(first).id;
      expect(first.headers.get('location')).to.match(new RegExp(`/api/v1/runs/${runId}$`));
      const again = await use.create(agentId, runBody(), headers);
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('idempotency-replayed')).to.equal('true');
      const other = await use.create(agentId, { ...runBody(), user_message: 'Something else.' }, headers);
      expect(other.status).to.equal(400);
      expect(other.body).to.include({ code: 'idempotency_key_reused' });
    });

    it('is polled with wait and ETag until the run has ended', async () => {
      const { call } = platform();
      const { run, etag } = await use.ended(runId);
      expect(run).to.include({ status: 'completed', error: null });
      expect(run.items.map(({ status, file_names: [name] }) => [name, status])).to.deep.equal(
        files.map(({ file_name: name }) => [name, 'completed']),
      );
      expect([run.documents.length, run.conversations.length]).to.deep.equal([2, 2]);
      const unchanged = await call(`/api/v1/runs/${runId}`, {
        query: { wait: '25' },
        headers: { 'if-none-match': etag },
      });
      expect([unchanged.status, unchanged.text]).to.deep.equal([304, '']);
      expect((await call(`/api/v1/runs/${runId}`, { method: 'HEAD' })).status).to.equal(200);
    });

    it('lists the run', async () => {
      const { call } = platform();
      const answer = await call('/api/v1/runs', { query: { agent_id: agentId, status: 'completed', limit: '5' } });
      const page = dataOf<{ runs: RunBody[]; total: number }>(answer);
      expect(page.runs.map(({ id }) => id)).to.include(runId);
      expect(page.total).to.be.at.least(1);
    });

    it('shows what was read, and where it stands', async () => {
      const { run } = await use.ended(runId);
      documents = await Promise.all(run.items.map(({ document_ids: [id] }) => use.document(id ?? '')));
      const [first] = documents;
      expect(first).to.include({ status: 'ready', external_reference: null });
      expect(first?.document_data).to.include({
        supplier: 'Quarry Lane Tools',
        invoice_number: number,
        currency: 'GBP',
        total: 100.8,
      });
      const quoted = Object.values(first?.evidence ?? {});
      expect(quoted.length).to.be.greaterThan(3);
      for (const { quote, file_name: name } of quoted) {
        expect(name).to.equal(`${number}.txt`);
        expect(anInvoice(number).content).to.include(quote);
      }
    });

    it('writes a document to its system of record, once', async () => {
      const id = documents[0]?.id ?? '';
      const twice = await Promise.all([use.process(id), use.process(id)]);
      expect(twice.map(({ status }) => status).toSorted()).to.deep.equal([200, 409]);
      const processed = await use.document(id);
      expect(processed.status).to.equal('processed');
      expect(processed.external_reference).to.include(id);
      const again = await use.process(id);
      expect(again.status).to.equal(409);
      expect(again.body).to.include({ code: 'document_processed' });
    });

    it('answers what the system of record refuses with 200 and its reason', async () => {
      const answer = await use.process(documents[1]?.id ?? '');
      expect(answer.status).to.equal(200);
      const { status, error } = dataOf<DocumentBody>(answer);
      expect(status).to.equal('error');
      expect(error).to.include('total_is_net_plus_tax');
    });

    it('moves a document to trash, after which it is gone', async () => {
      const { call } = platform();
      const id = documents[1]?.id ?? '';
      for (let times = 0; times < 2; times++) {
        const answer = await call(`/api/v1/documents/${id}`, { method: 'DELETE' });
        expect(answer.status).to.equal(200);
        expect(dataOf(answer)).to.deep.equal({ id, status: 'trashed' });
      }
      for (const method of ['GET', 'POST'])
        expect((await call(`/api/v1/documents/${id}`, { method })).status).to.equal(404);
      const { run } = await use.ended(runId);
      expect(run.documents.map((document) => document.id)).to.deep.equal([documents[0]?.id]);
    });

    it('cancels what is under way, and nothing that is over', async () => {
      const { call } = platform();
      const cancel = (id: string) => call(`/api/v1/runs/${id}/cancel`, { method: 'POST' });
      const over = await cancel(runId);
      expect(over.status).to.equal(409);
      expect(over.body).to.include({ code: 'run_completed' });
      const many = await use.upload(
        agentId,
        Array.from({ length: 100 }, (_, index) => anInvoice(`${number}-${index}`)),
      );
      const id = dataOf<RunBody>(await use.create(agentId, { files: many })).id;
      for (let times = 0; times < 2; times++) expect((await cancel(id)).status).to.equal(200);
      const { run } = await use.ended(id);
      expect(run.status).to.equal('cancelled');
      expect(run).to.deep.include({ status_reason: { code: 'cancelled_by_user', message: 'The run was cancelled.' } });
    });

    it('answers 404 for what is not there', async () => {
      const { call } = platform();
      const nobody = randomUUID();
      const requests = [
        ['GET', `/api/v1/runs/${nobody}`],
        ['POST', `/api/v1/runs/${nobody}/cancel`],
        ['GET', `/api/v1/documents/${nobody}`],
        ['POST', `/api/v1/documents/${nobody}`],
        ['DELETE', `/api/v1/documents/${nobody}`],
        ['GET', '/api/v1/nothing'],
      ] as const;
      for (const [method, path] of requests)
        expect((await call(path, { method })).status, `${method} ${path}`).to.equal(404);
    });

    it('says what is wrong with a request, everything at once', async () => {
      const answer = await use.create(agentId, {
        files: [{ file_key: 7, file_name: 'a/b' }],
        process_together: 'yes',
        user_message: 5,
      });
      expect(answer.status).to.equal(400);
      const { errors } = answer.body as { errors: { path: string }[] };
      const expected = [
        'files[0].content_type',
        'files[0].file_key',
        'files[0].file_name',
        'process_together',
        'user_message',
      ];
      expect(errors.map(({ path }) => path).toSorted()).to.deep.equal(expected.map((path) => `body.${path}`));
    });
  });
