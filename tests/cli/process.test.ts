import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { detail, type FakeApi, fakeApi, item, KEY, runId } from './fake-api.ts';

const main = path.resolve(import.meta.dirname, '../../src/composition/main.ts');

describe('the program', () => {
  let api: FakeApi;
  const start = (...argv: string[]) =>
    spawn(process.execPath, [main, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PORTICO_URL: api.url, PORTICO_API_KEY: KEY },
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
    const program = start('runs', 'watch', runId);
    const said = Promise.all([text(program.stdout), text(program.stderr)]);
    await watching.promise;
    program.kill('SIGINT');
    const [code] = await once(program, 'exit');
    expect([code, ...(await said)]).to.deep.equal([130, '', `The run goes on: portico runs watch ${runId}\n`]);
  });

  it('ends as the run did', async () => {
    api.course = [detail({ status: 'failed', error: 'Why', items: [item(0, 'failed', { error: 'Why' })] })];
    const program = start('runs', 'watch', runId);
    const said = text(program.stderr);
    const [code] = await once(program, 'exit');
    expect([code, await said]).to.deep.equal([1, '✗ failed    a.pdf\nThe run has failed.\n  a.pdf: Why\n']);
  });

  it('is not upset when nobody reads its output to the end', async () => {
    const program = start('settings');
    program.stdout.destroy();
    const said = text(program.stderr);
    const [code] = await once(program, 'exit');
    expect([code, await said]).to.deep.equal([0, '']);
  });
});
