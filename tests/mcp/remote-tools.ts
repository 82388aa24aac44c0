import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress, RemoteTool, RemoteTools, ToolResult } from '../../src/application/ports/tools.ts';
import type { JsonObject, JsonSchema } from '../../src/domain/json.ts';

interface Scripted {
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  run(
    input: JsonObject,
    context: { readonly signal: AbortSignal; readonly report: ((progress: Progress) => void) | undefined },
  ): Promise<ToolResult>;
}

const textResult = (text: string): ToolResult => ({ text, isError: false });
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** What happened to calls of `slow`, in the order that it did. */
export const slowCalls: string[] = [];

const tools: Readonly<Record<string, Scripted>> = {
  echo: {
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', minLength: 1 } },
      required: ['message'],
      additionalProperties: false,
    },
    run: async ({ message }) => textResult(String(message)),
  },
  add: {
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: async ({ a, b }) => ({ text: '', isError: false, content: [], structured: { sum: Number(a) + Number(b) } }),
  },
  picture: {
    run: async () => ({
      text: '[image]',
      isError: false,
      content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }],
    }),
  },
  refuse: { run: async () => ({ text: 'No.', isError: true, structured: { n: 'x' } }), outputSchema: number },
  lie: { run: async () => ({ text: 'x', isError: false, structured: { n: 'x' } }), outputSchema: number },
  broken: { run: async () => Promise.reject(new Error('secret detail')) },
  big: { run: async () => textResult('x'.repeat(200_000)) },
  anything: { inputSchema: { type: 'object', properties: { x: true, y: false } }, run: async () => textResult('ok') },
  malformed: {
    inputSchema: { type: 'object', properties: { x: { type: 'strong' } } },
    run: async () => textResult('never'),
  },
  mirrored: {
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
        inner: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
      },
    },
    run: async () => textResult('ok'),
  },
  steps: {
    async run(_, { report }) {
      for (const progress of [1, 2, 2, 1, 3]) {
        report?.({ progress, total: 3, message: `step ${progress}` });
        await sleep(5);
      }
      return textResult('done');
    },
  },
  /** Makes progress for a minute. */
  tick: {
    async run(_, { signal, report }) {
      for (let progress = 1; progress <= 600; progress++) {
        report?.({ progress });
        await sleep(100, undefined, { signal });
      }
      return textResult('done');
    },
  },
  slow: {
    async run(_, { signal }) {
      slowCalls.push('began');
      await sleep(60_000, undefined, { signal }).catch(() => slowCalls.push('cancelled'));
      signal.throwIfAborted();
      return textResult('done');
    },
  },
  wait: {
    inputSchema: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
    run: async ({ ms }, { signal }) => {
      await sleep(Number(ms), undefined, { signal });
      return textResult('waited');
    },
  },
};

const annotations = { title: 'A tool', readOnly: true, destructive: false, idempotent: true, openWorld: false };

const offer = ([name, { inputSchema = { type: 'object' }, outputSchema }]: [string, Scripted]): RemoteTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
  outputSchema: outputSchema ?? null,
  annotations,
});

/** A server of tools that behave in every way there is, without a server. */
export const remoteTools = (): RemoteTools => ({
  list: async () => Object.entries(tools).map(offer),
  call: async (_, { name, input, report }, __, signal) =>
    (await tools[name]?.run(input, { signal, report })) ?? textResult('?'),
});
