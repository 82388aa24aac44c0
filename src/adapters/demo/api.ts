import { setTimeout as sleep } from 'node:timers/promises';

/** Why the demo cannot go on; the user reads the message. */
export class DemoStopped extends Error {}

export interface FileEntry {
  readonly file_name: string;
  readonly content_type: string;
}

export interface Upload extends FileEntry {
  readonly file_key: string;
  readonly upload_url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RunItem {
  readonly index: number;
  readonly file_names: readonly string[];
  readonly status: string;
  readonly error: string | null;
  readonly document_ids: readonly string[];
}

export interface RunDetail {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly items: readonly RunItem[];
}

export interface ReadDocument {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly document_data: Readonly<Record<string, unknown>> | null;
  readonly evidence: Readonly<Record<string, { readonly quote: string; readonly file_name: string; readonly page: number | null }>>;
  readonly error: string | null;
  readonly external_reference: string | null;
}

export interface Api {
  agents(): Promise<readonly { readonly id: string; readonly name: string; readonly description: string }[]>;
  uploadUrls(agentId: string, files: readonly FileEntry[]): Promise<readonly Upload[]>;
  put(upload: Upload, data: Uint8Array<ArrayBuffer>): Promise<void>;
  createRun(agentId: string, files: readonly Upload[], processTogether: boolean): Promise<string>;
  /** The run whenever there is news of it, until it has ended. */
  watch(runId: string): AsyncGenerator<RunDetail>;
  document(id: string): Promise<ReadDocument>;
  process(id: string): Promise<ReadDocument>;
}

/** A wait ends early when the run’s status changes or one of its units has ended. */
export const WAIT_SECONDS = 25;
const CALL_TIMEOUT_MS = 60_000;
/** Longer than the server lets a run take. */
const RUN_TIMEOUT_MS = 65 * 60_000;
const PAUSE_MS = 250;
const PATIENCE = 5;

const terminal = new Set(['completed', 'failed', 'cancelled']);

const complaint = async (response: Response): Promise<string> => {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : response.statusText;
};

interface Request {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const send = async (url: string, shown: string, request: Request): Promise<Response> => {
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw new DemoStopped(`${shown}: ${new URL(url).origin} ${late ? 'did not answer in time' : 'could not be reached'}.`);
  }
};

/** The API as the demo uses it: `fetch`, the key in a header, and patience if the server asks for it. */
export const api = (baseUrl: string, apiKey: string, waiting: (seconds: number) => void): Api => {
  const base = baseUrl.replace(/\/+$/, '');

  const call = async (method: string, path: string, { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {}) => {
    const shown = `${method} ${path}`;
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    for (let attempt = 1; ; attempt++) {
      const response = await send(`${base}${path}`, shown, { method, headers: { 'X-API-Key': apiKey, ...type, ...headers }, ...json });
      if (response.ok || response.status === 304) return response;
      if (response.status !== 429 || attempt === PATIENCE) {
        throw new DemoStopped(`${shown} answered ${response.status}: ${await complaint(response)}`);
      }
      const seconds = Math.min(120, Math.max(1, Number(response.headers.get('Retry-After')) || 1));
      waiting(seconds);
      await sleep(seconds * 1000);
    }
  };

  const dataOf = async <T>(response: Promise<Response>): Promise<T> => ((await (await response).json()) as { data: T }).data;

  return {
    agents: async () => (await dataOf<{ agents: Awaited<ReturnType<Api['agents']>> }>(call('GET', '/api/v1/agents'))).agents,

    uploadUrls: async (agentId, files) =>
      (await dataOf<{ files: readonly Upload[] }>(call('POST', `/api/v1/agents/${agentId}/upload-urls`, { body: { files } }))).files,

    async put(upload, data) {
      const headers = { 'Content-Type': upload.content_type, ...upload.headers };
      const response = await send(upload.upload_url, `PUT ${upload.file_name}`, { method: 'PUT', headers, body: data });
      if (!response.ok) throw new DemoStopped(`PUT ${upload.file_name} answered ${response.status}: ${await complaint(response)}`);
    },

    async createRun(agentId, files, processTogether) {
      const body = { files, process_together: processTogether };
      return (await dataOf<{ id: string }>(call('POST', `/api/v1/agents/${agentId}/run`, { body }))).id;
    },

    async *watch(runId) {
      const path = `/api/v1/runs/${runId}?wait=${WAIT_SECONDS}`;
      const patienceEnds = performance.now() + RUN_TIMEOUT_MS;
      let etag: string | null = null;
      while (performance.now() < patienceEnds) {
        const response: Response = await call('GET', path, { headers: etag === null ? {} : { 'If-None-Match': etag } });
        if (response.status !== 304) {
          etag = response.headers.get('ETag');
          const run = await dataOf<RunDetail>(Promise.resolve(response));
          yield run;
          if (terminal.has(run.status)) return;
        }
        await sleep(PAUSE_MS);
      }
      throw new DemoStopped(`The run ${runId} does not end.`);
    },

    document: (id) => dataOf(call('GET', `/api/v1/documents/${id}`)),
    process: (id) => dataOf(call('POST', `/api/v1/documents/${id}`)),
  };
};
