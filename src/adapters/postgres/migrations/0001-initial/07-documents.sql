-- Documents, their revisions and files, and what is searched of them.

-- The functions of the search have no names to look up at run time (SQL-standard bodies): a dump that is restored computes the generated
-- column without a search path.

-- What PostgreSQL refuses to read as text, a NUL or half of a surrogate pair, is left out; a backslash is written as a number first, so that
-- an escape is an escape.
create function readable_json(value json) returns json language sql immutable parallel safe
return case when strpos(value::text, '\u') = 0 then value
  else regexp_replace(replace(value::text, '\\', '\u005c'), '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '', 'g')::json end;

-- Words of letters and digits. The separators are named one by one, so that a word is the same in a database of any locale.
create function search_words(value text) returns text[] language sql immutable parallel safe
return array(
  select left(word, 100) from regexp_split_to_table(lower(left(value, 150000)), '[\s!-/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f]+') word
  where word <> '');

-- The number, unless it has more digits or a larger exponent than any that is compared.
create function json_number(value json) returns numeric language sql immutable parallel safe
return case when json_typeof(value) = 'number' and length(value::text) <= 1000 and value::text !~ '[eE][+-]?\d{5}' then value::text::numeric end;

-- Stands for a value at a JSON Pointer in the index: 1190.5 and 1190.50 are the same.
create function leaf_token(pointer text, kind text, value text) returns text language sql immutable parallel safe
return '=' || left(md5(pointer || '=' || kind || case kind when 'number' then coalesce(trim_scale(value::numeric)::text, '') else value end), 16);

create function document_leaves(data json) returns table (pointer text, kind text, value text) language sql immutable parallel safe
begin atomic
  with recursive node (pointer, value) as (
    select '', readable_json(data)
    union all
    select node.pointer || '/' || replace(replace(child.key, '~', '~0'), '/', '~1'), child.value
    from node cross join lateral (
      select e.key, e.value from json_each(case json_typeof(node.value) when 'object' then node.value end) e
      union all
      select (a.position - 1)::text, a.value
      from json_array_elements(case json_typeof(node.value) when 'array' then node.value end) with ordinality a (value, position)
    ) child
  )
  select node.pointer, json_typeof(node.value), case json_typeof(node.value) when 'number' then json_number(node.value)::text else node.value #>> '{}' end
  from node where json_typeof(node.value) in ('string', 'number', 'boolean');
end;

-- The agent, the words of the name and of the values, and the values themselves; '!' says that there are more than are listed here.
create function document_words(agent uuid, name text, data json) returns tsvector language sql immutable parallel safe
begin atomic
  with leaves as materialized (select pointer, kind, value from document_leaves(data) where value is not null limit 5001)
  select array_to_tsvector(array['@' || agent]
    || search_words(name || ' ' || coalesce((select string_agg(value, ' ') from leaves), ''))
    || array(select leaf_token(pointer, kind, value) from leaves limit 5000)
    || case when (select count(*) from leaves) > 5000 then array['!'] else '{}'::text[] end);
end;

-- The data of a document, parsed once for all conditions of a search. Numbers that PostgreSQL cannot hold are an empty object each: nothing
-- compares with them, and they are not null.
create function searched_json(value json) returns jsonb language plpgsql immutable as $$
begin
  return readable_json(value)::jsonb;
exception when numeric_value_out_of_range then
  return spelled_json(readable_json(value));
end $$;

create function spelled_json(value json) returns jsonb language plpgsql immutable as $$
begin
  case json_typeof(value)
    when 'object' then return (select coalesce(jsonb_object_agg(e.key, spelled_json(e.value)), '{}') from json_each(value) e);
    when 'array' then return (
      select coalesce(jsonb_agg(spelled_json(e.item) order by e.place), '[]') from json_array_elements(value) with ordinality e (item, place));
    when 'number' then return coalesce(to_jsonb(json_number(value)), '{}');
    else return value::jsonb;
  end case;
end $$;

create table documents (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  run_id uuid not null references runs,
  agent_id uuid not null references agents,
  conversation_id uuid not null references conversations,
  name text not null,
  status text not null check (status in ('extracting', 'ready', 'processing', 'processed', 'error', 'trashed')),
  trashed_from text,
  error text,
  -- What the agent read or people entered, where it stands in the files, and how much of them was read.
  document_data json,
  revision integer not null default 0,
  evidence json not null default '{}',
  coverage json,
  contradictions json not null default '[]',
  checks json not null default '[]',
  -- By what the document is known again; null if it does not have all values of its key. `later_key`: the same by a later version of its agent.
  duplicate_key text,
  later_key text,
  -- The review of the revision.
  review_status text not null default 'not_required' check (review_status in ('not_required', 'pending', 'approved', 'rejected')),
  review_reasons json not null default '[]',
  reviewer json,
  review_note text,
  decided_at timestamptz(3),
  decided_via text,
  -- Which revision was approved last, and which rule of who may approve an approval that stands keeps.
  approved_revision integer,
  approved_as text,
  -- The delivery into the system of record. `attempted_revision`: what a delivery may have written whose end is not known.
  external_reference text,
  attempted_revision integer,
  fence integer not null default 0,
  lease_expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  processed_at timestamptz(3),
  words tsvector not null generated always as (document_words(agent_id, name, document_data)) stored
);
create index documents_run on documents (run_id);
create index documents_delivering on documents (lease_expires_at) where status = 'processing';
create index documents_words on documents using gin (words);
-- A list reads as many entries of each agent's own index as a page has, so that a page costs the same among any number of documents.
create index documents_of_agent on documents (agent_id, created_at desc, id desc) where status <> 'trashed';
create index documents_of_agent_by_status on documents (agent_id, status, created_at desc, id desc) where status <> 'trashed';
create index documents_of_agent_by_review on documents (agent_id, review_status, created_at desc, id desc) where status <> 'trashed';
-- The newest documents of a workspace, so that a page of them does not ask each of its agents.
create index documents_of_workspace on documents (workspace_id, created_at desc, id desc) include (agent_id) where status <> 'trashed';
create index documents_of_workspace_by_status on documents (workspace_id, status, created_at desc, id desc) include (agent_id) where status <> 'trashed';
create index documents_of_workspace_by_review on documents (workspace_id, review_status, created_at desc, id desc) include (agent_id)
  where status <> 'trashed';
-- Ids sort by the time they were made, so that the newest duplicates come first from an index, however many there are.
create index documents_by_duplicate_key on documents (agent_id, duplicate_key, id desc) where duplicate_key is not null and status <> 'trashed';
create index documents_by_later_key on documents (agent_id, later_key, id desc) where later_key is not null and status <> 'trashed';

-- Who changed what, and by which door: `user_id` and `via` are null for the agent, whose revision is the first.
create table document_revisions (
  document_id uuid not null references documents on delete cascade,
  revision integer not null,
  user_id uuid references users,
  via text,
  changes json not null default '[]',
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (document_id, revision)
);

-- From the content of which files a document was read.
create table document_files (
  document_id uuid not null references documents on delete cascade,
  sha256 text not null,
  agent_id uuid not null,
  primary key (document_id, sha256)
);
create index document_files_by_content on document_files (agent_id, sha256, document_id desc);
