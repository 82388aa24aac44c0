import { setTimeout as sleep } from 'node:timers/promises';
import { applyTo, keyOn } from '../support/operator.ts';
import { aServer, embeddedUrl, type Server } from '../support/server.ts';
import { sql } from './stage.ts';

/** A workspace of its own, with an agent that reads documents; `ada` administers it, `ben` and `vic` are a member and a viewer. */
const workspaceOf = (name: string, agent: string) => `
workspace: ${name}
users:
  - { email: ada@${name}.example, name: Ada, role: admin }
  - { email: ben@${name}.example, name: Ben, role: member }
  - { email: vic@${name}.example, name: Vic, role: viewer }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
${agent}
`;

const SCHEMA = '    document_schema: { type: object, properties: { total: { type: number } } }';

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The `data` of an answer. */
export const dataIn = <T>({ text }: Answered): T => (JSON.parse(text) as { readonly data: T }).data;

const PATIENCE_MS = 120_000;

const tenantOf = async (server: Server, database: string, name: string, agent: string) => {
  await applyTo(server, database, workspaceOf(name, agent));
  const keyOf = (user: 'ada' | 'ben' | 'vic') => keyOn(server, database, `${user}@${name}.example`);
  const key = await keyOf('ada');

  /** Rejects if the server is gone. */
  const call = async (path: string, { method, body, headers, signal }: Sent = {}, by = key): Promise<Answered> => {
    const answer = await fetch(`${server.baseUrl}/api/v1${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'x-api-key': by, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  const { agents } = dataIn<{ agents: { id: string }[] }>(await call('/agents'));
  const agentId = agents[0]?.id ?? '';

  /** A run of a message; the id of its document, once it is ready. */
  const newDocument = async (message = 'Total: 12'): Promise<string> => {
    const run = dataIn<{ id: string }>(await call(`/agents/${agentId}/run`, { body: { user_message: message } }));
    for (;;) {
      const { status, documents } = dataIn<{ status: string; documents: { id: string }[] }>(
        await call(`/runs/${run.id}?wait=10`),
      );
      if (status === 'completed') return documents[0]?.id ?? '';
      if (status !== 'queued' && status !== 'running') throw new Error(`the run is ${status}`);
    }
  };

  /** Stores so many documents beside one of a run, with what SQL makes of their number `n`. */
  const storeDocuments = async (count: number, data: string): Promise<void> => {
    const like = await newDocument();
    await sql(
      database,
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, revision, created_at)
      select gen_random_uuid(), d.workspace_id, d.run_id, d.agent_id, d.conversation_id, 'a.pdf', d.status, ${data}, 1, now()
      from documents d, generate_series(1, $2) n where d.id = $1`,
      [like, count],
    );
  };

  return { name, key, keyOf, agentId, call, newDocument, storeDocuments };
};

export type Tenant = Awaited<ReturnType<typeof tenantOf>>;

const ROUNDS = 20;
const RUNS = 2;
const PAUSE_MS = 150;

/**
 * What a tenant's ordinary requests are answered until the work ends, in rounds: at least one begins while it goes on. They stay within the
 * default limits, by a key of their own for each work.
 */
const meanwhile = async ({ call, agentId }: Tenant, key: string, work: Promise<unknown>) => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const answers: string[] = [];
  const note = async (what: string, coming: Promise<Answered>) => {
    const answer = await coming;
    answers.push(`${what} ${answer.status}${answer.status < 300 ? '' : ` ${answer.text}`}`);
    return answer;
  };
  for (let round = 0; round < ROUNDS && !(isOver && round > 0); round += 1) {
    if (round < RUNS)
      await note('create run', call(`/agents/${agentId}/run`, { body: { user_message: 'Total: 12' } }, key));
    await note('list documents', call('/documents?limit=5', {}, key));
    await note('list runs', call('/runs?limit=5', {}, key));
    await sleep(PAUSE_MS);
  }
  return answers;
};

/** One answer that is no success is one too many. */
export const refusedIn = (answers: readonly string[]): readonly string[] =>
  answers.filter((answer) => !/ 200$/.test(answer));

/** The server with its default settings, and two tenants: what the greedy one asks for must not keep its neighbour from working. */
export const twoTenants = (schema = SCHEMA) => {
  let open: { readonly server: Server; readonly greedy: Tenant; readonly neighbour: Tenant } | undefined;
  const current = () => {
    if (!open) throw new Error('The tenants are there in tests and hooks only.');
    return open;
  };
  before(async () => {
    const server = await aServer({ defaults: true, env: { DEMO: 'false' } });
    await server.start();
    const database = await embeddedUrl(server.dataDir);
    const greedy = await tenantOf(server, database, 'greedy', schema);
    open = { server, greedy, neighbour: await tenantOf(server, database, 'neighbour', SCHEMA) };
  });
  after(async () => {
    await open?.server.close();
  });
  return {
    get server() {
      return current().server;
    },
    get greedy() {
      return current().greedy;
    },
    get neighbour() {
      return current().neighbour;
    },
    /** What the neighbour is answered while the greedy one is at work, and what that came to. */
    async beside<T>(work: (greedy: Tenant) => Promise<T>) {
      const { greedy, neighbour, server } = current();
      const key = await neighbour.keyOf('ada');
      const outcome = work(greedy);
      const answers = await meanwhile(neighbour, key, outcome);
      return { answers, outcome: await outcome, isRunning: server.isRunning() };
    },
  };
};
