import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { systemClock } from '../../src/adapters/system/runtime.ts';
import { keptPages } from '../../src/application/files/kept-pages.ts';
import type { BlobStore } from '../../src/application/ports/blobs.ts';
import { besideKey } from '../../src/application/ports/blobs.ts';
import type { PageImages, PageSize } from '../../src/application/ports/page-images.ts';
import type { FilePart, TextExtractor } from '../../src/application/ports/text.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import { aSharer } from '../support/builders.ts';
import { quiet } from '../support/log.ts';

const A4: PageSize = { page: 1, width: 595, height: 842, source: 'text' };
const aLayout = (number: number, ...texts: readonly string[]): PageLayout => ({
  number,
  width: 595,
  height: 842,
  source: 'ocr',
  words: texts.map((text, index) => ({
    text,
    x: 0.125,
    y: index / 100_000,
    width: 0.25,
    height: 0.01,
    confidence: 0.5,
  })),
});

/** What was read of a file with these pages. */
const asRead = (...layouts: readonly PageLayout[]) => ({
  layouts,
  pages: layouts.map(({ number }) => ({ number, text: 'text' })),
  unreadable: null,
});

/** Reads every file as this. */
const aReader = (found: Pick<FilePart, 'layouts' | 'pages'> & Partial<FilePart> = asRead()) => {
  const read: string[] = [];
  const text: TextExtractor = {
    async extract({ fileName, contentType, data }) {
      read.push(fileName);
      return [{ fileName, contentType, data, unreadable: null, ...found }];
    },
  };
  return { read, text };
};

/** Reads what is there. */
const reading = (blobs: BlobStore) => ({
  async read(key: string, signal?: AbortSignal) {
    const data = await blobs.read(key, signal);
    return data && { data, sha256: 'digest' };
  },
});

const fresh = () => new AbortController().signal;

/** Draws when it is told to; an image is as many bytes as this. */
const aDrawer = (bytes = 10) => {
  const asked: string[] = [];
  const gates: (() => void)[] = [];
  const images: PageImages = {
    async sizes({ fileName }) {
      asked.push(`sizes of ${fileName}`);
      return [A4, { ...A4, page: 2 }];
    },
    async draw(_, page, width) {
      asked.push(`${page} at ${width}`);
      await new Promise<void>((resolve) => gates.push(resolve));
      return Buffer.alloc(bytes, page);
    },
  };
  const eventually = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const release = async (count: number) => {
    await eventually(() => gates.length >= count);
    for (const open of gates.splice(0)) open();
  };
  return { asked, gates, images, eventually, release };
};

describe('kept pages', () => {
  let folder: string;
  let blobs: BlobStore;
  let made = 0;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-pages-'));
    const signingKey = new Uint8Array(32);
    blobs = fileBlobs({ folder, baseUrl: 'http://127.0.0.1', signingKey, maxBytes: 1e9, clock: systemClock });
  });
  after(() => rm(folder, { recursive: true }));

  const aFile = async (user = 'ada') => {
    const file = {
      fileKey: `uploads/w/a/${++made}`,
      fileName: `${made}.pdf`,
      contentType: 'application/pdf',
      sharer: aSharer(user),
    };
    await blobs.write(file.fileKey, Buffer.from('data'), file.contentType);
    return file;
  };
  const room = { isThere: true };
  const keeping = (drawer: ReturnType<typeof aDrawer>, drawings = 1, store = blobs, { text } = aReader()) =>
    keptPages({
      blobs: store,
      sources: reading(store),
      storage: { hasRoom: async () => room.isThere },
      images: drawer.images,
      text,
      log: quiet,
      settings: { drawings },
    });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );
  const namesBeside = async (fileKey: string) => (await blobs.beside(fileKey)).map(({ name }) => name);

  it('are drawn once for each width', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const pages = keeping(drawer);
    const first = pages.image(file, 2, 1000, fresh());
    await drawer.release(1);
    expect(await first).to.deep.equal(Buffer.alloc(10, 2));
    expect(await keeping(aDrawer()).image(file, 2, 1000, fresh())).to.deep.equal(await first);
    const small = pages.image(file, 2, 64, fresh());
    await drawer.release(1);
    await small;
    expect(drawer.asked).to.deep.equal([`sizes of ${file.fileName}`, '2 at 1000', '2 at 64']);
    expect(await namesBeside(file.fileKey)).to.have.members(['measured.json', 'page-2-1000.png', 'page-2-64.png']);
  });

  it('are shown, but not kept, while the workspace has no room in the file store', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const pages = keeping(drawer);
    room.isThere = false;
    try {
      await pages.remember(file.fileKey, asRead(aLayout(1, 'word')));
      const drawn = pages.image(file, 2, 64, fresh());
      await drawer.release(1);
      expect(await drawn).to.deep.equal(Buffer.alloc(10, 2));
      expect(await namesBeside(file.fileKey)).to.deep.equal([]);
    } finally {
      room.isThere = true;
    }
  });

  it('are drawn once for all clients that ask at the same time, also if the first one leaves', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const pages = keeping(drawer, 4);
    const leaving = new AbortController();
    const gone = codeOf(pages.image(file, 1, 1200, leaving.signal));
    const others = Array.from({ length: 5 }, () => pages.image(file, 1, 1200, fresh()));
    await drawer.eventually(() => drawer.gates.length === 1);
    leaving.abort(new Error('hung up'));
    expect(await gone).to.equal('Error: hung up');
    await drawer.release(1);
    for (const image of await Promise.all(others)) expect(image).to.have.length(10);
    expect(drawer.asked.filter((each) => each === '1 at 1200')).to.have.length(1);
  });

  it('wait in turn, no more of them than may wait, and not for clients that have left', async () => {
    const drawer = aDrawer();
    const pages = keeping(drawer);
    const files = await Promise.all(Array.from({ length: 52 }, () => aFile()));
    for (const { fileKey } of files) await pages.remember(fileKey, asRead(aLayout(1)));
    const [first, ...waiting] = files;
    const [last] = waiting;
    if (!first || !last) throw new Error('there are no files');
    const drawing = pages.image(first, 1, 64, fresh());
    await drawer.eventually(() => drawer.gates.length === 1);
    const leaving = new AbortController();
    const outcomes = waiting.map((file) => codeOf(pages.image(file, 1, 64, leaving.signal)));
    expect(await Promise.race(outcomes), 'the 51st that waits').to.equal('rate_limited');
    leaving.abort(new Error('hung up'));
    expect((await Promise.all(outcomes)).filter((each) => each === 'Error: hung up')).to.have.length(50);
    const next = pages.image(last, 1, 64, fresh());
    await drawer.release(1);
    await drawing;
    await drawer.release(1);
    expect(await next).to.have.length(10);
    expect(drawer.asked).to.deep.equal(['1 at 64', '1 at 64']);
  });

  it('keep no more of one file than a bound, the newest', async () => {
    const [drawer, file] = [aDrawer(100 * 1024 * 1024), await aFile()];
    const pages = keeping(drawer);
    for (const [page, width] of [
      [1, 64],
      [2, 64],
      [1, 2400],
    ] as const) {
      const image = pages.image(file, page, width, fresh());
      await drawer.release(1);
      await image;
    }
    expect(await namesBeside(file.fileKey)).to.have.members(['measured.json', 'page-2-64.png', 'page-1-2400.png']);
  });

  it('are gone with their file, also if it is removed while they are drawn', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const pages = keeping(drawer);
    const drawing = pages.image(file, 1, 64, fresh());
    await drawer.eventually(() => drawer.gates.length === 1);
    await blobs.remove(file.fileKey);
    await drawer.release(1);
    await drawing;
    expect(await namesBeside(file.fileKey)).to.deep.equal([]);
    expect(await codeOf(pages.image(file, 1, 64, fresh()))).to.equal('not_found');
  });

  it('are shown although the store has no room for them', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const full: BlobStore = { ...blobs, write: async () => Promise.reject(new Error('no room')) };
    const drawing = keeping(drawer, 1, full).image(file, 1, 64, fresh());
    await drawer.release(1);
    expect(await drawing).to.have.length(10);
    expect(await namesBeside(file.fileKey)).to.deep.equal([]);
  });

  it('are not drawn again and again if they cannot be', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const images: PageImages = {
      ...drawer.images,
      async draw(_, page, width) {
        drawer.asked.push(`${page} at ${width}`);
        throw new DomainError('conflict', 'The page cannot be shown.', { code: 'page_unreadable' });
      },
    };
    const pages = keeping({ ...drawer, images });
    for (const width of [64, 64, 2400])
      expect(await codeOf(pages.image(file, 1, width, fresh()))).to.equal('page_unreadable');
    expect(await codeOf(pages.image(file, 2, 64, fresh()))).to.equal('page_unreadable');
    expect(drawer.asked.slice(1)).to.deep.equal(['1 at 64', '2 at 64']);
  });

  it('have the sizes that the reading of the file found, without a look at it', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    await keeping(drawer).remember(file.fileKey, asRead({ ...aLayout(1), width: 842, height: 595 }));
    expect(await keeping(drawer).sizes(file, fresh())).to.deep.equal([
      { page: 1, width: 842, height: 595, source: 'ocr' },
    ]);
    expect(await codeOf(keeping(drawer).image(file, 2, 64, fresh()))).to.equal('not_found');
    expect(drawer.asked).to.deep.equal([]);
  });

  it('are measured once if the file was read before they were kept, and again if what is kept is damaged', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    const pages = keeping(drawer);
    const all = await Promise.all([1, 2, 3].map(() => pages.sizes(file, fresh())));
    for (const sizes of all) expect(sizes).to.deep.equal([A4, { ...A4, page: 2 }]);
    expect(drawer.asked).to.have.length(1);
    for (const damaged of ['{}', '[1]', '[{"page"']) {
      await blobs.write(besideKey(file.fileKey, 'measured.json'), Buffer.from(damaged), 'application/json');
      expect(await pages.sizes(file, fresh()), damaged).to.have.length(2);
    }
    expect(drawer.asked).to.have.length(4);
  });

  it('are those that the reading found, also where a look at the file that began before ends after it', async () => {
    const [drawer, file] = [aDrawer(), await aFile()];
    let end: () => void = () => undefined;
    const slow = {
      ...drawer,
      images: { ...drawer.images, sizes: () => new Promise<[]>((done) => (end = () => done([]))) },
    };
    const pages = keeping(slow);
    const early = pages.sizes(file, fresh());
    await drawer.eventually(() => String(end) !== String(() => undefined));
    await pages.remember(file.fileKey, asRead(aLayout(1, 'Total'), aLayout(2)));
    end();
    expect(await early).to.deep.equal([]);
    expect(await pages.sizes(file, fresh())).to.have.length(2);
    expect((await pages.words(file, 1, fresh())).words.map(({ text }) => text)).to.deep.equal(['Total']);
  });

  it('have the words that the reading of the file found, in chunks of whole pages', async () => {
    const [drawer, reader, file] = [aDrawer(), aReader(), await aFile()];
    const layouts = [1, 2, 3].map((number) =>
      aLayout(number, ...Array.from({ length: 2000 }, (_, index) => `${number}-${index} "ß`)),
    );
    await keeping(drawer, 1, blobs, reader).remember(file.fileKey, asRead(...layouts, aLayout(4)));
    expect(await namesBeside(file.fileKey)).to.have.members(['pages.json', 'words-0.json', 'words-1.json']);
    const pages = keeping(drawer, 1, blobs, reader);
    for (const { number, words } of layouts)
      expect(await pages.words(file, number, fresh())).to.deep.equal({ page: number, source: 'ocr', words });
    expect(await pages.words(file, 4, fresh())).to.deep.equal({ page: 4, source: 'ocr', words: [] });
    expect(await codeOf(pages.words(file, 5, fresh()))).to.equal('not_found');
    expect([drawer.asked, reader.read]).to.deep.equal([[], []]);
  });

  it('have the words of a file that was read before they were kept, which is read again once', async () => {
    const layouts = [aLayout(1, 'Total', '12.50'), aLayout(2, 'End')];
    const [drawer, reader, file] = [aDrawer(), aReader(asRead(...layouts)), await aFile()];
    const pages = keeping(drawer, 1, blobs, reader);
    const all = await Promise.all([1, 2, 1].map((page) => pages.words(file, page, fresh())));
    expect(all.map(({ words }) => words)).to.deep.equal([1, 2, 1].map((page) => layouts[page - 1]?.words));
    expect(reader.read).to.have.length(1);
    for (const damaged of ['{}', '[[1,[["Total"]]]]', '[[2']) {
      await blobs.write(besideKey(file.fileKey, 'words-0.json'), Buffer.from(damaged), 'application/json');
      expect((await pages.words(file, 1, fresh())).words, damaged).to.deep.equal(layouts[0]?.words);
    }
    expect(reader.read).to.have.length(4);
  });

  it('have no words where they were not read, and are not read again and again for them', async () => {
    const found = {
      layouts: [aLayout(1, 'Total'), aLayout(2)],
      pages: [
        { number: 1, text: 'Total' },
        { number: 2, text: '', unread: { pages: 1, characters: 0 } },
      ],
    };
    const [reader, file] = [aReader(found), await aFile()];
    const pages = keeping(aDrawer(), 1, blobs, reader);
    expect(await codeOf(pages.words(file, 2, fresh()))).to.equal('page_unreadable');
    expect(await codeOf(pages.words(file, 2, fresh()))).to.equal('page_unreadable');
    expect((await pages.words(file, 1, fresh())).words).to.have.length(1);
    expect(reader.read).to.have.length(1);
    const scan = await aFile();
    const unread = keeping(aDrawer(), 1, blobs, aReader({ layouts: [], pages: [], unreadable: 'is a picture' }));
    const why = await unread.words(scan, 1, fresh()).catch((error: unknown) => String(error));
    expect(why).to.include('The words of the page cannot be read: the file is a picture.');
  });

  it('of what is attached to a file are kept beside it, and go with it', async () => {
    const [drawer, reader, file] = [aDrawer(), aReader(), await aFile()];
    const pages = keeping(drawer, 1, blobs, reader);
    const attached = (fileName: string, ...layouts: readonly PageLayout[]): FilePart => ({
      fileName,
      contentType: 'application/pdf',
      data: Buffer.from(fileName),
      ...asRead(...layouts),
    });
    expect(await pages.attachments(file, fresh())).to.deep.equal([]);
    await pages.remember(file.fileKey, asRead(), [
      attached('a.txt'),
      attached('b.pdf', aLayout(1, 'Total')),
      attached('c.pdf', aLayout(1)),
    ]);
    const [first, second, ...others] = await pages.attachments(file, fresh());
    expect([first, second, ...others]).to.deep.equal([
      { ...file, fileName: 'b.pdf', attachment: 0 },
      { ...file, fileName: 'c.pdf', attachment: 1 },
    ]);
    expect((await pages.words(first ?? file, 1, fresh())).words.map(({ text }) => text)).to.deep.equal(['Total']);
    const image = pages.image(second ?? file, 1, 64, fresh());
    await drawer.release(1);
    await image;
    expect([drawer.asked, reader.read]).to.deep.equal([['1 at 64'], []]);
    expect(await codeOf(pages.image(second ?? file, 2, 64, fresh()))).to.equal('not_found');
    expect(await namesBeside(file.fileKey)).to.include.members([
      'attachment-0',
      'attachment-1-page-1-64.png',
      'attachments.json',
    ]);
    await blobs.remove(file.fileKey);
    expect(await pages.attachments(file, fresh())).to.deep.equal([]);
  });

  it('have the text of a file without pages, and of what is attached to it, in parts of whole lines', async () => {
    const [reader, file] = [aReader(), await aFile()];
    const pages = keeping(aDrawer(), 1, blobs, reader);
    const lines = Array.from({ length: 20_000 }, (_, index) => `Bolt ${index};${index * 3}\n`);
    const ofText = (...texts: readonly string[]) => ({
      layouts: [],
      pages: texts.map((text) => ({ number: null, text })),
      unreadable: null,
    });
    const attachment = { fileName: 'note.txt', contentType: 'text/plain', data: Buffer.from('a note') };
    await pages.remember(file.fileKey, ofText(lines.join(''), 'Sheet 2'), [
      { ...attachment, ...ofText('a note') },
      { ...attachment, ...ofText(), unreadable: 'is damaged' },
    ]);
    const parts: string[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const part = await pages.text(file, from, fresh());
      parts.push(part.text);
      from = part.next;
    }
    expect(parts.join('')).to.equal(`${lines.join('')}\n\nSheet 2`);
    expect(parts.map((part) => part.length > 99_900 && part.endsWith('\n'))).to.deep.equal([true, true, true, false]);
    const attached = await pages.attachments(file, fresh());
    expect(attached.map(({ fileName }) => fileName)).to.deep.equal(['note.txt']);
    expect(await pages.text(attached[0] ?? file, 0, fresh())).to.deep.equal({ text: 'a note', next: null });
    expect(await pages.text(file, 10_000_000, fresh())).to.deep.equal({ text: '', next: null });
    expect(reader.read).to.deep.equal([]);
  });

  it('have the text of a file that was read before it was kept, in parts that end within a long line but not within a character', async () => {
    const [reader, file] = [aReader(asRead(aLayout(1), aLayout(2))), await aFile()];
    const pages = keeping(aDrawer(), 1, blobs, reader);
    expect(await pages.text(file, 0, fresh())).to.deep.equal({ text: 'text\n\ntext', next: null });
    expect(reader.read).to.have.length(1);
    const long = { layouts: [], pages: [{ number: null, text: `a${'😀'.repeat(60_000)}` }] };
    const other = keeping(aDrawer(), 1, blobs, aReader(long));
    const plain = await aFile();
    const first = await other.text(plain, 0, fresh());
    const second = await other.text(plain, first.next ?? 0, fresh());
    expect([first.next, first.text.isWellFormed(), second.next]).to.deep.equal([99_999, true, null]);
    expect(first.text + second.text).to.equal(long.pages[0]?.text);
    const unread = keeping(aDrawer(), 1, blobs, aReader({ layouts: [], pages: [], unreadable: 'has a password' }));
    const why = await unread.text(await aFile(), 0, fresh()).catch((error: unknown) => String(error));
    expect(why).to.include('The text cannot be read: the file has a password.');
  });

  it('keep their words however many images are drawn', async () => {
    const [drawer, file] = [aDrawer(200 * 1024 * 1024), await aFile()];
    const pages = keeping(drawer);
    await pages.remember(file.fileKey, asRead(aLayout(1, 'Total')));
    for (const width of [64, 2400]) {
      const image = pages.image(file, 1, width, fresh());
      await drawer.release(1);
      await image;
    }
    expect(await namesBeside(file.fileKey)).to.have.members(['pages.json', 'words-0.json', 'page-1-2400.png']);
  });
});
