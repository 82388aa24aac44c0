-- What the workers do to post a document. `automatic`: whether they do, by the version of its agent. `post_at`: when they try next, and until
-- when one of them has taken it; null for what is left to a person, or is done.
alter table documents
  add column automatic boolean not null default false,
  add column posted_by text check (posted_by in ('client', 'policy')),
  add column post_at timestamptz(3),
  add column post_failures integer not null default 0,
  add column post_failing_since timestamptz(3),
  add column post_error text;
-- The queue of the workers, agent by agent: one whose system is out of reach delays no other.
create index documents_to_post on documents (workspace_id, agent_id, post_at, id) where status = 'ready' and post_at is not null;
