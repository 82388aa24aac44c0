import { refused } from '../errors.ts';
import type { Assignment } from './cells.ts';
import type { Row, Run, Statement } from './session.ts';

const singleByte = new Set(['char', 'varchar', 'text']);

/** A collation is a name without quotes in the statement, so it must be one. */
const isCollation = (name: string | null): name is string => name !== null && /^\w+$/.test(name);

/** Texts for columns of one code page with characters that it may not have: the database would store question marks in silence. */
const doubtful = (assignments: readonly Assignment[]): readonly Assignment[] =>
  assignments.filter(
    ({ column, operand }) =>
      operand !== null &&
      singleByte.has(column.type) &&
      isCollation(column.collation) &&
      typeof operand.parameter.value === 'string' &&
      /[^\0-\x7f]/.test(operand.parameter.value),
  );

/** There and back by way of the column's code page, compared by its bytes: a collation takes many things for the same. */
const comparison = ({ column }: Assignment, index: number): string => {
  const there = `convert(varchar(max), @p${index} collate ${column.collation})`;
  return `case when convert(varbinary(max), convert(nvarchar(max), ${there})) = convert(varbinary(max), convert(nvarchar(max), @p${index})) then 1 else 0 end as c${index}`;
};

export const losslessStatement = (assignments: readonly Assignment[]): Statement => ({
  text: `select ${assignments.map(comparison).join(', ')}`,
  parameters: assignments.flatMap(({ operand }) => (operand === null ? [] : [operand.parameter])),
});

/** Refuses texts that the code page of their column cannot hold. */
export const assertLossless = async (assignments: readonly Assignment[], query: Run): Promise<void> => {
  const asked = doubtful(assignments);
  if (asked.length === 0) return;
  const [answer] = await query<Row>(losslessStatement(asked));
  const lost = asked.filter((_, index) => answer?.[`c${index}`] !== 1).map(({ column }) => `"${column.name}"`);
  if (lost.length > 0) {
    throw refused(`Column ${lost.join(', ')}: the text has characters that the code page of the column's type cannot hold.`);
  }
};
