import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';
import { listen } from './listen.ts';
import { anthropicEvents, openaiEvents } from './model-events.ts';

/** What the model answers to one request, in no provider's words. */
export interface Reply {
  readonly text?: string;
  /** `rawArguments` goes on the wire as it is (OpenAI only: Anthropic's arguments are JSON already). */
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments?: unknown;
    readonly rawArguments?: string;
  }[];
  /** Refuses, in these words. */
  readonly refusal?: string;
  /** Stops because the answer has become too long. */
  readonly length?: boolean;
  readonly usage?: { readonly input: number; readonly output: number } | null;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message of an error, and the provider's word for it. */
  readonly message?: string;
  readonly code?: string;
  /** Instead of everything else. */
  readonly body?: string;
  readonly fault?: 'hang' | 'reset' | 'truncate';
  /**
   * What happens in the middle of an answer that is streamed: it stops there without an end (`cut`), its connection breaks (`reset`),
   * nothing more comes until the client hangs up (`stall`) or a test goes on (`pause`), or the provider reports the error of `message` and `code`.
   */
  readonly midway?: 'cut' | 'reset' | 'stall' | 'pause' | 'error';
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface ModelServer {
  readonly url: string;
  /** What is answered next, in order; the last one is answered for ever. */
  answer(...replies: readonly Reply[]): void;
  /** What was asked since the last `answer`. */
  readonly asked: readonly Asked[];
  /** Resolves once a request is there. */
  reached(): Promise<void>;
  /** Goes on with what is paused. */
  resume(): void;
  close(): Promise<void>;
}

export const openaiAnswer = (reply: Reply) => {
  const calls = reply.toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.rawArguments ?? JSON.stringify(call.arguments) },
  }));
  const usage =
    reply.usage === null
      ? {}
      : {
          usage: {
            prompt_tokens: reply.usage?.input ?? 11,
            completion_tokens: reply.usage?.output ?? 7,
            total_tokens: 18,
          },
        };
  const choice = {
    index: 0,
    message: {
      role: 'assistant',
      content: reply.text ?? null,
      refusal: reply.refusal ?? null,
      ...(calls ? { tool_calls: calls } : {}),
    },
    logprobs: null,
    finish_reason: reply.length ? 'length' : calls ? 'tool_calls' : 'stop',
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'stub',
    choices: [choice] as const,
    ...usage,
  };
};

export const anthropicAnswer = (reply: Reply, asked: Record<string, unknown>) => {
  const { tool_choice: choice, tools } = asked;
  const forced =
    isObject(choice) &&
    choice.type === 'any' &&
    Array.isArray(tools) &&
    tools.some((tool) => isObject(tool) && tool.name === 'json');
  const words = reply.refusal ?? reply.text;
  const text = words === undefined || forced ? [] : [{ type: 'text', text: words }];
  const json =
    forced && words !== undefined
      ? [{ type: 'tool_use', id: 'toolu_json', name: 'json', input: parseJson(words) }]
      : [];
  const calls = (reply.toolCalls ?? []).map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: call.arguments,
  }));
  const stop =
    reply.refusal !== undefined
      ? 'refusal'
      : reply.length
        ? 'max_tokens'
        : calls.length + json.length > 0
          ? 'tool_use'
          : 'end_turn';
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stub',
    content: [...text, ...json, ...calls],
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: reply.usage?.input ?? 11, output_tokens: reply.usage?.output ?? 7 },
  };
};

const wires = {
  '/v1/chat/completions': {
    key: (headers: IncomingHttpHeaders) => headers.authorization?.replace(/^Bearer /, ''),
    answer: openaiAnswer,
    events: (reply: Reply, asked: Record<string, unknown>) => openaiEvents(openaiAnswer(reply), asked),
    streamError: (error: object) => `data: ${JSON.stringify(error)}\n\n`,
    error: (message: string, code: string) => ({ error: { message, type: code, param: null, code } }),
  },
  '/v1/messages': {
    key: (headers: IncomingHttpHeaders) => headers['x-api-key'],
    answer: anthropicAnswer,
    events: (reply: Reply, asked: Record<string, unknown>) => anthropicEvents(anthropicAnswer(reply, asked)),
    streamError: (error: object) => `event: error\ndata: ${JSON.stringify(error)}\n\n`,
    error: (message: string, code: string) => ({ type: 'error', error: { type: code, message }, request_id: 'req_1' }),
  },
} as const;

const read = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return parseJson(Buffer.concat(chunks).toString()) as Record<string, unknown>;
};

const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
};

const breakOff = (response: ServerResponse, fault: Reply['fault']) => {
  if (fault === 'reset') response.socket?.resetAndDestroy();
  if (fault !== 'truncate') return;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":"chatcmpl-1","choices":[');
  setImmediate(() => response.socket?.destroy());
};

type Wire = (typeof wires)[keyof typeof wires];

const streamed = async (
  response: ServerResponse,
  wire: Wire,
  reply: Reply,
  asked: Record<string, unknown>,
  resumed: () => Promise<void>,
) => {
  const events = wire.events(reply, asked);
  const half = reply.midway === undefined ? events.length : Math.ceil(events.length / 2);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  // One at a time, so that they do not arrive as one.
  for (const event of events.slice(0, half)) {
    response.write(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (reply.midway === 'stall') return;
  if (reply.midway === 'reset') return void response.socket?.resetAndDestroy();
  if (reply.midway === 'error')
    response.write(wire.streamError(wire.error(reply.message ?? 'It failed.', reply.code ?? 'api_error')));
  if (reply.midway === 'pause') {
    await resumed();
    response.write(events.slice(half).join(''));
  }
  response.end();
};

/** A server that speaks the two wire formats: OpenAI's chat completions and Anthropic's messages. It takes one key. */
export const modelServer = async (key: string): Promise<ModelServer> => {
  let replies: Reply[] = [];
  const asked: Asked[] = [];
  let arrived = Promise.withResolvers<void>();
  let paused = Promise.withResolvers<void>();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const wire = path === '/v1/chat/completions' || path === '/v1/messages' ? wires[path] : null;
    if (wire === null) return send(response, 404, '{}');
    const body = await read(request);
    asked.push({ path, headers: request.headers, body });
    arrived.resolve();
    if (wire.key(request.headers) !== key) {
      const shown = `Incorrect API key provided: ${wire.key(request.headers)}. You can find your API key at https://provider.example/keys.`;
      return send(response, 401, JSON.stringify(wire.error(shown, 'authentication_error')));
    }
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
    if (reply.fault !== undefined) return breakOff(response, reply.fault);
    if (reply.body !== undefined) return send(response, reply.status ?? 200, reply.body, reply.headers);
    if (reply.status !== undefined && reply.status !== 200)
      return send(
        response,
        reply.status,
        JSON.stringify(wire.error(reply.message ?? 'It failed.', reply.code ?? 'api_error')),
        reply.headers,
      );
    if (body.stream === true) return streamed(response, wire, reply, body, () => paused.promise);
    send(response, 200, JSON.stringify(wire.answer(reply, body)), reply.headers);
  };

  const { baseUrl, stop } = await listen((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  return {
    url: `${baseUrl}/v1`,
    asked,
    answer(...next) {
      replies = [...next];
      asked.length = 0;
      arrived = Promise.withResolvers();
      paused = Promise.withResolvers();
    },
    reached: () => arrived.promise,
    resume: () => paused.resolve(),
    close: stop,
  };
};
