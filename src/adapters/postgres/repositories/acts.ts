import type { EntityManager } from '@mikro-orm/postgresql';
import type { Act } from '../../../domain/audit.ts';
import { type RunSql, sqlIn } from '../connection/database.ts';
import { actValues, recordAct } from '../statements/audit-statements.ts';

/** Writes an act in the transaction that does it. */
export const record = (run: RunSql, act: Act): Promise<unknown> => run(recordAct, actValues(act));

/** The same in a transaction of the entity manager. */
export const recordIn = async (em: EntityManager, acts: readonly Act[]): Promise<void> => {
  for (const act of acts) await sqlIn(em, recordAct.text, actValues(act));
};
