import type { Command } from 'commander';
import { type Context, idCommand, inContext, type Json, withClient } from '../command.ts';

const show = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, views }) => {
    const value = await read('thread', client.get('/api/v1/threads/{id}', { params: { path: { id } } }));
    if (json) return context.terminal.json(value);
    views.showThread(context.terminal, value);
  });

const send = (context: Context, id: string, message: string | undefined, { json }: Json) =>
  withClient(context, async ({ client, signal }) => {
    const { converse } = await import('../converse.ts');
    await converse(context, client, { id, message, json }, signal);
  });

export const threadCommands = (program: Command, context: Context) => {
  const threads = program.command('threads').description('conversations with agents');
  const id = "the conversation's id, as runs show it";
  idCommand(threads, 'show', 'show the messages of a conversation', id).action(inContext(context, show));
  const about = 'send a message and wait for the answer; without a message, a conversation line by line';
  idCommand(threads, 'send', about, id, [' "What do the invoices come to?"', ''])
    .argument('[message]', 'what to send; absent: what comes in on standard input')
    .action(inContext(context, send));
};
