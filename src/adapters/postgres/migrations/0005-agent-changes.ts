import { Migration } from '@mikro-orm/migrations';

/** What processes remember of agents is dropped the moment any of them changes. */
const notifications = `
create function agents_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_agents', '');
  return null;
end $$;
create trigger agents_changed after insert or update or delete on agents for each statement execute function agents_changed();
`;

export class AgentChanges extends Migration {
  override up() {
    this.addSql(notifications);
  }
}
