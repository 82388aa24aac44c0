import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Api, api, DemoStopped, type ReadDocument, type RunItem, type Upload, WAIT_SECONDS } from './api.ts';
import type { Ledger } from './ledger.ts';
import { type Batch, batches, contentTypeOf, type Sample } from './samples.ts';
import { type Screen, screen } from './screen.ts';
import { type Result, showDocument, showLedger, showVerdict } from './show.ts';

export interface DemoOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly samplesFolder: string;
  readonly out: (line: string) => void;
  readonly ledger: Ledger;
  /** Whether `out` is a terminal that shows colours. */
  readonly tty: boolean;
}

const fileOf = async (folder: string, { file }: Sample) => {
  try {
    return await readFile(path.join(folder, file));
  } catch {
    throw new DemoStopped(`The sample ${file} cannot be read in ${folder}.`);
  }
};

const upload = async (use: Api, show: Screen, folder: string, agentId: string, samples: readonly Sample[]): Promise<readonly Upload[]> => {
  show.call(`POST /api/v1/agents/${agentId}/upload-urls`, 'an address for each file');
  const uploads = await use.uploadUrls(
    agentId,
    samples.map(({ file }) => ({ file_name: file, content_type: contentTypeOf(file) })),
  );
  show.call('PUT  {upload_url}', samples.length === 1 ? 'the file itself' : `the file itself, ${samples.length} times`);
  for (const [index, sample] of samples.entries()) {
    const entry = uploads[index];
    if (entry === undefined) throw new DemoStopped(`The server gave no address for ${sample.file}.`);
    await use.put(entry, await fileOf(folder, sample));
  }
  return uploads;
};

const ended = ({ status }: RunItem) => status !== 'queued' && status !== 'running';

/** Follows the run, shows each unit as it ends, and answers the units by file name. */
const watch = async (use: Api, show: Screen, runId: string, batch: Batch): Promise<ReadonlyMap<string, RunItem>> => {
  const shown = new Map<string, RunItem>();
  let last = '';
  for await (const run of use.watch(runId)) {
    last = run.error === null ? run.status : `${run.status}: ${run.error}`;
    for (const item of run.items.filter(ended)) {
      const [name = ''] = item.file_names;
      if (shown.has(name)) continue;
      shown.set(name, item);
      const about = batch.samples.find(({ file }) => file === name)?.about ?? '';
      if (item.status === 'completed') show.good(name, about);
      else show.bad(name, about);
      if (item.error !== null) show.aside(item.error);
    }
  }
  const missing = batch.samples.find(({ file }) => !shown.has(file));
  if (missing) throw new DemoStopped(`The run ended without ${missing.file}: ${last}`);
  return shown;
};

const runBatch = async (use: Api, show: Screen, folder: string, agents: ReadonlyMap<string, string>, batch: Batch) => {
  show.step(batch.title);
  const agentId = agents.get(batch.agent);
  if (agentId === undefined) throw new DemoStopped(`There is no agent "${batch.agent}" here: is the demo workspace applied?`);
  const uploads = await upload(use, show, folder, agentId, batch.samples);
  show.call(`POST /api/v1/agents/${agentId}/run`, `"process_together": ${batch.processTogether}`);
  show.aside(batch.why);
  const runId = await use.createRun(agentId, uploads, batch.processTogether);
  show.call(`GET  /api/v1/runs/${runId}?wait=${WAIT_SECONDS}`, 'again until it has ended');
  show.line();
  const items = await watch(use, show, runId, batch);
  return batch.samples.map((sample) => ({ sample, item: items.get(sample.file) }));
};

const readAll = async (use: Api, show: Screen, units: readonly { sample: Sample; item: RunItem | undefined }[]) => {
  show.step('What was read');
  show.call('GET  /api/v1/documents/{id}', 'the data, and where each value stands');
  const read: { sample: Sample; document: ReadDocument | null }[] = [];
  for (const { sample, item } of units) {
    const id = item?.status === 'completed' ? item.document_ids[0] : undefined;
    const document = id === undefined ? null : await use.document(id);
    if (document) showDocument(show, document);
    read.push({ sample, document });
  }
  return read;
};

const processAll = async (
  use: Api,
  show: Screen,
  read: readonly { sample: Sample; document: ReadDocument | null }[],
): Promise<Result[]> => {
  show.step('Into the ledger');
  show.call('POST /api/v1/documents/{id}', 'writes the row; a refusal is a 200, too');
  show.line();
  const results: Result[] = [];
  for (const { sample, document } of read) {
    const processed = document && (await use.process(document.id));
    const outcome = processed === null ? 'unreadable' : processed.status === 'processed' ? 'processed' : 'refused';
    results.push({ sample, outcome, document: processed });
    if (processed === null) continue;
    if (outcome === 'processed') show.good(processed.name, processed.status);
    else show.bad(processed.name, `${processed.status}, refused by the ledger:`);
    if (processed.error !== null) show.aside(processed.error);
  }
  return results;
};

const perform = async ({ baseUrl, apiKey, samplesFolder, ledger }: DemoOptions, show: Screen): Promise<boolean> => {
  const use = api(baseUrl, apiKey, (seconds) => show.aside(`The server's limit of requests is reached; going on in ${seconds} s.`));
  show.line(show.bold('The Portico demo'));
  show.line(`Sends the files in demo/samples through ${baseUrl}, by the public API alone.`);
  const numbers = batches.flatMap(({ samples }) => samples.flatMap(({ number }) => number ?? []));
  const cleared = await ledger.clear(numbers);
  if (cleared > 0) show.line(`The ${cleared} rows that an earlier demo entered were taken out of the ledger first.`);
  show.step('Which agents are there?');
  show.call('GET  /api/v1/agents', 'with the header X-API-Key');
  show.line();
  const agents = await use.agents();
  show.table(
    ['agent', 'what it does'],
    agents.map(({ name, description }) => [name, description]),
  );
  const ids = new Map(agents.map(({ id, name }) => [name, id]));
  const units = [];
  for (const batch of batches) units.push(...(await runBatch(use, show, samplesFolder, ids, batch)));
  const results = await processAll(use, show, await readAll(use, show, units));
  const rows = await ledger.rows();
  showLedger(show, rows, results);
  return showVerdict(show, rows, results);
};

/** Sends the samples through a running server and shows each step; 0 when everything went as intended, else 1. */
export const runDemo = async (options: DemoOptions): Promise<number> => {
  const show = screen(options.out, options.tty);
  try {
    return (await perform(options, show)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DemoStopped)) throw error;
    show.line();
    show.line(`The demo stopped. ${error.message}`);
    return 1;
  }
};
