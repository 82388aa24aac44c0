/**
 * What was made with a key ends with it. Its requests count in the window of the key that it comes from; null: in one of its own.
 * `self_issued`: its user made it, or the key that it comes from, by signing in.
 */
export const sql = `
alter table api_keys
  add column made_with uuid references api_keys,
  add column window_id uuid,
  add column self_issued boolean not null default false;
create index api_keys_made_with on api_keys (made_with) where made_with is not null;

alter table invitations
  add column inviter_id uuid references users,
  add column made_with uuid references api_keys;
`;
