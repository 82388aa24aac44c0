import type { Command } from 'commander';
import { type Context, examples, interruptible, withJson } from '../command.ts';
import { UsageFailure } from '../failures.ts';
import { printable, printableLines } from '../printable.ts';

/** Pages are fetched and read, and then a model writes. */
const TIMEOUT_SECONDS = 180;

const search = (context: Context, words: readonly string[], { json }: { readonly json?: boolean }) =>
  interruptible(context, async (signal) => {
    const { terminal, dependencies } = context;
    const query = words.join(' ');
    if (query.trim() === '') throw new UsageFailure('the query is blank: say what to look for');
    const [{ apiClient }, wire] = await Promise.all([import('../client.ts'), import('../wire.ts')]);
    const call = { method: 'POST' as const, path: 'search-web', body: { query }, answer: wire.webAnswer, timeoutSeconds: TIMEOUT_SECONDS };
    const { value, raw } = await apiClient(dependencies.env, signal, terminal.note).call(call);
    if (json) return terminal.json(raw);
    for (const line of printableLines(value.summary)) terminal.out(line);
    if (value.sources.length > 0) terminal.out();
    for (const [index, { title, url }] of value.sources.entries()) {
      terminal.out(`[${index + 1}] ${terminal.paint('bold', printable(title))}`);
      terminal.out(`    ${terminal.paint('dim', printable(url))}`);
    }
  });

export const searchCommand = (program: Command, context: Context) => {
  const command = program.command('search').description('search the web: a summary, and the pages it rests on');
  examples(withJson(command.argument('<query...>', 'what to look for')), 'portico search "when is an invoice due"').action(
    (words: string[], options: { json?: boolean }) => search(context, words, options),
  );
};
