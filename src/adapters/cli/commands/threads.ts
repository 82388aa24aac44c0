import type { Command } from 'commander';
import { type Context, EXAMPLE_ID, examples, idArgument, type Json, withClient, withJson } from '../command.ts';

const show = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, wire, views }) => {
    const { value, raw } = await wire.read(wire.thread, client.get('/api/v1/threads/{id}', { params: { path: { id } } }));
    if (json) return context.terminal.json(raw);
    views.showThread(context.terminal, value);
  });

const send = (context: Context, id: string, message: string | undefined, { json }: Json) =>
  withClient(context, async ({ client, signal }) => {
    const { converse } = await import('../converse.ts');
    await converse(context, client, { id, message, json }, signal);
  });

const conversationId = () => idArgument("the conversation's id, as runs show it");

export const threadCommands = (program: Command, context: Context) => {
  const threads = program.command('threads').description('conversations with agents');
  examples(
    withJson(threads.command('show').description('show the messages of a conversation').addArgument(conversationId())),
    `portico threads show ${EXAMPLE_ID}`,
  ).action((id: string, options: Json) => show(context, id, options));
  examples(
    withJson(threads.command('send').description('send a message and wait for the answer; without a message, a conversation line by line'))
      .addArgument(conversationId())
      .argument('[message]', 'what to send; absent: what comes in on standard input'),
    `portico threads send ${EXAMPLE_ID} "What do the invoices come to?"`,
    `portico threads send ${EXAMPLE_ID}`,
  ).action((id: string, message: string | undefined, options: Json) => send(context, id, message, options));
};
