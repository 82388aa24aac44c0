import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { document, exampleDocument } from '../../src/wire/document.ts';
import { exampleQueued, run } from '../../src/wire/run.ts';
import { listening } from '../support/listen.ts';

export const KEY = 'svc-0123456789abcdefghijABCDEFGHIJ0123456789';

export const agentId = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';
export const runId = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e02';
export const documentId = (index: number) => `0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d3e0${index}`;

export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface StreamedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly data: unknown;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As JSON, or bytes as they are. */
  readonly body?: unknown;
  /** Closes the connection instead, or after the stream. */
  readonly hangUp?: boolean;
  /** Server-Sent Events in place of the body: of a run, or as they are. */
  readonly stream?: readonly (StreamedEvent | string)[];
}

type Handler = (request: Received, match: RegExpExecArray) => Answer | Promise<Answer>;

export const summary = (fields: object = {}) => ({
  ...(run.encode(exampleQueued) as object),
  id: runId,
  workflow_type: 'document_extraction',
  agent_id: agentId,
  agent_name: 'Invoice reader',
  status: 'queued',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  error: null,
  process_together: false,
  attempt: 0,
  status_reason: null,
  usage: { input_tokens: 0, output_tokens: 0 },
  cost: null,
  source: null,
  created_at: '2026-11-20T09:30:00.000Z',
  started_at: null,
  completed_at: null,
  ...fields,
});

export const item = (index: number, status: string, fields: object = {}) => ({
  index,
  file_names: [`${'abcdef'[index]}.pdf`],
  part: null,
  status,
  error: null,
  conversation_id: null,
  document_ids: [],
  ...fields,
});

export const detail = (fields: object = {}) => ({
  ...summary(),
  user_message: null,
  files: [],
  items: [],
  conversations: [],
  documents: [],
  parts: [],
  unassigned: [],
  ...fields,
});

/** Where a value was read. */
export const evidenceOf = (fields: object) => ({
  quote: '',
  file_name: '',
  page: null,
  boxes: [],
  approximate: false,
  support: 'exact',
  source: 'text',
  confidence: null,
  xpath: null,
  ...fields,
});

export const documentOf = (index: number, fields: object = {}) => ({
  ...(document.encode(exampleDocument) as object),
  id: documentId(index),
  run_id: runId,
  agent_id: agentId,
  conversation_id: runId,
  name: `${'abcdef'[index]}.pdf`,
  status: 'ready',
  document_data: { invoice_number: `A-${index}`, total: 12.5 },
  error: null,
  external_reference: null,
  processed_at: null,
  evidence: {
    '/invoice_number': evidenceOf({ quote: `Invoice no. A-${index}`, file_name: `${'abcdef'[index]}.pdf`, page: 2 }),
  },
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:01.000Z',
  ...fields,
});

const notFound: Answer = {
  status: 404,
  body: { detail: 'There is no such run.', status: 404, code: 'not_found', request_id: 'req-404' },
};
export const unauthenticated: Answer = {
  status: 401,
  body: { detail: 'The credential is not valid.', status: 401, code: 'unauthenticated', request_id: 'req-401' },
};

export interface FakeApi {
  readonly url: string;
  readonly requests: Received[];
  /** Bytes by file key, in the order they came. */
  readonly uploads: Map<string, Received>;
  /** How a run goes: each poll that knows the present state is given the next one; a stream shows all that are left. */
  course: readonly Course[];
  readonly documents: Map<string, object>;
  /** Answers the next requests to this `METHOD /path` before anything else does. */
  next(route: string, ...answers: readonly Answer[]): void;
  readonly routes: Map<string, Handler>;
  close(): Promise<void>;
}

interface Course {
  readonly status: string;
  readonly items: readonly { readonly index: number; readonly status: string }[];
}

/** The events between the states of a run. */
export const eventsOf = (course: readonly Course[]): readonly StreamedEvent[] =>
  course
    .slice(1)
    .flatMap((state, at) => {
      const before = course[at];
      const moved = state.items.filter(({ status }, index) => status !== before?.items[index]?.status);
      const units = moved.map(({ index, status }) => ({
        type: `unit.${status === 'running' ? 'started' : status}`,
        data: { unit: index, name: null, duration_ms: null },
      }));
      return state.status === before?.status
        ? units
        : [...units, { type: `run.${state.status}`, data: { agent_name: 'Invoice reader' } }];
    })
    .map((event, sequence) => ({ ...event, sequence }));

const frameOf = (event: StreamedEvent | string) => {
  if (typeof event === 'string') return event;
  const { type, sequence, data } = event;
  const ids = {
    id: `event-${sequence}`,
    sequence,
    run_id: runId,
    document_id: null,
    created_at: '2026-11-20T09:30:00.000Z',
  };
  return `id: cursor-${sequence}\nevent: ${type}\ndata: ${JSON.stringify({ ...ids, type, data })}\n\n`;
};

const send = (response: ServerResponse, { status = 200, headers = {}, body, stream, hangUp = false }: Answer) => {
  if (stream) {
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    response.write(stream.map(frameOf).join(''), () => (hangUp ? response.destroy() : response.end()));
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `req-${status}`, ...headers });
  response.end(body instanceof Uint8Array ? body : body === undefined ? '' : JSON.stringify(body));
};

/** A server that answers like the API, over real HTTP. */
export const fakeApi = async (): Promise<FakeApi> => {
  const canned = new Map<string, Answer[]>();
  const routes = new Map<string, Handler>();
  const state = { at: 0 };

  const answer = async (request: Received): Promise<Answer> => {
    const path = request.url.split('?')[0] ?? '';
    const first = canned.get(`${request.method} ${path}`)?.shift();
    if (first) return first;
    if (path.startsWith('/api/') && request.headers['x-api-key'] !== KEY) return unauthenticated;
    for (const [route, handler] of routes) {
      const match = new RegExp(`^${route}$`).exec(`${request.method} ${path}`);
      if (match) return handler(request, match);
    }
    return notFound;
  };

  const api: FakeApi = {
    url: '',
    requests: [],
    uploads: new Map(),
    course: [],
    documents: new Map(),
    routes,
    next: (route, ...answers) => void canned.set(route, [...(canned.get(route) ?? []), ...answers]),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  routes.set('GET /api/v1/agents', () => ({
    body: {
      data: {
        agents: [
          {
            id: agentId,
            name: 'Invoice reader',
            description: 'Reads invoices',
            workflow_type: 'document_extraction',
            posts: true,
            mcp_url: 'http://x',
          },
        ],
      },
    },
  }));
  routes.set('POST /api/v1/agents/([^/]+)/upload-urls', ({ body }, match) => {
    const { files } = JSON.parse(body.toString()) as { files: { file_name: string; content_type: string }[] };
    const entry = (file: { file_name: string; content_type: string }, index: number) => {
      const file_key = `uploads/w/${match[1]}/${index}`;
      const upload_url = `${api.url}/blobs/${file_key}?signature=SECRET`;
      return {
        ...file,
        file_key,
        upload_url,
        method: 'PUT',
        headers: { 'Content-Type': file.content_type },
        expires_at: '2026-11-20T10:30:00.000Z',
      };
    };
    return { body: { data: { files: files.map(entry) } } };
  });
  routes.set('PUT /blobs/(.+)', (request, match) => {
    api.uploads.set(match[1] ?? '', request);
    return {};
  });
  routes.set('POST /api/v1/agents/([^/]+)/run', () => ({
    body: { data: summary() },
    headers: { location: `/api/v1/runs/${runId}` },
  }));
  routes.set(`GET /api/v1/runs/${runId}`, ({ headers }) => {
    if (headers['if-none-match'] === `"${state.at}"`) state.at = Math.min(state.at + 1, api.course.length - 1);
    return { body: { data: api.course[state.at] }, headers: { etag: `"${state.at}"` } };
  });
  routes.set(`GET /api/v1/runs/${runId}/events`, () => {
    const stream = eventsOf(api.course.slice(state.at));
    state.at = api.course.length - 1;
    return { stream };
  });
  routes.set('(?:GET|POST) /api/v1/documents/([^/]+)', (_request, match) => {
    const found = api.documents.get(match[1] ?? '');
    return found ? { body: { data: found } } : notFound;
  });

  const server = createServer(async (request, response) => {
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await buffer(request),
    };
    api.requests.push(received);
    const made = await answer(received);
    if (made.hangUp && !made.stream) request.socket.destroy();
    else send(response, made);
  });
  return Object.assign(api, { url: `http://127.0.0.1:${await listening(server)}` });
};
