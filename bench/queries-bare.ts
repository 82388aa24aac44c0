// What a small query costs in a program that does nothing else: Koa, `pg`, JSON.stringify; no contract, no protocol but the one message
// that is asked. The client's text runs as one statement in a transaction that is read-only and always rolled back, because a program
// that takes SQL from its clients needs at least that; or, as `unguarded`, as it is, prepared by its name.
import Koa from 'koa';
import pg from 'pg';

const [url = '', port = '0', kind = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10, pipeline: true } as pg.PoolConfig);

interface Body {
  readonly query: string;
  readonly id: number;
  readonly params: { readonly arguments: { readonly query: string } };
}

const bodyOf = async (stream: AsyncIterable<Buffer>): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
};

const guarded = async (text: string) => {
  // Without this the server would run several statements of one text, one of which could end the transaction.
  const statement = { text, queryMode: 'extended' };
  const client = await pool.connect();
  try {
    const begun = client.query('begin read only');
    const answered = client.query(statement);
    const ended = client.query('rollback');
    const [, result] = await Promise.all([begun, answered, ended]);
    return result;
  } finally {
    client.release();
  }
};

const unguarded = (text: string) => pool.query({ name: text, text });
const query = kind === 'unguarded' ? unguarded : guarded;

const run = async (text: string) => {
  const { rows, fields } = await query(text);
  return { columns: fields.map(({ name }) => name), records: rows, row_count: rows.length };
};

const answer = async (ctx: Koa.Context): Promise<object> => {
  if (ctx.method === 'GET') return {};
  const body = await bodyOf(ctx.req);
  if (!ctx.path.endsWith('/mcp')) return { data: await run(body.query) };
  const text = JSON.stringify(await run(body.params.arguments.query));
  return { jsonrpc: '2.0', id: body.id, result: { content: [{ type: 'text', text }] } };
};

const app = new Koa();
app.silent = true;
app.use(async (ctx) => {
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(await answer(ctx));
});
app.listen(Number(port), '127.0.0.1');
