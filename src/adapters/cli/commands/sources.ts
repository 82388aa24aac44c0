import type { Command } from 'commander';
import { type Context, inContext, type Json, type PageOptions, paged, resultCommand, withClient } from '../command.ts';
import { printable, shownTime } from '../printable.ts';

const list = (context: Context, { json }: Json) =>
  withClient(context, async ({ client, read, terminal }) => {
    const value = await read('sources', client.get('/api/v1/sources'));
    if (json) return terminal.json(value);
    const rows = value.sources.map(({ name, type, agent, state, last_checked_at, error }) => [
      printable(name),
      type,
      printable(agent),
      state,
      shownTime(last_checked_at),
      printable(error ?? '-'),
    ]);
    const nothing = 'There are no sources. A workspace file adds them: see docs/sources.md.';
    terminal.table(['NAME', 'TYPE', 'AGENT', 'STATE', 'LAST LOOK (UTC)', 'ERROR'], rows, nothing);
  });

const check = (context: Context, name: string, { json }: Json) =>
  withClient(context, async ({ client, read, terminal }) => {
    const value = await read('source', client.post('/api/v1/sources/{name}/check', { params: { path: { name } } }));
    if (json) return terminal.json(value);
    if (value.state === 'paused')
      return terminal.out('The source is paused: nobody looks at it while its entry in the workspace file says so.');
    terminal.out('The source is looked at now.');
    terminal.note(`what comes of it: portico sources intake ${printable(JSON.stringify(name))}`);
  });

const intake = (context: Context, name: string, { json, ...query }: PageOptions) =>
  withClient(context, async ({ client, read, terminal }) => {
    const params = { path: { name }, query };
    const value = await read('intake', client.get('/api/v1/sources/{name}/intake', { params }));
    if (json) return terminal.json(value);
    const rows = value.items.map(({ name: file, received_at, size_bytes, run_id, why_not }) => [
      shownTime(received_at),
      printable(file),
      size_bytes?.toLocaleString('en') ?? '-',
      run_id ?? '-',
      printable(why_not ?? '-'),
    ]);
    terminal.table(['CAME (UTC)', 'NAME', 'BYTES', 'RUN', 'WHY NOT'], rows, 'Nothing has come yet.');
    if (value.next !== null) terminal.note(`older ones: --after ${printable(value.next)}`);
  });

export const sourceCommands = (program: Command, context: Context) => {
  const sources = program.command('sources').description('mailboxes, folders and buckets that documents come from');
  resultCommand(sources, 'list', 'list sources, and how the last look at each ended', ['portico sources list']).action(
    inContext(context, list),
  );
  resultCommand(sources, 'check', 'look at a source now', ['portico sources check invoices'])
    .argument('<name>', "the source's name")
    .action(inContext(context, check));
  paged(
    resultCommand(sources, 'intake', 'list what came to a source, newest first, and what of it became no run', [
      'portico sources intake invoices',
      'portico sources intake invoices --limit 100 --json',
    ]),
  )
    .argument('<name>', "the source's name")
    .action(inContext(context, intake));
};
