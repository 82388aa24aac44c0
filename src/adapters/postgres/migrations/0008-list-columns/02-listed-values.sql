-- A value as a list shows it and is ordered by it: a text of at most 500 characters, a number of at most 1,000 digits, true or false. Anything
-- else is null, as a list of a hundred documents must stay short.
create function listed_value(data jsonb, pointer text) returns jsonb language sql immutable parallel safe
begin atomic
  select case jsonb_typeof(at.value)
    when 'string' then case when length(at.value #>> '{}') <= 500 then at.value else to_jsonb(left(at.value #>> '{}', 499) || '…') end
    when 'number' then case when length(at.value::text) <= 1000 then at.value end
    when 'boolean' then at.value end
  from (select data #> array(
    select replace(replace(step.token, '~1', '/'), '~0', '~') from string_to_table(substr(pointer, 2), '/') with ordinality step (token, place)
    order by step.place) as value) at;
end;

-- The values of a document by their pointers, in this order.
create function listed_values(data jsonb, pointers json) returns json language sql immutable parallel safe
begin atomic
  select coalesce(json_object_agg(c.pointer, listed_value(data, c.pointer) order by c.place), '{}')
  from json_array_elements_text(pointers) with ordinality c (pointer, place);
end;
