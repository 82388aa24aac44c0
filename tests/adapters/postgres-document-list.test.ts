import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { v4 } from 'uuid';
import { documentLists } from '../../src/adapters/postgres/repositories/document-list.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { termsOf } from '../../src/adapters/postgres/statements/document-list-statements.ts';
import {
  sizes as realSizes,
  statementsFor,
} from '../../src/adapters/postgres/statements/document-search-statements.ts';
import type { Position, Viewer } from '../../src/application/ports/storage.ts';
import { type DocumentPosition, newestFirst as usualOrder } from '../../src/domain/document-order.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import { aNewRun, anAgent, aWorkspace, storeAgent } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

const DOCUMENTS = 3000;
/** The words of the documents, and which part of all has each. */
const shares = { all: 1, often: 0.3, some: 0.04, few: 0.02, seldom: 0.007, rare: 0.002, none: 0 };
/** Small, so that so few documents need every way to find them. */
const sizes = { scanned: 60, scannedForWords: 3, sampled: 8, rare: 10, windows: [5, 40] };
const PAGES = 6;

interface Stored extends Position {
  readonly agentId: string;
  readonly runId: string;
  readonly status: 'ready' | 'processed' | 'trashed';
  readonly review: 'not_required' | 'pending';
  readonly words: readonly string[];
  readonly total: number;
}

interface Where {
  readonly text: string;
  /** Whether the index knows all of it, so that no page is short. */
  readonly isIndexed: boolean;
  holds(document: Stored): boolean;
}

const wheres: readonly Where[] = [
  { text: '{"/total":7}', isIndexed: true, holds: ({ total }) => total === 7 },
  { text: '{"/total":{"in":[1,2,3]}}', isIndexed: true, holds: ({ total }) => [1, 2, 3].includes(total) },
  { text: '{"/total":{"lt":30}}', isIndexed: false, holds: ({ total }) => total < 30 },
  { text: '{"/words/0":"all","/total":{"ne":3}}', isIndexed: false, holds: ({ total }) => total !== 3 },
];

const newestFirst = (a: Position, b: Position) =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);

const insert = `
insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, review_status, document_data, created_at)
select id, $1, run_id, agent_id, $2, 'a.pdf', status, review, data, created_at from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::json[], $9::timestamptz[])
  as document (id, run_id, agent_id, status, review, data, created_at)`;

describe('pages of a search in PostgreSQL', () => {
  const postgres = usePostgres();
  const seed = fc.hash(randomUUID()) | 0;
  let viewer: Viewer;
  let agents: readonly string[] = [];
  let runs: readonly string[] = [];
  let stored: readonly Stored[];

  /** One agent has most of the documents, one few, and one is not visible. Several documents are of the same moment. */
  const someDocuments = (runOf: ReadonlyMap<string, readonly string[]>): Stored[] => {
    const [busy = '', quiet = '', hidden = ''] = runOf.keys();
    const part = fc.noBias(fc.nat(9999)).map((n) => n / 10_000);
    const document = fc
      .record({
        agentId: fc.oneof({ weight: 12, arbitrary: fc.constant(busy) }, fc.constantFrom(quiet, hidden)),
        status: fc.oneof(
          { weight: 8, arbitrary: fc.constant('ready' as const) },
          fc.constantFrom('processed' as const, 'trashed' as const),
        ),
        review: fc.constantFrom('not_required' as const, 'pending' as const),
        total: fc.noBias(fc.nat(99)),
        run: fc.nat(1),
        at: fc.noBias(fc.nat(DOCUMENTS / 20)),
        has: fc.tuple(...Object.values(shares).map(() => part)),
      })
      .map(({ run, at, has, ...rest }) => ({
        ...rest,
        id: v4(),
        runId: runOf.get(rest.agentId)?.[run] ?? '',
        createdAt: new Date(1_700_000_000_000 + at),
        words: Object.entries(shares).flatMap(([word, share], index) => ((has[index] ?? 1) < share ? [word] : [])),
      }));
    return fc.sample(document, { numRuns: DOCUMENTS, seed });
  };

  const store = async (user: Viewer, documents: readonly Stored[]) => {
    const { pool } = postgres.database;
    const conversation = v4();
    await pool.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($1, $2, $3, $4, $5, 'idle')`,
      [conversation, user.workspaceId, agents[0], runs[0], user.userId],
    );
    const data = documents.map(({ words, total }) => JSON.stringify({ words, total }));
    const columns = [
      ...(['id', 'runId', 'agentId', 'status', 'review'] as const).map((column) => documents.map((it) => it[column])),
      data,
    ];
    await pool.query(insert, [user.workspaceId, conversation, ...columns, documents.map(({ createdAt }) => createdAt)]);
    await pool.query('vacuum analyze documents');
  };

  before(async () => {
    console.log(`      property seed ${seed}`);
    const { database } = postgres;
    const { user, agent: busy } = await aWorkspace(database);
    const { workspaceId } = user;
    const more = [anAgent({ workspaceId }), anAgent({ workspaceId })];
    for (const agent of more) await storeAgent(database, agent);
    const runOf = new Map<string, string[]>();
    for (const agent of [busy, ...more]) {
      const own = [aNewRun(agent, user), aNewRun(agent, user)];
      for (const run of own) await runRepository(database).create(run, null);
      runOf.set(
        agent.id,
        own.map(({ id }) => id),
      );
    }
    agents = [...runOf.keys()];
    runs = [...runOf.values()].flat();
    viewer = { userId: user.id, workspaceId };
    await database.pool.query(`update agents set visible_to = '{}' where id = $1`, [agents[2]]);
    stored = someDocuments(runOf).toSorted(newestFirst);
    await store(viewer, stored);
  });

  /** One of the values, or `nulls` times as often as each of them null. */
  const oneOf = <T>(nulls: number, values: readonly T[]) =>
    fc.constantFrom(...Array.from({ length: nulls }, () => null), ...values);

  /** Which statements the searches by words alone have sent. */
  const watchedLists = () => {
    const { read, search } = postgres.database;
    const steps = new Set<string | undefined>();
    const watched: typeof search = async <Row extends object>(...args: Parameters<typeof search>) => {
      const rows = await search<Row>(...args);
      const step = /[a-z]+$/.exec(args[0].name ?? '')?.[0];
      const [first] = rows as readonly { readonly horizonAt?: Date | null }[];
      steps.add(step === 'index' ? `${step} ${first?.horizonAt ? 'of a window' : 'of all'}` : step);
      return rows;
    };
    return { lists: documentLists({ read, search: watched }, sizes), steps };
  };

  it('need no index of words where the sample has seen all that there is', async () => {
    const { lists, steps } = watchedLists();
    const filter = { q: 'some', where: null, agentId: null, runId: null, status: 'error' as const, review: null };
    expect(await lists.listVisible(viewer, filter, { limit: 3, after: null })).to.deep.equal({
      documents: [],
      next: null,
    });
    expect([...steps]).to.deep.equal(['search']);
  });

  it('are those of a plain search, whatever is looked for and wherever a page begins', async () => {
    const { lists, steps } = watchedLists();
    const filters = fc.record({
      q: oneOf(1, [...Object.keys(shares), 'som few', 'all oft']),
      where: oneOf(3, wheres),
      agentId: oneOf(6, agents),
      runId: oneOf(20, runs),
      status: oneOf(4, ['ready', 'processed'] as const),
      review: oneOf(4, ['not_required', 'pending'] as const),
      limit: fc.constantFrom(3, 10, 100),
      from: fc.option(fc.nat(DOCUMENTS - 1), { freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(filters, async ({ limit, from, where, ...filter }) => {
        const { q, agentId, runId, status, review } = filter;
        const start = from === null ? null : (stored[from] ?? null);
        const following = from === null ? stored : stored.slice(from + 1);
        const expected = following.filter(
          (it) =>
            it.status !== 'trashed' &&
            it.agentId !== agents[2] &&
            (agentId ?? it.agentId) === it.agentId &&
            (runId ?? it.runId) === it.runId &&
            (status ?? it.status) === it.status &&
            (review ?? it.review) === it.review &&
            (q ?? '').split(' ').every((begin) => it.words.some((word) => word.startsWith(begin))) &&
            (where?.holds(it) ?? true),
        );
        const found: string[] = [];
        let after: DocumentPosition | null = start && { ...start, order: usualOrder, value: null };
        for (let pages = 0; pages < PAGES; pages += 1) {
          const page = await lists.listVisible(
            viewer,
            { ...filter, where: where && parseFilter(where.text, 'where') },
            { limit, after },
          );
          found.push(...page.documents.map(({ id }) => id));
          after = page.next;
          if (after === null) break;
          if (where?.isIndexed ?? true)
            expect(page.documents, 'a page is full if another follows').to.have.length(limit);
        }
        const ids = expected.map(({ id }) => id);
        expect(found).to.deep.equal(after === null ? ids : ids.slice(0, found.length));
      }),
      { seed, numRuns: 150 },
    );
    expect([...steps]).to.include.members(['search', 'index of a window', 'index of all']);
  });

  it('read no more of a workspace of many agents than of one', async () => {
    const { database } = postgres;
    const { user, agent } = await aWorkspace(database);
    await database.pool.query(
      `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions)
       select gen_random_uuid(), $1, 'Agent ' || n, '', 'assistant', 'offline', '' from generate_series(1, 300) n`,
      [user.workspaceId],
    );
    const run = aNewRun(agent, user);
    await runRepository(database).create(run, null);
    await database.pool.query(
      `with conversation as (insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($2, $1, $4, $2, $3, 'idle'))
       insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, created_at)
       select gen_random_uuid(), $1, $2, a.id, $2, 'a.pdf', 'ready', now() - n * interval '1 second'
       from generate_series(1, 10) n, agents a where a.workspace_id = $1`,
      [user.workspaceId, run.id, user.id, agent.id],
    );
    await database.pool.query('vacuum analyze documents, agents');
    const nothing = { agentId: null, runId: null, status: null, review: null, q: null, where: null };
    for (const filter of [
      nothing,
      { ...nothing, status: 'ready' as const },
      { ...nothing, review: 'not_required' as const },
    ]) {
      const terms = termsOf({ workspaceId: user.workspaceId, userId: user.id }, filter, {
        limit: 20,
        after: null,
        form: 'printed',
      });
      const [[, textOf] = []] = Object.entries(statementsFor(terms));
      const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
        `explain (analyze, buffers, format json) ${textOf?.(terms, realSizes)}`,
        terms.values,
      );
      expect(rows[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).to.be.below(400);
    }
  });
});
