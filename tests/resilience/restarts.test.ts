import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { applyTo } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, postmasterOf, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { client } from './client.ts';
import { type Stage, setUp, sql, workspace } from './stage.ts';

/** Many of them: TEST_KILLS=20. */
const ROUNDS = Number(process.env.TEST_KILLS ?? 1);

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it stores something and has no key: then the outcome may be unknown. */
  readonly isWrite?: boolean;
}

/** The agent of the stage with a review, and another one with tools. */
const file = `${workspace('offline').replace('    system_of_record', '    review: always\n    system_of_record')}
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help., tools: [{ database: books }], visible_to: everyone }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
`;

const LISTS = [
  'agents',
  'runs',
  'runs?offset=50',
  'documents',
  'documents?search=UNIT',
  'connections',
  'databases',
].concat([
  'events?limit=5',
  'events?limit=1&wait=1',
  'work',
  'usage',
  'budgets',
  'keys',
  'whoami',
  'audit',
  'deliveries',
  'approvals',
]);
const JSON_TYPE = { 'content-type': 'application/json' };
const MCP = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
const OF_PORTICO = `from pg_stat_activity where application_name = 'portico'`;

describe('a server whose database is started again, under every kind of request', function () {
  this.timeout(240_000 + ROUNDS * 60_000);
  let server: Server;
  let ledger: OwnDatabase;
  let stage: Stage;
  let clerk: string;
  let isOver = false;
  /** What no answer may be. */
  const wrong: string[] = [];
  /** The ids that were answered, by what the run is to read. */
  const started = new Map<string, Set<string>>();
  const corrected: { readonly id: string; readonly unit: string }[] = [];
  const posted = new Set<string>();
  let [answers, refusals, turn] = [0, 0, 0];

  before(async () => {
    server = await aServer({ env: { DEMO: 'false' } });
    await server.start();
    ledger = await embeddedDatabase();
    await sql(ledger.url, 'create table entries (document_id uuid, unit text)');
    stage = { ...(await setUp(server, null, 'offline')), ledger: ledger.url };
    await applyTo(server, stage.database, file, { LEDGER_URL: ledger.url });
    const listed = await ask('/agents');
    const agents = listed?.data.agents as readonly { readonly id: string; readonly name: string }[];
    clerk = agents.find(({ name }) => name === 'Clerk')?.id ?? '';
  });
  after(async () => {
    isOver = true;
    await server?.close();
    await ledger?.drop();
  });

  /** Null where there was no answer, which is wrong too. */
  const send = async (url: string, init: RequestInit, isWrite = false): Promise<Answer | null> => {
    const what = `${init.method ?? 'GET'} ${url}`;
    const signal = AbortSignal.timeout(60_000);
    const answer = await fetch(url, { ...init, redirect: 'manual', signal }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (!answer || typeof text !== 'string') {
      wrong.push(`${what}: no answer`);
      return null;
    }
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== '';
    const body = (isJson ? JSON.parse(text) : {}) as { readonly code?: string; readonly data?: Answer['data'] };
    const isBusy = answer.status === 503 && answer.headers.has('retry-after');
    answers += 1;
    if (isBusy) refusals += 1;
    if (answer.status > 499 && !isBusy && !(isWrite && body.code === 'outcome_unknown'))
      wrong.push(`${what}: ${answer.status} ${text.slice(0, 300)}`);
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', data: body.data ?? { ...body } };
  };

  const ask = (path: string, { method = 'GET', body, headers = {}, isWrite = false }: Request = {}) =>
    send(
      `${stage.baseUrl}/api/v1${path}`,
      {
        method,
        headers: { 'x-api-key': stage.key, ...(body && JSON_TYPE), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      },
      isWrite,
    );
  const keyed = (body: object, headers = {}): Request => ({
    method: 'POST',
    body,
    headers: { 'idempotency-key': randomUUID(), ...headers },
    isWrite: true,
  });

  const read = () => ask(`/${LISTS[turn++ % LISTS.length]}`);

  /** Sent again with its key until it is answered. */
  const start = async () => {
    const unit = `UNIT-${randomUUID()}`;
    const request = keyed({ user_message: `unit: ${unit}\nread_by: offline` });
    const ids = new Set<string>();
    started.set(unit, ids);
    // The same once more: the first answer again.
    for (let times = 0; times < 2; await sleep(50)) {
      const answer = await ask(`/agents/${stage.agentId}/run`, request);
      if (!answer || answer.status > 299) continue;
      ids.add(answer.data.id as string);
      times += 1;
    }
  };

  const wait = async () => {
    const [id] = [...started.values()].at(-1) ?? [];
    if (id) await ask(`/runs/${id}?wait=3`);
  };

  /** One of the documents whose review is so, as it is now. */
  const shown = async (review: string) => {
    const found = await ask(`/documents?review=${review}&limit=20`);
    const documents = (found?.status === 200 ? found.data.documents : []) as readonly { readonly id: string }[];
    const id = documents[Math.floor(Math.random() * documents.length)]?.id;
    const document = id === undefined ? null : await ask(`/documents/${id}`);
    return document?.status === 200 ? { id: id as string, etag: document.etag } : null;
  };

  const correct = async () => {
    const document = await shown('pending');
    if (!document) return;
    const unit = `UNIT-${randomUUID()}`;
    const answer = await ask(`/documents/${document.id}`, {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/unit', value: unit }],
      headers: { 'if-match': document.etag, 'content-type': 'application/json-patch+json' },
      isWrite: true,
    });
    if (answer?.status === 200) corrected.push({ id: document.id, unit });
  };

  const decide = async () => {
    const document = await shown('pending');
    if (document)
      await ask(`/documents/${document.id}/review`, keyed({ decision: 'approve' }, { 'if-match': document.etag }));
  };

  const post = async () => {
    const document = await shown('approved');
    const answer = document && (await ask(`/documents/${document.id}`, { method: 'POST', isWrite: true }));
    if (answer?.status === 200) posted.add(document?.id ?? '');
  };

  const upload = async () => {
    const files = [{ file_name: 'a.txt', content_type: 'text/plain' }];
    const signed = await ask(`/agents/${stage.agentId}/upload-urls`, keyed({ files }));
    if (signed?.status !== 200) return;
    const [to] = signed.data.files as readonly { readonly upload_url: string }[];
    await send(
      to?.upload_url ?? '',
      { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'Hello.' },
      true,
    );
  };

  const call = async () => {
    const tell = (method: string, params: object, isWrite = false) =>
      ask(`/agents/${clerk}/mcp`, {
        method: 'POST',
        headers: MCP,
        body: { jsonrpc: '2.0', id: 1, method, params },
        isWrite,
      });
    await tell('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    await tell('tools/list', {});
    await tell('tools/call', { name: 'books_query', arguments: { query: 'select 1 as one' } });
    await tell('tools/call', { name: 'start_run', arguments: { user_message: 'Hello' } }, true);
  };

  /** What a browser asks for with the console, and programs that sign in. */
  const browse = async () => {
    const at = (path: string, init: RequestInit = {}) => send(`${stage.baseUrl}${path}`, init);
    const back = encodeURIComponent(`${stage.baseUrl}/console/signed-in`);
    const form = (fields: Readonly<Record<string, string>>) => ({ method: 'POST', body: new URLSearchParams(fields) });
    const [client_id, token] = ['portico-console', 'svcrt_x'];
    for (const page of ['/', '/console', '/docs']) await at(page);
    await at(
      `/oauth/authorize?client_id=${client_id}&response_type=code&state=s&redirect_uri=${back}&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256`,
    );
    await at('/oauth/token', form({ grant_type: 'refresh_token', refresh_token: token, client_id }));
    await at('/oauth/revoke', form({ token, client_id }));
    const program = { client_name: 'A', redirect_uris: ['http://127.0.0.1:7777/callback'] };
    await at('/oauth/register', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(program) });
  };

  const repeatedly = async (work: () => Promise<unknown>) => {
    while (!isOver) {
      await work();
      await sleep(50);
    }
  };

  const signalled = (signal: NodeJS.Signals) => async () => {
    const pid = await postmasterOf(server.dataDir);
    if (pid !== null) process.kill(pid, signal);
  };
  const outages: Readonly<Record<string, () => Promise<unknown>>> = {
    'stopped fast': signalled('SIGINT'),
    'stopped at once': signalled('SIGQUIT'),
    killed: signalled('SIGKILL'),
    'its session killed': async () => {
      const [session] = await sql<{ pid: number }>(stage.database, `select pid ${OF_PORTICO} limit 1`);
      if (session) process.kill(session.pid, 'SIGKILL');
    },
    'its sessions ended': () => sql(stage.database, `select pg_terminate_backend(pid) ${OF_PORTICO}`),
  };

  const mustBeWhole = async () => {
    const use = client(stage);
    for (const [unit, ids] of started) {
      expect([...ids], unit).to.have.lengthOf(1);
      expect((await use.ended([...ids][0] ?? '')).status, unit).to.equal('completed');
    }
    const runs = await sql<{ n: number }>(
      stage.database,
      `select count(*)::int as n from runs where user_message like '%UNIT-%'`,
    );
    expect(runs, 'runs').to.deep.equal([{ n: started.size }]);
    for (const { id, unit } of corrected) {
      const kept = 'select from document_revisions where document_id = $1 and changes::text like $2';
      expect(await sql(stage.database, kept, [id, `%${unit}%`]), `the correction ${unit} of ${id}`).not.to.be.empty;
    }
    const entries = await sql<{ id: string }>(stage.ledger, 'select document_id::text as id from entries');
    const ids = entries.map(({ id }) => id);
    expect(ids, 'no document is posted twice').to.have.lengthOf(new Set(ids).size);
    expect(ids, 'what was answered is posted').to.include.members([...posted]);
  };

  it('answers each as it should, or with 503 and when to come back; nothing is lost and nothing is done twice', async () => {
    const kinds = [read, read, read, start, start, wait, correct, decide, post, upload, call, browse];
    const load = Promise.all(kinds.map(repeatedly));
    const isBack = () => until('it answers again', async () => (await ask('/whoami'))?.status === 200);
    await sleep(2000);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [how, begin] of Object.entries(outages)) {
        await begin();
        await sleep(500);
        await isBack();
        await sleep(1500);
        expect(wrong.slice(0, 10), how).to.deep.equal([]);
      }
    isOver = true;
    await load;
    console.log(
      `      ${answers} answers, ${refusals} of them 503; ${started.size} runs, ${corrected.length} corrections, ${posted.size} posted`,
    );
    expect(wrong.slice(0, 10)).to.deep.equal([]);
    expect(refusals).to.be.greaterThan(0);
    await mustBeWhole();
  });
});
