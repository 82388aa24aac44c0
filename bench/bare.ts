// What a program costs that does nothing but the SQL, as a good engineer would write it: Koa, `pg`, named statements, tables without
// triggers, rows as objects, JSON.stringify. No contract at all.
import Koa from 'koa';
import pg from 'pg';

const [url = '', port = '0', workspace = '', user = '', agent = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c search_path=bare,public' });

const agents = `select id, name, description, workflow_type from agents
  where workspace_id = $1 and removed_at is null and (visible_to is null or $2 = any (visible_to)) order by name, id`;

const runColumns = `r.id, r.workflow_type, r.agent_id, a.name as agent_name, r.status, r.status_reason, r.trace_id, r.error, r.process_together,
  r.attempt, json_build_object('input_tokens', r.input_tokens, 'output_tokens', r.output_tokens) as usage, r.created_at, r.started_at, r.completed_at`;
const visible = `a.workspace_id = $1 and a.removed_at is null and (a.visible_to is null or $2 = any (a.visible_to))`;
const counted = (condition: string) =>
  `(select count(*) from runs r where r.workspace_id = $1 and r.origin = 'api' ${condition})`;

/**
 * The page is cut while the index is read in its order, and costs the same for 20 agents and for 2,000. All runs are counted from the
 * index alone, without those of the agents that the caller does not see: there are few such agents.
 */
const runs = `with total as (
    select (${counted('')} - coalesce((select sum(${counted('and r.agent_id = a.id')}) from agents a where a.workspace_id = $1 and not (${visible})), 0))::int as total
  ), page as (
    select ${runColumns} from runs r join agents a on a.id = r.agent_id and ${visible}
    where r.workspace_id = $1 and r.origin = 'api' order by r.created_at desc, r.id desc limit 20
  )
  select total.total, page.* from total left join page on true order by page.created_at desc, page.id desc`;

const run = `select ${runColumns}, r.user_message, r.files,
  (select json_agg(json_build_object('index', u.index, 'file_indexes', u.file_indexes, 'status', u.status, 'error', u.error,
     'conversation_id', u.conversation_id, 'conversation_status', c.status, 'conversation_created_at', c.created_at,
     'document_id', d.id, 'document_name', d.name, 'document_status', d.status, 'document_error', d.error,
     'document_created_at', d.created_at, 'document_updated_at', d.updated_at) order by u.index)
   from run_units u left join conversations c on c.id = u.conversation_id left join documents d on d.id = u.document_id where u.run_id = r.id) as items
  from runs r join agents a on a.id = r.agent_id where r.id = $3 and ${visible}`;

const create = `with run as (
    insert into runs (id, workspace_id, agent_id, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, deadline_at)
    values (gen_random_uuid(), $1, $2, $3, 'api', 'assistant', 'queued', false, $4, '[]', md5(random()::text), now() + interval '1 hour')
    returning *), unit as (insert into run_units (run_id, index, file_indexes, status) select id, 0, '{}', 'queued' from run)
  select * from run`;

/** Prepared once in a session, then called by name. */
const named = async (name: string, text: string, values: readonly unknown[]) =>
  (await pool.query({ name, text, values: [...values] })).rows;

const bodyOf = async <T>(stream: AsyncIterable<Buffer>): Promise<T> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
};

const answer = async (ctx: Koa.Context): Promise<unknown> => {
  if (ctx.path.startsWith('/api/v1/tables/'))
    return { records: await named('table', 'select * from readings order by id limit 5000', []) };
  if (ctx.path === '/api/v1/query') {
    const { query } = await bodyOf<{ query: string }>(ctx.req);
    const { rows, fields } = await pool.query(query);
    return { columns: fields.map(({ name }) => name), records: rows, row_count: rows.length };
  }
  if (ctx.method === 'POST') {
    const { user_message } = await bodyOf<{ user_message: string }>(ctx.req);
    return (await named('create', create, [workspace, agent, user, user_message]))[0];
  }
  if (ctx.path === '/api/v1') return 'ready';
  if (ctx.path === '/api/v1/agents') return { agents: await named('agents', agents, [workspace, user]) };
  if (ctx.path !== '/api/v1/runs') return (await named('run', run, [workspace, user, ctx.path.slice(-36)]))[0];
  const rows = await named('runs', runs, [workspace, user]);
  return {
    runs: rows.flatMap(({ total: _, ...each }) => (each.id === null ? [] : [each])),
    total: rows[0].total,
    offset: 0,
    limit: 20,
  };
};

const app = new Koa();
// Clients of a benchmark hang up when their time is over.
app.silent = true;
app.use(async (ctx) => {
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ data: await answer(ctx) });
});
app.listen(Number(port), '127.0.0.1');
