import type { PeopleRepository, Person } from '../../../application/ports/people.ts';
import { lastAdmin } from '../../../domain/access.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import { endAccess, removeInvitation } from '../statements/account-statements.ts';
import * as sql from '../statements/people-statements.ts';

interface Settings {
  readonly database: Pick<Database, 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

export const peopleRepository = ({ database, onRevoked }: Settings): PeopleRepository => ({
  list: (workspaceId) => database.query<Person>(sql.list, [workspaceId]),
  listAll: () => database.query(sql.listAll, []),
  async add({ id, workspaceId, email, name, role, createdAt }) {
    return (await database.query<Person>(sql.add, [id, workspaceId, email, name, role, createdAt]))[0] ?? null;
  },
  async change(workspaceId, userId, { name = null, role = null, disabled = null }) {
    if (!isId(userId)) return null;
    const changed = await database.atomically(async (client) => {
      await client.query(sql.lockWorkspace, [workspaceId]);
      const hadAdmin = (await client.query(sql.administrators, [workspaceId])).rowCount === 1;
      if ((await client.query(sql.lockUser, [userId, workspaceId])).rowCount === 0) return null;
      const [person] = (await client.query<Person>(sql.change, [userId, name, role, disabled])).rows;
      const hasAdmin = (await client.query(sql.administrators, [workspaceId])).rowCount === 1;
      if (hadAdmin && !hasAdmin) throw lastAdmin();
      for (const ending of disabled === true ? [...endAccess, removeInvitation] : [])
        await client.query(ending, [userId]);
      return person ?? null;
    });
    if (changed) onRevoked(userId);
    return changed;
  },
});
