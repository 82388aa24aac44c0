import { isObject } from '../../src/domain/json.ts';
import type { anthropicAnswer, openaiAnswer } from './model-server.ts';

/** Pieces that end anywhere, also within a pair of surrogates. */
const pieces = (text: string): readonly string[] => {
  const size = Math.max(1, Math.ceil(text.length / 7));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
};

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** An answer of OpenAI's chat completions as the stream that it would be. */
export const openaiEvents = (
  answer: ReturnType<typeof openaiAnswer>,
  asked: Readonly<Record<string, unknown>>,
): readonly string[] => {
  const { id, created, model, choices } = answer;
  const [{ message, finish_reason }] = choices;
  const chunk = (delta: object, reason: string | null = null, more: object = {}) =>
    data({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    });
  const words = (['content', 'refusal'] as const).flatMap((field) =>
    pieces(message[field] ?? '').map((text) => chunk({ [field]: text })),
  );
  // The arguments of several calls arrive side by side.
  const begun = (message.tool_calls ?? []).map(({ id: callId, type, function: { name } }, index) =>
    chunk({ tool_calls: [{ index, id: callId, type, function: { name, arguments: '' } }] }),
  );
  const parts = (message.tool_calls ?? []).map(({ function: { arguments: args } }) => pieces(args));
  const longest = Math.max(0, ...parts.map(({ length }) => length));
  const args = Array.from({ length: longest }, (_, at) =>
    parts.flatMap((each, index) =>
      each[at] === undefined ? [] : [chunk({ tool_calls: [{ index, function: { arguments: each[at] } }] })],
    ),
  );
  const wantsUsage = isObject(asked.stream_options) && asked.stream_options.include_usage === true;
  const usage =
    wantsUsage && 'usage' in answer
      ? [data({ id, object: 'chat.completion.chunk', created, model, choices: [], usage: answer.usage })]
      : [];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words,
    ...begun,
    ...args.flat(),
    chunk({}, finish_reason),
    ...usage,
    'data: [DONE]\n\n',
  ];
};

const named = (value: { readonly type: string } & Readonly<Record<string, unknown>>) =>
  `event: ${value.type}\n${data(value)}`;

/** An answer of Anthropic's messages as the stream that it would be. `inputs` are the arguments of its calls as they are written. */
export const anthropicEvents = (answer: ReturnType<typeof anthropicAnswer>): readonly string[] => {
  const { content, stop_reason, stop_sequence, usage, ...message } = answer;
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const blocks = content.flatMap((block, index) => {
    const isText = 'text' in block;
    const opened = isText
      ? { type: 'text', text: '' }
      : { type: block.type, id: block.id, name: block.name, input: {} };
    const deltas = isText
      ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
      : ['', ...pieces(JSON.stringify(block.input ?? {}))].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        }));
    return [
      named({ type: 'content_block_start', index, content_block: opened }),
      named({ type: 'ping' }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ];
  });
  return [
    named({ type: 'message_start', message: start }),
    ...blocks,
    named({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    }),
    named({ type: 'message_stop' }),
  ];
};
