import type { StepCounts } from '../../../application/ports/erasures.ts';
import { type Erasure, withCounts } from '../../../domain/erasure.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Database, RunSql } from '../connection/database.ts';
import * as sql from '../statements/erasure-statements.ts';

type Traced = Pick<Erasure, 'id' | 'workspaceId' | 'targets'>;

/** In the transaction of what it counts: a process may end at any moment, and the receipt has all that went. */
export const count = async (run: RunSql, id: string, counts: StepCounts, isComplete = false): Promise<Erasure> => {
  const [before] = await run<Pick<Erasure, 'stores'>>(sql.lockStores, [id]);
  const stores = JSON.stringify(withCounts(before?.stores ?? [], counts));
  const [saved] = await run<Erasure>(sql.save, [id, stores, isComplete]);
  if (!saved) throw new Error(`There is no erasure ${id}.`);
  return saved;
};

/** What the log and the deliveries tell of it, in one transaction with the rows of the webhooks. */
const removeEvents = async (run: RunSql, { id, workspaceId, targets }: Traced): Promise<void> => {
  const { runs, documents, conversations, units } = targets;
  const kept = [units.map(({ runId }) => runId), units.map(({ index }) => index)];
  const logged = await run<{ runId: string; index: number }>(sql.loggedUnits, kept);
  const steps = [logged.map(({ runId }) => runId), logged.map(({ index }) => index)];
  const values = [workspaceId, runs, documents, conversations, ...steps];
  await run(sql.lockWebhooks, [workspaceId]);
  let removed = 0;
  for (const { name } of await run<{ name: string }>(sql.partitions, []))
    removed += (await run(`${sql.removeEvents(name)} returning 1 as one`, values)).length;
  const deliveries = await run<{ delivered: boolean }>(sql.removeDeliveries, values);
  const delivered = deliveries.filter((each) => each.delivered).length;
  await count(run, id, { events: { removed }, webhooks: { removed: deliveries.length, kept: delivered } });
};

interface Reader {
  readonly id: string;
  readonly first: number;
}

/** Ends a conversation that has read of it before the turn in which it did: what came later may repeat it. */
const cut = async (run: RunSql, erasureId: string, { id, first }: Reader): Promise<void> => {
  const [talk] = await run<{ busy: boolean }>(sql.lockConversations, [[id]]);
  if (talk?.busy) throw new DomainError('conflict', `Conversation ${id}, which has read of it, is responding.`);
  const [turn] = await run<{ seq: number; at: Date }>(sql.turnOf, [id, first]);
  if (!turn) return;
  const messages = await run(`${sql.removeTurns} returning 1 as one`, [id, turn.seq]);
  const questions = await run(`${sql.removeAskedSince} returning 1 as one`, [id, turn.at]);
  await run(sql.forgetSummary, [id, turn.seq]);
  await count(run, erasureId, { database: { removed: messages.length + questions.length } });
};

/** Removes what names it elsewhere. Each part may be done again. */
export const removeTraces = async (
  { atomically, withoutTimeouts }: Pick<Database, 'atomically' | 'withoutTimeouts'>,
  traced: Traced,
): Promise<void> => {
  await atomically((run) => removeEvents(run, traced));
  const { id, workspaceId, targets } = traced;
  const { documents, runs, conversations, keys } = targets;
  const named = [...documents, ...runs, ...conversations, ...keys].map((each) => `%${each}%`);
  // Nothing tells which message has an id in it: all of the workspace are looked through.
  const readers = await withoutTimeouts(async ({ pool }) => {
    await pool.query(sql.removeCalls, [workspaceId, named]);
    return (await pool.query<Reader>(sql.readers, [workspaceId, named])).rows;
  });
  for (const reader of readers) await atomically((run) => cut(run, id, reader));
};
