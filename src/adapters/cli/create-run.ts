import { randomUUID } from 'node:crypto';
import { apiClient, type Client } from './client.ts';
import type { Context } from './command.ts';
import { exitCode, Interrupted, UsageFailure } from './failures.ts';
import { findAgent } from './find-agent.ts';
import { printable } from './printable.ts';
import { inspectFiles, uploadAll } from './uploads.ts';
import { watchRun } from './watch.ts';
import { runSummary } from './wire.ts';

export interface CreateOptions {
  readonly together?: boolean;
  readonly message?: string;
  readonly idempotencyKey?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

interface Request extends CreateOptions {
  readonly agent: string;
  readonly files: readonly string[];
}

const MAX_FILES = 100;

const mustBeUsable = ({ files, message, idempotencyKey }: Request) => {
  if (files.length === 0 && !message?.trim()) throw new UsageFailure('a run needs files, or --message');
  if (files.length > MAX_FILES) throw new UsageFailure(`a run takes at most ${MAX_FILES} files, not ${files.length}`);
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new UsageFailure('--idempotency-key must be 1 to 255 visible ASCII characters');
  }
};

const size = (bytes: number) =>
  bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** Nothing is started before every file is there. */
const start = async ({ terminal }: Context, client: Client, request: Request, signal: AbortSignal) => {
  const files = await inspectFiles(request.files);
  const agent = await findAgent(client, request.agent);
  const uploaded = await uploadAll(client, encodeURIComponent(agent.id), files, {
    ...{ signal, note: terminal.note },
    uploaded: (file) => terminal.note(`uploaded ${printable(file.name)} (${size(file.size)})`),
  });
  const { message, together = false, idempotencyKey = randomUUID() } = request;
  return client.call({
    ...{ method: 'POST' as const, path: `agents/${encodeURIComponent(agent.id)}/run`, answer: runSummary },
    body: { files: uploaded, process_together: together, ...(message === undefined ? {} : { user_message: message }) },
    headers: { 'idempotency-key': idempotencyKey },
  });
};

export const createRun = async (context: Context, request: Request, signal: AbortSignal): Promise<number> => {
  mustBeUsable(request);
  const { dependencies, terminal } = context;
  const client = apiClient(dependencies.env, signal, terminal.note);
  const { value, raw } = await start(context, client, request, signal).catch((error: unknown) => {
    throw signal.aborted ? new Interrupted() : error;
  });
  if (request.watch) {
    terminal.note(`run ${printable(value.id)} of ${printable(value.agent_name)}`);
    return watchRun(context, client, value.id, signal, request.json ?? false);
  }
  if (request.json) terminal.json(raw);
  else {
    terminal.out(printable(value.id));
    terminal.note(`The run is queued: portico runs watch ${printable(value.id)}`);
  }
  return exitCode.done;
};
