// What a list and a search of documents cost in a program that does nothing else: Koa, `pg`, named statements, the same table and indexes.
import Koa from 'koa';
import pg from 'pg';

const [url = '', port = '0', agent = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

const columns = `d.id, d.run_id, d.agent_id, d.conversation_id, d.name, d.status, d.error, d.external_reference, d.created_at, d.updated_at, d.processed_at`;
const newestFirst = 'order by d.created_at desc, d.id desc limit 21';
const statements = {
  list: `select ${columns} from documents d where d.agent_id = $1 and d.status <> 'trashed' ${newestFirst}`,
  q: `with found as materialized (select d.id from documents d where d.words @@ ($2::text || ':*')::tsquery and d.agent_id = $1 and d.status <> 'trashed')
    select ${columns} from found f join documents d on d.id = f.id ${newestFirst}`,
  where: `with found as materialized (select d.id from documents d
      where d.words @@ quote_literal(leaf_token('/number', 'string', $2))::tsquery and d.agent_id = $1 and d.status <> 'trashed')
    select ${columns} from found f join documents d on d.id = f.id where d.document_data ->> 'number' = $2 ${newestFirst}`,
};

const app = new Koa();
app.silent = true;
app.use(async (ctx) => {
  const asked = new URLSearchParams(ctx.querystring);
  const name = asked.has('q') ? 'q' : asked.has('where') ? 'where' : 'list';
  const value = asked.get('q') ?? (JSON.parse(asked.get('where') ?? '{}') as Record<string, string>)['/number'];
  const { rows } = await pool.query({ name, text: statements[name], values: name === 'list' ? [agent] : [agent, value] });
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ data: { documents: rows.slice(0, 20), next: rows.length > 20 ? rows[19] : null } });
});
app.listen(Number(port), '127.0.0.1');
