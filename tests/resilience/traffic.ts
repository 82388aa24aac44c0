import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { client, isOver, type NewRun, type RunView } from './client.ts';
import { type Stage, sql } from './stage.ts';

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface Answered extends NewRun {
  readonly id: string;
}

export interface Traffic {
  /** How many runs were answered so far. Throws what went wrong. */
  answered(): number;
  /** Asks for nothing new; what was asked for is waited for. Throws what went wrong. */
  stop(): Promise<void>;
  /** Once it has stopped: nothing was lost, doubled or left lying. */
  verify(): Promise<void>;
}

const CREATORS = 4;
const PROCESSORS = 2;

/**
 * Clients that create runs of every kind, cancel some, and process the documents, some of them twice at once. A run that was hit
 * three times may fail, with one of the codes in `excuses`. Each creator pauses for at most `pauseMs` between two runs.
 */
export const traffic = (
  stage: Stage,
  label: string,
  excuses: readonly string[],
  random: () => number,
  pauseMs = 800,
): Traffic => {
  const use = client(stage);
  const runs: Answered[] = [];
  const unwatched: string[] = [];
  let over = false;
  let counter = 0;

  const aRun = (): NewRun => {
    const names = Array.from({ length: 1 + Math.floor(random() * 3) }, () => `UNIT-${label}-${counter++}`);
    if (random() < 0.4) return { units: names.slice(0, 1) };
    return { units: names, files: true, together: random() < 0.3 };
  };

  const create = async () => {
    while (!over) {
      const run = aRun();
      const id = await use.createRun(run);
      runs.push({ ...run, id });
      unwatched.push(id);
      if (random() < 0.05) await use.cancel(id);
      await sleep(random() * pauseMs);
    }
  };

  const processAll = async ({ documents }: RunView) => {
    for (const { id, status } of documents) {
      if (status !== 'ready') continue;
      const attempts = await Promise.all(Array.from({ length: random() < 0.3 ? 2 : 1 }, () => use.process(id)));
      const won = attempts.filter((attempt) => attempt?.status === 200);
      expect(won.length, `of two requests to process ${id} at once`).to.be.at.most(1);
      for (const attempt of attempts) expect(attempt?.status ?? 200, `processing ${id}`).to.be.oneOf([200, 409]);
    }
  };

  const process = async () => {
    while (!over) {
      const id = unwatched.shift();
      const run = id === undefined ? null : await use.run(id, 1);
      if (run && isOver(run)) await processAll(run);
      else {
        if (run) unwatched.push(run.id);
        await sleep(30);
      }
    }
  };

  const clients = [...Array.from({ length: CREATORS }, create), ...Array.from({ length: PROCESSORS }, process)];
  const all = Promise.all(clients);
  let failure: unknown;
  all.catch((error) => {
    failure = error;
  });

  /** Deliveries that a kill interrupted are held by nobody: as if their lease had run out by now. */
  const expireDeliveries = () =>
    sql(stage.database, `update documents set lease_expires_at = now() where status = 'processing'`);

  const processTheRest = async () => {
    await expireDeliveries();
    const rest = () =>
      sql<{ id: string }>(
        stage.database,
        `select id from documents where status in ('ready', 'processing') order by id`,
      );
    await until('every document is processed', async () => {
      for (const { id } of await rest()) await use.process(id);
      return (await rest()).length === 0;
    });
  };

  const verifyRun = async (run: Answered) => {
    const ended = await use.ended(run.id);
    const { status, attempt, status_reason: reason, items, documents } = ended;
    const words = JSON.stringify(ended);
    if (status === 'failed') {
      expect(reason?.code, words).to.be.oneOf([...excuses]);
      expect(attempt, words).to.be.at.least(3);
    }
    expect(items.length, words).to.equal(run.together || !run.files ? 1 : run.units.length);
    expect(documents.length, words).to.be.at.most(items.length);
    if (status !== 'completed') return ended;
    for (const { index, status: unit, document_ids: ids } of items) {
      expect(unit, words).to.equal('completed');
      expect(ids.length, words).to.equal(1);
      const document = await use.document(ids[0] as string);
      expect(document).to.deep.include({
        status: 'processed',
        document_data: { unit: run.units[index], read_by: 'model' },
        error: null,
      });
    }
    return ended;
  };

  /** What must never be there, whatever was killed. */
  const impossible: Readonly<Record<string, readonly [database: keyof Stage, text: string]>> = {
    'a run that nobody asked for': [
      'database',
      `select id from runs where concat(files::text, user_message) like '%UNIT-${label}-%' and not (id = any ($1))`,
    ],
    'a unit or run that is neither done nor ended': [
      'database',
      `select run_id from run_units where status in ('queued', 'running')`,
    ],
    'a document that is no unit’s': [
      'database',
      'select id from documents d where not exists (select from run_units u where u.document_id = d.id and u.run_id = d.run_id)',
    ],
    'a document left behind': [
      'database',
      `select id from documents where status in ('extracting', 'ready', 'processing')`,
    ],
    'a conversation that is no unit’s': [
      'database',
      'select id from conversations c where not exists (select from run_units u where u.conversation_id = c.id)',
    ],
    'a conversation that still responds': ['database', `select id from conversations where status <> 'idle'`],
    'a message twice': [
      'database',
      'select conversation_id from messages group by conversation_id, role having count(*) > 1',
    ],
    'a finished unit without its two messages': [
      'database',
      `select u.run_id from run_units u where u.status = 'completed' and (select count(*) from messages m where m.conversation_id = u.conversation_id) <> 2`,
    ],
    'a run of which the log of events tells something else': [
      'database',
      `select id from runs r where (
         select array_agg(e.type order by e.sequence) from events e where e.run_id = r.id and e.type like 'run.%'
       ) is distinct from array_remove(array['run.queued', case when r.started_at is not null then 'run.running' end, 'run.' || r.status], null)`,
    ],
    'a document of which the log of events tells something else': [
      'database',
      `select id from documents d where (
         select e.type from events e where e.document_id = d.id order by e.sequence desc limit 1
       ) is distinct from 'document.' || d.status`,
    ],
    'a document twice in the ledger': [
      'ledger',
      'select document_id from entries group by document_id having count(*) > 1',
    ],
  };

  return {
    answered() {
      if (failure) throw failure;
      return runs.length;
    },
    async stop() {
      over = true;
      await all;
    },
    async verify() {
      const ids = runs.map(({ id }) => id);
      for (const id of ids) await use.ended(id);
      await processTheRest();
      const ends: Record<string, number> = {};
      let resumed = 0;
      for (const run of runs) {
        const { status, attempt } = await verifyRun(run);
        ends[status] = (ends[status] ?? 0) + 1;
        if (attempt > 1) resumed += 1;
      }
      expect(resumed, 'runs that were taken up again').to.be.greaterThan(0);
      for (const [what, [where, text]] of Object.entries(impossible)) {
        const values = text.includes('$1') ? [ids] : [];
        expect(await sql(stage[where], text, values), what).to.deep.equal([]);
      }
      const entered = await sql<{ id: string }>(stage.ledger, 'select document_id::text as id from entries order by 1');
      const processed = await sql<{ id: string }>(
        stage.database,
        `select id::text from documents where status = 'processed' order by 1`,
      );
      expect(entered).to.deep.equal(processed);
      console.log(
        `      ${ids.length} runs answered, ${resumed} of them taken up again, ended as ${JSON.stringify(ends)}; ${entered.length} rows in the ledger`,
      );
    },
  };
};
