import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { type Portico, portico } from '../../src/client/portico.ts';
import { backUp } from '../../src/composition/backup.ts';
import { readConfig } from '../../src/composition/config.ts';
import { finishRestore } from '../../src/composition/restored.ts';
import { startProgram } from '../support/program.ts';
import { aFolder, aServer, demoKey, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';

const samples = path.resolve(import.meta.dirname, '../../demo/samples');

describe('a backup of the embedded installation', function () {
  this.timeout(240_000);
  let folder: string;
  let backup: string;
  let keyFile: string;
  let server: Server;
  let apiKey: string;
  let client: Portico;
  let agentId: string;
  let readRun: string;

  const fails = async (on: Server, args: readonly string[], env = {}) => {
    const { code, stderr } = await on.command(args, env);
    expect(code, stderr).to.equal(1);
    return stderr;
  };
  const create = async () => {
    const { id } = await client.post('/api/v1/agents/{agent_id}/run', {
      params: { path: { agent_id: agentId } },
      body: { user_message: 'Who are you?' },
    });
    return id;
  };
  const document = async (of: Portico) => {
    const { items } = await of.get('/api/v1/runs/{id}', { params: { path: { id: readRun } } });
    return of.get('/api/v1/documents/{id}', { params: { path: { id: items[0]?.document_ids[0] ?? '' } } });
  };

  before(async () => {
    folder = await aFolder();
    [backup, keyFile] = [path.join(folder, 'monday'), path.join(folder, 'portico.key')];
    server = await aServer();
    await server.start();
    apiKey = await demoKey(server);
    client = portico({ baseUrl: server.baseUrl, apiKey });
    const { agents } = await client.get('/api/v1/agents');
    agentId = agents.find(({ name }) => name === 'Invoice reader')?.id ?? '';
    const content = new Uint8Array(await readFile(path.join(samples, 'greenhithe-farm.txt')));
    const files = await client.upload(agentId, [{ name: 'greenhithe-farm.txt', content }]);
    const run = await client.post('/api/v1/agents/{agent_id}/run', {
      params: { path: { agent_id: agentId } },
      body: { files: files.map(({ file_key, file_name, content_type }) => ({ file_key, file_name, content_type })) },
    });
    readRun = run.id;
    await client.waitForRun(readRun);
  });

  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is made while the server works, and brings back all that was answered before it began', async () => {
    const known: string[] = [];
    for (let each = 0; each < 10; each += 1) known.push(await create());
    let over = false;
    const writing = (async () => {
      for (; !over; ) await create();
    })();
    const { code, stdout, stderr } = await server.command(['backup', backup, '--key', keyFile]);
    over = true;
    await writing;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^Copied the database \(\d[\d.]* MiB\) and [1-9]\d* files \(\d/);
    expect((await stat(keyFile)).mode & 0o777).to.equal(0o600);
    expect((await readdir(backup)).toSorted()).to.deep.equal(['backup.json', 'files', 'postgres']);
    const secret = (await readFile(keyFile, 'utf8')).trim();
    expect(await readFile(path.join(backup, 'backup.json'), 'utf8')).to.not.include(secret);

    const restored = await aServer({ dataDir: path.join(folder, 'restored') });
    try {
      const said = await restored.command(['restore', backup, '--key', keyFile]);
      expect(said.code, said.stderr).to.equal(0);
      expect(said.stdout).to.match(
        /^Restored what was backed up at 20\d\d-[^:]+:\S+: [1-9]\d* runs, [1-9]\d* documents, [1-9]\d* files\.$/m,
      );
      await restored.start();
      const there = portico({ baseUrl: restored.baseUrl, apiKey });
      for (const id of known)
        expect((await there.get('/api/v1/runs/{id}', { params: { path: { id } } })).id).to.equal(id);
      expect(await document(there)).to.deep.equal(await document(client));
      const { id } = await document(there);
      const headers = { 'x-api-key': apiKey };
      const kept = await fetch(`${restored.baseUrl}/api/v1/documents/${id}/files/0/text`, { headers });
      expect(await kept.text()).to.include('Greenhithe');
      const doctor = await restored.command(['doctor']);
      expect(doctor.stdout, 'the ledger, whose address only the key opens').to.match(/^ok\s+.*ledger/im);
    } finally {
      await restored.close();
    }
  });

  it('does not overwrite, and does not put the key beside what it opens', async () => {
    expect(await fails(server, ['backup', backup])).to.include('is not empty: name a new folder');
    const inside = path.join(folder, 'tuesday', 'key');
    expect(await fails(server, ['backup', path.join(folder, 'tuesday'), '--key', inside])).to.include('somewhere else');
    const other = path.join(folder, 'other.key');
    await writeFile(other, 'of another installation\n');
    expect(await fails(server, ['backup', path.join(folder, 'tuesday'), '--key', other])).to.include(
      'is there already, has something else',
    );
    expect(await readFile(other, 'utf8')).to.equal('of another installation\n');
    expect(await fails(server, ['restore', backup])).to.include('is there already');
  });

  it('is made again with the same file of the key, which stays also where that backup is interrupted', async () => {
    const key = await readFile(keyFile, 'utf8');
    const place = { folder: path.join(folder, 'thursday'), keyFile };
    const interrupted = AbortSignal.abort(new Error('interrupted'));
    const ended = await backUp(readConfig({ DATA_DIR: server.dataDir }), place, interrupted).catch(
      ({ message }: Error) => message,
    );
    expect(ended).to.equal('interrupted');
    const { code, stderr } = await server.command(['backup', place.folder, '--key', keyFile]);
    expect(code, stderr).to.equal(0);
    expect(await readFile(keyFile, 'utf8')).to.equal(key);
  });

  it('leaves nothing where it is interrupted, so that the same command can be given again', async () => {
    const place = { folder: path.join(folder, 'wednesday'), keyFile: path.join(folder, 'wednesday.key') };
    const config = readConfig({ DATA_DIR: server.dataDir });
    const ended = await backUp(config, place, AbortSignal.abort(new Error('interrupted'))).catch(
      ({ message }: Error) => message,
    );
    expect(ended).to.equal('interrupted');
    const { code, stderr } = await server.command(['backup', place.folder, '--key', place.keyFile]);
    expect(code, stderr).to.equal(0);
  });

  it('is restored by the same command where that was killed or interrupted before', async () => {
    const restoring = (dataDir: string) =>
      startProgram(
        ['restore', backup, '--key', keyFile],
        { DATA_DIR: dataDir },
        { out: `${dataDir}.out`, err: `${dataDir}.err` },
      );
    const killed = path.join(folder, 'killed');
    const first = restoring(killed);
    const recovers = ['restoring', '.'].map((name) => path.join(killed, name, 'postgres/data/postmaster.pid'));
    await until('PostgreSQL recovers the copy', () => recovers.some(existsSync));
    first.kill('SIGKILL');
    await once(first, 'exit');
    const again = await server.command(['restore', backup, '--key', keyFile], { DATA_DIR: killed });
    expect(again.code, again.stderr).to.equal(0);
    expect((await readdir(killed)).toSorted()).to.deep.equal(['encryption.key', 'files', 'postgres']);
    const keys = await server.command(['keys', 'list'], { DATA_DIR: killed });
    expect(keys.code, keys.stderr).to.equal(0);

    const interrupted = path.join(folder, 'interrupted');
    const second = restoring(interrupted);
    await until('the restore copies', () => existsSync(path.join(interrupted, 'restoring')));
    second.kill('SIGINT');
    expect(await once(second, 'exit')).to.deep.equal([130, null]);
    expect(await readFile(`${interrupted}.err`, 'utf8')).to.match(/^Interrupted: nothing was restored/);
    expect(await readdir(interrupted), 'what is left there').to.deep.equal([]);
  });

  it('is made by the same command where that was killed, and not while it works', async () => {
    const target = path.join(folder, 'friday');
    const files = { out: `${target}.out`, err: `${target}.err` };
    const first = startProgram(['backup', target], { DATA_DIR: server.dataDir }, files);
    await until('the backup copies', () => existsSync(path.join(target, 'postgres/data/base')));
    first.kill('SIGSTOP');
    expect(await fails(server, ['backup', target])).to.include(`Process ${first.pid} makes a backup in ${target}`);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await fails(server, ['restore', target], { DATA_DIR: `${target}-restored` })).to.include('was not finished');
    const { code, stderr } = await server.command(['backup', target]);
    expect(code, stderr).to.equal(0);
    expect((await readdir(target)).toSorted()).to.deep.equal(['backup.json', 'files', 'postgres']);
  });

  it('is none, and is made again, where it was killed while it wrote the last of it', async () => {
    const target = path.join(folder, 'saturday');
    expect((await server.command(['backup', target])).code).to.equal(0);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(path.join(target, 'unfinished'), String(pid));
    await truncate(path.join(target, 'backup.json'), 20);
    const env = { DATA_DIR: `${target}-restored` };
    expect(await fails(server, ['restore', target], env)).to.include('was not finished');
    const { code, stderr } = await server.command(['backup', target]);
    expect(code, stderr).to.equal(0);
    expect((await readdir(target)).toSorted()).to.deep.equal(['backup.json', 'files', 'postgres']);
  });

  it('is restored wherever the restore was killed while it moved what was complete', async () => {
    const there = path.join(folder, 'moved');
    const env = { DATA_DIR: there };
    const restoring = ['restore', backup, '--key', keyFile];
    const { code, stdout, stderr } = await server.command(restoring, env);
    expect(code, stderr).to.equal(0);
    const erasure = 'files/erasures/0198-of-later';
    /** As if it had been killed after it had moved all but these. */
    const killedBefore = async (...names: readonly string[]) => {
      await mkdir(path.join(there, 'restored'), { recursive: true });
      await cp(path.join(backup, 'backup.json'), path.join(there, 'restored/backup.json'));
      for (const name of names) await rename(path.join(there, name), path.join(there, 'restored', name));
    };
    await killedBefore('files', 'postgres');
    const again = await server.command(restoring, env);
    expect([again.code, again.stdout], again.stderr).to.deep.equal([0, stdout]);
    await killedBefore('postgres');
    await killedBefore('files');
    // The ledger of erasures may have been there before.
    await mkdir(path.join(there, 'files/erasures'), { recursive: true });
    await writeFile(path.join(there, erasure), '{}');
    await finishRestore(there);
    expect(await readFile(path.join(there, erasure), 'utf8')).to.equal('{}');
    await rm(path.join(there, erasure));
    await killedBefore('postgres');
    expect((await server.command(['keys', 'list'], env)).stdout).to.include('demo@portico.local');
    expect((await readdir(there)).toSorted()).to.deep.equal(['encryption.key', 'files', 'postgres']);
  });

  it('is not taken for an empty installation where its restore was killed before it was complete', async () => {
    const env = { DATA_DIR: path.join(folder, 'half-restored') };
    await mkdir(path.join(env.DATA_DIR, 'restoring/postgres'), { recursive: true });
    expect(await fails(server, ['keys', 'list'], env)).to.include('was not finished: give "portico restore" again');
    expect((await server.command(['restore', backup, '--key', keyFile], env)).code).to.equal(0);
  });

  it('is restored with its own key alone, and only if it was finished', async () => {
    const env = { DATA_DIR: path.join(folder, 'empty') };
    const other = path.join(folder, 'other.key');
    const wrong = Buffer.alloc(32, 7).toString('base64');
    await writeFile(other, wrong);
    expect(await fails(server, ['restore', backup], env)).to.include('The encryption key is needed');
    expect(await fails(server, ['restore', backup, '--key', other], env)).to.include(
      'not the encryption key of the backup',
    );
    expect(await fails(server, ['restore', backup, '--key', keyFile], { ...env, ENCRYPTION_KEY: wrong })).to.include(
      'ENCRYPTION_KEY is not the encryption key of the backup',
    );
    await mkdir(env.DATA_DIR);
    await cp(other, path.join(env.DATA_DIR, 'encryption.key'));
    expect(await fails(server, ['restore', backup, '--key', keyFile], env)).to.include(
      `${path.join(env.DATA_DIR, 'encryption.key')} is not the encryption key of the backup`,
    );
    expect(await readdir(env.DATA_DIR), 'what is left there').to.deep.equal(['encryption.key']);
    await mkdir(path.join(folder, 'half/postgres/data'), { recursive: true });
    expect(await fails(server, ['restore', path.join(folder, 'half')], env)).to.include('was not finished');
  });

  it('is left to pg_dump and the store where these are elsewhere', async () => {
    const nowhere = { DATABASE_URL: 'postgres://localhost:1/none' };
    expect(await fails(server, ['backup', path.join(folder, 'w')], nowhere)).to.include('pg_dump');
    expect(await fails(server, ['backup', path.join(folder, 'w')], { S3_BUCKET: 'b' })).to.include('by the store');
  });

  it('of before an erasure does not bring back what was erased: the server waits for the replay', async () => {
    const folders = { before: path.join(folder, 'before'), to: path.join(folder, 'after-erasure') };
    const { id } = await document(client);
    expect((await server.command(['backup', folders.before])).code).to.equal(0);
    const receipt = await client.post('/api/v1/erasures', { body: { document_id: id, reason: 'Request 4711' } });
    expect(receipt.completed_at).to.be.a('string');
    await mkdir(path.join(folders.to, 'files'), { recursive: true });
    const [ledger, key] = ['files/erasures', 'encryption.key'];
    for (const name of [ledger, key])
      await cp(path.join(server.dataDir, name), path.join(folders.to, name), { recursive: true });
    const restored = await aServer({ dataDir: folders.to });
    try {
      const said = await restored.command(['restore', folders.before]);
      expect(said.code, said.stderr).to.equal(0);
      for (const role of ['all', 'api', 'worker', 'egress']) {
        const { code, stderr } = await restored.command(['serve', '--role', role]);
        expect(code, role).to.equal(1);
        const [last] = stderr.trim().split('\n').slice(-1);
        expect(last, role).to.match(/^portico: An erasure .*run "portico erase --replay" before the server starts\.$/);
      }
      const replayed = await restored.command(['erase', '--replay']);
      expect([replayed.code, replayed.stdout.split('\n')[0]]).to.deep.equal([
        0,
        `erased document ${id} again (erasure ${receipt.id})`,
      ]);
      await restored.start();
      const there = portico({ baseUrl: restored.baseUrl, apiKey });
      const gone = await there
        .get('/api/v1/documents/{id}', { params: { path: { id } } })
        .catch((error) => error.status);
      expect(gone).to.equal(404);
      const { erasures } = await there.get('/api/v1/erasures');
      expect(erasures.map((each) => [each.id, each.requested_at])).to.deep.equal([[receipt.id, receipt.requested_at]]);
    } finally {
      await restored.close();
    }
  });
});
