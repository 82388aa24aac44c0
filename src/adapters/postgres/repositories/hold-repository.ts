import type { HeldDocument, HoldRepository } from '../../../application/ports/holds.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/hold-statements.ts';

export const holdRepository = ({ query }: Pick<Database, 'query'>): HoldRepository => ({
  list: (limit) => query<HeldDocument>(sql.list, [limit]),
});
