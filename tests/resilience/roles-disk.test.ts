import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { client } from './client.ts';
import { type SlowModel, slowModel } from './model.ts';
import { asking, type Stage, setUp } from './stage.ts';

const run = promisify(execFile);
const MB = 1024 * 1024;
const DISK = 8 * MB;

/** A disk of its own at a folder, as small as that; false where this user may mount none. */
const mounted = (folder: string) =>
  run('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );

describe('a disk that is full under the files', () => {
  let folder: string;
  let files: string;
  let hasDisk = false;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let server: Server;
  let stage: Stage;

  before(async function () {
    folder = await aFolder();
    files = path.join(folder, 'data/files');
    await mkdir(files, { recursive: true });
    hasDisk = await mounted(files);
    if (!hasDisk) return this.skip();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    server = await aServer({
      dataDir: path.join(folder, 'data'),
      env: { ...asking(model), DATABASE_URL: postgres.url },
    });
    await server.start();
    stage = await setUp(server, postgres.url);
  });

  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.drop();
    if (hasDisk) await run('umount', [files]);
    await rm(folder, { recursive: true, force: true });
  });

  interface Upload {
    readonly file_key: string;
    readonly upload_url: string;
  }

  const addressOf = async (name: string): Promise<Upload> => {
    const answer = await fetch(`${stage.baseUrl}/api/v1/agents/${stage.agentId}/upload-urls`, {
      method: 'POST',
      headers: { 'x-api-key': stage.key, 'content-type': 'application/json' },
      body: JSON.stringify({ files: [{ file_name: name, content_type: 'text/plain' }] }),
    });
    const { data } = (await answer.json()) as { data: { files: [Upload] } };
    return data.files[0];
  };

  const put = async ({ upload_url: url }: Upload, bytes: number) => {
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: Buffer.alloc(bytes, 'a'),
    });
    const text = await answer.text();
    return { status: answer.status, code: text === '' ? null : (JSON.parse(text) as { code: string }).code };
  };

  const startWith = async ({ file_key: key }: Upload) => {
    const answer = await fetch(`${stage.baseUrl}/api/v1/agents/${stage.agentId}/run`, {
      method: 'POST',
      headers: { 'x-api-key': stage.key, 'content-type': 'application/json' },
      body: JSON.stringify({ files: [{ file_key: key, file_name: 'a.txt', content_type: 'text/plain' }] }),
    });
    await answer.body?.cancel();
    return answer.status;
  };

  const used = async () => {
    const { blocks, bfree, bsize } = await statfs(files);
    return (blocks - bfree) * bsize;
  };

  const stored = async () => {
    const names = await readdir(path.join(files, 'objects'), { recursive: true });
    return names.filter((name) => name.includes(path.sep)).toSorted();
  };

  it('refuses the upload in plain words, keeps nothing of it, and takes it once there is room again', async () => {
    const [large, larger] = [await addressOf('large.txt'), await addressOf('larger.txt')];
    expect(await put(large, 5 * MB)).to.deep.equal({ status: 200, code: null });
    const before = await stored();
    const usedBefore = await used();

    expect(await put(larger, 5 * MB)).to.deep.equal({ status: 500, code: 'storage_full' });
    expect(await stored()).to.deep.equal(before);
    expect(await readdir(path.join(files, 'drafts'))).to.deep.equal([]);
    expect(await used()).to.equal(usedBefore);
    expect(await startWith(larger)).to.equal(400);

    // What is there stays readable, what needs no room goes on.
    const use = client(stage);
    const id = await use.createRun({ units: ['UNIT-full'] });
    expect((await use.ended(id)).status).to.equal('completed');
    expect((await fetch(`${stage.baseUrl}/readyz`)).status).to.equal(200);

    await rm(path.join(files, 'objects', before[0] as string));
    expect(await put(larger, 5 * MB)).to.deep.equal({ status: 200, code: null });
    expect(await startWith(larger)).to.equal(200);
  });

  it('refuses many uploads at once, and only those that have no room', async () => {
    const usedBefore = await used();
    const addresses = await Promise.all(Array.from({ length: 6 }, (_, n) => addressOf(`${n}.txt`)));
    const answers = await Promise.all(addresses.map((address) => put(address, MB)));
    const full = answers.filter(({ code }) => code === 'storage_full').length;
    expect(answers.filter(({ status }) => status === 200).length + full).to.equal(addresses.length);
    expect(full).to.be.greaterThan(0);
    expect(await readdir(path.join(files, 'drafts'))).to.deep.equal([]);
    expect(await used()).to.be.within(usedBefore, DISK);
    expect(await server.logs()).to.contain('There is no room left to store the file');
  });
});
