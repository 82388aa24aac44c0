// What a handler costs that reads a message and answers what it would answer anyway: Koa, JSON.parse, a text. No contract at all.
import Koa from 'koa';
import { benchTools } from './mcp-tools.ts';

const tools = benchTools.map((tool) => ({
  ...tool,
  title: 'A tool',
  annotations: { title: 'A tool', readOnlyHint: true },
}));
const list = JSON.stringify({ tools });
const result = JSON.stringify({ content: [{ type: 'text', text: 'hello' }] });

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
  ctx.body = `{"jsonrpc":"2.0","id":${id},"result":${method === 'tools/list' ? list : result}}`;
});
app.listen(Number(process.argv[2]), '127.0.0.1');
