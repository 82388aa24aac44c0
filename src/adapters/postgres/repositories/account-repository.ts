import type { AccountRepository, SignedIn } from '../../../application/ports/accounts.ts';
import type { User } from '../../../domain/access.ts';
import { type Act, actOnUser, type Doer, visitor } from '../../../domain/audit.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/account-statements.ts';
import { actValues, recordAct } from '../statements/audit-statements.ts';
import { UserTable } from '../tables/entities.ts';

type SignedInRow = User & Pick<SignedIn, 'passwordVersion'>;

const signedIn = ({ passwordVersion, ...user }: SignedInRow): SignedIn => ({ user, passwordVersion });

interface Settings {
  readonly database: Pick<Database, 'mapper' | 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

type Session = Parameters<Parameters<Database['atomically']>[0]>[0];

const changed = (doer: Doer, userId: string, what: string): Act =>
  actOnUser(doer, { action: 'user.changed', details: { changed: [what] } }, userId);

const record = (client: Session, act: Act) => client.query({ ...recordAct, values: actValues(act) });

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
    await database.atomically(async (client) => {
      await client.query({ ...sql.invite, values });
      await record(client, changed(doer, userId, 'invitation'));
    });
  },
  findInvited: async (hash) => (await database.query<User>(sql.findInvited, [hash]))[0] ?? null,
  async accept(hash, passwordHash, address) {
    const accepted = await database.atomically(async (client) => {
      const [invited] = (await client.query<{ id: string }>(sql.useUp, [hash])).rows;
      if (!invited) return null;
      await client.query(sql.removeInvitation, [invited.id]);
      for (const ending of sql.endAccess) await client.query(ending, [invited.id]);
      const [row] = (await client.query<SignedInRow>(sql.setPassword, [passwordHash, invited.id])).rows;
      await record(client, changed(visitor(invited.id, address), invited.id, 'password'));
      return row ? signedIn(row) : null;
    });
    if (accepted) onRevoked(accepted.user.id);
    return accepted;
  },
});
