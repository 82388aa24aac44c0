import type pg from 'pg';
import * as sql from '../statements/removal-statements.ts';

type Client = Pick<pg.PoolClient, 'query'>;

const keysOf = async (client: Client, text: string, values: readonly unknown[]): Promise<readonly string[]> =>
  (await client.query<{ key: string }>(text, [...values])).rows.map(({ key }) => key);

/** No run takes these files any more. */
export const removeFiles = async (client: Client, keys: readonly string[]): Promise<readonly string[]> => {
  if (keys.length === 0) return [];
  const removed = await keysOf(client, sql.expireFiles, [keys]);
  await client.query(sql.forgetSources, [keys]);
  return removed;
};

/** Removes conversations; the rows of those whose documents stay are left without content. The keys of their objects. */
export const removeConversations = async (client: Client, ids: readonly string[]): Promise<readonly string[]> => {
  if (ids.length === 0) return [];
  for (const statement of sql.conversationContents) await client.query(statement, [ids]);
  const keys = await keysOf(client, sql.conversationSnapshots, [ids]);
  await client.query(sql.conversationRows, [ids]);
  await client.query(sql.conversationShells, [ids]);
  return keys;
};

/** Removes runs that have no documents any more, with their conversations and files. The keys of their objects. */
export const removeRuns = async (client: Client, ids: readonly string[]): Promise<readonly string[]> => {
  if (ids.length === 0) return [];
  const conversations = (await client.query<{ id: string }>(sql.conversationsOfRuns, [ids])).rows;
  const files = await keysOf(client, sql.filesOfRuns, [ids]);
  const snapshots = await removeConversations(
    client,
    conversations.map(({ id }) => id),
  );
  const removed = await removeFiles(client, files);
  for (const statement of sql.runRows) await client.query(statement, [ids]);
  return [...snapshots, ...removed];
};
