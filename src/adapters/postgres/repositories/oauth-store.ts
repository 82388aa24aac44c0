import pg from 'pg';
import type { FoundRecord, Grant, GrantSummary, OAuthRecord, OAuthStore } from '../../../application/ports/oauth.ts';
import type { Doer } from '../../../domain/audit.ts';
import type { Database, RunSql, Statement } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/oauth-statements.ts';
import { record } from './acts.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const isUserOrGrantGone = (error: unknown) => error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION;

/** null: as it is stored. */
interface RemovedGrant extends Pick<Grant, 'id' | 'userId'> {
  readonly workspaceId: string | null;
  /** Of the program. */
  readonly name: string | null;
}

const recordGrant = (
  run: RunSql,
  { id, userId, workspaceId, name }: RemovedGrant,
  action: 'grant.created' | 'grant.revoked',
  by: Doer,
) => {
  const subject = { type: 'grant', id, name } as const;
  return record(run, { ...by, workspaceId, action, subject, details: { user_id: userId } });
};

interface Settings {
  readonly database: Pick<Database, 'query' | 'atomically'>;
  /** Called with every grant that was removed here. */
  readonly onRevoked: (grantId: string) => void;
}

export const oauthStore = ({ database, onRevoked }: Settings): OAuthStore => {
  const write = async (statement: Statement, record: OAuthRecord) => {
    const { kind, hash, otherHash, sealed, grantId, userId, scopes, expiresAt, signedInAt, signInId = null } = record;
    try {
      const written = await database.query(statement, [
        kind,
        hash,
        otherHash,
        sealed,
        grantId,
        userId,
        scopes,
        expiresAt,
        signedInAt,
        signInId,
      ]);
      return written.length === 1;
    } catch (error) {
      if (isUserOrGrantGone(error)) return false;
      throw error;
    }
  };

  return {
    save: (record) => write(sql.save, record),
    saveRefreshToken: (record) => write(sql.saveRefreshToken, record),
    find: async (kind, hash) => (await database.query<FoundRecord>(sql.find, [kind, hash]))[0] ?? null,
    findByOther: async (kind, otherHash) =>
      (await database.query<FoundRecord>(sql.findByOther, [kind, otherHash]))[0] ?? null,
    consume: async (kind, hash) => (await database.query(sql.consume, [kind, hash])).length === 1,
    consumeBy: async (by, kind, hash) => (await database.query(sql.consumeBy, [kind, hash, by])).length === 1,
    async giveBack(kind, hash) {
      await database.query(sql.giveBack, [kind, hash]);
    },
    async remove(kind, hash) {
      if (kind === 'Session') await database.query(sql.removeSession, [hash]);
      else await database.query(sql.remove, [kind, hash]);
    },
    async saveGrant(
      {
        id,
        userId,
        signInId = null,
        clientId,
        clientName,
        clientHost,
        resource,
        agentId,
        scopes,
        createdAt,
        expiresAt,
      },
      clientHash,
      by,
    ) {
      const client = [clientId, clientHash, clientName, clientHost];
      const values = [id, userId, ...client, resource, agentId, scopes, createdAt, expiresAt, signInId];
      await database.atomically(async (run) => {
        await run(sql.saveGrant, values);
        if (by) await recordGrant(run, { id, userId, workspaceId: null, name: null }, 'grant.created', by);
      });
    },
    findGrant: async (id) => (isId(id) ? ((await database.query<Grant>(sql.findGrant, [id]))[0] ?? null) : null),
    listGrants: (userId) => database.query<GrantSummary>(sql.listGrants, [userId]),
    async hasGrant(userIds, clientId) {
      const users = userIds.filter(isId);
      return users.length > 0 && (await database.query(sql.hasGrant, [users, clientId])).length > 0;
    },
    async removeGrant(id, by, userId) {
      if (!isId(id)) return false;
      const isRemoved = await database.atomically(async (run) => {
        const removed = await run<RemovedGrant>(sql.removeGrant, [id, userId ?? null]);
        for (const grant of removed) await recordGrant(run, grant, 'grant.revoked', by);
        return removed.length > 0;
      });
      onRevoked(id);
      return isRemoved;
    },
    async sweep() {
      let swept = 0;
      for (const statement of sql.sweeps) swept += (await database.query(statement, [])).length;
      return swept;
    },
  };
};
