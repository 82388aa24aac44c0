import type { DueObject, StoredObjects } from '../../../application/ports/stored-objects.ts';
import type { StorageUse } from '../../../domain/storage-quota.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/file-statements.ts';

export const storedObjects = ({ query, atomically }: Pick<Database, 'query' | 'atomically'>): StoredObjects => ({
  grant: ({ workspaceId, userId, kind, seconds, objects }, isAllowed) =>
    atomically(async (run) => {
      await run(sql.lock, [workspaceId]);
      const [use] = await run<StorageUse>(sql.use, [workspaceId, userId]);
      if (!use || !isAllowed(use)) return use ?? null;
      await run(sql.insert, [
        workspaceId,
        userId,
        kind,
        seconds,
        objects.map(({ key }) => key),
        objects.map(({ bytes }) => bytes),
      ]);
      return null;
    }),

  due: (most) => query<DueObject>(sql.due, [most]),

  async weighed(weights) {
    const all = [...weights.values()];
    await query(sql.weighed, [[...weights.keys()], all.map(({ own }) => own), all.map(({ beside }) => beside)]);
  },

  async keeping(key) {
    const [upload] = await query<{ workspaceId: string }>(sql.keeping, [key]);
    if (!upload) return null;
    const [now] = await query<StorageUse>(sql.useOf, [upload.workspaceId, null]);
    return now?.stored ?? null;
  },

  async remove(keys) {
    await query(sql.remove, [keys]);
  },
});
