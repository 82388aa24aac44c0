import { prepared } from '../connection/database.ts';
import { SIGN_INS } from './account-statements.ts';

/** What was removed keeps its id. */
export const taken = prepared('workspaces_taken')`
select email as name from users where email = any ($1) and removed_at is null and workspace_id is distinct from $2::uuid
union all select id::text from agents where id = any ($3::uuid[]) and workspace_id is distinct from $2::uuid
union all select id::text from connections where id = any ($3::uuid[]) and workspace_id is distinct from $2::uuid order by name`;

export const any = prepared('workspaces_any')`select 1 from workspaces limit 1`;

/** Ends everything by which users who are removed could act: if they come back, it does not. */
export const endings = [
  'update api_keys set revoked_at = now() where user_id = any ($1::uuid[]) and revoked_at is null',
  `delete from oauth_records where kind in ${SIGN_INS} and user_id = any ($1::uuid[])`,
  'delete from oauth_grants where user_id = any ($1::uuid[])',
  'delete from identities where user_id = any ($1::uuid[])',
  'delete from invitations where user_id = any ($1::uuid[]) or inviter_id = any ($1::uuid[])',
];

/**
 * Finds the rows that exist already, restores removed ones, and sets their names aside, so that rows may exchange names. It does not
 * touch a row of another workspace: inserting that again fails because of its id.
 */
export const revive = {
  users:
    'update users set removed_at = null, email = id::text where workspace_id = $1 and id = any ($2::uuid[]) returning id',
  connections:
    'update connections set removed_at = null, name = id::text where workspace_id = $1 and id = any ($2::uuid[]) returning id',
  databases: 'select id from databases where workspace_id = $1 and id = any ($2::text[])',
  agents:
    'update agents set removed_at = null, name = id::text where workspace_id = $1 and id = any ($2::uuid[]) returning id',
  budgets: 'select id from budgets where workspace_id = $1 and id = any ($2::uuid[])',
  // It is looked at at once, by its new terms: the look that is under way is over.
  sources: `update sources set removed_at = null, name = id::text, due_at = now(), fence = fence + 1, leased_until = null where workspace_id = $1 and id = any ($2::uuid[]) returning id`,
  // One that was removed begins with what happens from now on; one that was not has read up to its position.
  webhooks: `update webhooks set removed_at = null, position = case when removed_at is null then position else event_position() end
    where workspace_id = $1 and id = any ($2::uuid[]) returning id`,
};
