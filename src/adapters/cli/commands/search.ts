import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withClient } from '../command.ts';
import { UsageFailure } from '../failures.ts';
import { printable, printableLines } from '../printable.ts';

/** Pages are fetched and read, and then a model writes. */
const TIMEOUT_SECONDS = 180;

const search = (context: Context, terms: readonly string[], { json }: Json) => {
  const query = terms.join(' ');
  if (query.trim() === '') throw new UsageFailure('the query is blank: name what to look for');
  return withClient(context, async ({ client, read, terminal }) => {
    const options = { body: { query }, timeoutSeconds: TIMEOUT_SECONDS };
    const value = await read('webAnswer', client.post('/api/v1/search-web', options));
    if (json) return terminal.json(value);
    for (const line of printableLines(value.summary)) terminal.out(line);
    if (value.sources.length > 0) terminal.out();
    for (const [index, { title, url }] of value.sources.entries()) {
      terminal.out(`[${index + 1}] ${terminal.paint('bold', printable(title))}`);
      terminal.out(`    ${terminal.paint('dim', printable(url))}`);
    }
  });
};

export const searchCommand = (program: Command, context: Context) => {
  resultCommand(program, 'search', 'search the web: a summary, and the pages it rests on', [
    'portico search "when is an invoice due"',
  ])
    .argument('<query...>', 'what to look for')
    .action(inContext(context, search));
};
