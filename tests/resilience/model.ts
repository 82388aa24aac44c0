import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/listen.ts';

/** One request for one unit of work, as the model sees it. */
export interface ModelCall {
  /** What the text of the unit calls itself: `UNIT-…`. */
  readonly unit: string;
  /** Which worker asks: each has a key of its own. */
  readonly key: string;
  /** Which model is asked, and what it is instructed to do. */
  readonly model: string;
  readonly instructions: string;
  /** How much of the conversation it was shown, the instructions left out. */
  readonly messages: number;
  /** Which part of its files it is asked about, in Portico's words; null for all of them. */
  readonly part: string | null;
  /** All that was sent. */
  readonly body: string;
  /** Aborted when whoever asked goes away before the answer. */
  readonly gone: AbortSignal;
}

/** What is answered: the assistant's words. */
export type Behaviour = (call: ModelCall) => Promise<string>;

/** A model that takes as long as a test wants, behind OpenAI's wire format. */
export interface SlowModel {
  readonly url: string;
  /** Every request so far. */
  readonly calls: readonly ModelCall[];
  /** Units that were asked for while an earlier request for the same unit was still open. */
  readonly overlaps: readonly string[];
  behave(behaviour: Behaviour): void;
  /** Forgets what was asked. */
  forget(): void;
  close(): Promise<void>;
}

/** An answer that fits the schema of the test agent. */
export const extraction = (unit: string, from = 'model') =>
  JSON.stringify({ document: { unit, read_by: from }, evidence: [] });

/** Takes its time, now less and now more. */
export const unhurried =
  (random: () => number): Behaviour =>
  async ({ unit }) => {
    await sleep(10 + random() * 150);
    return extraction(unit);
  };

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

const completion = (content: string, tokens: Tokens) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'stub',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_tokens: tokens.prompt + tokens.completion,
  },
});

/** `tokens`: what it says that each answer has taken. */
export const slowModel = async (tokens: Tokens = { prompt: 3, completion: 2 }): Promise<SlowModel> => {
  const calls: ModelCall[] = [];
  const overlaps: string[] = [];
  const open = new Map<string, number>();
  let behaviour: Behaviour = async ({ unit }) => extraction(unit);

  const callOf = (request: IncomingMessage, response: ServerResponse, body: string): ModelCall => {
    const { model, messages } = JSON.parse(body) as { model: string; messages: { role: string; content: unknown }[] };
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort());
    return {
      unit: /UNIT-[\w-]+/.exec(body)?.[0] ?? 'none',
      key: request.headers.authorization?.replace(/^Bearer /, '') ?? '',
      model,
      instructions: JSON.stringify(messages.filter(({ role }) => role === 'system')),
      part: /Part of the files: (characters \d+ to \d+ of \d+)/.exec(body)?.[1] ?? null,
      messages: messages.filter(({ role }) => role !== 'system').length,
      body,
      gone: gone.signal,
    };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const call = callOf(request, response, await read(request));
    const { unit } = call;
    const others = open.get(unit) ?? 0;
    if (others > 0) overlaps.push(unit);
    open.set(unit, others + 1);
    response.once('close', () => open.set(unit, (open.get(unit) ?? 1) - 1));
    calls.push(call);
    const content = await behaviour(call);
    if (response.destroyed) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(completion(content, tokens)));
  };

  const { baseUrl, stop } = await listen((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return {
    url: `${baseUrl}/v1`,
    calls,
    overlaps,
    behave(next) {
      behaviour = next;
    },
    forget() {
      calls.length = 0;
      overlaps.length = 0;
    },
    close: stop,
  };
};
