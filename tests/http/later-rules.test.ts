import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { documentPosting } from '../../src/application/documents/posting.ts';
import { PostingRules, VisibleDocuments } from '../../src/composition/modules/documents.ts';
import { Connectors } from '../../src/composition/modules/outside.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  AuditLog,
  ConnectionRepository,
  DocumentChanges,
  DocumentRepository,
  PostingQueue,
} from '../../src/composition/modules/postgres.ts';
import { KeyBackfill, RunWorker } from '../../src/composition/modules/worker.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { type DomainError, mustExist } from '../../src/domain/errors.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { someEvidence } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { documentMaker } from './documents-made.ts';

interface Shown {
  readonly status: string;
  readonly agent_version: number;
  readonly review: {
    readonly status: string;
    readonly reasons: readonly { readonly code: string; readonly message: string }[];
  };
}

const file = (rules: string, tools = '[]') => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number }, number: { type: string } } }
    system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
    ${rules}
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help., tools: ${tools} }
`;

const POSITIVE = '[{ name: positive, rule: "document.total > 0", message: Not above zero. }]';

describe('what a document passes before it is posted', () => {
  let world: World;
  let key: string;
  beforeEach(async () => {
    world = await openWorld({ workspace: file('review: never'), env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    await world.query('create table public.bills (document_id text unique, total numeric)');
  });
  afterEach(() => world.stop());

  const make = documentMaker(
    () => world,
    () => key,
  );
  const apply = (rules: string, tools?: string) =>
    world.composition.container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(file(rules, tools), { LEDGER_URL: world.databaseUrl }), { dryRun: false, prune: false });
  /** Gives all that was posted the live duplicate key. */
  const backfillKeys = async () => {
    const backfill = world.composition.container.get(KeyBackfill);
    backfill.wake();
    await backfill.stop();
  };
  const call = <T>(path: string, options: Parameters<typeof callApi>[3] = {}) =>
    callApi<T>(world.baseUrl, key, path, options);
  const read = async (id: string) => (await call<{ data: Shown }>(`/documents/${id}`)).body.data;
  const process = async (id: string) => {
    const { status, body } = await call<{ data?: Shown; code?: string }>(`/documents/${id}`, { method: 'POST' });
    return [status, body.code ?? body.data?.status];
  };
  const decide = async (id: string, decision = 'approve') => {
    const headers = { 'x-api-key': key };
    const etag = (await fetch(`${world.baseUrl}/api/v1/documents/${id}`, { headers })).headers.get('etag') ?? '';
    const answer = await fetch(`${world.baseUrl}/api/v1/documents/${id}/review`, {
      method: 'POST',
      headers: { ...headers, 'if-match': etag, 'content-type': 'application/json' },
      body: JSON.stringify({ decision }),
    });
    expect(answer.status).to.equal(200);
  };
  const reasons = async (id: string) => (await read(id)).review.reasons.map(({ code }) => code);
  const held = [409, 'review_required'];
  const posted = [200, 'processed'];

  it('is a review that was added since, also for a run that asks for the version before', async () => {
    const before = await make('Reader');
    await apply('review: always');
    const after = await make('Reader', {}, 1);
    expect((await read(after)).agent_version).to.equal(1);
    for (const id of [before, after]) {
      expect(await process(id)).to.deep.equal(held);
      expect(await reasons(id)).to.deep.equal(['always']);
      await decide(id);
      expect(await process(id)).to.deep.equal(posted);
    }
  });

  it('is the review of its own version, where the live one asks for less', async () => {
    await apply('review: always');
    const id = await make('Reader');
    await apply('review: never');
    expect(await process(id)).to.deep.equal(held);
  });

  it('is what was doubtful of it, though its own version asked for no review', async () => {
    const evidence = { '/total': someEvidence({ support: 'none' }) };
    const [doubtful, clear] = [await make('Reader', { evidence, fileHashes: ['a'] }), await make('Reader')];
    const unquoted = await make('Reader', { fileHashes: ['b'] });
    await apply('review: when_flagged');
    expect([await process(doubtful), await process(unquoted), await process(clear)]).to.deep.equal([
      held,
      held,
      posted,
    ]);
    expect([await reasons(doubtful), await reasons(unquoted)]).to.deep.equal([
      ['unsupported_value'],
      ['unsupported_value'],
    ]);
  });

  it('is a check that was added since, which those who approved it before have not seen', async () => {
    const [wrong, right, approved] = [
      await make('Reader', { data: { total: -1 } }),
      await make('Reader'),
      await make('Reader', { data: { total: -1 } }),
    ];
    await decide(approved);
    await apply(`review: when_flagged\n    checks: ${POSITIVE}`);
    expect([await process(wrong), await process(right), await process(approved)]).to.deep.equal([held, posted, held]);
    expect([await reasons(wrong), await reasons(approved)]).to.deep.equal([['check_failed'], ['check_failed']]);
    for (const id of [wrong, approved]) {
      await decide(id);
      expect(await process(id), 'with eyes open').to.deep.equal(posted);
    }
  });

  it('is a key that was added since: of two copies the second waits, whatever versions they have', async () => {
    const data = { total: 12, number: 'A-1' };
    const [first, second, approved] = [
      await make('Reader', { data }),
      await make('Reader', { data }),
      await make('Reader', { data }),
    ];
    await decide(approved);
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    expect(await process(first)).to.deep.equal(posted);
    expect([await process(second), await process(approved)]).to.deep.equal([held, held]);
    expect((await read(second)).review.reasons[0]?.message).to.include(first);
    const third = await make('Reader', { data });
    expect([await process(third), (await reasons(third))[0]], 'of the live version').to.deep.equal([held, 'duplicate']);
    expect(await process(await make('Reader', { data: { total: 1, number: 'A-2' } }))).to.deep.equal(posted);
  });

  it('is a key that was added since: what was posted before has it too, so that a copy waits', async () => {
    const data = { total: 12, number: 'A-1' };
    const [before, waiting] = [await make('Reader', { data }), await make('Reader', { data })];
    for (const number of ['A-2', 'A-3']) expect(await process(await make('Reader', { data: { total: 1, number } })));
    expect(await process(before)).to.deep.equal(posted);
    const trashed = await make('Reader', { data: { total: 5, number: 'A-5' } });
    expect(await process(trashed)).to.deep.equal(posted);
    await call(`/documents/${trashed}`, { method: 'DELETE' });
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    const copies = [waiting, await make('Reader', { data: { total: 12, number: 'a-1 ' } })];
    for (const copy of copies) expect(await process(copy), 'not compared yet').to.deep.equal([503, 'busy']);
    await backfillKeys();
    for (const copy of copies) {
      expect(await process(copy)).to.deep.equal(held);
      const { reasons: why } = (await read(copy)).review;
      expect(why.some(({ code, message }) => code === 'duplicate' && message.includes(before))).to.equal(true);
    }
    await call(`/documents/${trashed}/restore`, { method: 'POST' });
    expect(await process(await make('Reader', { data: { total: 5, number: 'A-5' } })), 'restored').to.deep.equal(held);
    expect(await process(await make('Reader', { data: { total: 1, number: 'A-4' } }))).to.deep.equal(posted);
    const { rows } = await world.composition.database.pool.query(
      "select 1 from documents where later_key is not null and status = 'processed'",
    );
    expect(rows).to.have.length(4);
  });

  it('is what is live when it is taken, not what was when it was looked at', async () => {
    const { container } = world.composition;
    const data = { total: 1, number: 'A-1' };
    expect(await process(await make('Reader'))).to.deep.equal(posted);
    const id = await make('Reader', { data });
    const rules = container.get(PostingRules);
    const slowly: typeof rules = async (...asked) => {
      const document = await rules(...asked);
      await apply('review: when_flagged\n    duplicate_key: [/number]');
      await backfillKeys();
      return document;
    };
    const posting = documentPosting({
      visible: container.get(VisibleDocuments),
      documents: container.get(DocumentRepository),
      queue: container.get(PostingQueue),
      versions: container.get(AgentVersionRepository),
      agents: container.get(AgentRepository),
      postingRules: slowly,
      connections: container.get(ConnectionRepository),
      connectors: container.get(Connectors),
      changes: container.get(DocumentChanges),
      audit: container.get(AuditLog),
      log: quiet,
    });
    const { workspaceId } = mustExist(await container.get(DocumentRepository).find(id), 'document');
    const terms = { retry: { firstSeconds: 1, chance: 0 }, signal: new AbortController().signal };
    const refused = await posting.processByPolicy(workspaceId, id, terms).catch((error: DomainError) => error);
    expect(refused).to.include({ code: 'document_busy' });
    expect((await read(id)).status).to.equal('ready');
    expect(await process(id)).to.deep.equal(posted);
    expect(await process(await make('Reader', { data })), 'a copy').to.deep.equal(held);
  });

  it('is a key that an older version brings back: what was posted meanwhile gets it, too', async () => {
    const data = { total: 1, number: 'A-1' };
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    await apply('review: when_flagged');
    expect(await process(await make('Reader', { data }))).to.deep.equal(posted);
    await call(`/agents/${world.agentId('Reader')}/versions/2/publish`, { method: 'POST' });
    const copy = await make('Reader', { data });
    expect(await process(copy), 'not compared yet').to.deep.equal([503, 'busy']);
    await backfillKeys();
    expect(await process(copy)).to.deep.equal(held);
  });

  it('is a copy that was posted, however many others have come since and wait', async () => {
    const copies: string[] = [];
    const data = { total: 1, number: 'A-1' };
    for (let count = 0; count <= 22; count += 1) copies.push(await make('Reader', { data }));
    const [first = '', ...others] = copies;
    expect(await process(first)).to.deep.equal(posted);
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    await backfillKeys();
    for (const copy of others) expect(await process(copy)).to.deep.equal(held);
  });

  it('is a key that the last of what was posted has got since the document was read', async () => {
    const { container } = world.composition;
    const [one, other] = [
      { total: 1, number: 'A-1' },
      { total: 2, number: 'A-2' },
    ];
    for (const data of [one, other]) expect(await process(await make('Reader', { data }))).to.deep.equal(posted);
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    const copyOf = async (data: typeof one) =>
      mustExist(await container.get(DocumentRepository).find(await make('Reader', { data })), 'document');
    const [first, second] = [await copyOf(one), await copyOf(other)];
    await backfillKeys();
    const live = mustExist(await container.get(AgentRepository).find(first.agentId), 'agent');
    const rules = container.get(PostingRules);
    const sharer = { userId: live.workspaceId, workspaceId: live.workspaceId };
    expect((await rules(sharer, first, live, live)).reviewStatus).to.equal('pending');
    const before = { ...live, instructions: 'Read well.' };
    expect((await rules(sharer, second, before, live)).reviewStatus, 'of the version before').to.equal('pending');
  });

  it('is a key that was added while no review was asked for: what was posted by the version before has it, too', async () => {
    const [before, late] = [
      { total: 1, number: 'A-1' },
      { total: 2, number: 'A-2' },
    ];
    const waiting = await make('Reader', { data: late });
    expect(await process(await make('Reader', { data: before }))).to.deep.equal(posted);
    await apply('review: never\n    duplicate_key: [/number]');
    await backfillKeys();
    expect(await process(waiting), 'asked for by the version before').to.deep.equal(posted);
    await apply('review: when_flagged\n    duplicate_key: [/number]');
    for (const data of [before, late]) expect(await process(await make('Reader', { data }))).to.deep.equal(held);
  });

  it('is the approval that the live version asks for', async () => {
    await apply('review: always');
    const id = await make('Reader');
    await decide(id);
    await apply('review: { when: always, by: person }');
    expect(await process(id)).to.deep.equal(held);
    expect((await read(id)).review).to.deep.include({ status: 'pending', reviewer: null });
  });

  it('leaves what was rejected as it is, and what a delivery may have written', async () => {
    const [rejected, uncertain] = [await make('Reader'), await make('Reader')];
    await decide(rejected, 'reject');
    await world.query('update documents set attempted_revision = revision where id = $1', [uncertain]);
    await apply('review: always');
    expect(await process(rejected)).to.deep.equal([409, 'review_rejected']);
    expect(await process(uncertain), 'nothing could be decided of it before').to.deep.equal(posted);
  });

  it('is looked at for the revision that is posted: a change in between is looked at again', async () => {
    const id = await make('Reader');
    await apply(`review: when_flagged\n    checks: ${POSITIVE}`);
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, index) =>
        index % 2 === 0
          ? process(id)
          : world.query(
              `update documents set document_data = '{"total":-1}', revision = revision + 1 where id = $1 and status = 'ready'`,
              [id],
            ),
      ),
    );
    const [row] = (await world.composition.database.pool.query('select total::int from public.bills')).rows;
    expect(row?.total ?? 12, JSON.stringify(answers)).to.equal(12);
  });

  describe('a run of an older version', () => {
    const worker = () => world.composition.container.get(RunWorker);
    beforeEach(() => worker().start());
    afterEach(() => worker().stop(1000));

    const runs = async (version: number, message: string) => {
      const path = `/agents/${world.agentId('Clerk')}/run`;
      const { body } = await call<{ data: { id: string } }>(path, {
        body: { user_message: message, agent_version: version },
      });
      for (let tries = 0; ; tries += 1) {
        expect(tries, 'the run ends').to.be.lessThan(400);
        const run = (await call<{ data: { status: string; waiting_for: object | null } }>(`/runs/${body.data.id}`))
          .body;
        const { status, waiting_for: waitsFor } = run.data;
        if (waitsFor !== null) return 'a person has to approve';
        if (status === 'completed' || status === 'failed') break;
        await sleep(50);
      }
      const sql = `select m.content from messages m join conversations c on c.id = m.conversation_id where c.run_id = $1 and m.role = 'tool'`;
      return ((await world.composition.database.pool.query(sql, [body.data.id])).rows as { content: string }[])
        .map(({ content }) => content)
        .join();
    };

    it('has only tools that the live one has, with what that one forbids', async () => {
      const query = '/books_query {"query":"select 7 as seven"}';
      await apply('review: never', '[{ database: books }]');
      await apply('review: never', '[search_web]');
      await apply('review: never', '[{ database: books, requires_approval: true }]');
      await apply('review: never', '[{ database: books }, search_web]');
      expect(await runs(2, query)).to.include('"seven":7');
      await apply('review: never', '[search_web]');
      expect(await runs(2, query), 'the model is offered no such tool').to.equal('');
      await apply('review: never', '[{ database: books, requires_approval: true }]');
      expect(await runs(2, query)).to.equal('a person has to approve');
    });
  });
});
