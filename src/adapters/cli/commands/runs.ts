import { type Command, Option } from 'commander';
import { type RunStatus, runMachine } from '../../../domain/run.ts';
import { type Context, idCommand, inContext, type Json, resultCommand, wholeNumber, withClient } from '../command.ts';
import type { CreateOptions } from '../create-run.ts';
import { runPartsCommand } from './run-parts.ts';

interface ListOptions extends Json {
  readonly agent?: string;
  readonly status?: RunStatus;
  readonly limit: number;
  readonly offset: number;
}

const create = async (context: Context, agent: string, files: readonly string[], options: CreateOptions) => {
  const { createRun } = await import('../create-run.ts');
  await createRun(context, { ...options, agent, files });
};

const list = (context: Context, { agent, json, ...page }: ListOptions) =>
  withClient(context, async ({ client, read, views, agentIdOf, terminal }) => {
    const query = { agent_id: await agentIdOf(client, agent), ...page };
    const value = await read('runs', client.get('/api/v1/runs', { params: { query } }));
    if (json) return terminal.json(value);
    const { runs, total, offset } = value;
    if (runs.length === 0)
      return terminal.out(total === 0 ? 'There are no runs.' : `There are ${total} runs, none from ${offset + 1} on.`);
    terminal.table(['ID', 'STATUS', 'CREATED (UTC)', 'AGENT', 'ERROR'], views.runRows(runs));
    const next = offset + runs.length;
    terminal.note(`${offset + 1} to ${next} of ${total}${next < total ? `; the next ones: --offset ${next}` : ''}`);
  });

const show = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, views }) => {
    const value = await read('runDetail', client.get('/api/v1/runs/{id}', { params: { path: { id } } }));
    if (json) return context.terminal.json(value);
    views.showRun(context.terminal, value);
  });

const watch = (context: Context, id: string, { json = false }: Json) =>
  withClient(context, async ({ client, signal }) => {
    const { watchRun } = await import('../watch.ts');
    context.ends(await watchRun(context, client, id, signal, json));
  });

const cancel = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read }) => {
    const value = await read('run', client.post('/api/v1/runs/{id}/cancel', { params: { path: { id } } }));
    if (json) return context.terminal.json(value);
    context.terminal.out('The run is cancelled.');
  });

const dismiss = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read }) => {
    const value = await read('run', client.post('/api/v1/runs/{id}/dismiss', { params: { path: { id } } }));
    if (json) return context.terminal.json(value);
    context.terminal.out('The run is dismissed: it waits for nobody any more.');
  });

export const runCommands = (program: Command, context: Context) => {
  const runs = program.command('runs').description('runs of agents');
  resultCommand(runs, 'create', 'upload files and start a run', [
    'portico runs create "Invoice reader" a.pdf b.eml --watch',
    'portico runs create "Invoice reader" page1.pdf page2.pdf --together --json',
  ])
    .argument('<agent>', "the agent's name or id")
    .argument('[files...]', 'the files; each is a unit of work of its own')
    .option('--together', 'all files are one unit of work')
    .option('--message <text>', 'a message for the agent, besides files or instead of them')
    .option('--idempotency-key <key>', 'start at most one run under this key')
    .option('--watch', 'wait for the end and print the documents')
    .action(inContext(context, create));
  const lists = ['portico runs list --status failed', 'portico runs list --limit 100 --offset 100'];
  resultCommand(runs, 'list', 'list runs, newest first', lists)
    .option('--agent <agent>', 'only runs of this agent (name or id)')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(runMachine.states))
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, 100), 20)
    .option('--offset <n>', 'how many to skip', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .action(inContext(context, list));

  const one = (name: string, about: string, action: (context: Context, id: string, options: Json) => Promise<void>) =>
    idCommand(runs, name, about, "the run's id").action(inContext(context, action));
  one('show', 'show a run, its units of work and its documents', show);
  runPartsCommand((name, about) => idCommand(runs, name, about, "the run's id"), context);
  one('watch', 'wait for the end of a run and print its documents', watch);
  one('cancel', 'stop a run', cancel);
  one('dismiss', 'take a failed run off what waits for a person', dismiss);
};
