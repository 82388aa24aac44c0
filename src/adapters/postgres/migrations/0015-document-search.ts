/**
 * Functions without names to look up at run time (SQL-standard bodies): a dump that is restored computes the generated column without a
 * search path. What PostgreSQL refuses to read as text, a NUL or half of a surrogate pair, is left out; a backslash is written as a
 * number first, so that an escape is an escape.
 */
const functions = String.raw`
create function readable_json(value json) returns json language sql immutable parallel safe
return case when strpos(value::text, '\u') = 0 then value
  else regexp_replace(replace(value::text, '\\', '\u005c'), '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '', 'g')::json end;

-- Words of letters and digits. The separators are named one by one, so that a word is the same in a database of any locale.
create function search_words(value text) returns text[] language sql immutable parallel safe
return array(
  select left(word, 100) from regexp_split_to_table(lower(left(value, 150000)), '[\s!-/:-@\[-${'`'}{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f]+') word
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
`;

/**
 * A list reads as many entries of each agent's own index as a page has, so that a page costs the same among any number of documents. The
 * column is computed for every document that is there: the table is written anew, a million documents of 2 kB take some minutes, during
 * which it is locked.
 */
const indexes = `
create index documents_of_agent on documents (agent_id, created_at desc, id desc) where status <> 'trashed';
create index documents_of_agent_by_status on documents (agent_id, status, created_at desc, id desc) where status <> 'trashed';
alter table documents add column words tsvector not null generated always as (document_words(agent_id, name, document_data)) stored;
create index documents_words on documents using gin (words);
`;

export const sql = functions + indexes;
