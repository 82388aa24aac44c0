import { createInterface } from 'node:readline/promises';
import type { Client } from './client.ts';
import type { Context } from './command.ts';
import { CliFailure, exitCode, UsageFailure } from './failures.ts';
import { printable } from './printable.ts';
import { exchange, showMessage } from './thread-view.ts';

/** Longer than any turn: the server's own answer says more than a time-out here. */
const TURN_SECONDS = 3600;
const MAX_INPUT = 1_000_000;

/** Says one thing and prints what came back; whether there is an answer. */
export const say = async ({ terminal }: Context, client: Client, id: string, message: string, json: boolean): Promise<boolean> => {
  const call = { method: 'POST', path: `threads/${id}/messages`, body: { message }, answer: exchange } as const;
  const { value, raw } = await client.call({ ...call, once: true, timeoutSeconds: TURN_SECONDS });
  if (json) terminal.json(raw);
  else for (const each of value.messages) showMessage(terminal, each);
  if (value.error !== null && !json) terminal.fail([`there is no answer: ${printable(value.error)}`]);
  return value.error === null;
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

/** A conversation line by line, until the input ends; what goes wrong in between ends nothing. */
const interactive = async (context: Context, client: Client, id: string, input: NodeJS.ReadableStream, signal: AbortSignal) => {
  const { terminal, dependencies } = context;
  const lines = createInterface({ input, output: dependencies.stderr, prompt: '> ', terminal: dependencies.stderr.isTTY === true });
  const close = () => lines.close();
  signal.addEventListener('abort', close, { once: true });
  lines.once('SIGINT', close);
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  terminal.note('Say something and press Enter. Ctrl-D ends the conversation.');
  lines.prompt();
  try {
    for await (const line of lines) {
      if (line.trim() !== '') {
        await say(context, client, id, line, false).catch((error: unknown) => {
          signal.throwIfAborted();
          if (!(error instanceof CliFailure)) throw error;
          terminal.fail([printable(error.message), ...error.more.map(printable)]);
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

/** Sends the message that was given, or what comes in; on a terminal, one after the other. */
export const converse = async (
  context: Context,
  client: Client,
  { id, message, json = false }: { readonly id: string; readonly message: string | undefined; readonly json?: boolean | undefined },
  signal: AbortSignal,
) => {
  const { stdin } = context.dependencies;
  if (message === undefined && !json && stdin && isTerminal(stdin)) return interactive(context, client, id, stdin, signal);
  const text = message ?? (stdin && !isTerminal(stdin) ? (await readAll(stdin)).trimEnd() : '');
  if (text === '') throw new UsageFailure('there is nothing to send: give a message, or send it on standard input');
  if (!(await say(context, client, id, text, json))) context.ends(exitCode.failed);
};
