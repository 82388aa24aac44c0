// Uploads a file, starts a run on it, shows what happens, and prints the data of each document.
//
//   PORTICO_API_KEY=svc-… node examples/run.ts demo/samples/greenhithe-farm.txt
//
// PORTICO_URL names another server than http://localhost:3000, PORTICO_AGENT another agent than "Invoice reader".
import { openAsBlob } from 'node:fs';
import path from 'node:path';
// In a project that has Portico as a package: from 'portico/client'.
import { portico } from '../src/client/portico.ts';

const { PORTICO_URL = 'http://localhost:3000', PORTICO_AGENT = 'Invoice reader', PORTICO_API_KEY = '' } = process.env;
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: node examples/run.ts FILE');
const client = portico({ baseUrl: PORTICO_URL, apiKey: PORTICO_API_KEY });

// 1. Find the agent.
const { agents } = await client.get('/api/v1/agents');
const agent = agents.find(({ name }) => name === PORTICO_AGENT);
if (!agent) throw new Error(`There is no agent called ${PORTICO_AGENT}.`);

// 2. Upload the file. The entry of an uploaded file is the entry of a run.
const files = await client.upload(agent.id, [{ name: path.basename(file), content: await openAsBlob(file) }]);

// 3. Start a run. The client sends an Idempotency-Key: one run is started, however often the request is repeated.
const { id } = await client.post('/api/v1/agents/{agent_id}/run', {
  params: { path: { agent_id: agent.id } },
  body: { files },
});

// 4. Follow it to its end.
for await (const { type } of client.runEvents(id)) console.error(type);
const run = await client.waitForRun(id);
if (run.status !== 'completed') throw new Error(`The run ${run.id} is ${run.status}: ${run.error}`);

// 5. Read the documents.
for (const document of run.documents) {
  const { document_data: data } = await client.get('/api/v1/documents/{id}', { params: { path: { id: document.id } } });
  console.log(JSON.stringify(data, null, 2));
}
