// What a list and a search of documents cost in a program that does nothing else: Koa, `pg`, named statements, the same table and indexes.
import Koa from 'koa';
import pg from 'pg';

const [url = '', port = '0', agent = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

/** What the API shows of a document in a list. */
const columns = `d.id, d.run_id, d.agent_id, r.agent_version, v.model, d.conversation_id, d.name, d.status, d.coverage, d.error, d.external_reference,
  d.created_at, d.updated_at, d.processed_at, d.revision, d.checks, d.review_status, d.review_reasons as reasons, d.reviewer, d.review_note as note, d.decided_at,
  (select coalesce(json_agg(json_build_object('document_id', twin.id, 'reason', twin.reason)), '[]') from (
    select o.id, 'key' as reason from documents o where o.agent_id = d.agent_id and o.duplicate_key = d.duplicate_key and o.id <> d.id and o.status <> 'trashed'
    union all
    select f.document_id, 'file' from document_files own join document_files f on f.agent_id = own.agent_id and f.sha256 = own.sha256
      join documents o on o.id = f.document_id and o.status <> 'trashed' where own.document_id = d.id and f.document_id <> d.id
  ) twin) as duplicates`;
const joins =
  'join runs r on r.id = d.run_id join agent_versions v on v.agent_id = r.agent_id and v.version = r.agent_version';
const newestFirst = 'order by d.created_at desc, d.id desc limit 21';
const statements = {
  list: `select ${columns} from documents d ${joins} where d.agent_id = $1 and d.status <> 'trashed' ${newestFirst}`,
  q: `with found as materialized (select d.id from documents d where d.words @@ ($2::text || ':*')::tsquery and d.agent_id = $1 and d.status <> 'trashed')
    select ${columns} from found f join documents d on d.id = f.id ${joins} ${newestFirst}`,
  where: `with found as materialized (select d.id from documents d
      where d.words @@ quote_literal(leaf_token('/number', 'string', $2))::tsquery and d.agent_id = $1 and d.status <> 'trashed')
    select ${columns} from found f join documents d on d.id = f.id ${joins} where d.document_data ->> 'number' = $2 ${newestFirst}`,
};

const shown = ({
  review_status: status,
  reasons,
  reviewer,
  note,
  decided_at,
  ...document
}: Record<string, unknown>) => ({
  ...document,
  review: { status, reasons, reviewer, note, decided_at },
});

const app = new Koa();
app.silent = true;
app.use(async (ctx) => {
  const asked = new URLSearchParams(ctx.querystring);
  const name = asked.has('q') ? 'q' : asked.has('where') ? 'where' : 'list';
  const value = asked.get('q') ?? (JSON.parse(asked.get('where') ?? '{}') as Record<string, string>)['/number'];
  const { rows } = await pool.query({
    name,
    text: statements[name],
    values: name === 'list' ? [agent] : [agent, value],
  });
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({
    data: { documents: rows.slice(0, 20).map(shown), next: rows.length > 20 ? rows[19].id : null },
  });
});
app.listen(Number(port), '127.0.0.1');
