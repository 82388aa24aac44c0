import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Platform, RunBody } from './platform.ts';

interface ThreadBody {
  readonly status: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_calls: readonly { readonly name: string }[];
  }[];
}

/** Keeps the database busy for seconds, whatever it has in it. */
const slowQuestion = (rows: number) =>
  `/ledger_query {"query": "select count(*) from generate_series(1, ${rows}) a, generate_series(1, 5000) b"}`;

export const threads = (platform: () => Platform) =>
  describe('conversations', () => {
    const dataOf = <T>({ body }: { readonly body: unknown }) => (body as { data: T }).data;

    const assistant = async () => {
      const { agents } = dataOf<{ agents: { id: string; name: string }[] }>(await platform().call('/api/v1/agents'));
      const found = agents.find(({ name }) => name === 'Ledger assistant');
      if (!found) throw new Error('there is no Ledger assistant');
      return found.id;
    };

    /** A run with a message begins a conversation; threads continue it. */
    const begun = async (message: string): Promise<string> => {
      const { call } = platform();
      const created = await call(`/api/v1/agents/${await assistant()}/run`, {
        method: 'POST',
        body: { user_message: message },
      });
      expect(created.status, created.text).to.equal(200);
      for (;;) {
        const { id } = dataOf<RunBody>(created);
        const run = dataOf<RunBody>(await call(`/api/v1/runs/${id}`, { query: { wait: '20' } }));
        if (run.status === 'completed') return run.conversations[0]?.id ?? '';
        expect(run.status, run.error ?? '').to.be.oneOf(['queued', 'running']);
      }
    };

    const say = (id: string, message: string) =>
      platform().call(`/api/v1/threads/${id}/messages`, { method: 'POST', body: { message } });
    const read = async (id: string) => dataOf<ThreadBody>(await platform().call(`/api/v1/threads/${id}`));

    const TOTALS =
      '/ledger_query {"query": "select supplier, total from demo.invoices where supplier like \'Castle Lane%\' order by id"}';

    it('answers a question about the demo ledger by querying it', async () => {
      const id = await begun(TOTALS);
      const first = await read(id);
      expect(first.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool', 'assistant']);
      expect(first.messages.at(-1)?.content).to.include('Castle Lane Dairy').and.include('1060.8');
      const answer = await say(
        id,
        '/ledger_query {"query": "select count(*) as invoices from demo.invoices where supplier = \'Tidewater Linen Services\'"}',
      );
      const { messages, error } = dataOf<{ messages: ThreadBody['messages']; error: string | null }>(answer);
      expect(error).to.equal(null);
      expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool', 'assistant']);
      expect(messages[0]?.tool_calls.map(({ name }) => name)).to.deep.equal(['ledger_query']);
      expect(messages.at(-1)?.content).to.match(/\| \d+ \|/);
      expect((await read(id)).messages).to.have.length(8);
    });

    it('looks up on the web what the ledger does not tell, and names the pages', async () => {
      const thread = await read(
        await begun('/search_web {"query": "How soon must damaged Brightwater goods be reported?"}'),
      );
      expect(thread.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool', 'assistant']);
      const { summary, sources } = JSON.parse(thread.messages[2]?.content ?? '') as {
        summary: string;
        sources: readonly { url: string }[];
      };
      expect(summary).to.match(/\[1\]/);
      expect(sources).to.not.deep.equal([]);
      for (const { url } of sources) expect(thread.messages[3]?.content).to.include(url);
    });

    it('reads no more of a database than its schemas', async () => {
      const { messages } = await read(await begun('/ledger_query {"query": "select * from pg_catalog.pg_class"}'));
      expect(messages[2]?.content).to.match(/cannot read pg_catalog\.pg_class/);
    });

    it('answers one of fifty clients, and refuses the others while it is still busy', async () => {
      const id = await begun('Hello');
      let winnerIsDone = false;
      let slowest = 0;
      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const at = performance.now();
          const answer = await say(id, slowQuestion(10_000));
          if (answer.status === 200) winnerIsDone = true;
          else {
            slowest = Math.max(slowest, performance.now() - at);
            expect(winnerIsDone, 'refused only after the winner').to.equal(false);
          }
          return answer;
        }),
      );
      console.log(`      the slowest refusal took ${Math.round(slowest)} ms, seen from here`);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).to.have.length(49);
      for (const { status, body, headers } of refused) {
        expect({ status, ...(body as object) }).to.include({
          status: 409,
          code: 'conversation_busy',
          conversation_id: id,
        });
        expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
      }
      const { messages, status } = await read(id);
      expect({ status, roles: messages.map(({ role }) => role) }).to.deep.equal({
        status: 'idle',
        roles: ['user', 'assistant', 'user', 'assistant', 'tool', 'assistant'],
      });
    });

    it('goes on when the client hangs up', async () => {
      const id = await begun('Hello');
      const client = new AbortController();
      const { call } = platform();
      const body = { message: slowQuestion(3000) };
      const gone = call(`/api/v1/threads/${id}/messages`, { method: 'POST', body, signal: client.signal }).catch(
        () => 'gone',
      );
      while ((await read(id)).status !== 'responding') await sleep(20);
      client.abort();
      expect(await gone).to.equal('gone');
      while ((await read(id)).status === 'responding') await sleep(50);
      expect((await read(id)).messages).to.have.length(6);
    });

    it('refuses what is no message, and conversations that are not there', async () => {
      const id = await begun('Hello');
      const { call } = platform();
      for (const body of [{}, { message: '' }, { message: 7 }, { message: 'Hello', more: true }]) {
        expect(
          (await call(`/api/v1/threads/${id}/messages`, { method: 'POST', body })).status,
          JSON.stringify(body),
        ).to.equal(400);
      }
      for (const unknown of ['00000000-0000-7000-8000-000000000000', 'nobody', '%E2%98%83']) {
        expect((await call(`/api/v1/threads/${unknown}`)).status, unknown).to.equal(404);
        expect(
          (await call(`/api/v1/threads/${unknown}/messages`, { method: 'POST', body: { message: 'x' } })).status,
          unknown,
        ).to.equal(404);
      }
      expect((await read(id)).messages).to.have.length(2);
    });

    it('keeps a sandbox snapshot beside a conversation', async () => {
      const id = await begun('Hello');
      const { call } = platform();
      const newest = async () =>
        dataOf<{ download_url: string | null; size_bytes: number | null }>(
          await call('/api/v1/sandbox-snapshots', { query: { conversation_id: id } }),
        );
      expect(await newest()).to.deep.equal({
        download_url: null,
        size_bytes: null,
        created_at: null,
        expires_at: null,
      });
      const largest = { conversationId: id, sizeBytes: 5 * 1024 ** 3 };
      expect(
        (await call('/api/v1/sandbox-snapshots', { method: 'POST', body: largest })).status,
        'the largest size',
      ).to.equal(200);
      const content = 'the state of a sandbox';
      const made = await call('/api/v1/sandbox-snapshots', {
        method: 'POST',
        body: { conversationId: id, sizeBytes: content.length },
      });
      const { upload_url: url, headers } = dataOf<{ upload_url: string; headers: Record<string, string> }>(made);
      expect((await fetch(url, { method: 'PUT', headers, body: `${content}!` })).ok).to.equal(false);
      expect((await newest()).download_url).to.equal(null);
      expect((await fetch(url, { method: 'PUT', headers, body: content })).ok).to.equal(true);
      const { download_url: from, size_bytes: size } = await newest();
      expect(size).to.equal(content.length);
      expect(await (await fetch(from ?? '')).text()).to.equal(content);
      for (const body of [
        { conversationId: id },
        { sizeBytes: 1 },
        { conversation_id: id, size_bytes: 1 },
        { conversationId: id, sizeBytes: 5 * 1024 ** 3 + 1 },
      ]) {
        expect(
          (await call('/api/v1/sandbox-snapshots', { method: 'POST', body })).status,
          JSON.stringify(body),
        ).to.equal(400);
      }
    });

    it('is shown and continued from the command line', async function () {
      const { server, key } = platform();
      if (!server) return this.skip();
      const id = await begun('Hello');
      const env = { PORTICO_API_KEY: key };
      const sent = await server.command(['threads', 'send', id, TOTALS], env);
      expect(sent.code, sent.stderr).to.equal(0);
      expect(sent.stdout).to.include('→ ledger_query {"query":').and.include('Castle Lane Dairy');
      const shown = await server.command(['threads', 'show', id], env);
      expect(shown.stdout).to.include(`conversation ${id}  idle`).and.include('Demo:\n  Hello');
    });
  });
