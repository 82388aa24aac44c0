-- The words of the first 150,000 characters, however many values these are; of the values themselves, the first 5,000 as before.
create or replace function document_words(agent uuid, name text, data json) returns tsvector language sql immutable parallel safe
begin atomic
  with leaves as materialized (select pointer, kind, value from document_leaves(data) where value is not null limit 150000)
  select array_to_tsvector(array['@' || agent]
    || search_words(name || ' ' || coalesce((select string_agg(value, ' ') from leaves), ''))
    || array(select leaf_token(pointer, kind, value) from leaves limit 5000)
    || case when (select count(*) from leaves) > 5000 then array['!'] else '{}'::text[] end);
end;

-- Documents with so many values are few. The newest of them have all their words at once, the others when they are written next, so that no
-- server waits long for its start.
update documents set name = name where id in (select id from documents where words @@ '''!''' order by id desc limit 500);
