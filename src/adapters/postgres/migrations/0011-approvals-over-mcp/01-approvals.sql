-- Calls of programs at the tool endpoint, which stand in no conversation. The same call of a credential finds its approval; `begun_at` is
-- set before it is made, so that it is made once; `answered_at` when its result or its denial was answered first.
alter table approvals alter column conversation_id drop not null, alter column tool_call_id drop not null,
  add column credential_id text, add column begun_at timestamptz(3), add column answered_at timestamptz(3), add column result json;
create unique index approvals_of_program_pending on approvals (credential_id, arguments_digest) where status = 'pending' and credential_id is not null;
create index approvals_of_program on approvals (credential_id, arguments_digest, requested_at desc) where credential_id is not null;
create index approvals_with_result on approvals (answered_at) where result is not null;
