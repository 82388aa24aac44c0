import type { PeopleRepository, Person } from '../../../application/ports/people.ts';
import { lastAdmin } from '../../../domain/access.ts';
import { actOnUser, type Deed } from '../../../domain/audit.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import { endAccess, removeInvitation } from '../statements/account-statements.ts';
import * as sql from '../statements/people-statements.ts';
import { record } from './acts.ts';

interface Settings {
  readonly database: Pick<Database, 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

type Known = Pick<Person, 'name' | 'role' | 'disabled'>;

const deedsOf = (before: Known, after: Known): readonly Deed[] => {
  const changed = (['name', 'role'] as const).filter((field) => before[field] !== after[field]);
  return [
    ...(changed.length > 0 ? [{ action: 'user.changed', details: { changed } } as const] : []),
    ...(before.disabled === after.disabled
      ? []
      : [{ action: after.disabled ? 'user.disabled' : 'user.enabled' } as const]),
  ];
};

export const peopleRepository = ({ database, onRevoked }: Settings): PeopleRepository => ({
  list: (workspaceId) => database.query<Person>(sql.list, [workspaceId]),
  listAll: () => database.query(sql.listAll, []),
  add: ({ id, workspaceId, email, name, role, createdAt }, by) =>
    database.atomically(async (run) => {
      const values = [id, workspaceId, email, name, role, createdAt];
      const [person] = await run<Person>(sql.add, values);
      if (!person) return null;
      await record(run, actOnUser(by, { action: 'user.created' }, id));
      return person;
    }),
  async change(workspaceId, userId, { name = null, role = null, disabled = null }, by) {
    if (!isId(userId)) return null;
    const changed = await database.atomically(async (run) => {
      await run(sql.lockWorkspace, [workspaceId]);
      const hasAdmin = async () => (await run(sql.administrators, [workspaceId])).length === 1;
      const hadAdmin = await hasAdmin();
      const [before] = await run<Known>(sql.lockUser, [userId, workspaceId]);
      if (!before) return null;
      const [person] = await run<Person>(sql.change, [userId, name, role, disabled]);
      if (!person) return null;
      if (hadAdmin && !(await hasAdmin())) throw lastAdmin();
      const endings = disabled === true ? [...endAccess, removeInvitation] : [];
      for (const ending of endings) await run(ending, [userId]);
      for (const deed of deedsOf(before, person)) await record(run, actOnUser(by, deed, userId));
      return person;
    });
    if (changed) onRevoked(userId);
    return changed;
  },
});
