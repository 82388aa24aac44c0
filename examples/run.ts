// Uploads a file, starts a run on it, waits for the run to end, and prints the data of each document.
//
//   PORTICO_API_KEY=svc-… node examples/run.ts demo/samples/greenhithe-farm.txt text/plain
//
// PORTICO_URL names another server than http://localhost:3000, PORTICO_AGENT another agent than "Invoice reader".
import { readFile } from 'node:fs/promises';
import path from 'node:path';

interface Agent {
  readonly id: string;
  readonly name: string;
}

interface Upload {
  readonly file_key: string;
  readonly upload_url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Run {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly error: string | null;
  readonly documents: readonly { readonly id: string }[];
}

interface Document {
  readonly document_data: Readonly<Record<string, unknown>> | null;
}

const { PORTICO_URL = 'http://localhost:3000', PORTICO_AGENT = 'Invoice reader', PORTICO_API_KEY = '' } = process.env;
const [file, contentType] = process.argv.slice(2);
if (!file || !contentType) throw new Error('Usage: node examples/run.ts FILE CONTENT_TYPE');

/** The `data` of an answer. A refusal has the server's reason in `detail`. */
const request = async <T>(method: 'GET' | 'POST', address: string, body?: object): Promise<T> => {
  const answer = await fetch(`${PORTICO_URL}/api/v1${address}`, {
    method,
    headers: { 'X-API-Key': PORTICO_API_KEY, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const json = (await answer.json()) as { readonly data: T; readonly detail?: string };
  if (!answer.ok) throw new Error(`${method} ${address} answered ${answer.status}: ${json.detail}`);
  return json.data;
};

// 1. Find the agent.
const { agents } = await request<{ agents: readonly Agent[] }>('GET', '/agents');
const agent = agents.find(({ name }) => name === PORTICO_AGENT);
if (!agent) throw new Error(`There is no agent called ${PORTICO_AGENT}.`);

// 2. Ask for an address to upload to, and send the file with exactly the headers that the answer lists.
const asked = { files: [{ file_name: path.basename(file), content_type: contentType }] };
const { files } = await request<{ files: readonly Upload[] }>('POST', `/agents/${agent.id}/upload-urls`, asked);
for (const { upload_url: url, headers } of files) {
  const sent = await fetch(url, { method: 'PUT', headers, body: await readFile(file) });
  if (!sent.ok) throw new Error(`The upload answered ${sent.status}: ${await sent.text()}`);
}

// 3. Start a run. The entry of the uploaded file is the entry of the run.
let run = await request<Run>('POST', `/agents/${agent.id}/run`, { files });

// 4. Wait. Each request is answered as soon as the status changes, or after 25 seconds.
while (run.status === 'queued' || run.status === 'running') run = await request<Run>('GET', `/runs/${run.id}?wait=25`);
if (run.status !== 'completed') throw new Error(`The run ${run.id} is ${run.status}: ${run.error}`);

// 5. Read the documents.
for (const { id } of run.documents) {
  const { document_data: data } = await request<Document>('GET', `/documents/${id}`);
  console.log(JSON.stringify(data, null, 2));
}
