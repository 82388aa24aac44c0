import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { Log } from '../../src/application/ports/runtime.ts';
import { Config } from '../../src/composition/config.ts';
import { WebhookWorker } from '../../src/composition/modules/webhooks.ts';
import { sendToApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { eventually } from '../support/until.ts';
import type { ReadingWorld, ShownDocument } from './files-read.ts';

export const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
webhooks:
  - { url: 'http://127.0.0.1:9/', events: ['*'], secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string }, supplier: { type: string } } }
    review: always
    tools: [documents]
    system_of_record: { connection: ledger, entity: public.bills, columns: { supplier: /supplier }, document_id_column: document_id }
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
  - name: Post room
    workflow_type: document_routing
    model: offline
    instructions: Divide what comes in.
    parts: [{ name: invoice, agent: Reader, description: Invoices of suppliers }]
`;

export interface Receipt {
  readonly id: string;
  readonly document_id: string | null;
  readonly run_id: string | null;
  readonly thread_id: string | null;
  readonly requested_at: string;
  readonly completed_at: string | null;
  readonly stores: readonly { store: string; removed: number; kept: number; why: string | null }[];
}

/** Logs everything, with all that errors say. */
export const keptLog = () => {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    const text = (_: string, value: unknown) =>
      value instanceof Error ? `${value.stack} ${String(value.cause)}` : value;
    lines.push(`${message} ${JSON.stringify(fields, text)}`);
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  return { lines, log };
};

export const nowhere = { database: [], files: [], log: [] };

/** What a server has of a word, wherever it keeps words. */
export const wordsOf = (world: ReadingWorld, logged: readonly string[]) => {
  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await world.composition.database.pool.query<Row>(text, [...values])).rows;

  /** In which tables, but for the customer's own, a text is. */
  const inDatabase = async (text: string) => {
    const tables = await sql<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and c.relname <> 'bills'`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const has = `select 1 from ${name} t where strpos(lower(t::text), lower($1)) > 0 limit 1`;
      if ((await sql(has, [text])).length > 0) found.push(name.startsWith('events_') ? 'events' : name);
    }
    return [...new Set(found)].toSorted();
  };
  const inFiles = async (text: string) => {
    const folder = path.join(world.composition.container.get(Config).dataDir, 'files');
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of names.filter((each) => each.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      if (file.includes(text) || (await readFile(file)).includes(text)) found.push(entry.name);
    }
    return found;
  };
  const everywhere = async (text: string) => ({
    database: await inDatabase(text),
    files: await inFiles(text),
    log: logged.filter((line) => line.includes(text)),
  });

  const erase = (body: object, key = world.ada) =>
    world.call<Receipt>('/erasures', { body: { reason: 'The customer asked for it.', ...body } }, key);
  const status = async (at: string) => (await world.call(at)).status;
  const say = async (thread: string, message: string) =>
    (
      await world.call<{ messages: readonly { content: string }[] }>(`/threads/${thread}/messages`, {
        body: { message },
      })
    ).body.data.messages;
  return { sql, inDatabase, inFiles, everywhere, erase, status, say };
};

const tagOf = async (world: ReadingWorld, at: string) =>
  (await sendToApi(world.baseUrl, world.ada, at)).headers.get('etag') ?? '';

/** A document whose word is everywhere where words can be. */
export const spread = async (world: ReadingWorld, { sql, say }: ReturnType<typeof wordsOf>, word: string) => {
  const files = await world.upload({ [`${word}.txt`]: `Number: 4711\nSupplier: ${word} Ltd\n` });
  const run = await world.run(files, { message: `Book ${word}.` });
  const [document] = run.documents as readonly [ShownDocument];
  const at = `/documents/${document.id}`;
  const patch = [{ op: 'replace', path: '/supplier', value: `${word} Inc` }];
  await world.call(at, { method: 'PATCH', body: { patch }, headers: { 'if-match': await tagOf(world, at) } });
  const headers = { 'if-match': await tagOf(world, at), 'idempotency-key': anId() };
  const decision = { decision: 'approve', note: `${word} is right.` };
  expect((await world.call(`${at}/review`, { body: decision, headers })).status).to.equal(200);
  expect((await world.call(at, { method: 'POST' })).status).to.equal(200);
  const created = await world.call(`/agents/${world.agentId('Reader')}/run`, {
    body: { files, user_message: `Again, ${word}.` },
    headers: { 'idempotency-key': anId() },
  });
  await world.ended(created.body.data.id);
  const snapshot = await world.call<{ upload_url: string; headers: Record<string, string> }>('/sandbox-snapshots', {
    body: { conversationId: document.conversation_id, sizeBytes: word.length },
  });
  const { upload_url: url, headers: ofUpload } = snapshot.body.data;
  await fetch(url, { method: 'PUT', headers: ofUpload, body: word });
  const call = `insert into approvals (id, workspace_id, agent_id, agent_version, run_id, conversation_id, tool_call_id, tool, approver, arguments,
      arguments_digest, rehearsal, status, requested_by, expires_at, result)
    select $1, workspace_id, agent_id, agent_version, case when $2 then id end, case when $2 then $3::uuid end, case when $2 then 'call' end, 'process_document', 'person',
      $4, 'digest', $5, 'approved', '{}', now(), $5 from runs where id = $6`;
  const given = [document.conversation_id, JSON.stringify({ id: document.id }), JSON.stringify({ word })];
  await sql(call, [anId(), true, ...given, run.id]);
  await sql(call, [anId(), false, ...given, run.id]);
  const other = await world.run(await world.upload({ 'other.txt': 'Number: 12' }));
  const talk = other.conversations[0]?.id ?? '';
  await say(talk, 'Hello');
  const answer = await say(talk, `/get_document {"document_id": "${document.id}"}`);
  expect(JSON.stringify(answer)).to.include(word);
  await say(talk, `Thanks for ${word}.`);
  await sql(
    `update runs set error = $2, status_reason = json_build_object('code', 'x', 'message', $2::text) where id = $1`,
    [run.id, word],
  );
  const worker = world.composition.container.get(WebhookWorker);
  worker.start();
  await eventually(async () => (await sql('select from webhook_attempts limit 1')).length > 0);
  await worker.stop(1000);
  return { files, run, document, talk };
};
