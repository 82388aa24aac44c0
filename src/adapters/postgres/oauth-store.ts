import pg from 'pg';
import type { FoundRecord, Grant, GrantSummary, OAuthRecord, OAuthStore } from '../../application/ports/oauth.ts';
import { type Database, prepared, type Statement } from './database.ts';
import { isId } from './ids.ts';

const insert = `
insert into oauth_records (kind, hash, other_hash, sealed, grant_id, user_id, scopes, expires_at, signed_in_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (kind, hash) do update set other_hash = excluded.other_hash, sealed = excluded.sealed, grant_id = excluded.grant_id,
  user_id = excluded.user_id, scopes = excluded.scopes, expires_at = excluded.expires_at, signed_in_at = excluded.signed_in_at`;

/** Extends a client that is in use, at most about once a day. */
const keepClient = (expiry: string, client: string) => `
update oauth_records set expires_at = ${expiry}
where kind = 'Client' and hash in (${client}) and expires_at < ${expiry}::timestamptz - interval '1 day'`;

const save = prepared('oauth_records_save')`${insert}`;

const saveRefreshToken = prepared('oauth_records_save_refresh_token')`
with kept as (
  update oauth_grants set used_at = now(), expires_at = greatest(expires_at, $8) where id = $5 returning client_hash
), client as (${keepClient('$8', 'select client_hash from kept')})
${insert}`;

const found = `select sealed, grant_id as "grantId", consumed_at as "consumedAt" from oauth_records where kind = $1 and expires_at > now()`;
const find = prepared('oauth_records_find')`${found} and hash = $2`;
const findByOther = prepared('oauth_records_find_by_other')`${found} and other_hash = $2`;

const consume = prepared('oauth_records_consume')`
update oauth_records set consumed_at = now() where kind = $1 and hash = $2 and consumed_at is null returning hash`;

const remove = prepared('oauth_records_remove')`delete from oauth_records where kind = $1 and hash = $2`;

const saveGrant = prepared('oauth_grants_save')`
with client as (${keepClient('$11', '$4')})
insert into oauth_grants (id, user_id, client_id, client_hash, client_name, client_host, resource, agent_id, scopes, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

const grant = `
select g.id, g.user_id as "userId", g.client_id as "clientId", g.client_name as "clientName", g.client_host as "clientHost", g.resource,
       g.agent_id as "agentId", g.scopes, g.created_at as "createdAt", g.used_at as "usedAt", g.expires_at as "expiresAt"`;

const findGrant = prepared('oauth_grants_find')`${grant} from oauth_grants g where g.id = $1 and g.expires_at > now()`;

const listGrants = prepared('oauth_grants_list')`
${grant}, a.name as "agentName" from oauth_grants g left join agents a on a.id = g.agent_id
where g.user_id = $1 and g.expires_at > now() order by g.created_at desc, g.id desc limit 200`;

const hasGrant = prepared('oauth_grants_has')`
select 1 from oauth_grants where user_id = any($1::uuid[]) and client_id = $2 and expires_at > now() limit 1`;

const removeGrant = prepared('oauth_grants_remove')`
delete from oauth_grants where id = $1 and ($2::uuid is null or user_id = $2) returning id`;

const BATCH = 500;

/** Skips rows that other transactions have locked: the next sweep deletes them. */
const expired = (table: string, key: string) => prepared(`${table}_sweep`)`
delete from ${table} where (${key}) in (
  select ${key} from ${table} where expires_at <= now() order by expires_at limit ${BATCH} for update skip locked
) returning 1`;
const sweeps = [
  expired('oauth_records', 'kind, hash'),
  expired('oauth_grants', 'id'),
  expired('invitations', 'user_id'),
];

const FOREIGN_KEY_VIOLATION = '23503';
const isUserOrGrantGone = (error: unknown) => error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION;

interface Settings {
  readonly database: Pick<Database, 'query'>;
  /** Called with every grant that was removed here. */
  readonly onRevoked: (grantId: string) => void;
}

export const oauthStore = ({ database, onRevoked }: Settings): OAuthStore => {
  const write = async (statement: Statement, record: OAuthRecord) => {
    const { kind, hash, otherHash, sealed, grantId, userId, scopes, expiresAt, signedInAt } = record;
    try {
      await database.query(statement, [kind, hash, otherHash, sealed, grantId, userId, scopes, expiresAt, signedInAt]);
      return true;
    } catch (error) {
      if (isUserOrGrantGone(error)) return false;
      throw error;
    }
  };

  return {
    save: (record) => write(save, record),
    saveRefreshToken: (record) => write(saveRefreshToken, record),
    find: async (kind, hash) => (await database.query<FoundRecord>(find, [kind, hash]))[0] ?? null,
    findByOther: async (kind, otherHash) =>
      (await database.query<FoundRecord>(findByOther, [kind, otherHash]))[0] ?? null,
    consume: async (kind, hash) => (await database.query(consume, [kind, hash])).length === 1,
    async remove(kind, hash) {
      await database.query(remove, [kind, hash]);
    },
    async saveGrant(
      { id, userId, clientId, clientName, clientHost, resource, agentId, scopes, createdAt, expiresAt },
      clientHash,
    ) {
      const client = [clientId, clientHash, clientName, clientHost];
      await database.query(saveGrant, [id, userId, ...client, resource, agentId, scopes, createdAt, expiresAt]);
    },
    findGrant: async (id) => (isId(id) ? ((await database.query<Grant>(findGrant, [id]))[0] ?? null) : null),
    listGrants: (userId) => database.query<GrantSummary>(listGrants, [userId]),
    async hasGrant(userIds, clientId) {
      const users = userIds.filter(isId);
      return users.length > 0 && (await database.query(hasGrant, [users, clientId])).length > 0;
    },
    async removeGrant(id, userId) {
      if (!isId(id)) return false;
      const removed = await database.query(removeGrant, [id, userId ?? null]);
      onRevoked(id);
      return removed.length > 0;
    },
    async sweep() {
      let swept = 0;
      for (const statement of sweeps) swept += (await database.query(statement, [])).length;
      return swept;
    },
  };
};
