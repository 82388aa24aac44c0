import { prepared } from '../connection/database.ts';
import { mayCome, userColumns } from './key-statements.ts';
import { sweep as sweepSignIns } from './sign-in-statements.ts';

/** A session that was removed is not stored again by a request that read it before: its user has signed out. */
const insert = `
insert into oauth_records (kind, hash, other_hash, sealed, grant_id, user_id, scopes, expires_at, signed_in_at, sign_in_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (kind, hash) do update set other_hash = excluded.other_hash, sealed = excluded.sealed, grant_id = excluded.grant_id,
  user_id = excluded.user_id, scopes = excluded.scopes, expires_at = excluded.expires_at, signed_in_at = excluded.signed_in_at,
  sign_in_id = excluded.sign_in_id where oauth_records.kind <> 'Session' or oauth_records.expires_at > now() returning hash`;

/** Extends a client that is in use, at most about once a day. */
const keepClient = (expiry: string, client: string) => `
update oauth_records set expires_at = ${expiry}
where kind = 'Client' and hash in (${client}) and expires_at < ${expiry}::timestamptz - interval '1 day'`;

export const save = prepared('oauth_records_save')`${insert}`;

export const saveRefreshToken = prepared('oauth_records_save_refresh_token')`
with kept as (
  update oauth_grants set used_at = now(), expires_at = greatest(expires_at, $8) where id = $5 returning client_hash
), client as (${keepClient('$8', 'select client_hash from kept')})
${insert}`;

const record = `select sealed, grant_id as "grantId", consumed_at as "consumedAt" from oauth_records where kind = $1 and expires_at > now()`;
export const find = prepared('oauth_records_find')`${record} and hash = $2`;
export const findByOther = prepared('oauth_records_find_by_other')`${record} and other_hash = $2`;

export const consume = prepared('oauth_records_consume')`
update oauth_records set consumed_at = now() where kind = $1 and hash = $2 and consumed_at is null returning hash`;

export const consumeBy = prepared('oauth_records_consume_by')`
update oauth_records set consumed_at = coalesce(consumed_at, now()), other_hash = $3
where kind = $1 and hash = $2 and (consumed_at is null or (other_hash = $3 and consumed_at > now() - interval '1 minute')) returning hash`;

export const giveBack = prepared('oauth_records_give_back')`
update oauth_records set consumed_at = null where kind = $1 and hash = $2`;

export const remove = prepared('oauth_records_remove')`delete from oauth_records where kind = $1 and hash = $2`;

/** The sweep deletes it: until then nothing stores it again. */
export const removeSession = prepared('oauth_records_remove_session')`
update oauth_records set expires_at = '-infinity' where kind = 'Session' and hash = $1`;

export const saveGrant = prepared('oauth_grants_save')`
with client as (${keepClient('$11', '$4')})
insert into oauth_grants (id, user_id, client_id, client_hash, client_name, client_host, resource, agent_id, scopes, created_at, expires_at, sign_in_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const grant = `
select g.id, g.user_id as "userId", g.sign_in_id as "signInId", g.client_id as "clientId", g.client_name as "clientName", g.client_host as "clientHost", g.resource,
       g.agent_id as "agentId", g.scopes, g.created_at as "createdAt", g.used_at as "usedAt", g.expires_at as "expiresAt"`;

export const findGrant = prepared(
  'oauth_grants_find',
)`${grant} from oauth_grants g where g.id = $1 and g.expires_at > now()`;

export const listGrants = prepared('oauth_grants_list')`
${grant}, a.name as "agentName" from oauth_grants g left join agents a on a.id = g.agent_id
where g.user_id = $1 and g.expires_at > now() order by g.created_at desc, g.id desc limit 200`;

export const hasGrant = prepared('oauth_grants_has')`
select 1 from oauth_grants where user_id = any($1::uuid[]) and client_id = $2 and expires_at > now() limit 1`;

export const removeGrant = prepared('oauth_grants_remove')`
delete from oauth_grants g using users u where g.id = $1 and ($2::uuid is null or g.user_id = $2) and u.id = g.user_id
returning g.id, g.user_id as "userId", u.workspace_id as "workspaceId", coalesce(g.client_name, g.client_host) as name`;

const BATCH = 500;

/** Skips rows that other transactions have locked: the next sweep deletes them. */
const expired = (table: string, key: string) => prepared(`${table}_sweep`)`
delete from ${table} where (${key}) in (
  select ${key} from ${table} where expires_at <= now() order by expires_at limit ${BATCH} for update skip locked
) returning 1`;
export const sweeps = [
  expired('oauth_records', 'kind, hash'),
  expired('oauth_grants', 'id'),
  expired('invitations', 'user_id'),
  sweepSignIns,
];

export const findCaller = prepared('oauth_tokens_find_caller')`
select g.id, g.agent_id as "agentId", r.scopes, r.signed_in_at as "signedInAt", r.expires_at as "expiresAt", ${userColumns}
from oauth_records r join oauth_grants g on g.id = r.grant_id join users u on u.id = g.user_id
where r.kind = 'AccessToken' and r.hash = $1 and ${mayCome}`;
