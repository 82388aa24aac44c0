import type { Finding } from '../unanswered.ts';
import type { Assignment, Bind, Dialect, Outcome, Run, SqlColumn, SqlTable } from './dialect.ts';
import { binder, fromTable, referenceIn } from './values.ts';

type ByRow<C, P> = Extract<Outcome<C, P>, { by: 'row' }>;

/** What a write was, for a look that finds its row. */
interface Wrote<C, P> {
  readonly table: SqlTable<C>;
  readonly assignments: readonly Assignment<C, P>[];
  /** Of an update: the condition of its key; null of an insert. */
  readonly under: ((bind: Bind<P>) => string) | null;
}

/** Each value of the primary key, or null if they are not all assigned. */
const keyOf = <C, P>(primaryKey: readonly C[], assignments: readonly Assignment<C, P>[]) => {
  const assigned = assignments.filter(({ column, operand }) => operand !== null && primaryKey.includes(column));
  return primaryKey.length > 0 && assigned.length === primaryKey.length ? assigned : null;
};

/** Of the first two rows under the condition, whether they have the values that were written. */
const lookAt = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  { isAssigned, waiting }: ByRow<C, P>,
  { table, assignments }: Wrote<C, P>,
  condition: (bind: Bind<P>) => string,
  run: Run<P>,
): Promise<readonly boolean[]> => {
  const { parameters, bind } = binder<P>(dialect);
  const same = assignments.map(({ column, operand }) => {
    const reference = referenceIn(dialect, column);
    return operand === null
      ? `${dialect.comparable(column, reference)} is null`
      : isAssigned(column, reference, operand, bind);
  });
  const columns = `case when ${same.join(' and ')} then 1 else 0 end as same`;
  const rest = `from ${fromTable(dialect, table)}${waiting.table} where ${condition(bind)}`;
  const text = dialect.first(2, columns, rest) + waiting.end;
  const rows = await run<{ readonly same: number }>({ text, parameters });
  return rows.map((row) => row.same === 1);
};

/** What became of an insert, whose row only the primary key identifies, or of an update: a row that differs may have been changed again since. */
const lookForRow = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  outcome: ByRow<C, P>,
  wrote: Wrote<C, P>,
  run: Run<P>,
): Promise<Finding> => {
  if (wrote.under !== null) {
    const rows = await lookAt(dialect, outcome, wrote, wrote.under, run);
    return rows.length === 1 && rows[0] === true ? 'written' : 'unclear';
  }
  const key = keyOf(outcome.primaryKey(wrote.table), wrote.assignments);
  if (key === null) return 'unclear';
  const condition = (bind: Bind<P>) =>
    key
      .map(({ column, operand }) => {
        const expression = dialect.comparable(column, referenceIn(dialect, column));
        return `${expression} = ${operand ? bind(operand) : 'null'}`;
      })
      .join(' and ');
  const [same] = await lookAt(dialect, outcome, wrote, condition, run);
  if (same === undefined) return 'not written';
  return same ? 'written' : 'unclear';
};

/** How another session finds out what became of the write that is about to be made in this one. */
export const lookFor = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  wrote: Wrote<C, P>,
  run: Run<P>,
): Promise<(run: Run<P>) => Promise<Finding>> => {
  const { outcome } = dialect;
  if (outcome.by === 'transaction') return outcome.note(run);
  return (again) => lookForRow(dialect, outcome, wrote, again);
};
