import type { StepCounts } from '../../../application/ports/erasures.ts';
import type { Erasure } from '../../../domain/erasure.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Database, RunSql } from '../connection/database.ts';
import * as sql from '../statements/erasure-statements.ts';

type Traced = Pick<Erasure, 'workspaceId' | 'targets'>;

/** What the log and the deliveries tell of it, in one transaction with the rows of the webhooks. */
const removeEvents = async (run: RunSql, { workspaceId, targets }: Traced): Promise<StepCounts> => {
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
  return { events: { removed }, webhooks: { removed: deliveries.length, kept: delivered } };
};

/** Ends a conversation that has read of it before the turn in which it did: what came later may repeat it. How many rows. */
const cut = async (run: RunSql, id: string, first: number): Promise<number> => {
  const [talk] = await run<{ busy: boolean }>(sql.lockConversations, [[id]]);
  if (talk?.busy) throw new DomainError('conflict', `Conversation ${id}, which has read of it, is responding.`);
  const [turn] = await run<{ seq: number; at: Date }>(sql.turnOf, [id, first]);
  if (!turn) return 0;
  const messages = await run(`${sql.removeTurns} returning 1 as one`, [id, turn.seq]);
  const questions = await run(`${sql.removeAskedSince} returning 1 as one`, [id, turn.at]);
  await run(sql.forgetSummary, [id, turn.seq]);
  return messages.length + questions.length;
};

/** Removes what names it elsewhere. Each part may be done again. */
export const removeTraces = async (
  { atomically, withoutTimeouts }: Pick<Database, 'atomically' | 'withoutTimeouts'>,
  { workspaceId, targets }: Traced,
): Promise<StepCounts> => {
  const events = await atomically((run) => removeEvents(run, { workspaceId, targets }));
  const { documents, runs, conversations, keys } = targets;
  const named = [...documents, ...runs, ...conversations, ...keys].map((id) => `%${id}%`);
  // Nothing tells which message has an id in it: all of the workspace are looked through.
  const readers = await withoutTimeouts(async ({ pool }) => {
    await pool.query(sql.removeCalls, [workspaceId, named]);
    return (await pool.query<{ id: string; first: number }>(sql.readers, [workspaceId, named])).rows;
  });
  let removed = 0;
  for (const { id, first } of readers) removed += await atomically((run) => cut(run, id, first));
  return { ...events, database: { removed } };
};
