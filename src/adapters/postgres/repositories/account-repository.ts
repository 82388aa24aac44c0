import type { AccountRepository, SignedIn } from '../../../application/ports/accounts.ts';
import type { User } from '../../../domain/access.ts';
import { type Act, actOnUser, type Doer, visitor } from '../../../domain/audit.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/account-statements.ts';
import { UserTable } from '../tables/entities.ts';
import { record } from './acts.ts';

type SignedInRow = User & Pick<SignedIn, 'passwordVersion'>;

const signedIn = ({ passwordVersion, ...user }: SignedInRow): SignedIn => ({ user, passwordVersion });

interface Settings {
  readonly database: Pick<Database, 'mapper' | 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

const changed = (doer: Doer, userId: string, what: string): Act =>
  actOnUser(doer, { action: 'user.changed', details: { changed: [what] } }, userId);

export const accountRepository = ({ database, onRevoked }: Settings): AccountRepository => ({
  async findByEmail(email) {
    if (email.includes('\0')) return null;
    const account = await database.mapper.findOne(
      UserTable,
      { email, disabledAt: null },
      { populate: ['passwordVersion', 'passwordHash'] },
    );
    if (!account) return null;
    const { passwordHash, ...user } = account;
    return { ...signedIn(user), passwordHash };
  },
  async find(userId) {
    if (!isId(userId)) return null;
    const account = await database.mapper.findOne(
      UserTable,
      { id: userId, disabledAt: null },
      { populate: ['passwordVersion'] },
    );
    return account && signedIn(account);
  },
  async invite({ userId, hash, expiresAt, by }, doer) {
    const values = [userId, hash, expiresAt, by?.userId ?? null, by?.keyId ?? null];
    await database.atomically(async (run) => {
      await run(sql.invite, values);
      await record(run, changed(doer, userId, 'invitation'));
    });
  },
  findInvited: async (hash) => (await database.query<User>(sql.findInvited, [hash]))[0] ?? null,
  async accept(hash, passwordHash, address) {
    const accepted = await database.atomically(async (run) => {
      const [invited] = await run<{ id: string }>(sql.useUp, [hash]);
      if (!invited) return null;
      await run(sql.removeInvitation, [invited.id]);
      for (const ending of sql.endAccess) await run(ending, [invited.id]);
      const [row] = await run<SignedInRow>(sql.setPassword, [passwordHash, invited.id]);
      await record(run, changed(visitor(invited.id, address), invited.id, 'password'));
      return row ? signedIn(row) : null;
    });
    if (accepted) onRevoked(accepted.user.id);
    return accepted;
  },
});
