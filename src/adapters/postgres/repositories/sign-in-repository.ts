import type pg from 'pg';
import type { Identity } from '../../../application/ports/identity-provider.ts';
import type { Entry, EntryTerms, SignInRepository } from '../../../application/ports/sign-ins.ts';
import { lastAdmin, type User } from '../../../domain/access.ts';
import { actOnUser, type Deed, system, visitor } from '../../../domain/audit.ts';
import type { Database } from '../connection/database.ts';
import { endAccess, removeInvitation } from '../statements/account-statements.ts';
import { actValues, recordAct } from '../statements/audit-statements.ts';
import { administrators, lockWorkspace } from '../statements/people-statements.ts';
import * as sql from '../statements/sign-in-statements.ts';

interface Settings {
  readonly database: Pick<Database, 'query' | 'atomically'>;
  /** Called with every user whose access tokens were revoked here. */
  readonly onRevoked: (userId: string) => void;
}

interface UserRow extends User {
  readonly passwordVersion: number;
  readonly disabled: boolean;
}

type Client = Pick<pg.PoolClient, 'query'>;

const one = async <Row extends object>(client: Client, statement: string, values: readonly unknown[]) =>
  (await client.query<Row>(statement, [...values])).rows[0] ?? null;

/** What the sign-in of the organisation does to a user. */
const record = (client: Client, userId: string, action: Deed['action'], details: Deed['details'] = {}) => {
  const act = actOnUser(system, { action, details: { ...details, by: 'organisation' } }, userId);
  return client.query({ ...recordAct, values: actValues(act) });
};

const recordFailure = (client: Client, userId: string, ip: string) => {
  const deed = { action: 'sign_in.failed', details: { method: 'organisation' } } as const;
  return client.query({ ...recordAct, values: actValues(actOnUser(visitor(userId, ip), deed, userId)) });
};

const boundTo = (client: Client, { issuer, subject }: Identity) => one<UserRow>(client, sql.bound, [issuer, subject]);

/** The user as it is once nobody else changes who administers the workspace. */
const lock = async (client: Client, { id, workspaceId }: UserRow) => {
  await client.query(lockWorkspace, [workspaceId]);
  return one<UserRow>(client, sql.locked, [id]);
};

/** Does what may take the last administrator away, and refuses it then. */
const keepingAdmin = async (client: Client, { workspaceId, role, disabled }: UserRow, work: () => Promise<unknown>) => {
  await work();
  if (role !== 'admin' || disabled) return;
  if ((await client.query(administrators, [workspaceId])).rowCount === 0) throw lastAdmin();
};

type Found = UserRow | Exclude<Entry['outcome'], 'signed in'>;

const newUser = async (client: Client, newcomer: EntryTerms['newcomer']): Promise<Found> => {
  if (newcomer === null) return 'unknown';
  const { user, workspace } = newcomer;
  const places = (await client.query<{ id: string }>(sql.workspace, [workspace])).rows;
  const [place] = places;
  if (place === undefined || places.length > 1) return 'no workspace';
  const values = [user.id, place.id, user.email, user.name, user.role, user.createdAt];
  return (await one<UserRow>(client, sql.addUser, values)) ?? 'taken';
};

/** The user with the address, or a new one, bound from now on. */
const bind = async (client: Client, identity: Identity, terms: EntryTerms): Promise<Found> => {
  const { issuer, subject, email, emailVerified } = identity;
  if (email === null || !emailVerified) return 'unverified';
  const known = await one<UserRow>(client, sql.byEmail, [email]);
  const user = known ? ((await lock(client, known)) ?? 'unknown') : await newUser(client, terms.newcomer);
  if (typeof user === 'string') return user;
  if (user.disabled) return 'disabled';
  return (await one(client, sql.bind, [user.id, issuer, subject])) ? user : 'taken';
};

const enterIn = async (client: Client, identity: Identity, terms: EntryTerms): Promise<Entry> => {
  const bound = await boundTo(client, identity);
  const user = bound ? ((await lock(client, bound)) ?? 'unknown') : await bind(client, identity, terms);
  if (typeof user === 'string') return { outcome: user };
  if (user.disabled) return { outcome: 'disabled' };
  const isNew = user.id === terms.newcomer?.user.id;
  if (isNew) await record(client, user.id, 'user.created');
  const role = terms.role ?? user.role;
  if (role !== user.role) {
    await keepingAdmin(client, user, () => client.query(sql.setRole, [user.id, role]));
    await record(client, user.id, 'user.changed', { changed: ['role'] });
  }
  const { issuer, subject, session } = identity;
  await client.query(sql.note, [terms.signInId, user.id, issuer, subject, session]);
  await client.query(sql.seen, [user.id]);
  const { passwordVersion, disabled: _, ...rest } = user;
  return { outcome: 'signed in', signedIn: { user: { ...rest, role }, passwordVersion }, isNew };
};

export const signInRepository = ({ database, onRevoked }: Settings): SignInRepository => ({
  enter: (identity, terms) => database.atomically((client) => enterIn(client, identity, terms)),

  async shutOut(identity) {
    const userId = await database.atomically(async (client) => {
      const bound = await boundTo(client, identity);
      const user = bound && (await lock(client, bound));
      if (!user) return null;
      await keepingAdmin(client, user, async () => {
        await client.query(sql.shutOut, [user.id]);
        for (const ending of [...endAccess, removeInvitation, sql.revokeKeys]) await client.query(ending, [user.id]);
        await record(client, user.id, 'user.changed', { changed: ['access'] });
      });
      return user.id;
    });
    if (userId !== null) onRevoked(userId);
    return userId;
  },

  noteRefusal: (identity, ip) =>
    database.atomically(async (client) => {
      const byEmail = () => one<UserRow>(client, sql.byEmail, [identity.email]);
      const account = (await boundTo(client, identity)) ?? (await byEmail());
      if (account) await recordFailure(client, account.id, ip);
    }),

  async end({ issuer, subject, session }) {
    const ended = await database.query<{ id: string }>(sql.end, [issuer, subject, session]);
    for (const { id } of ended) onRevoked(id);
    return ended.length;
  },
});
