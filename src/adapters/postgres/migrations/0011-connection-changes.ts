/** What processes remember of connections and databases is dropped the moment any of them changes. */
export const sql = `
create function connections_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_connections', '');
  return null;
end $$;
create trigger connections_changed after insert or update or delete on connections
  for each statement execute function connections_changed();
create trigger databases_changed after insert or update or delete on databases
  for each statement execute function connections_changed();
`;
