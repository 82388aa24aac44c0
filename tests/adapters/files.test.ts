import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { attachmentNamed } from '../../src/application/ports/blobs.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { blobStoreContract } from '../contracts/blob-store.ts';
import { closed, listening } from '../support/listen.ts';

const child = path.resolve(import.meta.dirname, 'files-child.ts');

const statuses: Readonly<Record<string, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unavailable: 500,
};

const refuse = (response: ServerResponse, error: unknown) => {
  const known = error instanceof DomainError ? error : null;
  response.writeHead(known ? (statuses[known.kind] ?? 500) : 500, {
    'Content-Type': 'application/json',
    Connection: 'close',
  });
  response.end(JSON.stringify({ code: known?.code ?? 'internal', detail: String(error) }));
};

/** The store behind the smallest server that can answer its URLs. */
const serving = async (folder: string, maxBytes = 1_000_000) => {
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead) };
  const server: Server = createServer(async (request, response) => {
    const target = request.url ?? '';
    try {
      if (request.method === 'GET') {
        const { size, contentType, fileName, body } = await store.serve({ target });
        const disposition = fileName === null ? 'attachment' : attachmentNamed(fileName);
        response.writeHead(200, {
          'Content-Type': contentType,
          'Content-Length': size,
          'Content-Disposition': disposition,
        });
        await pipeline(body, response);
        return;
      }
      const length = request.headers['content-length'];
      const body = request.iterator({ destroyOnReturn: false });
      await store.accept({
        target,
        contentType: request.headers['content-type'] ?? null,
        contentLength: length === undefined ? null : Number(length),
        body,
      });
      response.writeHead(200).end();
    } catch (error) {
      refuse(response, error);
    }
  });
  const baseUrl = `http://127.0.0.1:${await listening(server)}/`;
  const store = fileBlobs({ folder, baseUrl, signingKey: randomBytes(32), maxBytes, clock });
  const close = () => closed(server);
  const pass = async (milliseconds: number) => {
    ahead += milliseconds;
  };
  return { store, clock, pass, close, baseUrl };
};

/** Every file below a folder, by its path in it. */
const filesIn = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
};

async function* chunks(...parts: readonly Uint8Array[]) {
  yield* parts;
}

describe('the file store', () => {
  let folder: string;
  let served: Awaited<ReturnType<typeof serving>>;

  before(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'portico-files-')), 'data', 'files');
    served = await serving(folder);
  });
  after(async () => {
    await served.close();
    await rm(path.resolve(folder, '../..'), { recursive: true });
  });

  blobStoreContract(async () => ({ store: served.store, pass: served.pass, enforcesMaxBytes: 1_000_000 }));

  const code = async (work: Promise<unknown>) => {
    const thrown = await work.then(
      () => new Error('it was not refused'),
      (error: unknown) => error,
    );
    return thrown instanceof DomainError ? thrown.code : String(thrown);
  };

  const targetFor = async (key: string, contentType = 'text/plain', size: number | null = null) => {
    const { url } = await served.store.presignPut(key, { contentType, size, expiresInSeconds: 60 });
    return url.slice(served.baseUrl.length - 1);
  };
  const upload = (target: string, over: Partial<Parameters<typeof served.store.accept>[0]> = {}) =>
    served.store.accept({
      target,
      contentType: 'text/plain',
      contentLength: null,
      body: chunks(Buffer.from('abc')),
      ...over,
    });

  it('refuses a wrong upload with a code', async () => {
    const target = await targetFor('codes/a');
    expect(await code(upload(`${target}&x=1`))).to.equal('invalid_signature');
    expect(await code(upload(`${target}&expires=9`))).to.equal('invalid_signature');
    expect(await code(upload(target.replace(/signature=.*/, '')))).to.equal('invalid_signature');
    expect(await code(upload(target.replace('codes/a', '../../etc/passwd')))).to.equal('invalid_signature');
    expect(await code(upload('/other/place'))).to.equal('not_found');
    expect(await code(upload(target, { contentType: 'text/html' }))).to.equal('content_type_mismatch');
    expect(await code(upload(target, { contentLength: 4 }))).to.equal('size_mismatch');
    expect(await code(upload(target, { contentLength: 2_000_000 }))).to.equal('file_too_large');
    expect(await code(upload(await targetFor('codes/a', 'text/plain', 2)))).to.equal('file_too_large');
    expect(await code(upload(await targetFor('codes/a', 'text/plain', 4)))).to.equal('size_mismatch');
    await served.pass(61_000);
    expect(await code(upload(target))).to.equal('url_expired');
    expect(await served.store.head('codes/a')).to.equal(null);
  });

  it('refuses a URL that was made to say something else', async () => {
    const target = await targetFor('signed/a', 'text/plain', 3);
    const expires = Number(/expires=(\d+)/.exec(target)?.[1]);
    const others = [
      target.replace('signed/a', 'signed/b'),
      target.replace('size=3', 'size=4'),
      target.replace('&size=3', ''),
      target.replace(`expires=${expires}`, `expires=${expires + 1}`),
      target.replace('content_type=text%2Fplain', 'content_type=text%2Fhtml'),
    ];
    for (const other of others) {
      expect(other).not.to.equal(target);
      const contentType = other.includes('html') ? 'text/html' : 'text/plain';
      const body = chunks(Buffer.alloc(other.includes('size=4') ? 4 : 3));
      expect(await code(upload(other, { contentType, body })), other).to.equal('invalid_signature');
    }
    await upload(target);
  });

  it('compares media types in any case, and their parameters exactly', async () => {
    const target = await targetFor('types/a', 'text/Plain; charset=utf-8');
    await upload(target, { contentType: 'TEXT/plain ; charset=utf-8' });
    expect(await code(upload(target, { contentType: 'text/plain; charset=UTF-8' }))).to.equal('content_type_mismatch');
    expect(await code(upload(target, { contentType: null }))).to.equal('content_type_mismatch');
  });

  it('stops at the first byte too many, and leaves nothing', async () => {
    const before = await filesIn(folder);
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent += 100_000;
        yield Buffer.alloc(100_000);
      }
    }
    expect(await code(upload(await targetFor('endless/a'), { body: endless() }))).to.equal('file_too_large');
    expect(sent).to.equal(1_100_000);
    expect(await filesIn(folder)).to.deep.equal(before);
  });

  it('leaves nothing of an upload whose sender failed', async () => {
    const before = await filesIn(folder);
    async function* failing() {
      yield Buffer.alloc(10);
      throw new Error('aborted');
    }
    expect(await code(upload(await targetFor('failing/a'), { body: failing() }))).to.equal('incomplete_upload');
    expect(await filesIn(folder)).to.deep.equal(before);
  });

  it('reads no more into memory than it may', async () => {
    await served.store.write('big/a', randomBytes(1000), 'text/plain');
    const small = fileBlobs({
      folder,
      baseUrl: served.baseUrl,
      signingKey: randomBytes(32),
      maxBytes: 999,
      clock: served.clock,
    });
    expect(await code(small.read('big/a'))).to.equal('file_too_large');
    expect(await small.head('big/a')).to.include({ size: 1000, contentType: 'text/plain' });
  });

  it('does not take a URL that another key signed', async () => {
    const other = fileBlobs({
      folder,
      baseUrl: served.baseUrl,
      signingKey: randomBytes(32),
      maxBytes: 999,
      clock: served.clock,
    });
    const { url } = await other.presignPut('foreign/a', {
      contentType: 'text/plain',
      size: null,
      expiresInSeconds: 60,
    });
    expect(await code(upload(url.slice(served.baseUrl.length - 1)))).to.equal('invalid_signature');
  });

  it('answers below the path of its base URL', async () => {
    const below = fileBlobs({
      folder,
      baseUrl: 'https://example.com/portico/',
      signingKey: randomBytes(32),
      maxBytes: 999,
      clock: served.clock,
    });
    expect(below.mount).to.equal('/portico/blobs/');
    const { url } = await below.presignGet('big/a', { expiresInSeconds: 60 });
    expect(url).to.match(/^https:\/\/example\.com\/portico\/blobs\/big\/a\?/);
    await below.write('below/a', Buffer.from('abc'), 'text/plain');
    const get = await below.presignGet('below/a', { expiresInSeconds: 60 });
    const { body } = await below.serve({ target: get.url.slice('https://example.com'.length) });
    expect(await text(body)).to.equal('abc');
  });

  it('removes abandoned drafts at the start and later on, and no others', async () => {
    const own = path.join(folder, '../drafts-test');
    await mkdir(path.join(own, 'drafts'), { recursive: true });
    const old = path.join(own, 'drafts', 'old');
    const fresh = path.join(own, 'drafts', 'fresh');
    await writeFile(old, 'x');
    await writeFile(fresh, 'x');
    const hour = 3_600_000;
    const hoursAgo = new Date(Date.now() - 2 * hour);
    await utimes(old, hoursAgo, hoursAgo);
    let ahead = 0;
    const store = fileBlobs({
      folder: own,
      baseUrl: served.baseUrl,
      signingKey: randomBytes(32),
      maxBytes: 999,
      clock: { now: () => new Date(Date.now() + ahead) },
    });
    const left = async () => {
      await store.head('a');
      return readdir(path.join(own, 'drafts'));
    };
    expect(await left()).to.deep.equal(['fresh']);
    // Its process was killed, and the next one was started at once.
    ahead = hour - 60_000;
    expect(await left()).to.deep.equal(['fresh']);
    ahead = hour + 60_000;
    expect(await left()).to.deep.equal([]);
  });

  it('does not serve a file that was cut short behind its back', async () => {
    await served.store.write('cut/a', randomBytes(1000), 'text/plain');
    const contents = await Promise.all(
      (await filesIn(folder)).map(async (name) => [name, await readFile(path.join(folder, name), 'latin1')] as const),
    );
    const name = contents.find(([, content]) => content.includes('"cut/a"'))?.[0] ?? '';
    await truncate(path.join(folder, name), 2500);
    expect(await code(served.store.read('cut/a'))).to.match(/damaged/);
    await served.store.write('cut/a', Buffer.from('whole again'), 'text/plain');
    expect(await served.store.head('cut/a')).to.include({ size: 11 });
  });

  it('follows no link out of its folder', async () => {
    const own = path.join(folder, '../links-test');
    const outside = path.join(folder, '../outside');
    await mkdir(outside, { recursive: true });
    const store = fileBlobs({
      folder: own,
      baseUrl: served.baseUrl,
      signingKey: randomBytes(32),
      maxBytes: 9999,
      clock: { now: () => new Date() },
    });
    await store.write('linked/a', Buffer.from('inside'), 'text/plain');
    const [name = ''] = await filesIn(own);
    const shard = path.join(own, path.dirname(name));
    await rm(shard, { recursive: true });
    await symlink(outside, shard);
    expect(await code(store.write('linked/a', Buffer.from('x'), 'text/plain'))).to.match(/link/);
    await writeFile(path.join(outside, path.basename(name)), 'secret');
    expect(await code(store.read('linked/a'))).to.match(/link/);
    await rm(shard);
    await mkdir(shard);
    await symlink(path.join(outside, path.basename(name)), path.join(own, name));
    expect(await code(store.read('linked/a'))).to.match(/ELOOP/);
    await store.write('linked/a', Buffer.from('inside'), 'text/plain');
    expect(await readFile(path.join(outside, path.basename(name)), 'utf8')).to.equal('secret');
    expect(Buffer.from((await store.read('linked/a')) ?? []).toString()).to.equal('inside');
  });

  it('reports that the disk is full, and leaves nothing behind', async function () {
    if (process.platform !== 'linux') this.skip();
    const own = path.join(folder, '../full-test');
    await mkdir(own);
    const shell = `mount -t tmpfs -o size=2m none "$0" && exec "$1" "$2" fill-up "$0"`;
    const inItsOwn = ['--user', '--map-root-user', '--mount', 'sh', '-c', shell, own, process.execPath, child];
    const { stdout } = await promisify(execFile)('unshare', inItsOwn);
    expect(JSON.parse(stdout)).to.deep.equal({
      kind: 'unavailable',
      code: 'storage_full',
      drafts: 0,
      kept: 'small',
      refused: null,
    });
  });

  it('always has one whole version of an object, however often its writer is killed', async () => {
    const own = path.join(folder, '../killed-test');
    const store = fileBlobs({
      folder: own,
      baseUrl: served.baseUrl,
      signingKey: randomBytes(32),
      maxBytes: 1e8,
      clock: { now: () => new Date() },
    });
    for (let time = 0; time < 6; time++) {
      const writer = spawn(process.execPath, [child, 'write-on', own], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(writer.stdout, 'data');
      await setTimeout(Math.random() * 60);
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      const head = await store.head('key');
      const data = Buffer.from((await store.read('key')) ?? []);
      const version = Number(head?.contentType.slice('text/x-'.length));
      expect(head?.size).to.equal(200_000 + version);
      expect(data.equals(Buffer.alloc(200_000 + version, version % 256))).to.equal(true);
    }
  });
});
