import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { corpus } from '../../src/adapters/search/corpus.ts';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';
import { searchProviderContract } from '../contracts/search-provider.ts';
import { quiet } from '../support/log.ts';

const unaborted = new AbortController().signal;
const text = textExtractor({ timeoutSeconds: 10, memoryMegabytes: 256 });

const folders: string[] = [];
const newFolder = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'corpus-'));
  folders.push(folder);
  return folder;
};
const write = async (folder: string, name: string, content: string | Uint8Array) => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
};
const open = (folder: string, settings: Partial<Parameters<typeof corpus>[0]> = {}) =>
  corpus({ folder, text, log: quiet, recheckSeconds: 0, ...settings });

const html = (title: string, head: string, body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

after(async () => {
  await text.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

searchProviderContract('a folder of pages', async () => {
  const folder = await newFolder();
  return {
    provider: open(folder),
    has: async (pages) => {
      for (const [index, { title, url, snippet }] of pages.entries())
        await write(folder, `${index}.md`, `---\ntitle: ${JSON.stringify(title)}\nurl: ${url}\n---\n\n${snippet}\n`);
    },
    close: async () => {},
  };
});

describe('a folder of pages', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  const found = async (query: string, pages = open(folder)) =>
    (await pages.search(query, { limit: 20 }, unaborted)).map(({ title, url }) => [title, url]);
  const textOf = async (query: string, pages = open(folder)) => {
    const [first] = await pages.search(query, { limit: 1 }, unaborted);
    return first && (await pages.read(first.url, OWN_WORK, unaborted))?.text;
  };

  it('takes titles and addresses from the pages, else from their names', async () => {
    await write(
      folder,
      'a.html',
      html('Herring &amp; chips', '<link rel="canonical" href="https://example.org/a?b=c">', '<p>About herring.</p>'),
    );
    await write(folder, 'sub folder/b.md', '# Smoked *herring*\n\nAbout it.');
    await write(folder, 'c_d-e.txt', 'All about herring.');
    await write(folder, 'f.txt', 'Fresh herring\n\nAbout fish.');
    await write(folder, 'g.md', '---\ntitle: [not: closed\n---\nHerring with bad front matter.');
    await write(folder, 'h.md', '---\ntitle: Pickled herring\nurl: javascript:alert(1)\n---\nIt is sour.');
    expect(await found('herring')).to.have.deep.members([
      ['Herring & chips', 'https://example.org/a?b=c'],
      ['Smoked *herring*', 'corpus:///sub%20folder/b.md'],
      ['c d e', 'corpus:///c_d-e.txt'],
      ['Fresh herring', 'corpus:///f.txt'],
      ['g', 'corpus:///g.md'],
      ['Pickled herring', 'corpus:///h.md'],
    ]);
  });

  it('reads its own pages, and nothing else', async () => {
    await write(folder, 'a.txt', 'About herring.');
    const pages = open(folder);
    await pages.search('herring', { limit: 1 }, unaborted);
    expect(await pages.read('corpus:///a.txt', OWN_WORK, unaborted)).to.deep.equal({
      url: 'corpus:///a.txt',
      text: 'About herring.',
    });
    for (const url of ['corpus:///b.txt', 'corpus:///../a.txt', 'file:///etc/passwd', 'https://example.org/', ''])
      expect(await pages.read(url, OWN_WORK, unaborted), url).to.equal(null);
  });

  it('gives an address that two pages name to the first', async () => {
    for (const name of ['a.md', 'b.md']) await write(folder, name, '---\nurl: https://example.org/\n---\nherring');
    expect((await found('herring')).map(([, url]) => url)).to.have.members(['https://example.org/', 'corpus:///b.md']);
  });

  it('notices pages that come, change and go', async () => {
    const pages = open(folder);
    expect(await found('herring', pages)).to.deep.equal([]);
    await write(folder, 'a.txt', 'All about herring.');
    expect(await found('herring', pages)).to.have.length(1);
    await write(folder, 'a.txt', 'All about mackerel instead.');
    expect(await found('herring', pages)).to.deep.equal([]);
    expect(await found('mackerel', pages)).to.have.length(1);
    await unlink(path.join(folder, 'a.txt'));
    expect(await found('mackerel', pages)).to.deep.equal([]);
  });

  it('puts first what fits best', async () => {
    await write(folder, 'a.txt', `Many fish, herring among them. ${'Something else stands here. '.repeat(50)}`);
    await write(folder, 'b.txt', 'Herring in the North Sea: where herring is caught.');
    await write(folder, 'c.md', '---\ntitle: The herring\n---\nA fish of the sea.');
    await write(folder, 'd.txt', 'Nothing about fish at all.');
    expect((await found('Where is the herring caught?')).map(([, url]) => url)).to.deep.equal([
      'corpus:///b.txt',
      'corpus:///c.md',
      'corpus:///a.txt',
    ]);
  });

  it('finds plurals, accents and languages without blanks between words', async () => {
    await write(folder, 'a.txt', 'Die Lieferung von Brötchen. The deliveries of rolls.');
    await write(folder, 'b.txt', '請求書は三十日以内に支払います。');
    expect(await found('delivery')).to.have.length(1);
    expect(await found('brotchen')).to.have.length(1);
    expect(await found('請求書')).to.have.length(1);
  });

  it('does not take one word of many for an answer', async () => {
    await write(folder, 'a.txt', 'You can reach us by telephone.');
    expect(await found('How do rockets reach their orbit?')).to.deep.equal([]);
    expect(await found('reach by telephone')).to.have.length(1);
  });

  it('leaves out what is not a page of the folder', async () => {
    const outside = await newFolder();
    await write(outside, 'secret.txt', 'herring');
    await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
    await symlink(outside, path.join(folder, 'linked'));
    for (const name of ['.hidden.txt', '.git/a.txt', 'node_modules/a.txt', 'a.pdf', 'a.txt.bak', 'txt'])
      await write(folder, name, 'herring');
    await mkdir(path.join(folder, 'folder.txt'));
    expect(await found('herring')).to.deep.equal([]);
  });

  it('is bounded in pages, in entries and in the size of a page', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await write(folder, name, 'herring');
    await write(folder, '0.txt', `herring ${'x'.repeat(2000)}`);
    expect(await found('herring', open(folder, { limits: { maxFileBytes: 1000 } }))).to.have.length(3);
    expect(await found('herring', open(folder, { limits: { maxPages: 2 } }))).to.have.length(2);
    expect(await found('herring', open(folder, { limits: { maxEntries: 1 } }))).to.have.length(1);
  });

  it('reads an article without its menus, and text without its marks', async () => {
    const article =
      '<article><h1>Herring</h1>' +
      '<p>The herring is a fish of the northern seas, and <a href="/x">has been</a> eaten for ages.</p>'.repeat(4) +
      '</article>';
    await write(
      folder,
      'a.html',
      html('Fish', '', `<nav><a href="/">Home</a> <a href="/b">Imprint</a></nav>${article}<footer>Cookies</footer>`),
    );
    const read = await textOf('herring');
    expect(read)
      .to.contain('The herring is a fish of the northern seas, and has been eaten')
      .and.not.match(/Imprint|Cookies|\/x/);
    const wrapped = 'This line about mackerel is so long that its author broke it\nin two.';
    await write(
      folder,
      'b.md',
      `# Mackerel\n\n${wrapped}\n\n| Size | Price |\n|-|-:|\n| Small | 3.00 |\n\n- **Fresh** from [the boat](https://example.org/boat)\n- Smoked`,
    );
    expect(await textOf('mackerel')).to.equal(
      `Mackerel\n\n${wrapped.replace('\n', ' ')}\n\nSize\tPrice\nSmall\t3.00\n\nFresh from the boat\nSmoked`,
    );
  });

  it('survives pages that are not what they seem', async () => {
    await write(folder, 'deep.html', html('Herring deep', '', '<div>'.repeat(2_000)));
    await write(folder, 'open.html', `<title>Herring open ${'<link rel=canonical '.repeat(1_000)}`);
    await write(
      folder,
      'binary.html',
      Uint8Array.from({ length: 5_000 }, (_, index) => index % 7),
    );
    await write(folder, 'bomb.md', `---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\ntitle: herring\n---\nherring`);
    await write(folder, 'empty.html', '');
    await write(folder, 'good.txt', 'A good herring.');
    expect((await found('good herring')).map(([, url]) => url)).to.include('corpus:///good.txt');
  });

  it('reports a missing folder, and works again once it is back', async () => {
    const later = path.join(folder, 'later');
    const pages = open(later);
    const error = await found('herring', pages).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DomainError).and.to.include({ kind: 'unavailable' });
    expect((error as DomainError).message).not.to.contain(folder);
    await write(later, 'a.txt', 'herring');
    expect(await found('herring', pages)).to.have.length(1);
  });

  it('looks at the folder once for many who ask at the same time', async () => {
    for (let index = 0; index < 20; index++) await write(folder, `${index}.txt`, `herring ${index}`);
    let reads = 0;
    const counting: typeof text = {
      ...text,
      extract: (file, signal) => {
        reads += 1;
        return text.extract(file, signal);
      },
    };
    const pages = open(folder, { text: counting });
    const all = await Promise.all(Array.from({ length: 30 }, () => found('herring', pages)));
    expect(all.every((each) => each.length === 20)).to.equal(true);
    expect(reads).to.equal(20);
  });
});
