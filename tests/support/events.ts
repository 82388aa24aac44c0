import { eventLog } from '../../src/adapters/postgres/repositories/event-log.ts';
import { runData } from '../../src/adapters/postgres/statements/event-data.ts';
import type { EventStage } from '../contracts/event-log.ts';
import { aNewRun } from './builders.ts';
import type { TestPostgres } from './postgres.ts';
import { webhookStage } from './webhooks.ts';

export const eventStage = (postgres: TestPostgres): EventStage => {
  const { database } = postgres;
  const webhooks = webhookStage(postgres);
  const begun = async (sql: string) => {
    const client = await database.pool.connect();
    await client.query(`begin; ${sql}`);
    const end = (how: string) => async () => {
      await client.query(how);
      client.release();
    };
    return { commit: end('commit'), rollback: end('rollback') };
  };
  return {
    ...webhooks,
    events: eventLog(database),
    async clear() {
      await webhooks.clear();
      // The database may have been made yesterday, and what is asked of the log counts from today.
      await database.pool.query('truncate events; select keep_events(30)');
    },
    async holdOpen({ agent, user }) {
      const run = aNewRun(agent, user);
      await webhooks.runs.create(run, null);
      await database.pool.query('delete from events where run_id = $1', [run.id]);
      return begun(`
        insert into events (workspace_id, agent_id, run_id, type, data)
        select r.workspace_id, r.agent_id, r.id, 'run.running', ${runData('r')} from runs r where r.id = '${run.id}'`);
    },
    async holdForeign() {
      const { rollback } = await begun('create table foreign_table ()');
      return { end: rollback };
    },
    async waste() {
      await database.pool.query(`select nextval('event_sequence') from generate_series(1, 100)`);
    },
    async ageEvents(days) {
      const shift = `${days}::bigint << 32`;
      await database.pool.query(`
        create temporary table moved as select * from events;
        do $$ declare name text; day bigint := pg_sequence_last_value('event_sequence') >> 32; begin
          for name in select relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where inhparent = 'events'::regclass loop
            execute 'drop table ' || name;
          end loop;
          execute format('create table %I (like events including all)', event_partition(day - ${days}));
          execute format('alter table events attach partition %I for values from (%s) to (%s)', event_partition(day - ${days}),
            (day - ${days}) << 32, (day - ${days} + 1) << 32);
        end $$;
        insert into events (sequence, workspace_id, agent_id, run_id, document_id, type, data, created_at)
          select sequence - (${shift}), workspace_id, agent_id, run_id, document_id, type, data, created_at - make_interval(days => ${days}) from moved;
        drop table moved;
        update webhooks set position = position - (${shift});
        select setval('event_sequence', pg_sequence_last_value('event_sequence') - (${shift}))`);
    },
  };
};
