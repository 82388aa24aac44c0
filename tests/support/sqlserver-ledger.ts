import type { Fate } from './commit-proxy.ts';
import { answersWith, columnOf } from './sqlserver-table.ts';
import { failing, type Reply, rowsOf, tdsServer } from './sqlserver-tds.ts';

const columns = [
  columnOf(),
  columnOf({
    column_name: 'document_id',
    base_type: 'uniqueidentifier',
    declared_type: 'uniqueidentifier',
    max_length: 16,
    key_ordinal: 0,
  }),
  columnOf({
    column_name: 'total',
    base_type: 'decimal',
    declared_type: 'decimal',
    max_length: 17,
    precision: 38,
    scale: 2,
    is_nullable: true,
    key_ordinal: 0,
  }),
];

/** What becomes of the next write: it is refused, or its commit has a fate; `dark`: afterwards nobody is let in. */
interface Plan {
  readonly refusal?: string;
  readonly fate?: Fate;
  readonly dark?: boolean;
}

/** A stand-in with the table `dbo.t`, which counts the inserts that it has committed and does with a write as it is told. */
export const sqlserverLedger = async () => {
  let plan: Plan = {};
  let dark = false;
  let [pending, rows] = [0, 0];

  const commit = (): Reply | null => {
    const { fate = null } = plan;
    if (fate !== 'lost') rows += pending;
    pending = 0;
    dark = plan.dark ?? false;
    plan = {};
    if (fate === null) return null;
    return fate === 'done, and silent' ? 'silence' : 'end';
  };

  const server = await tdsServer({
    login: () => (dark ? 'end' : null),
    statement(text) {
      if (text === 'commit transaction') return commit();
      if (/begin transaction|rollback transaction/.test(text)) pending = 0;
      if (text.includes('as same from')) return rowsOf(rows > 0 ? [{ same: 1 }] : [], ['same']);
      if (text.startsWith('select top (1) 1 as found')) return rowsOf(rows > 0 ? [{ found: 1 }] : [], ['found']);
      if (!/insert into|\bupdate \[/.test(text)) return answersWith(columns, text);
      if (plan.refusal !== undefined) return failing({ number: 547, message: plan.refusal });
      if (text.includes('insert into')) pending += 1;
      return answersWith(columns, text);
    },
  });

  return {
    url: server.url(),
    /** How many rows it has. */
    rows: () => rows,
    /** The statements that came since the last time, without values. */
    statements: () => server.statements,
    /** Makes it empty, and says what becomes of the next write. */
    prepare(next: Plan = {}) {
      plan = next;
      dark = false;
      [pending, rows] = [0, 0];
      server.endSessions();
    },
    /** Lets sessions in again, with the rows that it has. */
    lighten() {
      dark = false;
    },
    close: () => server.close(),
  };
};
