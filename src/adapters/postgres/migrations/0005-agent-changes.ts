/** What processes remember of agents is dropped the moment any of them changes. */
export const sql = `
create function agents_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_agents', '');
  return null;
end $$;
create trigger agents_changed after insert or update or delete on agents for each statement execute function agents_changed();
`;
