import type { EntityManager } from '@mikro-orm/postgresql';
import type { Act } from '../../../domain/audit.ts';
import { sqlIn } from '../connection/database.ts';
import { actValues, recordAct } from '../statements/audit-statements.ts';

/** Writes acts in the transaction that does them. */
export const recordIn = async (em: EntityManager, acts: readonly Act[]): Promise<void> => {
  for (const act of acts) await sqlIn(em, recordAct.text, actValues(act));
};
