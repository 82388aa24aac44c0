import { createInterface } from 'node:readline/promises';
import { type Portico, PorticoError } from '../../client/portico.ts';
import { checked, read } from './answers.ts';
import type { Context } from './command.ts';
import { CliFailure, describeFailure, exitCode, UsageFailure } from './failures.ts';
import { printable } from './printable.ts';
import { liveMessage, showMessage } from './views.ts';

/** Longer than any turn: the error of the server explains more than a time-out here. */
const TURN_SECONDS = 3600;
const MAX_INPUT = 1_000_000;

/** Prints the messages of a turn while they are written; answers why there is no answer, or null. */
const follow = async ({ terminal }: Context, client: Portico, id: string, text: string): Promise<string | null> => {
  const live = liveMessage(terminal);
  try {
    for await (const { type, data } of client.continueThread(id, text, { timeoutSeconds: TURN_SECONDS })) {
      if (type === 'message.delta') live.grow(data.id, data.text);
      if (type === 'message') live.end(checked('message', data));
      if (type === 'done') return data.error;
    }
    return null;
  } finally {
    live.stop();
  }
};

/** Sends one message and prints the messages of the turn; answers whether the agent answered. */
const sendMessage = async (
  context: Context,
  client: Portico,
  id: string,
  text: string,
  json: boolean,
): Promise<boolean> => {
  const { terminal, dependencies } = context;
  let error: string | null;
  if (!json && dependencies.stdout.isTTY === true) error = await follow(context, client, id, text);
  else {
    const options = { params: { path: { id } }, body: { message: text }, timeoutSeconds: TURN_SECONDS };
    const turn = await read('turn', client.post('/api/v1/threads/{id}/messages', options));
    if (json) terminal.json(turn);
    else for (const message of turn.messages) showMessage(terminal, message);
    error = turn.error;
  }
  if (error !== null && !json) terminal.fail([`there is no answer: ${printable(error)}`]);
  return error === null;
};

const isTerminal = (stream: NodeJS.ReadableStream) => 'isTTY' in stream && stream.isTTY === true;

const readAll = async (stream: NodeJS.ReadableStream): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_INPUT) throw new CliFailure('the message is too long');
  }
  return text + decoder.decode();
};

/** Sends each line as a message until the input ends; a message that fails does not end the conversation. */
const interactive = async (
  context: Context,
  client: Portico,
  id: string,
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
) => {
  const { terminal, dependencies } = context;
  const lines = createInterface({
    input,
    output: dependencies.stderr,
    prompt: '> ',
    terminal: dependencies.stderr.isTTY === true,
  });
  const close = () => lines.close();
  signal.addEventListener('abort', close, { once: true });
  lines.once('SIGINT', close);
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  terminal.note('Write a message and press Enter. Ctrl-D ends the conversation.');
  lines.prompt();
  try {
    for await (const line of lines) {
      if (line.trim() !== '') {
        await sendMessage(context, client, id, line, false).catch((error: unknown) => {
          signal.throwIfAborted();
          if (!(error instanceof CliFailure || error instanceof PorticoError)) throw error;
          terminal.fail(describeFailure(error));
        });
      }
      if (isOpen) lines.prompt();
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', close);
    lines.close();
  }
};

/** Sends the message of the command line, or that of standard input; if that is a terminal, each line is a message. */
export const converse = async (
  context: Context,
  client: Portico,
  {
    id,
    message: firstMessage,
    json = false,
  }: { readonly id: string; readonly message: string | undefined; readonly json?: boolean | undefined },
  signal: AbortSignal,
) => {
  const { stdin } = context.dependencies;
  if (firstMessage === undefined && !json && stdin && isTerminal(stdin))
    return interactive(context, client, id, stdin, signal);
  const text = firstMessage ?? (stdin && !isTerminal(stdin) ? (await readAll(stdin)).trimEnd() : '');
  if (text === '') throw new UsageFailure('there is nothing to send: give a message, or send it on standard input');
  if (!(await sendMessage(context, client, id, text, json))) context.ends(exitCode.failed);
};
