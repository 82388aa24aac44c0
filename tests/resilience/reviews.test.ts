import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { applyTo, keyOn } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Stage, setUp, sql, workspace } from './stage.ts';
import { randomOf } from './traffic.ts';

const numberOf = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const [REVIEWERS, DOCUMENTS, KILLS] = [
  numberOf('TEST_REVIEWERS', 24),
  numberOf('TEST_DOCUMENTS', 6),
  numberOf('TEST_KILLS', 1),
];
const PEOPLE = ['Ada', 'Ben'];
const HELD: readonly unknown[] = ['processing', 'processed'];

interface Read {
  readonly id: string;
  readonly revision: number;
  readonly etag: string;
}

interface Acknowledged {
  readonly id: string;
  readonly revision: number;
  readonly by: string;
  /** The text that a correction wrote; of a decision, the event that tells of it. */
  readonly what: string;
}

describe('many reviewers, while servers are killed', function () {
  this.timeout(600_000);
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  const random = randomOf(seed);
  const servers: Server[] = [];
  const keys = new Map<string, string>();
  let folder: string;
  let postgres: OwnDatabase;
  let stage: Stage;
  let ids: readonly string[];

  const people = `users:\n${PEOPLE.map((name) => `  - { email: ${name.toLowerCase()}@example.com, name: ${name}, role: member }\n`).join('')}`;
  const file = workspace('offline')
    .replace('users:\n', people)
    .replace('    system_of_record', '    review: always\n    system_of_record');

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    folder = await aFolder();
    postgres = await embeddedDatabase();
    const env = { DATABASE_URL: postgres.url, DEMO: 'false', LOG_LEVEL: 'warn' };
    for (let count = 0; count < 2; count++) servers.push(await aServer({ dataDir: path.join(folder, 'data'), env }));
    for (const server of servers) await server.start();
    const [first] = servers as [Server, Server];
    stage = await setUp(first, postgres.url, 'offline');
    await applyTo(first, stage.database, file, { LEDGER_URL: stage.ledger });
    for (const name of PEOPLE) keys.set(name, await keyOn(first, stage.database, `${name.toLowerCase()}@example.com`));
    await sql(stage.ledger, 'alter table entries add unique (document_id)');
    ids = await Promise.all(Array.from({ length: DOCUMENTS }, (_, index) => aDocument(index)));
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (server: Server, method: string, to: string, by: string, body?: object, tag?: string) => {
    const headers = {
      'x-api-key': keys.get(by) ?? '',
      ...(body && { 'content-type': 'application/json' }),
      ...(tag && { 'if-match': tag }),
    };
    const init = { method, headers, signal: AbortSignal.timeout(30_000), ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${server.baseUrl}/api/v1${to}`, init).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (!answer || typeof text !== 'string') return null;
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? '',
      data: (JSON.parse(text) as { data: { revision: number } & Record<string, unknown> }).data,
    };
  };

  const aDocument = async (index: number): Promise<string> => {
    const [first] = servers as [Server, Server];
    const created = await ask(first, 'POST', `/agents/${stage.agentId}/run`, 'Ada', {
      user_message: `unit: U-${index}\nread_by: offline`,
    });
    const to = `/runs/${created?.data.id}?wait=20`;
    let run = await ask(first, 'GET', to, 'Ada');
    while (run?.data.status === 'queued' || run?.data.status === 'running') run = await ask(first, 'GET', to, 'Ada');
    const [document] = (run?.data.documents ?? []) as readonly { id: string }[];
    expect(document, JSON.stringify(run?.data)).to.be.an('object');
    return document?.id ?? '';
  };

  /** What was acknowledged; what the answer was lost of may have happened or not. */
  const [decisions, corrections]: readonly [Acknowledged[], Acknowledged[]] = [[], []];
  let processed = 0;
  let texts = DOCUMENTS;
  /** How often something is posted: rarely, until the last kill is over. */
  let eagerness = 0.05;

  const act = async (server: Server, by: string, { id, revision, etag }: Read) => {
    if (random() < eagerness) {
      const answer = await ask(server, 'POST', `/documents/${id}`, by);
      if (answer?.status === 200) processed += 1;
    } else if (random() < 0.55) {
      const decision = random() < 0.8 ? 'approve' : 'reject';
      const answer = await ask(server, 'POST', `/documents/${id}/review`, by, { decision }, etag);
      if (answer?.status === 200)
        decisions.push({ id, revision, by, what: decision === 'approve' ? 'document.approved' : 'document.rejected' });
    } else {
      const what = `U-${texts++}`;
      const answer = await ask(
        server,
        'PATCH',
        `/documents/${id}`,
        by,
        { patch: [{ op: 'replace', path: '/unit', value: what }] },
        etag,
      );
      if (answer?.status === 200) corrections.push({ id, revision: answer.data.revision, by, what });
    }
  };

  const reviewer = async (number: number, isOver: () => boolean) => {
    const by = PEOPLE[number % PEOPLE.length] as string;
    while (!isOver()) {
      const server = servers[Math.floor(random() * servers.length)] as Server;
      const id = ids[Math.floor(random() * ids.length)] as string;
      const read = await ask(server, 'GET', `/documents/${id}`, by);
      if (read?.status === 200) await act(server, by, { id, revision: read.data.revision, etag: read.etag });
      else await sleep(50);
      // Time for others between what was read and what is done, and for the pool of this process: more of it where nothing
      // can be done, since what a killed server was posting refuses everything until its lease ends.
      await sleep(random() * (HELD.includes(read?.data.status) ? 1000 : 20));
    }
  };

  it(`${REVIEWERS} of them on ${DOCUMENTS} documents decide once on each revision, and what is posted is what was approved`, async () => {
    let over = false;
    const working = Array.from({ length: REVIEWERS }, (_, number) => reviewer(number, () => over));
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(300 + random() * 700);
      const server = servers[kill % servers.length] as Server;
      await server.kill();
      await server.start();
    }
    eagerness = 0.3;
    const settled = async () =>
      (
        await sql<{ open: number }>(
          stage.database,
          `select count(*)::int as open from documents where status <> 'processed'`,
        )
      )[0]?.open === 0;
    await until('every document is posted', settled, 300_000);
    over = true;
    await Promise.all(working);
    console.log(`    ${decisions.length} decisions, ${corrections.length} corrections, ${processed} posted`);

    const events = await sql<{ id: string; type: string; revision: number }>(
      stage.database,
      `select document_id as id, type, (data ->> 'revision')::int as revision from events where type in ('document.approved', 'document.rejected')`,
    );
    const decided = new Map(events.map((event) => [`${event.id} ${event.revision}`, event.type]));
    expect(decided.size, 'a decision for each revision at most').to.equal(events.length);
    for (const { id, revision, what } of decisions)
      expect(decided.get(`${id} ${revision}`), `revision ${revision}`).to.equal(what);

    const revisions = await sql<{ id: string; revision: number; by: string | null; text: string | null }>(
      stage.database,
      `select r.document_id as id, r.revision, u.name as by, r.changes -> 0 ->> 'to' as text from document_revisions r left join users u on u.id = r.user_id
       order by r.document_id, r.revision`,
    );
    const textOf = new Map(revisions.map(({ id, revision, text }) => [`${id} ${revision}`, text]));
    for (const { id, revision, by, what } of corrections) {
      const stored = revisions.find((each) => each.id === id && each.revision === revision);
      expect(stored, `revision ${revision}`).to.include({ by, text: what });
    }
    for (const [index, id] of ids.entries()) {
      textOf.set(`${id} 1`, `U-${index}`);
      const own = revisions.filter((each) => each.id === id);
      expect(own.map(({ revision }) => revision)).to.deep.equal(own.map((_, at) => at + 1));
    }

    const posted = await sql<{ id: string; unit: string }>(stage.ledger, 'select document_id as id, unit from entries');
    expect(posted.map(({ id }) => id)).to.have.members([...ids]);
    const shown = await sql<{ id: string; revision: number; unit: string; review: string }>(
      stage.database,
      `select id, revision, document_data ->> 'unit' as unit, review_status as review from documents`,
    );
    for (const { id, revision, unit, review } of shown) {
      expect([unit, review, decided.get(`${id} ${revision}`)]).to.deep.equal([
        textOf.get(`${id} ${revision}`),
        'approved',
        'document.approved',
      ]);
      expect(posted.find((row) => row.id === id)?.unit, 'the revision that was approved').to.equal(unit);
    }
  });
});
