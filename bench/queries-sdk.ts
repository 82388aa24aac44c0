// The stateless example of the MCP SDK (examples/server/simpleStatelessStreamableHttp), with a tool that runs a statement in a read-only
// transaction.
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import pg from 'pg';
import * as z from 'zod/v4';

const [url = '', port = '0'] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

const run = async (text: string) => {
  const client = await pool.connect();
  try {
    await client.query('begin read only');
    return (await client.query(text)).rows;
  } finally {
    await client.query('rollback');
    client.release();
  }
};

const getServer = () => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  const inputSchema = { query: z.string().describe('One SELECT statement.') };
  server.registerTool('bench_query', { description: 'Runs a query.', inputSchema }, async ({ query }) => ({
    content: [{ type: 'text', text: JSON.stringify(await run(query)) }],
  }));
  return server;
};

const app = createMcpExpressApp();
app.get('/api/v1', (_req, res) => void res.json({}));
app.post('/{*path}', async (req, res) => {
  const server = getServer();
  const transport = new StreamableHTTPServerTransport({});
  // The SDK's own types do not agree with each other under exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(req, res, req.body);
  res.on('close', () => {
    void transport.close();
    void server.close();
  });
});
app.listen(Number(port), '127.0.0.1');
