import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { brave } from '../../src/adapters/search/brave.ts';
import { searxng } from '../../src/adapters/search/searxng.ts';
import { tavily } from '../../src/adapters/search/tavily.ts';
import type { Outbound } from '../../src/application/ports/outbound.ts';
import type { SearchProvider, SearchResult } from '../../src/application/ports/search.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { searchProviderContract } from '../contracts/search-provider.ts';
import { receiver, type Seen } from '../support/receiver.ts';

const KEY = 'secret-key-0123456789';
const real = safeOutbound({ allowedHosts: [] });
/** What would take ten seconds takes a fifth of one. */
const impatient: Outbound = {
  send: (request, terms, signal) => real.send(request, { ...terms, timeoutSeconds: 0.2 }, signal),
};

interface Engine {
  readonly name: string;
  readonly variable: string;
  make(baseUrl: string, outbound: Outbound): SearchProvider;
  /** The answer to a search, in the form that the service documents. */
  answer(pages: readonly SearchResult[]): object;
  /** The query of a request. */
  queryOf(seen: Seen): string | null;
  /** Checks everything else about a request. */
  check(seen: Seen): void;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#x27;');

const engines: readonly Engine[] = [
  {
    name: 'SearXNG',
    variable: 'SEARXNG_URL',
    make: (url, outbound) => searxng({ url, outbound }),
    answer: (pages) => ({
      query: 'herring',
      number_of_results: 0,
      results: pages.map(({ title, url, snippet }) => ({
        url,
        title,
        content: snippet,
        engine: 'duckduckgo',
        parsed_url: ['https', 'example.org', '/', '', '', ''],
        template: 'default.html',
        engines: ['duckduckgo'],
        positions: [1],
        score: 1,
        category: 'general',
        publishedDate: null,
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [['google', 'timeout']],
    }),
    queryOf: ({ body }) => new URLSearchParams(body).get('q'),
    check({ method, url, headers, body }) {
      expect([method, url, headers['content-type']]).to.deep.equal([
        'POST',
        '/search',
        'application/x-www-form-urlencoded',
      ]);
      expect(new URLSearchParams(body).get('format')).to.equal('json');
    },
  },
  {
    name: 'Brave',
    variable: 'BRAVE_API_KEY',
    make: (baseUrl, outbound) => brave({ apiKey: KEY, baseUrl, outbound }),
    answer: (pages) => ({
      type: 'search',
      query: { original: 'herring', show_strict_warning: false, more_results_available: false },
      mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }], top: [], side: [] },
      ...(pages.length > 0 && {
        web: {
          type: 'search',
          family_friendly: true,
          results: pages.map(({ title, url, snippet }) => ({
            title: escaped(title),
            url,
            is_source_local: false,
            is_source_both: false,
            description: escaped(snippet),
            language: 'en',
            family_friendly: true,
            type: 'search_result',
            subtype: 'generic',
            page_age: '2026-01-01T00:00:00',
          })),
        },
      }),
    }),
    queryOf: ({ url }) => new URL(url, 'http://x').searchParams.get('q'),
    check({ method, url, headers }) {
      expect([method, new URL(url, 'http://x').pathname]).to.deep.equal(['GET', '/res/v1/web/search']);
      expect(Number(new URL(url, 'http://x').searchParams.get('count'))).to.be.within(1, 20);
      expect(headers).to.include({ 'x-subscription-token': KEY, accept: 'application/json' });
      expect(url).not.to.contain(KEY);
    },
  },
  {
    name: 'Tavily',
    variable: 'TAVILY_API_KEY',
    make: (baseUrl, outbound) => tavily({ apiKey: KEY, baseUrl, outbound }),
    answer: (pages) => ({
      query: 'herring',
      follow_up_questions: null,
      answer: null,
      images: [],
      results: pages.map(({ title, url, snippet }) => ({
        url,
        title,
        content: snippet,
        score: 0.9,
        raw_content: null,
      })),
      response_time: 1.67,
      request_id: '123e4567-e89b-12d3-a456-426614174111',
    }),
    queryOf: ({ body }) => (JSON.parse(body) as { query: string }).query,
    check({ method, url, headers, body }) {
      expect([method, url, headers['content-type']]).to.deep.equal(['POST', '/search', 'application/json']);
      expect(headers.authorization).to.equal(`Bearer ${KEY}`);
      expect(JSON.parse(body)).to.include({ search_depth: 'basic', include_answer: false, include_raw_content: false });
      expect((JSON.parse(body) as { max_results: number }).max_results).to.be.within(1, 20);
      expect(body).not.to.contain(KEY);
    },
  },
];

type Reply = (response: Parameters<Parameters<typeof receiver>[0]>[0], seen: Seen) => void;

for (const engine of engines) {
  const start = async (outbound: Outbound = real) => {
    let reply: Reply = (response) => response.end('{}');
    const server = await receiver((response, seen) => reply(response, seen));
    const json = (status: number, body: unknown) => {
      reply = (response) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const provider = engine.make(server.url, outbound);
    const become = (next: Reply) => {
      reply = next;
    };
    return { server, provider, json, become };
  };

  searchProviderContract(engine.name, async () => {
    const { server, provider, json } = await start();
    return {
      provider,
      has: async (pages) => json(200, engine.answer(pages)),
      close: async () => {
        for (const seen of server.seen) {
          engine.check(seen);
          expect(engine.queryOf(seen)?.length).to.be.above(0);
        }
        await server.close();
      },
    };
  });

  describe(engine.name, () => {
    let world: Awaited<ReturnType<typeof start>>;
    afterEach(() => world.server.close());

    const search = (query = 'herring', signal = new AbortController().signal) =>
      world.provider.search(query, { limit: 10 }, signal);
    const refusal = async () => {
      const error = await search().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(DomainError);
      const { kind, message, stack, cause } = error as DomainError;
      expect(kind, message).to.equal('unavailable');
      expect(`${message} ${stack} ${String(cause)} ${JSON.stringify(error)}`).not.to.contain(KEY);
      expect(message).to.match(/^The web cannot be searched: .+[.?]$/);
      return message;
    };

    it('explains why it cannot be searched', async () => {
      world = await start();
      const refusals: Record<number, string> = {};
      for (const status of [400, 401, 403, 404, 422, 429, 432, 500, 502, 301]) {
        world.json(status, { detail: { error: `Unauthorized: ${KEY}` } });
        refusals[status] = await refusal();
      }
      expect(refusals[429]).to.match(/takes no more searches for the moment/);
      expect(refusals[502]).to.contain(`${engine.name} has an error of its own (status 502)`);
      expect(refusals[401]).to.contain(engine.variable);
      if (engine.name === 'SearXNG') expect(refusals[403]).to.contain('search.formats');
      if (engine.name === 'Tavily') expect(refusals[432]).to.contain('its plan is used up');
      if (engine.name === 'Brave') expect(refusals[422]).to.contain('BRAVE_API_KEY');
    });

    it('does not take anything else for a search result', async () => {
      world = await start();
      const bodies = [
        '',
        'null',
        '[]',
        '"x"',
        '<html>',
        '{"results":{}}',
        '{"results":null,"web":null}',
        '{"message":"hello"}',
        '{"web":{"results":7}}',
      ];
      for (const body of bodies) {
        world.become((response) => response.end(body));
        expect(await refusal(), body).to.contain(`what ${engine.name} answered is no search result`);
      }
    });

    it('leaves out results that are no pages of the web', async () => {
      world = await start();
      const good = { title: 'a', url: 'https://example.org/good', snippet: 'a' };
      const wrong = [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'magnet:?xt=1',
        'no address',
        '',
        `https://example.org/${'x'.repeat(5000)}`,
      ];
      const answer = JSON.stringify(engine.answer([...wrong.map((url) => ({ ...good, url })), good]));
      world.become((response) => response.end(answer.replace('"results":[', '"results":[null,7,"x",{},{"url":1},')));
      expect((await search()).map(({ url }) => url)).to.deep.equal([good.url]);
    });

    it('bounds what it takes over of a result', async () => {
      world = await start();
      world.json(
        200,
        engine.answer([
          { title: `a\n\0 ${'b'.repeat(9000)}`, url: 'https://example.org/', snippet: 'c '.repeat(9000) },
        ]),
      );
      const [found] = await search();
      expect(found?.title)
        .to.match(/^a b+$/)
        .and.have.length.at.most(500);
      expect(found?.snippet).to.have.length.at.most(2000);
    });

    it('does not wait for ever', async () => {
      world = await start(impatient);
      world.become(() => {});
      expect(await refusal()).to.contain('did not answer within 0.2 seconds');
    });

    it('does not read for ever', async () => {
      world = await start();
      world.become((response) => {
        const chunk = Buffer.alloc(1_000_000, ' ');
        const more = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
      expect(await refusal()).to.contain('bytes long');
    });

    it('carries its key to no other place', async () => {
      const other = await receiver((response) => response.end('{}'));
      world = await start();
      world.become((response) => response.writeHead(302, { location: other.url }).end());
      await refusal();
      expect(other.seen).to.deep.equal([]);
      await other.close();
    });

    it('reports that there is no server', async () => {
      world = await start();
      await world.server.close();
      expect(await refusal()).to.contain('refuses the connection');
    });

    it('ends with the reason of an abort while it waits', async () => {
      world = await start();
      world.become(() => {});
      const abort = new AbortController();
      const searched = search('herring', abort.signal).catch((error: unknown) => error);
      while (world.server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const reason = new Error('enough');
      abort.abort(reason);
      expect(await searched).to.equal(reason);
    });

    if (engine.name !== 'SearXNG') {
      it('asks no more than the service takes', async () => {
        world = await start();
        world.json(200, engine.answer([]));
        for (const query of ['word '.repeat(400), 'x'.repeat(2000), '😀'.repeat(1000), `${'a'.repeat(398)} bcd efg`]) {
          await search(query);
          const asked = engine.queryOf(world.server.seen.at(-1) as Seen) ?? '';
          expect(asked.length).to.be.within(1, 400);
          expect(asked.isWellFormed()).to.equal(true);
          if (engine.name === 'Brave') expect(asked.split(' ').length).to.be.at.most(50);
        }
        expect(engine.queryOf(world.server.seen.at(-1) as Seen)).to.equal('a'.repeat(398));
      });
    }
  });
}

describe('the address of a SearXNG server', () => {
  it('may have a path of its own', async () => {
    const server = await receiver((response) => response.end('{"results":[]}'));
    await searxng({ url: `${server.url}/searx`, outbound: real }).search(
      'a',
      { limit: 1 },
      new AbortController().signal,
    );
    expect(server.seen[0]?.url).to.equal('/searx/search');
    await server.close();
  });
});
