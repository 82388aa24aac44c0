import { isUuid } from '../../domain/text.ts';
import type { Database, Statement } from './database.ts';

/** Whether a text can be an id: the database answers any other text with an error instead of no row. */
export const isId = isUuid;

/** The row whose id is the last parameter of a statement; null if there is none, also if the text cannot be an id. */
export const findById = async <Row extends object>(
  { read }: Pick<Database, 'read'>,
  statement: Statement,
  ...values: readonly [...before: string[], id: string]
): Promise<Row | null> => {
  if (!isId(values.at(-1) as string)) return null;
  const [found] = await read<Row>(statement, values);
  return found ?? null;
};
