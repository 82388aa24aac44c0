import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { folderSources } from '../../src/adapters/sources/folder/folder.ts';
import { temporaryFiles } from '../../src/adapters/sources/spool.ts';
import { ItemGone, type OpenSource, type SourceItem } from '../../src/application/ports/sources.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import type { SourceAfter } from '../../src/domain/source.ts';
import { notRenewed, onlyItem, sourceContract } from '../contracts/source.ts';
import { type HungFolder, hang } from '../support/hung-folder.ts';

const { signal } = new AbortController();

/** Everything may be read by root. */
const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};

describe('folders as sources', () => {
  let root: string;
  let inbox: string;
  const closers: OpenSource[] = [];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'portico-folder-')));
    inbox = path.join(root, 'inbox');
    await mkdir(inbox);
  });
  afterEach(async () => {
    for (const source of closers.splice(0)) await source.close();
    await rm(root, { recursive: true, force: true });
  });

  const family = (over: Partial<Parameters<typeof folderSources>[0]> = {}) =>
    folderSources({ folders: [inbox], contentTypeOf: () => 'text/plain', threads: 2, ...over });
  const openIn = async (
    sources: ReturnType<typeof folderSources>,
    act: SourceAfter['act'] = 'keep',
    { folder = inbox, until = signal } = {},
  ) => {
    const source = await sources.open({ type: 'folder', path: folder }, { act, to: null }, until, notRenewed);
    closers.push(source);
    return source;
  };
  const open = (act: SourceAfter['act'] = 'keep') => openIn(family(), act);

  /** Everything that a look finds, and the cursor after it. */
  const look = async (opened: OpenSource, from: JsonValue | null = null) => {
    const items: SourceItem[] = [];
    let cursor = from;
    for await (const page of opened.pages(from, signal)) {
      items.push(...page.items);
      ({ cursor } = page);
    }
    return { items: items.toSorted((a, b) => (a.name < b.name ? -1 : 1)), cursor };
  };
  const bytes = async (item: SourceItem) => (await buffer(item.read(signal))).toString();
  const put = (name: string, text = name) => writeFile(path.join(inbox, name), text);
  const textsIn = async (folder: string) => {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const files = found.filter((entry) => entry.isFile()).map(({ name }) => path.join(folder, name));
    return Promise.all(files.map((file) => readFile(file, 'utf8')));
  };
  const inDone = async () => (await readdir(path.join(inbox, 'done'))).sort();

  sourceContract(async () => ({
    open: (act, until) => openIn(family({ settledMs: 50 }), act, { until }),
    put: (name, text) => put(`${name}.txt`, text),
    remove: (name) => unlink(path.join(inbox, `${name}.txt`)),
    there: () => textsIn(inbox),
    moved: () => textsIn(path.join(inbox, 'done')),
    bytesOf: (_name, text) => text,
  }));

  it('are allowed by their own paths alone, after links are resolved', async () => {
    const [below, beside] = [path.join(inbox, 'below'), path.join(root, 'inbox2')];
    await mkdir(below);
    await mkdir(beside);
    await symlink(inbox, path.join(root, 'to-inbox'));
    await symlink(beside, path.join(root, 'to-beside'));
    await put('file.txt');
    const defectOf = (folder: string, folders?: string[]) =>
      family(folders && { folders }).defect({ type: 'folder', path: folder });
    const refused = 'must be one of SOURCE_FOLDERS, which the operator of the server sets';
    expect(await defectOf(inbox)).to.equal(null);
    expect(await defectOf(path.join(root, 'to-inbox'))).to.equal(null);
    expect(await defectOf(inbox, [path.join(root, 'to-inbox')])).to.equal(null);
    expect(await defectOf(`${inbox}/../inbox/`)).to.equal(null);
    for (const other of [
      below,
      beside,
      root,
      path.join(root, 'to-beside'),
      `${inbox}/..`,
      '/etc',
      path.join(root, 'none'),
    ])
      expect(await defectOf(other), other).to.equal(refused);
    expect(await defectOf(inbox, [])).to.equal(refused);
    expect(await defectOf('inbox')).to.equal('must be an absolute path');
    expect(await defectOf(path.join(root, 'none'), [path.join(root, 'none')])).to.equal('is not there');
    expect(await defectOf(path.join(inbox, 'file.txt'), [path.join(inbox, 'file.txt')])).to.equal('is not a folder');
  });

  it('are asked again whether they are allowed whenever they are opened', async () => {
    const beside = path.join(root, 'beside');
    await mkdir(beside);
    await rename(inbox, path.join(root, 'old'));
    await symlink(beside, inbox);
    const elsewhere = family({ folders: [path.join(root, 'old')] });
    const outcome = await openIn(elsewhere).catch((error: Error) => error.message);
    expect(outcome).to.match(/must be one of SOURCE_FOLDERS/);
  });

  it('have files alone: no hidden ones, links, pipes and folders', async () => {
    await put('invoice.txt', 'one');
    await put('.hidden', 'two');
    await writeFile(path.join(root, 'secret'), 'three');
    await symlink(path.join(root, 'secret'), path.join(inbox, 'link.txt'));
    await symlink(root, path.join(inbox, 'folder-link'));
    await mkdir(path.join(inbox, 'below'));
    await writeFile(path.join(inbox, 'below', 'deep.txt'), 'four');
    execFileSync('mkfifo', [path.join(inbox, 'pipe.txt')]);
    const item = await onlyItem(await open());
    expect(item.name).to.equal('invoice.txt');
    expect(item.sizeBytes).to.equal(3);
    expect(item.keyOf('abc')).to.equal(`${inbox}/invoice.txt abc`);
    expect(await bytes(item)).to.equal('one');
  });

  it('read no link and no pipe that is put in the place of a file', async () => {
    await put('a.txt', 'mine');
    const item = await onlyItem(await open());
    await writeFile(path.join(root, 'secret'), 'mine');
    await unlink(path.join(inbox, 'a.txt'));
    await symlink(path.join(root, 'secret'), path.join(inbox, 'a.txt'));
    expect(await bytes(item).catch((error) => error)).to.be.instanceOf(ItemGone);
    await unlink(path.join(inbox, 'a.txt'));
    execFileSync('mkfifo', [path.join(inbox, 'a.txt')]);
    expect(await bytes(item).catch((error) => error)).to.be.instanceOf(ItemGone);
  });

  it('have a file once nobody writes it any more', async () => {
    await put('growing.txt', 'a');
    await put('whole.txt', 'whole');
    const file = path.join(inbox, 'growing.txt');
    const writing = setInterval(() => void appendFile(file, 'b'), 100);
    const opened = await open();
    const first = await look(opened);
    clearInterval(writing);
    expect(first.items.map(({ name }) => name)).to.deep.equal(['whole.txt']);
    const second = await look(opened, first.cursor);
    expect(second.items.map(({ name }) => name)).to.include('growing.txt');
  });

  it('take a file whose time stands still, but not its size, for one that is written', async () => {
    const file = path.join(inbox, 'copied.txt');
    const old = new Date('2020-01-01');
    await writeFile(file, 'a');
    await utimes(file, old, old);
    const writing = setInterval(() => void appendFile(file, 'b').then(() => utimes(file, old, old)), 100);
    const { items } = await look(await open());
    clearInterval(writing);
    expect(items).to.deep.equal([]);
  });

  it('do not end to read a file that changes meanwhile', async () => {
    await put('a.txt', 'x'.repeat(1_000_000));
    const item = await onlyItem(await open());
    const reading = item.read(signal)[Symbol.asyncIterator]();
    await reading.next();
    await appendFile(path.join(inbox, 'a.txt'), 'more');
    const outcome = await (async () => {
      while (!(await reading.next()).done);
    })().catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ItemGone);
  });

  it('cost no file anything that was there before', async () => {
    for (let n = 0; n < 300; n += 1) await put(`${n}.txt`);
    const opened = await open();
    const first = await look(opened);
    expect(first.items).to.have.length(300);
    expect((await look(opened, first.cursor)).items).to.deep.equal([]);
    await put('new.txt');
    const later = await look(opened, JSON.parse(JSON.stringify(first.cursor)));
    expect(later.items.map(({ name }) => name)).to.include('new.txt');
    expect(later.items.length).to.be.lessThan(20);
  });

  it('have a file again that is taken away during a look and comes back as it was', async () => {
    const names = ['one.txt', 'two.txt'];
    for (const name of names) await put(name);
    const opened = await openIn(family({ settledMs: 50 }));
    let other = '';
    let cursor: JsonValue = null;
    for await (const page of opened.pages(null, signal)) {
      ({ cursor } = page);
      if (other !== '') continue;
      expect(page.items).to.have.length(1);
      other = names.find((name) => name !== page.items[0]?.name) ?? '';
      await rename(path.join(inbox, other), path.join(root, other));
    }
    await rename(path.join(root, other), path.join(inbox, other));
    expect((await look(opened, cursor)).items.map(({ name }) => name)).to.deep.equal([other]);
  });

  it('have names with any bytes', async () => {
    const odd = ['Rechnung März.txt', '..txt', 'a\nb.txt', 'quo"te\\.txt', '-rf', ' ', 'x'.repeat(255), '請求書.pdf'];
    for (const name of odd) await put(name, name);
    const notText = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x74]);
    await writeFile(Buffer.concat([Buffer.from(`${inbox}/`), notText]), 'bytes');
    const opened = await open('move');
    const { items } = await look(opened);
    // `..txt` is hidden.
    expect(items.map(({ name }) => name)).to.have.members([
      ...odd.filter((name) => name !== '..txt').map((name) => name.replaceAll(/[\n\\]/g, '_')),
      'a\ufffd\ufffd.t',
    ]);
    for (const item of items) {
      await bytes(item);
      await opened.settle(item.ref, signal);
    }
    expect(await readdir(inbox)).to.have.members(['..txt', 'done']);
    const moved = await readdir(path.join(inbox, 'done'), { encoding: 'buffer' });
    expect(moved.map((name) => name.toString('latin1'))).to.have.members(
      [...odd.filter((name) => name !== '..txt').map((name) => Buffer.from(name)), notText].map((name) =>
        name.toString('latin1'),
      ),
    );
  });

  it('move what was taken to done, never over another file', async () => {
    const opened = await open('move');
    for (const text of ['one', 'two', 'three']) {
      await put('scan.tar.pdf', text);
      await opened.settle((await onlyItem(opened)).ref, signal);
    }
    expect(await inDone()).to.deep.equal(['scan.tar-2.pdf', 'scan.tar-3.pdf', 'scan.tar.pdf']);
    expect(await readFile(path.join(inbox, 'done', 'scan.tar-3.pdf'), 'utf8')).to.equal('three');
    expect(await readdir(inbox)).to.deep.equal(['done']);
  });

  it('delete what was taken, and keep what is to be kept', async () => {
    await put('a.txt');
    const deleting = await open('delete');
    const { ref } = await onlyItem(deleting);
    await deleting.settle(ref, signal);
    await deleting.settle(ref, signal);
    expect(await readdir(inbox)).to.deep.equal([]);
  });

  it('leave another file alone that has the name by now', async () => {
    for (const act of ['move', 'delete'] as const) {
      await put('a.txt', 'first');
      const opened = await open(act);
      const { ref } = await onlyItem(opened);
      await put('b.txt', 'second, which is longer');
      await rename(path.join(inbox, 'b.txt'), path.join(inbox, 'a.txt'));
      await opened.settle(ref, signal);
      expect(await readFile(path.join(inbox, 'a.txt'), 'utf8')).to.equal('second, which is longer');
      expect(await readdir(inbox)).to.deep.equal(['a.txt']);
    }
  });

  it('settle what a process that was killed had begun to settle', async () => {
    await put('a.txt', 'one');
    const opened = await open('move');
    const { ref } = await onlyItem(opened);
    // As it stands between two steps: the file has its hidden name, and its name in done as well.
    const done = path.join(inbox, 'done');
    await opened.settle(ref, signal);
    const hidden = path.join(inbox, '.portico-held');
    await link(path.join(done, 'a.txt'), hidden);
    const asideOf = await import('node:crypto').then(({ hash }) => `.portico-${hash('sha256', ref).slice(0, 32)}`);
    await rename(hidden, path.join(inbox, asideOf));
    await opened.settle(ref, signal);
    expect(await inDone()).to.deep.equal(['a.txt']);
    expect(await readdir(inbox)).to.deep.equal(['done']);
    await rename(path.join(done, 'a.txt'), path.join(inbox, asideOf));
    await opened.settle(ref, signal);
    expect(await inDone()).to.deep.equal(['a.txt']);
  });

  it('move nothing through a link that is called done', async () => {
    const elsewhere = path.join(root, 'elsewhere');
    await mkdir(elsewhere);
    await put('a.txt');
    await symlink(elsewhere, path.join(inbox, 'done'));
    const opened = await open('move');
    const { ref } = await onlyItem(opened);
    const refusal = await opened.settle(ref, signal).catch((error: Error) => error.message);
    expect(refusal).to.equal(`${inbox}/done is not a folder: what was read cannot be moved there.`);
    expect(await readdir(elsewhere)).to.deep.equal([]);
    await unlink(path.join(inbox, 'done'));
    await opened.settle(ref, signal);
    expect(await inDone()).to.deep.equal(['a.txt']);
  });

  it('say why they cannot be read', async () => {
    await put('a.txt');
    await chmod(path.join(inbox, 'a.txt'), 0);
    for (const folder of [root, inbox]) await chmod(folder, 0o755);
    const item = await onlyItem(await open());
    const refusal = await asNobody(() => bytes(item).catch((error: Error) => error.message));
    expect(refusal).to.equal(`The server may not read the file a.txt in ${inbox}.`);
  });

  it('are listed some groups at a time, and looked at again only where something changed', async () => {
    const FILES = 7000;
    for (let n = 0; n < FILES; n += 1) writeFileSync(path.join(inbox, `${n}.txt`), String(n));
    const opened = await openIn(family({ settledMs: 50 }));
    const pages: { readonly names: readonly string[]; readonly cursor: JsonValue }[] = [];
    for await (const { items, cursor } of opened.pages(null, signal))
      pages.push({ names: items.map(({ name }) => name), cursor });
    const names = pages.flatMap((page) => page.names);
    expect(new Set(names).size).to.equal(FILES);
    expect(names).to.have.length(FILES);
    expect(Math.max(...pages.map((page) => page.names.length))).to.be.lessThan(100);
    // What was seen of it before is left out, from wherever a look was cut off.
    const half = pages[Math.floor(pages.length / 2)]?.cursor ?? null;
    const rest = (await look(opened, half)).items.map(({ name }) => name);
    expect(rest.length).to.be.within(1, FILES - 1);
    const first = pages.slice(0, Math.floor(pages.length / 2) + 1).flatMap((page) => page.names);
    expect([...first, ...rest].sort()).to.deep.equal([...names].sort());
    const all = pages.at(-1)?.cursor ?? null;
    expect(JSON.stringify(all).length).to.be.lessThan(5000);
    writeFileSync(path.join(inbox, '17.txt'), 'another');
    const later = (await look(opened, all)).items.map(({ name }) => name);
    expect(later).to.include('17.txt');
    expect(later.length).to.be.lessThan(100);
  });

  it('move a file whose name has been taken many times, and one with the longest name', async () => {
    const opened = await openIn(family({ settledMs: 50 }), 'move');
    const long = `${'ü'.repeat(125)}.pdf`;
    for (const name of ['scan.pdf', long]) {
      for (let n = 0; n < 12; n += 1) {
        await put(name, `${n}`);
        await opened.settle((await onlyItem(opened)).ref, signal);
      }
    }
    const moved = await inDone();
    expect(moved).to.have.length(24);
    expect(moved.filter((name) => /^scan(-[2-9])?\.pdf$/.test(name))).to.have.length(9);
    expect(moved.filter((name) => /^scan-[0-9a-f]{12}\.pdf$/.test(name))).to.have.length(3);
    const longOnes = moved.filter((name) => name.startsWith('ü'));
    expect(longOnes.filter((name) => /^ü+(-[0-9a-f]+)?\.pdf$/.test(name))).to.have.length(12);
    for (const name of longOnes) expect(Buffer.byteLength(name)).to.be.at.most(255);
  });

  it('are the ones that were allowed, whatever takes their place during a look', async function () {
    if (process.platform !== 'linux') return this.skip();
    const [secrets, elsewhere] = [path.join(root, 'secrets'), path.join(root, 'elsewhere')];
    for (const folder of [secrets, elsewhere]) await mkdir(folder);
    await writeFile(path.join(secrets, 'a.txt'), 'secret');
    await put('a.txt', 'mine');
    const opened = await openIn(family({ settledMs: 50 }), 'move');
    await rename(inbox, path.join(root, 'moved'));
    await symlink(secrets, inbox);
    const item = await onlyItem(opened);
    expect(await bytes(item)).to.equal('mine');
    await opened.settle(item.ref, signal);
    expect(await textsIn(path.join(root, 'moved/done'))).to.deep.equal(['mine']);
    expect(await textsIn(secrets)).to.deep.equal(['secret']);
  });

  describe('that do not answer', () => {
    const hung: HungFolder[] = [];
    const folders = () => ['one', 'two', 'three'].map((name) => path.join(root, name));
    const messageOf = (work: Promise<unknown>) =>
      work.then(
        () => 'answered',
        (error: Error) => error.message,
      );

    const hangAll = async () => {
      for (const folder of folders()) {
        await mkdir(folder);
        const made = await hang(folder);
        if (made === null) return false;
        hung.push(made);
      }
      return true;
    };
    afterEach(async () => {
      for (const each of hung.splice(0)) await each.end();
    });

    it('are given up in time, delay no others, and keep no more threads than they may', async function () {
      if (!(await hangAll())) return this.skip();
      const [one = '', two = '', three = ''] = folders();
      const sources = family({ folders: [inbox, ...folders()], answerSeconds: 1 });
      const outcome = (folder: string) => messageOf(openIn(sources, 'keep', { folder }));
      expect(await outcome(one)).to.equal(`The folder ${one} does not answer.`);
      await put('a.txt', 'mine');
      const item = await onlyItem(await openIn(sources));
      expect(await bytes(item)).to.equal('mine');
      expect(await outcome(two)).to.equal(`The folder ${two} does not answer.`);
      // Nothing more may wait: neither those that hang, asked again, nor others.
      expect(await outcome(one)).to.equal(`The folder ${one} does not answer.`);
      expect(await outcome(three)).to.match(/is not looked at now: other folders of the server do not answer/);
      expect(await outcome(inbox)).to.match(/is not looked at now: other folders of the server do not answer/);
      expect(await readFile(path.join(inbox, 'a.txt'), 'utf8')).to.equal('mine');
    });

    it('go on by themselves when they do', async function () {
      if (!(await hangAll())) return this.skip();
      const [one = ''] = folders();
      const sources = family({ folders: folders(), answerSeconds: 1 });
      const open = () => openIn(sources, 'keep', { folder: one });
      expect(await messageOf(open())).to.equal(`The folder ${one} does not answer.`);
      await hung.shift()?.end();
      await writeFile(path.join(one, 'a.txt'), 'late');
      expect(await bytes(await onlyItem(await open()))).to.equal('late');
    });

    it('are not waited for by a process that stops', async function () {
      if (!(await hangAll())) return this.skip();
      const [one = ''] = folders();
      const stopping = new AbortController();
      const opening = openIn(family({ folders: folders() }), 'keep', { folder: one, until: stopping.signal });
      setTimeout(() => stopping.abort(new Error('it stops')), 100);
      expect(await messageOf(opening)).to.equal('it stops');
    });
  });
});

describe('bytes that are set aside', () => {
  async function* chunks(count: number, size: number) {
    for (let n = 0; n < count; n += 1) yield new Uint8Array(size).fill(n);
  }

  it('are counted, and read as often as is asked, and leave nothing behind', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-spool-'));
    const spool = temporaryFiles(folder);
    const aside = await spool.setAside(chunks(3, 1000), 3000);
    expect(await readdir(folder)).to.deep.equal([]);
    expect(aside?.byteLength).to.equal(3000);
    for (let again = 0; again < 2; again += 1) expect(aside && (await buffer(aside.read())).byteLength).to.equal(3000);
    await aside?.dispose();
    expect(await spool.setAside(chunks(3, 1000), 2999)).to.equal(null);
    const empty = await spool.setAside(chunks(0, 0), 10);
    expect(empty?.byteLength).to.equal(0);
    expect(empty && (await buffer(empty.read())).byteLength).to.equal(0);
    await empty?.dispose();
    expect((await stat(folder)).isDirectory()).to.equal(true);
    await rm(folder, { recursive: true });
  });
});
