interface Described {
  readonly outputSchema?: object;
  readonly name: string;
  readonly title: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: object;
}

/** Any field of a reply: a test reads the ones it expects. */
export interface Reply {
  readonly id: unknown;
  readonly error: { readonly code: number; readonly message: string; readonly data?: object };
  readonly result: {
    readonly protocolVersion: string;
    readonly serverInfo: { readonly version: string };
    readonly tools: readonly Described[];
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
  };
}

/** One answer of the tool endpoint. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What was read as JSON: the body, or the last event of a stream. */
  readonly body: Reply;
  /** Every event of a stream, in order. */
  readonly events: readonly unknown[];
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** Sent as it is, instead of a message. */
  readonly raw?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export const MODERN = '2026-07-28';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .map((block) => /^data: (.*)$/m.exec(block)?.[1])
    .filter((data) => data !== undefined)
    .map((data) => JSON.parse(data) as unknown);

/** A client that knows HTTP and nothing of the protocol. */
export const rawClient = (url: string, key?: string) => {
  const send = async (
    message?: unknown,
    { headers = {}, method = 'POST', raw, signal }: Sent = {},
  ): Promise<Answer> => {
    const body = raw ?? (message === undefined ? undefined : JSON.stringify(message));
    const response = await fetch(url, {
      method,
      headers: {
        ...(key && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const events = isStream ? eventsIn(text) : [];
    return {
      status: response.status,
      headers: response.headers,
      text,
      events,
      body: (isStream ? events.at(-1) : parsed(text)) as Reply,
    };
  };
  return send;
};

export type Send = ReturnType<typeof rawClient>;

export const request = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

export const calling = (name: string, input?: object, more: object = {}) =>
  request('tools/call', { name, ...(input && { arguments: input }), ...more });

const _meta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '7' },
};

/** A request of the newest revision, and the headers that go with it. */
export const modern = (method: string, params: Readonly<Record<string, unknown>> = {}, meta: object = {}) => ({
  message: request(method, { ...params, _meta: { ..._meta, ...meta } }),
  headers: {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(method === 'tools/call' && typeof params.name === 'string' && { 'mcp-name': params.name }),
  } as Record<string, string>,
});
