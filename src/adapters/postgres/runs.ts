import { type EntityManager, LockMode, wrap } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { RunRepository } from '../../application/ports/storage.ts';
import { type Run, runMachine } from '../../domain/run.ts';
import type { Database } from './database.ts';
import { RunTable } from './entities.ts';
import { isId } from './ids.ts';
import { runCreation } from './run-creation.ts';
import { endUnfinished } from './run-ending.ts';
import { runReads } from './run-reads.ts';

/** The time once the row is ours, in the milliseconds that the tables keep. */
const context = `select name as "agentName", date_trunc('milliseconds', clock_timestamp()) as now from agents where id = ?`;
const end = `with ended as (select $1::uuid as id, $2 as status, $3 as reason, $4 as code), ${endUnfinished} select 1`;

const endUnits = async (em: EntityManager, { id, status, error, statusReason }: Run) => {
  const reason = error ?? statusReason?.message ?? `The run was ${status}.`;
  await em.getTransactionContext()?.executeQuery(CompiledQuery.raw(end, [id, status, reason, statusReason?.code ?? status]));
};

export const runRepository = (database: Database): RunRepository => ({
  create: runCreation(database),
  ...runReads(database),
  async update(id, change) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(RunTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row) return null;
      const [found] = await em.execute<{ agentName: string; now: Date }[]>(context, [row.agentId]);
      if (!found) throw new Error(`The agent of run ${id} is not there.`);
      const before = row.status;
      const next = change(wrap(row).toPOJO() as Run, found.now);
      em.assign(row, next);
      await em.flush();
      if (runMachine.isTerminal(next.status) && !runMachine.isTerminal(before)) await endUnits(em, next);
      const { files, userMessage, ...summary } = next;
      return { ...summary, agentName: found.agentName };
    });
  },
});
