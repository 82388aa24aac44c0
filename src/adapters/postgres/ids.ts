import type { Database, Statement } from './database.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an id: the database answers any other text with an error instead of no row. */
export const isId = (text: string): boolean => uuid.test(text);

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
