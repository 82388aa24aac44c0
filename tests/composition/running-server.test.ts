import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { announceServer, besideServer } from '../../src/composition/running-server.ts';
import { quiet } from '../support/log.ts';

const baseUrl = 'http://localhost:4711';

describe('the address of the server that runs in a folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const announce = (folder = dataDir) => announceServer({ dataDir: folder, baseUrl } as never, quiet);

  it('is found by commands while it serves, and not afterwards', async () => {
    const env = { DATA_DIR: dataDir };
    expect(besideServer(env)).to.equal(env);
    const withdraw = await announce();
    expect(besideServer(env)).to.deep.equal({ ...env, BASE_URL: baseUrl, PORTICO_URL: baseUrl });
    await withdraw();
    expect(besideServer(env)).to.equal(env);
  });

  it('is nothing where a setting says the address', async () => {
    await announce();
    for (const set of [{ BASE_URL: 'https://portico.example.com' }, { PORT: '3001' }]) {
      expect(besideServer({ DATA_DIR: dataDir, ...set })).to.deep.equal({ DATA_DIR: dataDir, ...set });
    }
    const env = { DATA_DIR: dataDir, PORTICO_URL: 'https://portico.example.com' };
    expect(besideServer(env)).to.deep.equal({ ...env, BASE_URL: baseUrl });
  });

  it('is nothing where its process is over, or the file is broken', async () => {
    const withdraw = await announce();
    const file = path.join(dataDir, 'server.json');
    const written = await readFile(file, 'utf8');
    for (const text of [
      written.replace(`${process.pid}`, '4194305'),
      written.slice(0, -3),
      '{}',
      'null',
      '{"url":1}',
    ]) {
      await writeFile(file, text);
      expect(besideServer({ DATA_DIR: dataDir }), text).to.not.have.property('BASE_URL');
    }
    await withdraw();
    expect(await readFile(file, 'utf8'), 'the file of another server').to.equal('{"url":1}');
  });

  it('stops no server whose folder cannot be written', async () => {
    await mkdir(path.join(dataDir, 'server.json'));
    await (await announce())();
  });
});
