// What a handler costs that reads a message and answers what it would answer anyway: Koa, JSON.parse, a text. No contract at all.
import Koa from 'koa';

const [port, given = '{}'] = process.argv.slice(2);
const results = new Map(
  Object.entries(JSON.parse(given) as Record<string, object>).map(([method, result]) => [
    method,
    JSON.stringify(result),
  ]),
);

const app = new Koa();
app.silent = true;
app.use(async (ctx) => {
  ctx.type = 'application/json';
  if (ctx.method === 'GET') {
    ctx.body = '{}';
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string };
  ctx.body = `{"jsonrpc":"2.0","id":${id},"result":${results.get(method)}}`;
});
app.listen(Number(port), '127.0.0.1');
