import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { detail, type FakeApi, fakeApi, item, KEY, runId } from './fake-api.ts';

const main = path.resolve(import.meta.dirname, '../../src/composition/main.ts');
/** Linux has it: whatever is written there finds no room. */
const FULL_DISK = '/dev/full';

describe('the program', () => {
  let api: FakeApi;
  const start = (env: Readonly<Record<string, string>>, ...argv: string[]) =>
    spawn(process.execPath, [main, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PORTICO_URL: api.url, PORTICO_API_KEY: KEY, ...env },
    });

  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('ends with 130 at Ctrl-C and says that the run goes on', async () => {
    const watching = Promise.withResolvers<void>();
    api.routes.set(`GET /api/v1/runs/${runId}`, () => {
      watching.resolve();
      return new Promise(() => {});
    });
    const program = start({}, 'runs', 'watch', runId);
    const said = Promise.all([text(program.stdout), text(program.stderr)]);
    await watching.promise;
    program.kill('SIGINT');
    const [code] = await once(program, 'exit');
    expect([code, ...(await said)]).to.deep.equal([130, '', `The run goes on: portico runs watch ${runId}\n`]);
  });

  it('ends as the run did', async () => {
    api.course = [detail({ status: 'failed', error: 'Why', items: [item(0, 'failed', { error: 'Why' })] })];
    const program = start({}, 'runs', 'watch', runId);
    const said = text(program.stderr);
    const [code] = await once(program, 'exit');
    expect([code, await said]).to.deep.equal([1, '✗ failed    a.pdf\nThe run has failed.\n  a.pdf: Why\n']);
  });

  it('ends well at Ctrl-C and when its reader leaves, if it listens', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-listen-'));
    const next = 'AAAAAAAA';
    const event = {
      id: runId,
      sequence: 1,
      type: 'run.queued',
      created_at: '2026-11-20T09:30:00.000Z',
      run_id: runId,
      document_id: null,
    };
    const events = [{ ...event, data: { agent_name: 'Invoice reader' } }];
    api.routes.set('GET /api/v1/events', ({ url }) => ({
      body: { data: { events: url.includes('wait=0') ? [] : events, next, has_more: false } },
    }));
    const listen = () => start({ XDG_STATE_HOME: folder }, 'listen');
    const interrupted = listen();
    const said = text(interrupted.stderr);
    await once(interrupted.stdout, 'data');
    interrupted.kill('SIGINT');
    expect(await once(interrupted, 'exit')).to.deep.equal([0, null]);
    expect(await said).to.include('Stopped; the next portico listen goes on from here.');
    const unread = listen();
    await once(unread.stdout, 'data');
    unread.stdout.destroy();
    expect(await once(unread, 'exit')).to.deep.equal([0, null]);
    await rm(folder, { recursive: true });
  });

  it('says in a line that what it prints cannot be written, and fails', async function () {
    if (!existsSync(FULL_DISK)) this.skip();
    const full = await open(FULL_DISK, 'w');
    const program = spawn(process.execPath, [main, 'settings'], { stdio: ['ignore', full.fd, 'pipe'] });
    const said = program.stderr && text(program.stderr);
    const [code] = await once(program, 'exit');
    await full.close();
    expect([code, await said]).to.deep.equal([
      1,
      'portico: what it prints cannot be written: ENOSPC: no space left on device, write\n',
    ]);
  });

  for (const what of ['documents', 'audit'])
    it(`is not upset when the reader of an export leaves before its end: ${what}`, async () => {
      const line = `${JSON.stringify({ name: 'a.pdf' })}\n`;
      api.next(`GET /api/v1/${what}/export`, { body: Buffer.from(line.repeat(500_000)) });
      const program = start({}, what, 'export');
      const said = text(program.stderr);
      await once(program.stdout, 'data');
      program.stdout.destroy();
      const [code] = await once(program, 'exit');
      expect([code, await said]).to.deep.equal([0, '']);
    });

  it('says that an export broke off, and fails', async () => {
    api.next('GET /api/v1/documents/export', { stream: ['{"name":"a.pdf"}\n'], hangUp: true });
    const program = start({}, 'documents', 'export');
    const said = Promise.all([text(program.stdout), text(program.stderr)]);
    const [code] = await once(program, 'exit');
    expect([code, ...(await said)]).to.deep.equal([
      1,
      '{"name":"a.pdf"}\n',
      'portico: the export broke off: what was written is not all of it\n',
    ]);
  });

  it('is not upset when nobody reads its output to the end', async () => {
    const program = start({}, 'settings');
    program.stdout.destroy();
    const said = text(program.stderr);
    const [code] = await once(program, 'exit');
    expect([code, await said]).to.deep.equal([0, '']);
  });
});
