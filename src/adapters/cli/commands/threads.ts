import type { Command } from 'commander';
import { type Context, examples, idArgument, interruptible, withJson } from '../command.ts';

interface Json {
  readonly json?: boolean;
}

const load = () => Promise.all([import('../client.ts'), import('../thread-view.ts')]);

const show = (context: Context, id: string, { json }: Json) =>
  interruptible(context, async (signal) => {
    const { terminal, dependencies } = context;
    const [{ apiClient }, view] = await load();
    const { value, raw } = await apiClient(dependencies.env, signal, terminal.note).call({ path: `threads/${id}`, answer: view.thread });
    if (json) return terminal.json(raw);
    view.showThread(terminal, value);
  });

const send = (context: Context, id: string, message: string | undefined, { json }: Json) =>
  interruptible(context, async (signal) => {
    const [{ apiClient }, { converse }] = await Promise.all([import('../client.ts'), import('../converse.ts')]);
    await converse(context, apiClient(context.dependencies.env, signal, context.terminal.note), { id, message, json }, signal);
  });

const conversationId = () => idArgument("the conversation's id, as runs show it");

export const threadCommands = (program: Command, context: Context) => {
  const threads = program.command('threads').description('conversations with agents');
  examples(
    withJson(threads.command('show').description('show what was said in a conversation').addArgument(conversationId())),
    'portico threads show 0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f',
  ).action((id: string, options: Json) => show(context, id, options));
  examples(
    withJson(threads.command('send').description('say something and wait for the answer; without a message, a conversation line by line'))
      .addArgument(conversationId())
      .argument('[message]', 'what to say; absent: what comes in on standard input'),
    'portico threads send 0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f "What do the invoices come to?"',
    'portico threads send 0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f',
  ).action((id: string, message: string | undefined, options: Json) => send(context, id, message, options));
};
