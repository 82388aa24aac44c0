import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Portico, PorticoError, portico, type Retry, type RunDetail, type Schemas } from '../../client/portico.ts';
import { LONG_POLL_SECONDS } from '../../client/wait-for-run.ts';
import { bundle, divideBundle } from './bundle.ts';
import type { Ledger } from './ledger.ts';
import { reviewInvoices } from './review.ts';
import { type Batch, batches, type Sample, wrongSum } from './samples.ts';
import { type Screen, screen } from './screen.ts';
import { type ReadDocument, type Result, showDocument, showLedger, showVerdict } from './show.ts';

/** Why the demo cannot go on; the user reads the message. */
class DemoStopped extends Error {}

type RunItem = Schemas['RunItem'];

/** Longer than the server lets a run take. */
const RUN_SECONDS = 65 * 60;

export interface DemoOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly samplesFolder: string;
  readonly out: (line: string) => void;
  readonly ledger: Ledger;
  /** Ends the demo. */
  readonly signal: AbortSignal;
  /** Whether `out` is a terminal that shows colours. */
  readonly tty: boolean;
}

const fileOf = async (folder: string, { file }: Pick<Sample, 'file'>) => {
  try {
    return await readFile(path.join(folder, file));
  } catch {
    throw new DemoStopped(`The sample ${file} cannot be read in ${folder}.`);
  }
};

const upload = async (
  client: Portico,
  show: Screen,
  folder: string,
  agentId: string,
  samples: readonly Pick<Sample, 'file'>[],
) => {
  show.call(`POST /api/v1/agents/${agentId}/upload-urls`, 'an address for each file');
  show.call('PUT  {upload_url}', samples.length === 1 ? 'the file itself' : `the file itself, ${samples.length} times`);
  const read = async (sample: Pick<Sample, 'file'>) => ({ name: sample.file, content: await fileOf(folder, sample) });
  return client.upload(agentId, await Promise.all(samples.map(read)));
};

const ended = ({ status }: RunItem) => status !== 'queued' && status !== 'running';

/** Follows the run, shows each unit as it ends, and answers the units by file name. */
const watch = async (
  client: Portico,
  show: Screen,
  runId: string,
  batch: Batch,
): Promise<ReadonlyMap<string, RunItem>> => {
  const shown = new Map<string, RunItem>();
  const onChange = ({ items }: RunDetail) => {
    for (const item of items.filter(ended)) {
      const [name = ''] = item.file_names;
      if (shown.has(name)) continue;
      shown.set(name, item);
      const about = batch.samples.find(({ file }) => file === name)?.about ?? '';
      if (item.status === 'completed') show.good(name, about);
      else show.bad(name, about);
      if (item.error !== null) show.aside(item.error);
    }
  };
  const { status, error } = await client.waitForRun(runId, { waitSeconds: RUN_SECONDS, onChange });
  const missing = batch.samples.find(({ file }) => !shown.has(file));
  if (missing)
    throw new DemoStopped(`The run ended without ${missing.file}: ${error === null ? status : `${status}: ${error}`}`);
  return shown;
};

const runBatch = async (
  client: Portico,
  show: Screen,
  folder: string,
  agents: ReadonlyMap<string, string>,
  batch: Batch,
) => {
  show.step(batch.title);
  const agentId = agents.get(batch.agent);
  if (agentId === undefined)
    throw new DemoStopped(`There is no agent "${batch.agent}" here: is the demo workspace applied?`);
  const files = await upload(client, show, folder, agentId, batch.samples);
  show.call(`POST /api/v1/agents/${agentId}/run`, `"process_together": ${batch.processTogether}`);
  show.aside(batch.why);
  const body = { files, process_together: batch.processTogether };
  const { id: runId } = await client.post('/api/v1/agents/{agent_id}/run', {
    params: { path: { agent_id: agentId } },
    body,
  });
  show.call(`GET  /api/v1/runs/${runId}?wait=${LONG_POLL_SECONDS}`, 'again until it has ended');
  show.line();
  const items = await watch(client, show, runId, batch);
  return batch.samples.map((sample) => ({ sample, item: items.get(sample.file) }));
};

const readAll = async (
  client: Portico,
  show: Screen,
  units: readonly { sample: Sample; item: RunItem | undefined }[],
) => {
  show.step('What was read');
  show.call('GET  /api/v1/documents/{id}', 'the data, and where each value stands');
  const read: { sample: Sample; document: ReadDocument | null }[] = [];
  for (const { sample, item } of units) {
    const id = item?.status === 'completed' ? item.document_ids[0] : undefined;
    const document = id === undefined ? null : await client.get('/api/v1/documents/{id}', { params: { path: { id } } });
    if (document) showDocument(show, document);
    read.push({ sample, document });
  }
  return read;
};

const processAll = async (
  client: Portico,
  show: Screen,
  read: readonly { sample: Sample; document: ReadDocument | null }[],
): Promise<Result[]> => {
  show.step('Into the ledger');
  show.call('POST /api/v1/documents/{id}', 'writes the row; a refusal is a 200, too');
  show.line();
  const results: Result[] = [];
  for (const { sample, document } of read) {
    const processed =
      document && (await client.post('/api/v1/documents/{id}', { params: { path: { id: document.id } } }));
    if (processed === null) {
      results.push({ sample, outcome: 'unreadable', document: null });
      continue;
    }
    const outcome = processed.status === 'processed' ? 'processed' : 'refused';
    results.push({ sample, outcome, document: processed });
    if (outcome === 'processed') show.good(processed.name, processed.status);
    else show.bad(processed.name, `${processed.status}, refused by the ledger:`);
    if (processed.error !== null) show.aside(processed.error);
  }
  return results;
};

/** The demo workspace is from before there was this agent. */
const missing = (agent: string, what: string) =>
  `There is no agent "${agent}" here, so no ${what}: npx portico demo --apply brings the demo's workspace up to date.`;

/** What went otherwise than it should. */
const divide = async (
  client: Portico,
  show: Screen,
  folder: string,
  agents: ReadonlyMap<string, string>,
): Promise<readonly string[]> => {
  const agentId = agents.get(bundle.agent);
  if (agentId !== undefined)
    return divideBundle({
      client,
      show,
      agentId,
      upload: () => upload(client, show, folder, agentId, [bundle]),
    });
  show.line();
  show.line(missing(bundle.agent, 'bundle is divided'));
  return [];
};

/** None on a server whose demo workspace is from before there were reviews; it says how to renew that. */
const review = async (
  client: Portico,
  show: Screen,
  folder: string,
  agents: ReadonlyMap<string, string>,
): Promise<readonly Result[]> => {
  const agentId = agents.get(wrongSum.agent);
  if (agentId === undefined) {
    show.line();
    show.line(missing(wrongSum.agent, 'review is shown'));
    return [];
  }
  const send = async (batch: Batch) =>
    (await runBatch(client, show, folder, agents, batch)).map(({ item }) => item?.document_ids[0]);
  return reviewInvoices({ client, show, agentId, send });
};

const perform = async (
  { baseUrl, apiKey, samplesFolder, ledger, signal }: DemoOptions,
  show: Screen,
): Promise<boolean> => {
  const onRetry = ({ status, seconds }: Retry) => {
    if (status === 429) show.aside(`The server's limit of requests is reached; going on in ${Math.ceil(seconds)} s.`);
  };
  const client = portico({ baseUrl, apiKey, signal, onRetry });
  show.line(show.bold('The Portico demo'));
  show.line(`Sends the files in demo/samples through ${baseUrl}, by the public API alone.`);
  const numbers = [...batches, wrongSum].flatMap(({ samples }) => samples.flatMap(({ number }) => number ?? []));
  const cleared = await ledger.clear(numbers);
  if (cleared > 0) show.line(`The ${cleared} rows that an earlier demo entered were taken out of the ledger first.`);
  show.step('Which agents are there?');
  show.call('GET  /api/v1/agents', 'with the header X-API-Key');
  show.line();
  const { agents } = await client.get('/api/v1/agents');
  show.table(
    ['agent', 'what it does'],
    agents.map(({ name, description }) => [name, description ?? '']),
  );
  const ids = new Map(agents.map(({ id, name }) => [name, id]));
  const units = [];
  for (const batch of batches) units.push(...(await runBatch(client, show, samplesFolder, ids, batch)));
  const results = await processAll(client, show, await readAll(client, show, units));
  const reviewed = await review(client, show, samplesFolder, ids);
  const otherwise = await divide(client, show, samplesFolder, ids);
  const rows = await ledger.rows();
  showLedger(show, rows, [...results, ...reviewed]);
  return showVerdict(show, rows, results, reviewed, otherwise);
};

/** The sentence for a failure that a person can mend; null for a defect of the demo. */
const reasonOf = (error: unknown): string | null => {
  if (error instanceof DemoStopped) return error.message;
  if (!(error instanceof PorticoError)) return null;
  const { code, request, origin, message } = error;
  if (code === 'no_answer') return `${request}: ${origin} could not be reached.`;
  return code === 'timed_out' ? `${request}: ${origin} did not answer in time.` : message;
};

/** Sends the samples through a running server and shows each step; 0 when everything went as intended, else 1. */
export const runDemo = async (options: DemoOptions): Promise<number> => {
  const show = screen(options.out, options.tty);
  try {
    return (await perform(options, show)) ? 0 : 1;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    show.line();
    show.line(`The demo stopped. ${reason}`);
    return 1;
  }
};
