import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { type Statement, statements } from '../src/adapters/postgres/connection/database.ts';
import { termsOf } from '../src/adapters/postgres/statements/document-list-statements.ts';
import { sizes as searched, statementsFor } from '../src/adapters/postgres/statements/document-search-statements.ts';
import { manyRuns, work } from './many-runs.ts';
import { connected } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? sized(3_000_000, 20_000));
const WORKED_ON = sized(300_000, 2000);
/** A table of so many rows is large, and so many rows are many. */
const MANY = sized(10_000, 1000);
const MANY_BUFFERS = 1000;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

interface Plan {
  readonly Plan: Node;
  readonly 'Execution Time'?: number;
  readonly isPlannedAnew?: boolean;
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** How many rows the node yields: as they were counted where the statement ran, else as they are expected. */
const rowsOf = (node: Node) => Math.round((node['Actual Rows'] ?? node['Plan Rows']) * (node['Actual Loops'] ?? 1));

const buffersOf = (node: Node) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);

/** The scans and sorts of a plan, each with its rows. */
const inShort = (node: Node) =>
  nodesOf(node)
    .filter(({ 'Node Type': type, ...each }) => each['Relation Name'] !== undefined || /Index Scan|Sort/.test(type))
    .map((each) =>
      [each['Node Type'], each['Index Name'] ?? each['Relation Name'], rowsOf(each).toLocaleString('en')]
        .filter(Boolean)
        .join(' '),
    );

/** What costs more the larger the tables are; a node that never ran costs nothing. */
const flagsOf = (node: Node, large: ReadonlySet<string>): readonly string[] =>
  nodesOf(node)
    .filter((each) => each['Actual Loops'] !== 0)
    .flatMap((each) => {
      const { 'Node Type': type, 'Relation Name': table = '' } = each;
      if (type === 'Seq Scan' && large.has(table)) return [`reads all of ${table}`];
      if (type.endsWith('Sort') && rowsOf(each) >= MANY) return [`sorts ${rowsOf(each).toLocaleString('en')} rows`];
      return [];
    })
    .concat(buffersOf(node) >= MANY_BUFFERS ? [`${buffersOf(node).toLocaleString('en')} buffers`] : []);

const explained = async (client: pg.Client, text: string): Promise<Plan> => {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [Plan] }>(text);
  const plan = rows[0]?.['QUERY PLAN'][0];
  if (!plan) throw new Error('There is no plan.');
  return plan;
};

/** The plan for any parameters, which a session keeps once it has used the statement a few times. */
const expectedPlan = (client: pg.Client, { text }: Statement) =>
  explained(client, `explain (generic_plan, format json) ${text}`);

const textOf = (value: unknown): string =>
  Array.isArray(value) ? `{${value.join(',')}}` : value instanceof Date ? value.toISOString() : String(value);

const TIMES = 8;

/**
 * The same as it ran with these parameters, in a transaction that is undone; and whether a session plans it anew each time because the
 * parameters make it look cheaper than the plan for any parameters.
 */
const actualPlan = async (client: pg.Client, { text }: Statement, values: readonly unknown[]) => {
  const given = values.length === 0 ? '' : `(${values.map((value) => client.escapeLiteral(textOf(value))).join(', ')})`;
  await client.query(`begin; prepare sample as ${text}`);
  for (let times = 0; times < TIMES; times += 1)
    await client.query(`savepoint before; execute sample${given}; rollback to savepoint before`);
  const { rows } = await client.query<{ anew: boolean }>(
    `select generic_plans = 0 as anew from pg_prepared_statements where name = 'sample'`,
  );
  await client.query('set local plan_cache_mode = force_generic_plan');
  const plan = await explained(client, `explain (analyze, buffers, format json) execute sample${given}`);
  await client.query('rollback; deallocate sample');
  return { ...plan, isPlannedAnew: rows[0]?.anew === true && given !== '' };
};

const PAGE = 21;

/** Parameters for what runs often, or reads what grows. */
const samplesOf = async (client: pg.Client, { workspaceId, userId, agentId }: Seeded) => {
  const one = async (text: string) => (await client.query<{ id: string; at: Date }>(text, [agentId])).rows[0];
  const run = await one(
    `select id, created_at as at from runs where agent_id = $1 order by created_at desc offset 100 limit 1`,
  );
  const conversation = await one(`select id, created_at as at from conversations where agent_id = $1 limit 1`);
  const document = await one(`select id, created_at as at from documents where agent_id = $1 limit 1`);
  const viewer = [workspaceId, userId];
  const page = [...viewer, PAGE, 0];
  const deep = [...viewer, PAGE, Math.floor(RUNS / 3)];
  const after = [run?.at, run?.id];
  const samples: Readonly<Record<string, readonly unknown[]>> = {
    runs_list: page,
    runs_list_deep: deep,
    runs_list_after: [...page, ...after],
    runs_list_by_status: [...page, 'failed'],
    runs_list_by_status_after: [...page, 'failed', ...after],
    runs_list_by_agent: [...page, agentId],
    runs_list_by_agent_after: [...page, agentId, ...after],
    runs_list_by_agent_by_status: [...page, agentId, 'failed'],
    runs_list_by_agent_by_status_after: [...page, agentId, 'failed', ...after],
    runs_find_visible: [[workspaceId], [userId], [run?.id]],
    agents_list_visible: viewer,
    agents_find_visible: [...viewer, agentId],
    api_keys_find_caller: ['unknown'],
    queue_lease: [userId, 8, 60, '00000000-0000-0000-0000-000000000000', [], '-infinity', '[]', '-infinity'],
    queue_depth: [],
    queue_sweep: [],
    run_counts_roll_up: [],
    documents_find_visible: [...viewer, document?.id],
    documents_find_duplicates: [document?.id, 'a key'],
    conversations_find_visible: [...viewer, conversation?.id],
    conversations_first_messages: [conversation?.id],
  };
  return samples;
};

/** The lists of documents are put together from their filters. */
const documentStatements = ({ workspaceId, userId, agentId }: Seeded) => {
  const nothing = { agentId: null, runId: null, status: null, review: null, q: null, where: null };
  return Object.entries({
    documents_list: nothing,
    documents_list_of_agent: { ...nothing, agentId },
    documents_list_by_status: { ...nothing, status: 'ready' as const },
    documents_list_of_word: { ...nothing, q: 'document' },
  }).flatMap(([name, filter]) => {
    const terms = termsOf({ workspaceId, userId }, filter, { limit: PAGE - 1, after: null, form: 'printed' });
    return Object.entries(statementsFor(terms)).map(([step, text]) => ({
      name: `${name}, ${step}`,
      text: text(terms, searched),
      values: terms.values,
    }));
  });
};

const adapter = new URL('../src/adapters/postgres/statements/', import.meta.url);

const everyStatement = async (client: pg.Client, seeded: Seeded) => {
  for (const name of await readdir(adapter)) if (name.endsWith('.ts')) await import(new URL(name, adapter).href);
  const samples = await samplesOf(client, seeded);
  const named = [...statements.values()].map((statement) => ({
    ...statement,
    values: samples[statement.name] ?? null,
  }));
  return [...named, ...documentStatements(seeded)];
};

/** The plan of every named statement beside very many runs, and what in it grows with the tables. */
export const plans = (url: string, seeded: Seeded) =>
  connected(url, async (client) => {
    await manyRuns(client, seeded, { agents: 2000, users: 50, runs: RUNS });
    await work(client, WORKED_ON);
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and reltuples >= $1`,
      [MANY],
    );
    const large = new Set(rows.map(({ name }) => name));
    let flagged = 0;
    for (const { values, ...statement } of await everyStatement(client, seeded)) {
      const {
        Plan: plan,
        'Execution Time': ms,
        isPlannedAnew,
      } = await (values ? actualPlan(client, statement, values) : expectedPlan(client, statement));
      const flags = [...flagsOf(plan, large), ...(isPlannedAnew ? ['planned anew each time'] : [])];
      flagged += flags.length > 0 ? 1 : 0;
      const cost = ms === undefined ? 'not run' : `${ms.toFixed(2)} ms, ${buffersOf(plan)} buffers`;
      console.log(
        `${flags.length > 0 ? '!' : ' '} ${statement.name}: ${cost}; ${inShort(plan).join(', ') || 'no table'}`,
      );
      for (const flag of flags) console.log(`    ${flag}`);
    }
    console.log(`\n${flagged} statements read or sort much, or are planned anew each time`);
  });
