/**
 * The data of a document, parsed once for all conditions of a search. Numbers that PostgreSQL cannot hold are an empty object each: nothing
 * compares with them, and they are not null.
 */
export const sql = `
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

create function searched_json(value json) returns jsonb language plpgsql immutable as $$
begin
  return readable_json(value)::jsonb;
exception when numeric_value_out_of_range then
  return spelled_json(readable_json(value));
end $$;
`;
