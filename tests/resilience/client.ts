import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export interface RunView {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly agent_version: number;
  readonly model: string;
  readonly error: string | null;
  readonly status_reason: { readonly code: string } | null;
  readonly items: readonly {
    readonly index: number;
    readonly file_names: readonly string[];
    readonly status: string;
    readonly document_ids: readonly string[];
  }[];
  readonly documents: readonly {
    readonly id: string;
    readonly status: string;
    readonly agent_version: number;
    readonly model: string;
  }[];
}

export interface DocumentView {
  readonly id: string;
  readonly status: string;
  readonly agent_version: number;
  readonly model: string;
  readonly document_data: { readonly unit: string; readonly read_by: string } | null;
  readonly coverage: { readonly complete: boolean } | null;
  readonly error: string | null;
}

export interface NewRun {
  /** One file each; none: the message alone. */
  readonly units: readonly string[];
  readonly files?: boolean;
  readonly together?: boolean;
  /** How many more lines each file has. */
  readonly lines?: number;
}

/** Answered with what was asked of it, or with a refusal that asking again would not change. */
export interface Client {
  /** Uploads the files and starts the run; asked again, with the same Idempotency-Key, until there is an answer. */
  createRun(run: NewRun): Promise<string>;
  run(id: string, waitSeconds?: number): Promise<RunView>;
  document(id: string): Promise<DocumentView>;
  cancel(id: string): Promise<number>;
  /** Moves a document to trash. */
  remove(id: string): Promise<number>;
  /** Begins to wait for news of the run, and goes away. */
  hangUp(id: string): Promise<void>;
  /** One attempt; null where the answer was lost or an outage. */
  process(id: string): Promise<{ readonly status: number; readonly document: DocumentView | null } | null>;
  /** The run once it has ended. */
  ended(id: string): Promise<RunView>;
}

export const isOver = ({ status }: Pick<RunView, 'status'>) => ['completed', 'failed', 'cancelled'].includes(status);

const PAUSE_MS = 150;
const PATIENCE_MS = 240_000;

/** A client that goes on asking while the server or its database is away. */
export const client = ({ baseUrl, key, agentId }: Stage): Client => {
  const attempt = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, signal: AbortSignal.timeout(40_000) }).catch(() => null);

  const persist = async (url: string, init?: RequestInit): Promise<Response> => {
    const giveUp = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await attempt(url, init);
      if (answer && answer.status < 500) return answer;
      await answer?.body?.cancel();
      if (Date.now() > giveUp) throw new Error(`No answer from ${url}: ${answer?.status}`);
      await sleep(PAUSE_MS);
    }
  };

  const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

  /** The answer's body may be lost as well as its head. */
  const data = async <T>(path: string, init: RequestInit = { headers: { 'x-api-key': key } }): Promise<T> => {
    for (;;) {
      const answer = await persist(`${baseUrl}/api/v1${path}`, init);
      const text = await answer.text().catch(() => null);
      if (text === null) continue;
      if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
      return (JSON.parse(text) as { data: T }).data;
    }
  };

  const upload = async (units: readonly string[], lines: number) => {
    const asked = units.map((unit) => ({ file_name: `${unit}.txt`, content_type: 'text/plain' }));
    const { files } = await data<{
      files: { file_key: string; file_name: string; content_type: string; upload_url: string }[];
    }>(`/agents/${agentId}/upload-urls`, json({ files: asked }));
    const more = Array.from({ length: lines }, (_, line) => `\nLine ${line} says nothing of note to anybody.`).join('');
    for (const [index, { upload_url: url, content_type: type }] of files.entries()) {
      const answer = await persist(url, {
        method: 'PUT',
        headers: { 'content-type': type },
        body: `This is ${units[index]}.${more}`,
      });
      if (!answer.ok) throw new Error(`An upload was answered ${answer.status}: ${await answer.text()}`);
    }
    return files;
  };

  const run = (id: string, waitSeconds = 0) => data<RunView>(`/runs/${id}?wait=${waitSeconds}`);

  return {
    async createRun({ units, files = false, together = false, lines = 0 }) {
      const uploaded = files ? await upload(units, lines) : [];
      const body = {
        files: uploaded,
        process_together: together,
        ...(files ? {} : { user_message: `This is ${units[0]}.` }),
      };
      const created = await data<{ id: string }>(
        `/agents/${agentId}/run`,
        json(body, { 'idempotency-key': randomUUID() }),
      );
      return created.id;
    },
    run,
    document: (id) => data(`/documents/${id}`),
    async cancel(id) {
      const answer = await persist(`${baseUrl}/api/v1/runs/${id}/cancel`, json({}));
      await answer.body?.cancel();
      return answer.status;
    },
    async remove(id) {
      const answer = await persist(`${baseUrl}/api/v1/documents/${id}`, {
        method: 'DELETE',
        headers: { 'x-api-key': key },
      });
      await answer.body?.cancel();
      return answer.status;
    },
    async hangUp(id) {
      const leaving = AbortSignal.timeout(50);
      await fetch(`${baseUrl}/api/v1/runs/${id}?wait=25`, { headers: { 'x-api-key': key }, signal: leaving }).catch(
        () => {},
      );
    },
    async process(id) {
      const answer = await attempt(`${baseUrl}/api/v1/documents/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': key },
      });
      const text = await answer?.text().catch(() => null);
      if (!answer || typeof text !== 'string' || answer.status >= 500) return null;
      return { status: answer.status, document: answer.ok ? (JSON.parse(text) as { data: DocumentView }).data : null };
    },
    async ended(id) {
      const giveUp = Date.now() + PATIENCE_MS;
      for (;;) {
        const found = await run(id, 10);
        if (isOver(found)) return found;
        if (Date.now() > giveUp) throw new Error(`The run ${id} does not end: ${JSON.stringify(found)}`);
      }
    },
  };
};
