import { snakeCase } from '../../src/domain/text.ts';
import type { TestPostgres } from './postgres.ts';

/**
 * What each row of the runs, documents and approvals went through, as an event should tell it, by triggers that only a test has: they see every change,
 * whichever statement makes it.
 */
const triggers = `
create table history (number bigint generated always as identity, subject uuid not null, type text not null, "row" json not null);
create function keep_history(new_row json, variadic types text[]) returns void language sql as $$
  insert into history (subject, type, "row") select (new_row ->> 'id')::uuid, type, new_row from unnest(types) type where type is not null
$$;
create function keep_run_history() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or old.status <> new.status then perform keep_history(to_json(new), 'run.' || new.status); end if;
  return null;
end $$;
create trigger runs_kept after insert or update on runs for each row execute function keep_run_history();
create function keep_document_history() returns trigger language plpgsql as $$
begin
  perform keep_history(to_json(new),
    case when old.status = 'trashed' and new.status <> 'trashed' then 'document.restored' end,
    case when old.status = 'trashed' then null
      when old.revision <> new.revision and old.revision > 0 and old.status <> 'extracting' then 'document.changed'
      when old.status <> new.status and new.status not in ('extracting', 'processing') then 'document.' || new.status end,
    case when old.review_status <> new.review_status and new.review_status <> 'not_required' then
      'document.' || replace(new.review_status, 'pending', 'review_required') end);
  return null;
end $$;
create function keep_approval_history() returns trigger language plpgsql as $$
begin
  if old.status <> new.status then insert into history (subject, type, "row") values (new.run_id, 'approval.decided', to_json(new)); end if;
  return null;
end $$;
create trigger approvals_kept after update on approvals for each row execute function keep_approval_history();
create trigger documents_kept after update on documents for each row execute function keep_document_history();`;

type Row = Readonly<Record<string, unknown>>;

interface Told {
  readonly subject: string;
  readonly type: string;
  readonly row: Row;
}

const ofColumn = (row: Row, name: string): unknown => {
  const value = row[snakeCase(name)];
  return name.endsWith('At') && typeof value === 'string' ? Date.parse(value) : value;
};

/** The fields that the event has, with what the row has for each of them. */
const inRow = (row: Row, data: Row, agentName: unknown): Row => {
  const usage = { inputTokens: row.input_tokens, outputTokens: row.output_tokens };
  return Object.fromEntries(
    Object.keys(data).map((name) => {
      if (name === 'agentName') return [name, agentName];
      return [name, name === 'usage' ? usage : ofColumn(row, name)];
    }),
  );
};

/** Compares the log of events with what the rows went through. */
export const keepHistory = async ({ database }: TestPostgres) => {
  const sql = async <T extends object>(text: string, values: readonly unknown[] = []) =>
    (await database.pool.query<T>(text, [...values])).rows;
  await sql(triggers);
  let [number, sequence] = [0, 0];
  return {
    /** Forgets what there was. */
    async begin() {
      const [last] = await sql<{ number: number; sequence: number }>(
        'select coalesce((select max(number) from history), 0) as number, coalesce((select max(sequence) from events), 0) as sequence',
      );
      ({ number, sequence } = last ?? { number, sequence });
    },
    /** Since then, in order: what the rows went through, and what the log tells of it. */
    async compare() {
      // What ends with its run is told before the run's own end, after which a client listens no more.
      const happened = await sql<Told & { agent_name: string }>(
        `select h.subject, h.type, h."row", a.name as agent_name from history h join agents a on a.id = (h."row" ->> 'agent_id')::uuid
         where number > $1 order by h.type <> 'approval.decided', number`,
        [number],
      );
      const logged = await sql<Told>(
        `select coalesce(document_id, run_id) as subject, type, data as "row" from events
         where sequence > $1 and type not like 'unit.%' order by sequence`,
        [sequence],
      );
      return {
        logged,
        happened: happened.map(({ agent_name: name, row, ...told }, index) => ({
          ...told,
          row: inRow(row, logged[index]?.row ?? {}, name),
        })),
      };
    },
  };
};
