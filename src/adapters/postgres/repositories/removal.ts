import type { RunSql, Sql } from '../connection/database.ts';
import * as sql from '../statements/removal-statements.ts';

const keysOf = async (run: RunSql, text: Sql, values: readonly unknown[]): Promise<readonly string[]> =>
  (await run<{ key: string }>(text, values)).map(({ key }) => key);

/** No run takes these files any more. */
export const removeFiles = async (run: RunSql, keys: readonly string[]): Promise<readonly string[]> => {
  if (keys.length === 0) return [];
  const removed = await keysOf(run, sql.expireFiles, [keys]);
  await run(sql.forgetSources, [keys]);
  return removed;
};

/** Removes conversations; the rows of those whose documents stay are left without content. The keys of their objects. */
export const removeConversations = async (run: RunSql, ids: readonly string[]): Promise<readonly string[]> => {
  if (ids.length === 0) return [];
  for (const statement of sql.conversationContents) await run(statement, [ids]);
  const keys = await keysOf(run, sql.conversationSnapshots, [ids]);
  await run(sql.conversationRows, [ids]);
  await run(sql.conversationShells, [ids]);
  return keys;
};

/** Removes runs that have no documents any more, with their conversations and files. The keys of their objects. */
export const removeRuns = async (run: RunSql, named: readonly string[]): Promise<readonly string[]> => {
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
