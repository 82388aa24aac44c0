import path from 'node:path';
import { expect } from 'chai';
import { type Ended, printed } from '../support/program.ts';
import type { Installation } from './installations.ts';
import { clientOf, dataOf, type Platform, type RunBody } from './platform.ts';
import { keyFor } from './workspaces.ts';

const root = path.resolve(import.meta.dirname, '../..');
const sample = (name: string) => path.join(root, 'demo/samples', name);

export const commandLine = (platform: () => Platform) =>
  describe('the command line', () => {
    let runId: string;

    before(function () {
      if (!platform().server) this.skip();
    });

    const portico = (...args: readonly string[]): Promise<Ended> => {
      const { server, key } = platform();
      return (server as Installation).command(args, { PORTICO_API_KEY: key });
    };

    it('lists the agents', async () => {
      const { code, stdout } = await portico('agents', 'list');
      expect(code).to.equal(0);
      expect(stdout).to.include('Invoice reader').and.to.include('Order reader');
    });

    it('uploads files, starts a run, follows it and prints the documents; what could not be read is named', async () => {
      const files = ['harbour-row-paper.pdf', 'brightwater-coffee.xlsx', 'quayside-glassware-damaged.pdf'].map(sample);
      const { code, stdout, stderr } = await portico('runs', 'create', 'Invoice reader', ...files, '--watch');
      expect(code, stderr).to.equal(1);
      expect(stdout).to.include('invoice_number: HR-20417').and.to.include('invoice_number: BW-2026-0388');
      expect(stderr)
        .to.match(/failed +quayside-glassware-damaged\.pdf/)
        .and.to.match(/^ +quayside-glassware-damaged\.pdf:? is damaged/m);
    });

    it('answers JSON to programs', async () => {
      const file = sample('pell-and-daughters.docx');
      const { run, documents } = printed<{ run: RunBody; documents: { document_data: { invoice_number: string } }[] }>(
        await portico('runs', 'create', 'Invoice reader', file, '--watch', '--json'),
      );
      expect(run.status).to.equal('completed');
      expect(documents.map(({ document_data: data }) => data.invoice_number)).to.deep.equal(['PD/26/114']);
      runId = run.id;
    });

    it('shows and lists runs, and watches one that has ended', async () => {
      expect(printed<RunBody>(await portico('runs', 'show', runId, '--json')).id).to.equal(runId);
      expect((await portico('runs', 'list', '--limit', '2')).stdout).to.include(runId);
      expect((await portico('runs', 'watch', runId)).stdout).to.include('PD/26/114');
      const cancelled = await portico('runs', 'cancel', runId);
      expect(cancelled.code).to.equal(1);
      expect(cancelled.stderr).to.include('completed');
    });

    it('processes a document, shows it, and brings it back from the trash', async () => {
      const { call } = platform();
      const { run } = await clientOf(platform()).ended(runId);
      const id = run.documents[0]?.id ?? '';
      const processed = await portico('documents', 'process', id);
      expect(processed.code, processed.stderr).to.equal(0);
      expect(processed.stdout).to.include('is processed: written to demo.invoices');
      const again = await portico('documents', 'process', id);
      expect([again.code, again.stdout]).to.deep.equal([1, '']);
      expect(dataOf(await call(`/api/v1/documents/${id}`, { method: 'DELETE' }))).to.deep.equal({
        id,
        status: 'trashed',
      });
      expect((await portico('documents', 'show', id)).code).to.equal(1);
      expect((await portico('documents', 'restore', id)).code).to.equal(0);
      expect(printed<{ status: string }>(await portico('documents', 'show', id, '--json')).status).to.equal(
        'processed',
      );
    });

    it('says what a workspace file would change, and changes nothing', async () => {
      const { server } = platform();
      const file = 'workspace: demo\nusers:\n  - { email: new@portico.local, name: New, role: member }\n';
      const { code, stdout, stderr } = await (server as Installation).command(
        ['apply', '-f', '-', '--dry-run'],
        {},
        file,
      );
      expect(code, stderr).to.equal(0);
      expect(stdout)
        .to.match(/create\s+user\s+new@portico\.local/)
        .and.to.include('Nothing was changed.');
      expect((await portico('users', 'list')).stdout).not.to.include('new@portico.local');
      const faulty = await (server as Installation).command(
        ['apply', '-f', '-'],
        {},
        'workspace: demo\nagents:\n  - name: 5\n',
      );
      expect(faulty.code).to.equal(1);
      expect(faulty.stderr).to.match(/stdin:3:\d+ agents\[0\]\.name must be text/);
    });

    it('makes keys that work at once, and stop working at once', async () => {
      const { server, call } = platform();
      const { id, key } = await keyFor(platform(), 'demo@portico.local');
      expect((await call('/api/v1/agents', { key })).status).to.equal(200);
      expect((await (server as Installation).command(['keys', 'revoke', id])).code).to.equal(0);
      expect((await call('/api/v1/agents', { key })).status).to.equal(401);
      const list = await (server as Installation).command(['keys', 'list', '--json']);
      expect(list.stdout).to.include(id).and.not.to.include(key);
    });

    it('tells what is wrong with an installation', async () => {
      const { code, stdout, stderr } = await portico('doctor');
      expect(code, `${stdout}${stderr}`).to.equal(0);
      expect(stdout)
        .to.match(/ok\s+database\s+PostgreSQL \d+\.\d+/)
        .and.to.match(/ok\s+file store/);
    });

    it('ends with 2 on wrong usage, with 1 and one line without a server or a key', async () => {
      expect((await portico('runs', 'crate')).code).to.equal(2);
      const { server } = platform();
      const keyless = await (server as Installation).command(['runs', 'list']);
      expect([keyless.code, keyless.stderr.includes('PORTICO_API_KEY is not set')]).to.deep.equal([1, true]);
      const elsewhere = await (server as Installation).command(['runs', 'list'], {
        PORTICO_URL: 'http://127.0.0.1:9',
        PORTICO_API_KEY: platform().key,
      });
      expect(elsewhere.code).to.equal(1);
      expect(elsewhere.stderr).to.include('no answer from http://127.0.0.1:9');
    });
  });
