import type { Identity } from '../../../application/ports/identity-provider.ts';
import type { Entry, EntryTerms, SignInRepository } from '../../../application/ports/sign-ins.ts';
import { lastAdmin, type User } from '../../../domain/access.ts';
import { actOnUser, type Deed, system, visitor } from '../../../domain/audit.ts';
import type { Database, RunSql } from '../connection/database.ts';
import { endAccess, removeInvitation } from '../statements/account-statements.ts';
import { administrators, lockWorkspace } from '../statements/people-statements.ts';
import * as sql from '../statements/sign-in-statements.ts';
import { record } from './acts.ts';

interface Settings {
  readonly database: Pick<Database, 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

interface UserRow extends User {
  readonly passwordVersion: number;
  readonly disabled: boolean;
}

const one = async <Row extends object>(run: RunSql, statement: string, values: readonly unknown[]) =>
  (await run<Row>(statement, values))[0] ?? null;

/** What the sign-in of the organisation does to a user. */
const recordChange = (run: RunSql, userId: string, action: Deed['action'], details: Deed['details'] = {}) =>
  record(run, actOnUser(system, { action, details: { ...details, by: 'organisation' } }, userId));

const recordFailure = (run: RunSql, userId: string, ip: string) => {
  const deed = { action: 'sign_in.failed', details: { method: 'organisation' } } as const;
  return record(run, actOnUser(visitor(userId, ip), deed, userId));
};

const boundTo = (run: RunSql, { issuer, subject }: Identity) => one<UserRow>(run, sql.bound, [issuer, subject]);

/** The user as it is once nobody else changes who administers the workspace. */
const lock = async (run: RunSql, { id, workspaceId }: UserRow) => {
  await run(lockWorkspace, [workspaceId]);
  return one<UserRow>(run, sql.locked, [id]);
};

/** Does what may take the last administrator away, and refuses it then. */
const keepingAdmin = async (run: RunSql, { workspaceId, role, disabled }: UserRow, work: () => Promise<unknown>) => {
  await work();
  if (role !== 'admin' || disabled) return;
  if ((await run(administrators, [workspaceId])).length === 0) throw lastAdmin();
};

type Found = UserRow | Exclude<Entry['outcome'], 'signed in'>;

const newUser = async (run: RunSql, newcomer: EntryTerms['newcomer']): Promise<Found> => {
  if (newcomer === null) return 'unknown';
  const { user, workspace } = newcomer;
  const places = await run<{ id: string }>(sql.workspace, [workspace]);
  const [place] = places;
  if (place === undefined || places.length > 1) return 'no workspace';
  const values = [user.id, place.id, user.email, user.name, user.role, user.createdAt];
  return (await one<UserRow>(run, sql.addUser, values)) ?? 'taken';
};

/** The user with the address, or a new one, bound from now on. */
const bind = async (run: RunSql, identity: Identity, terms: EntryTerms): Promise<Found> => {
  const { issuer, subject, email, emailVerified } = identity;
  if (email === null || !emailVerified) return 'unverified';
  const known = await one<UserRow>(run, sql.byEmail, [email]);
  const user = known ? ((await lock(run, known)) ?? 'unknown') : await newUser(run, terms.newcomer);
  if (typeof user === 'string') return user;
  if (user.disabled) return 'disabled';
  return (await one(run, sql.bind, [user.id, issuer, subject])) ? user : 'taken';
};

const enterIn = async (run: RunSql, identity: Identity, terms: EntryTerms): Promise<Entry> => {
  const bound = await boundTo(run, identity);
  const user = bound ? ((await lock(run, bound)) ?? 'unknown') : await bind(run, identity, terms);
  if (typeof user === 'string') return { outcome: user };
  if (user.disabled) return { outcome: 'disabled' };
  const isNew = user.id === terms.newcomer?.user.id;
  if (isNew) await recordChange(run, user.id, 'user.created');
  const role = terms.role ?? user.role;
  if (role !== user.role) {
    await keepingAdmin(run, user, () => run(sql.setRole, [user.id, role]));
    await recordChange(run, user.id, 'user.changed', { changed: ['role'] });
  }
  const { issuer, subject, session } = identity;
  await run(sql.note, [terms.signInId, user.id, issuer, subject, session]);
  await run(sql.seen, [user.id]);
  const { passwordVersion, disabled: _, ...rest } = user;
  return { outcome: 'signed in', signedIn: { user: { ...rest, role }, passwordVersion }, isNew };
};

export const signInRepository = ({ database, onRevoked }: Settings): SignInRepository => ({
  enter: (identity, terms) => database.atomically((run) => enterIn(run, identity, terms)),

  async shutOut(identity) {
    const userId = await database.atomically(async (run) => {
      const bound = await boundTo(run, identity);
      const user = bound && (await lock(run, bound));
      if (!user) return null;
      await keepingAdmin(run, user, async () => {
        await run(sql.shutOut, [user.id]);
        for (const ending of [...endAccess, removeInvitation, sql.revokeKeys]) await run(ending, [user.id]);
        await recordChange(run, user.id, 'user.changed', { changed: ['access'] });
      });
      return user.id;
    });
    if (userId !== null) onRevoked(userId);
    return userId;
  },

  noteRefusal: (identity, ip) =>
    database.atomically(async (run) => {
      const byEmail = () => one<UserRow>(run, sql.byEmail, [identity.email]);
      const account = (await boundTo(run, identity)) ?? (await byEmail());
      if (account) await recordFailure(run, account.id, ip);
    }),

  async end({ issuer, subject, session }) {
    const ended = await database.query<{ id: string }>(sql.end, [issuer, subject, session]);
    for (const { id } of ended) onRevoked(id);
    return ended.length;
  },
});
