import type pg from 'pg';
import type { Statement } from '../connection/database.ts';
import * as sql from '../statements/removal-statements.ts';

/** What runs seldom has no name: it is planned each time. */
type Sql = Statement | string;

/** Runs a statement of the transaction that removes something. */
export type Run = <Row extends object>(sql: Sql, values: readonly unknown[]) => Promise<readonly Row[]>;

export const runIn =
  (client: Pick<pg.PoolClient, 'query'>): Run =>
  async (statement, values) => {
    const { rows } = await client.query({
      ...(typeof statement === 'string' ? { text: statement } : statement),
      values: [...values],
    });
    return rows;
  };

const keysOf = async (run: Run, text: Sql, values: readonly unknown[]): Promise<readonly string[]> =>
  (await run<{ key: string }>(text, values)).map(({ key }) => key);

/** No run takes these files any more. */
export const removeFiles = async (run: Run, keys: readonly string[]): Promise<readonly string[]> => {
  if (keys.length === 0) return [];
  const removed = await keysOf(run, sql.expireFiles, [keys]);
  await run(sql.forgetSources, [keys]);
  return removed;
};

/** Removes conversations; the rows of those whose documents stay are left without content. The keys of their objects. */
export const removeConversations = async (run: Run, ids: readonly string[]): Promise<readonly string[]> => {
  if (ids.length === 0) return [];
  for (const statement of sql.conversationContents) await run(statement, [ids]);
  const keys = await keysOf(run, sql.conversationSnapshots, [ids]);
  await run(sql.conversationRows, [ids]);
  await run(sql.conversationShells, [ids]);
  return keys;
};

/** Removes runs that have no documents any more, with their conversations and files. The keys of their objects. */
export const removeRuns = async (run: Run, named: readonly string[]): Promise<readonly string[]> => {
  if (named.length === 0) return [];
  const ids = (await run<{ id: string }>(sql.withPartRuns, [named])).map(({ id }) => id);
  const conversations = await run<{ id: string }>(sql.conversationsOfRuns, [ids]);
  const files = await keysOf(run, sql.filesOfRuns, [ids]);
  const snapshots = await removeConversations(
    run,
    conversations.map(({ id }) => id),
  );
  const removed = await removeFiles(run, files);
  for (const statement of sql.runRows) await run(statement, [ids]);
  return [...snapshots, ...removed];
};
