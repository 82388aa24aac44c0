import { type RunWorker, runWorker } from '../../src/application/worker/run-worker.ts';
import { RunChanges, RunQueue } from '../../src/composition/modules/postgres.ts';
import { Ids } from '../../src/composition/modules/system.ts';
import { RunWork } from '../../src/composition/modules/worker.ts';
import { openWorld, type World, type WorldOptions } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { quiet } from '../support/log.ts';

export interface ShownDocument {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly run_id: string;
  readonly conversation_id: string;
  readonly hold: { readonly reason: string; readonly by: object; readonly at: string } | null;
}

export interface Ended {
  readonly id: string;
  readonly status: string;
  readonly conversations: readonly { readonly id: string }[];
  readonly documents: readonly ShownDocument[];
}

interface Asked {
  readonly trial?: boolean;
  readonly message?: string;
  readonly together?: boolean;
  readonly agent?: string;
}

export interface ReadingWorld extends World {
  readonly ada: string;
  call<Data = ShownDocument>(
    path: string,
    request?: Parameters<typeof callApi>[3],
    key?: string,
  ): ReturnType<typeof callApi<{ data: Data; code?: string; detail?: string; errors?: readonly { path: string }[] }>>;
  /** Uploads files for the agent `Reader`, by their names, whose endings say of which type they are. */
  upload(files: Readonly<Record<string, string | Uint8Array>>, agent?: string): Promise<readonly object[]>;
  /** The run once it has ended that reads these files. */
  run(files: readonly object[], asked?: Asked): Promise<Ended>;
  ended(runId: string): Promise<Ended>;
  /** Whether runs are worked on. */
  working(on: boolean): Promise<void>;
}

const types: Readonly<Record<string, string>> = { pdf: 'application/pdf', eml: 'message/rfc822' };
const typeOf = (fileName: string) => types[fileName.split('.').at(-1) ?? ''] ?? 'text/plain';

/** A server whose agent `Reader` reads text files, with a worker. */
export const openReadingWorld = async (workspace: string, options: WorldOptions = {}): Promise<ReadingWorld> => {
  const world = await openWorld({ ...options, workspace, env: { RATE_LIMIT_RUNS: '1000000', ...options.env } });
  const ada = await world.key();
  let worker: RunWorker | null = null;

  const working: ReadingWorld['working'] = async (on) => {
    if (on === (worker !== null)) return;
    const before = worker;
    const { container } = world.composition;
    const [queue, changes] = [container.get(RunQueue), container.get(RunChanges)];
    const use = { queue, changes, runWork: container.get(RunWork), ids: container.get(Ids), log: options.log ?? quiet };
    worker = on ? runWorker({ ...use, settings: { concurrency: 4, leaseSeconds: 15 } }) : null;
    worker?.start();
    await before?.stop(1000);
  };
  await working(true);

  const call: ReadingWorld['call'] = (path, request = {}, key = ada) => callApi(world.baseUrl, key, path, request);

  const upload: ReadingWorld['upload'] = async (files, agent = 'Reader') => {
    const named = Object.keys(files).map((file_name) => ({ file_name, content_type: typeOf(file_name) }));
    type Url = { upload_url: string; headers: Record<string, string>; file_key: string; file_name: string };
    const asked = await call<{ files: readonly Url[] }>(`/agents/${world.agentId(agent)}/upload-urls`, {
      body: { files: named },
    });
    return Promise.all(
      asked.body.data.files.map(async ({ upload_url, headers, file_key, file_name }) => {
        await fetch(upload_url, { method: 'PUT', headers, body: files[file_name] as string | Uint8Array<ArrayBuffer> });
        return { file_key, file_name, content_type: typeOf(file_name) };
      }),
    );
  };

  const ended: ReadingWorld['ended'] = async (runId) => {
    const read = async () => (await call<Ended>(`/runs/${runId}?wait=25`)).body.data;
    let run = await read();
    while (['queued', 'running'].includes(run.status)) run = await read();
    return run;
  };

  return {
    ...world,
    get composition() {
      return world.composition;
    },
    ada,
    call,
    upload,
    ended,
    working,
    async run(files, { trial = false, message, together = false, agent = 'Reader' } = {}) {
      const body = { files, trial, process_together: together, ...(message && { user_message: message }) };
      const started = await call<{ id: string }>(`/agents/${world.agentId(agent)}/run`, { body });
      if (started.status !== 200) throw new Error(JSON.stringify(started.body));
      return ended(started.body.data.id);
    },
    async stop() {
      await working(false);
      await world.stop();
    },
  };
};
