import type { Portico, Schemas } from '../../client/portico.ts';
import { read } from './answers.ts';
import { type Context, type Json, type Online, withClient } from './command.ts';
import { findAgent } from './connect.ts';
import { Interrupted, UsageFailure } from './failures.ts';
import { printable } from './printable.ts';
import { inspectFiles, uploadAll } from './uploads.ts';
import { watchRun } from './watch.ts';

export interface CreateOptions extends Json {
  readonly together?: boolean;
  readonly message?: string;
  readonly idempotencyKey?: string;
  readonly watch?: boolean;
}

type Request = CreateOptions & { readonly agent: string; readonly files: readonly string[] };

const MAX_FILES = 100;

const mustBeKey = (idempotencyKey: string | undefined) => {
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new UsageFailure('--idempotency-key must be 1 to 255 visible ASCII characters');
  }
};

const mustBeUsable = ({ files, message, idempotencyKey }: Request) => {
  if (files.length === 0 && !message?.trim()) throw new UsageFailure('a run needs files, or --message');
  if (files.length > MAX_FILES) throw new UsageFailure(`a run takes at most ${MAX_FILES} files, not ${files.length}`);
  mustBeKey(idempotencyKey);
};

const size = (bytes: number) => {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
};

const headerOf = (idempotencyKey: string | undefined) =>
  idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };

/** Starts no run before every file is uploaded. */
const start = async ({ terminal }: Context, client: Portico, request: Request) => {
  const local = await inspectFiles(request.files);
  const agent = await findAgent(client, request.agent);
  const files = await uploadAll(client, agent.id, local, (file) =>
    terminal.note(`uploaded ${printable(file.name)} (${size(file.size)})`),
  );
  const { message, together = false, idempotencyKey } = request;
  const header = headerOf(idempotencyKey);
  const body = { files, process_together: together, ...(message === undefined ? {} : { user_message: message }) };
  const created = client.post('/api/v1/agents/{agent_id}/run', {
    params: { path: { agent_id: agent.id }, header },
    body,
  });
  return read('run', created);
};

/** Says that the run is queued, or waits for its end. */
const showStarted = async (
  context: Context,
  { client, signal }: Pick<Online, 'client' | 'signal'>,
  run: Schemas['Run'],
  { watch, json = false }: Pick<CreateOptions, 'watch' | 'json'>,
): Promise<void> => {
  const { terminal } = context;
  if (watch) {
    terminal.note(`run ${printable(run.id)} of ${printable(run.agent_name)}`);
    context.ends(await watchRun(context, client, run.id, signal, json));
  } else if (json) terminal.json(run);
  else {
    terminal.out(printable(run.id));
    terminal.note(`The run is queued: portico runs watch ${printable(run.id)}`);
  }
};

export const createRun = (context: Context, request: Request): Promise<void> => {
  mustBeUsable(request);
  return withClient(context, async ({ client, signal }) => {
    const run = await start(context, client, request).catch((error: unknown) => {
      throw signal.aborted ? new Interrupted() : error;
    });
    await showStarted(context, { client, signal }, run, request);
  });
};

export interface RereadOptions extends Pick<CreateOptions, 'json' | 'watch' | 'idempotencyKey'> {
  readonly agent?: string;
}

export const reread = (context: Context, id: string, request: RereadOptions): Promise<void> => {
  mustBeKey(request.idempotencyKey);
  return withClient(context, async ({ client, signal, agentIdOf }) => {
    const agentId = await agentIdOf(client, request.agent);
    const params = { path: { id }, header: headerOf(request.idempotencyKey) };
    const body = agentId === undefined ? {} : { agent_id: agentId };
    const run = await read('run', client.post('/api/v1/documents/{id}/reread', { params, body }));
    await showStarted(context, { client, signal }, run, request);
  });
};
