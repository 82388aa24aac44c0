import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { mediaWiki } from '../examples/search-adapter.ts';
import { safeOutbound } from '../src/adapters/outbound/outbound.ts';
import type { SearchResult } from '../src/application/ports/search.ts';
import { webPages } from '../src/application/search/web-pages.ts';
import { type Config, readConfig } from '../src/composition/config.ts';
import type { Composition } from '../src/composition/container.ts';
import { Outbound, TextExtractor } from '../src/composition/modules/outside.ts';
import { PageReader, SearchProvider } from '../src/composition/modules/search.ts';
import { type Serving, serve } from '../src/composition/serve.ts';
import { searchProviderContract } from './contracts/search-provider.ts';
import { embeddedPostgres } from './support/backends.ts';
import { serveHere } from './support/here.ts';
import { freePort } from './support/listen.ts';
import { quiet } from './support/log.ts';
import { emptyDatabase } from './support/postgres.ts';
import { receiver } from './support/receiver.ts';

const root = path.resolve(import.meta.dirname, '..');
const run = promisify(execFile);

describe('the examples that call the API', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let folder: string;
  let config: Config;
  let serving: Serving;

  before(async function () {
    const url = await embeddedPostgres.url();
    if (url === null) return this.skip();
    database = await emptyDatabase(url);
    folder = await mkdtemp(path.join(tmpdir(), 'portico-examples-'));
    config = readConfig({ DATABASE_URL: database.url, DATA_DIR: folder, DEMO: 'true', PORT: String(await freePort()) });
    serving = await serve(config, 'all', quiet);
  });

  after(async () => {
    await serving?.stop();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const example = (command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { PATH = '' } = process.env;
    const env = { PATH, PORTICO_URL: config.baseUrl, PORTICO_API_KEY: serving.demo?.made?.apiKey ?? '', ...more };
    return run(command, args, { cwd: root, env });
  };
  const programs = [
    ['curl.sh', 'sh', ['text/plain'], ['application/pdf']],
    ['run.ts', process.execPath, [], []],
  ] as const;

  for (const [name, command, text, pdf] of programs) {
    const file = `examples/${name}`;

    it(`${name} prints what the file says`, async () => {
      const { stdout } = await example(command, [file, 'demo/samples/greenhithe-farm.txt', ...text]);
      expect(JSON.parse(stdout)).to.deep.include({ supplier: 'Greenhithe Farm' });
    });

    it(`${name} ends with the reason of a refusal, and of a run that failed`, async () => {
      const failing = (...[args, more]: [readonly string[], Readonly<Record<string, string>>?]) =>
        example(command, [file, ...args], more).then(
          () => expect.fail('it went well'),
          ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
            code,
            said: stdout + stderr,
          }),
        );
      const refused = await failing(['demo/samples/greenhithe-farm.txt', ...text], { PORTICO_API_KEY: 'svc-wrong' });
      expect(refused.code).to.be.above(0);
      expect(refused.said).to.match(/The credential is not valid/);
      const failed = await failing(['demo/samples/quayside-glassware-damaged.pdf', ...pdf]);
      expect(failed.code).to.be.above(0);
      expect(failed.said).to.match(/The run [0-9a-f-]{36} is failed: .*quayside-glassware-damaged\.pdf/);
    });
  }

  it('search-adapter.ts searches for a server that it is bound in', async () => {
    const wiki = await aWiki();
    wiki.has([{ title: 'Kiln', url: `${wiki.server.url}/wiki/Kiln`, snippet: 'A kiln is an oven.' }]);
    const prepare = ({ container }: Composition) => {
      container.rebindSync(SearchProvider).toConstantValue(wiki.provider);
      const pages = webPages({ outbound: container.get(Outbound), text: container.get(TextExtractor), log: quiet });
      container.rebindSync(PageReader).toConstantValue(pages);
    };
    const env = { DATABASE_URL: database.url, DATA_DIR: folder, OUTBOUND_ALLOWED_HOSTS: wiki.server.host };
    const second = await serveHere(env, { prepare });
    try {
      const answer = await fetch(`${second.url}/api/v1/search-web`, {
        method: 'POST',
        headers: { 'X-API-Key': serving.demo?.made?.apiKey ?? '', 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: 'kiln' }),
      });
      const { data } = (await answer.json()) as { data: { sources: readonly unknown[] } };
      expect(data.sources).to.deep.equal([{ title: 'Kiln', url: `${wiki.server.url}/wiki/Kiln` }]);
    } finally {
      await second.stop();
      await wiki.server.close();
    }
  });
});

/** A MediaWiki in the form of its answers (`formatversion=2`), with the adapter that asks it. */
const aWiki = async () => {
  let pages: readonly SearchResult[] = [];
  const server = await receiver((response, { url }) => {
    if (!url.startsWith('/w/api.php?')) return void response.end('A kiln is an oven for clay. It is hot inside.');
    const limit = Number(new URL(url, 'http://wiki').searchParams.get('gsrlimit'));
    const found = pages.slice(0, limit).map(({ title, url: fullurl, snippet: extract }, at) => ({
      pageid: at + 1,
      ns: 0,
      title,
      index: at + 1,
      fullurl,
      extract,
    }));
    const answer = { batchcomplete: true, ...(found.length > 0 && { query: { pages: found.toReversed() } }) };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer));
  });
  const provider = mediaWiki({ url: `${server.url}/w`, outbound: safeOutbound({ allowedHosts: [] }) });
  const has = (next: readonly SearchResult[]) => {
    pages = next;
  };
  return { server, provider, has };
};

searchProviderContract('the example', async () => {
  const { server, provider, has } = await aWiki();
  return { provider, has: async (pages) => has(pages), close: () => server.close() };
});
