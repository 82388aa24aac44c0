import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, api, type Call, type CallOptions, type OpenApiDocument } from '../support/http.ts';
import { modelServer } from '../support/model-server.ts';
import { demoKey } from '../support/server.ts';
import type { Installation, Kind } from './installations.ts';

/** The key that the server has for its model provider; the provider refuses it, and says so with the key in its words. */
const MODEL_KEY = 'acceptance-model-key-7Qx2mZ';

/** A Portico with the demo workspace, seen from outside. */
export interface Platform {
  readonly baseUrl: string;
  /** Of an admin of the demo workspace. */
  readonly key: string;
  readonly document: OpenApiDocument;
  /**
   * Sends a request, with that key unless another one is given, and again where the server says that it is busy, and holds the answer against
   * the description.
   */
  readonly call: Call;
  /** Every answer so far. */
  readonly answers: readonly Answer[];
  /** Its processes; null where the tests were pointed at somebody else's. */
  readonly server: Installation | null;
  /** What must never be shown: each by its name. */
  readonly secrets: Map<string, string>;
  close(): Promise<void>;
}

/** The machine of the tests may stand still for a moment. */
const MOST_BUSY = 5;

const isBusy = ({ status, body }: Answer) => status === 503 && (body as { code?: string }).code === 'busy';

const over = async (target: { baseUrl: string; key: string }) => {
  const { call, document } = await api(target.baseUrl);
  const answers: Answer[] = [];
  const recorded: Call = async (where: string, options: CallOptions = {}) => {
    let answer = await call(where, { key: target.key, ...options });
    for (let busy = 1; busy < MOST_BUSY && isBusy(answer); busy += 1) {
      await sleep(Number(answer.headers.get('retry-after')) * 1000);
      answer = await call(where, { key: target.key, ...options });
    }
    answers.push(answer);
    return answer;
  };
  return { ...target, document, answers, call: recorded };
};

/** null where this machine cannot run it. */
const startOwn = async (kind: Kind): Promise<Platform | null> => {
  const model = await modelServer('another-key');
  const server = await kind.make({ LOG_LEVEL: 'debug', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: MODEL_KEY });
  const close = async () => {
    await server?.close();
    await model.close();
  };
  try {
    if (!server) return await close().then(() => null);
    await server.start();
    const key = await demoKey(server);
    const secrets = new Map([
      ['the demo key', key],
      ['the key of the model provider', MODEL_KEY],
      ...(await server.secrets()),
    ]);
    return { ...(await over({ baseUrl: server.baseUrl, key })), server, secrets, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const { TEST_BASE_URL: givenUrl, TEST_API_KEY: givenKey } = process.env;

/** Somebody else's server, where TEST_BASE_URL and TEST_API_KEY name one: only what needs no more than its address and a key is tried. */
export const given: Kind | null =
  givenUrl && givenKey
    ? { name: 'the server at TEST_BASE_URL', commandsElsewhere: true, make: async () => null }
    : null;

export const openPlatform = async (kind: Kind): Promise<Platform | null> => {
  if (kind !== given || !givenUrl || !givenKey) return startOwn(kind);
  const target = { baseUrl: givenUrl, key: givenKey };
  return { ...(await over(target)), server: null, secrets: new Map([['the key', givenKey]]), close: async () => {} };
};

export interface RunBody {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly items: readonly {
    readonly file_names: string[];
    readonly status: string;
    readonly error: string | null;
    readonly document_ids: string[];
  }[];
  readonly conversations: readonly { readonly id: string }[];
  readonly documents: readonly { readonly id: string; readonly status: string }[];
}

export interface DocumentBody {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly document_data: Record<string, unknown> | null;
  readonly evidence: Record<string, { readonly quote: string; readonly file_name: string }>;
  readonly external_reference: string | null;
}

export const dataOf = <T>(answer: Answer): T => (answer.body as { data: T }).data;

export interface File {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array;
}

export interface Uploaded {
  readonly file_key: string;
  readonly file_name: string;
  readonly content_type: string;
  readonly upload_url: string;
}

/** What a client does, in the words of the specification. */
export const clientOf = ({ call }: Platform, key?: string) => {
  const as = key === undefined ? {} : { key };
  return {
    async agent(name: string): Promise<string> {
      const { agents } = dataOf<{ agents: { id: string; name: string }[] }>(await call('/api/v1/agents', as));
      const found = agents.find((agent) => agent.name === name);
      if (!found) throw new Error(`There is no agent ${name}.`);
      return found.id;
    },
    async upload(agentId: string, files: readonly File[]): Promise<readonly Uploaded[]> {
      const body = { files: files.map(({ name, type }) => ({ file_name: name, content_type: type })) };
      const answer = await call(`/api/v1/agents/${agentId}/upload-urls`, { ...as, method: 'POST', body });
      const uploads = dataOf<{ files: Uploaded[] }>(answer).files;
      for (const [index, { upload_url: url, content_type: type }] of uploads.entries()) {
        const content = files[index]?.content ?? '';
        const put = await fetch(url, {
          method: 'PUT',
          headers: { 'content-type': type },
          body: content as NonNullable<RequestInit['body']>,
        });
        if (!put.ok) throw new Error(`The upload was answered ${put.status}: ${await put.text()}`);
      }
      return uploads;
    },
    create: (agentId: string, body: unknown, headers: Record<string, string> = {}) =>
      call(`/api/v1/agents/${agentId}/run`, { ...as, method: 'POST', body, headers }),
    /** Polls as the documentation says: each answer's ETag goes with the next request. */
    async ended(id: string): Promise<{ run: RunBody; etag: string }> {
      let etag = '';
      for (let polls = 0; polls < 200; polls++) {
        const headers: Record<string, string> = etag === '' ? {} : { 'if-none-match': etag };
        const answer = await call(`/api/v1/runs/${id}`, { ...as, query: { wait: '10' }, headers });
        if (answer.status === 304) continue;
        etag = answer.headers.get('etag') ?? '';
        const run = dataOf<RunBody>(answer);
        if (['completed', 'failed', 'cancelled'].includes(run.status)) return { run, etag };
      }
      throw new Error(`The run ${id} does not end.`);
    },
    document: async (id: string) => dataOf<DocumentBody>(await call(`/api/v1/documents/${id}`, as)),
    process: (id: string) => call(`/api/v1/documents/${id}`, { ...as, method: 'POST' }),
  };
};

/** An invoice that the ledger has not seen. */
export const anInvoice = (number: string, total = '100.80'): File => ({
  name: `${number}.txt`,
  type: 'text/plain',
  content: [
    'Supplier: Quarry Lane Tools',
    `Invoice number: ${number}`,
    'Invoice date: 2026-11-06',
    'Due date: 2026-12-06',
    'Currency: GBP',
    'Net amount: 84.00',
    'VAT: 16.80',
    `Total: ${total}`,
  ].join('\n'),
});
