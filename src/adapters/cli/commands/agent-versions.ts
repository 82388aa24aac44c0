import type { Command } from 'commander';
import {
  type Context,
  inContext,
  type Json,
  type PageOptions,
  paged,
  resultCommand,
  wholeNumber,
  withClient,
} from '../command.ts';
import { printable } from '../printable.ts';

interface ShowOptions extends Json {
  readonly version?: number;
}

/** Loaded when a command needs it: it brings YAML and the algorithm of differences. */
const load = () => import('../agent-versions.ts');

const list = (context: Context, wanted: string, { json, ...query }: PageOptions) =>
  withClient(context, async ({ client, findAgent, terminal }) => {
    const { pageOfVersions, versionRows } = await load();
    const { id } = await findAgent(client, wanted);
    const value = await pageOfVersions(client, id, query);
    if (json) return terminal.json(value);
    const header = ['VERSION', 'LIVE', 'CREATED (UTC)', 'FROM', 'CHANGES'];
    terminal.table(header, versionRows(value.versions), 'There are no older versions.');
    if (value.next !== null) terminal.note(`older ones: --after ${printable(value.next)}`);
  });

const show = (context: Context, wanted: string, { json, version }: ShowOptions) =>
  withClient(context, async ({ client, findAgent }) => {
    const { readVersion, showVersion } = await load();
    const agent = await findAgent(client, wanted);
    const value = await readVersion(client, agent.id, version);
    if (json) return context.terminal.json(value);
    showVersion(context.terminal, agent, value);
  });

const diff = (context: Context, wanted: string, from: number, to: number | undefined, { json }: Json) =>
  withClient(context, async ({ client, findAgent }) => {
    const { changedSecrets, differencesOf, readVersion, showDifference } = await load();
    const agent = await findAgent(client, wanted);
    const [before, after] = await Promise.all([from, to].map((version) => readVersion(client, agent.id, version)));
    if (!before || !after) return;
    const secrets = await changedSecrets(client, agent.id, before, after);
    if (!json) return showDifference(context.terminal, agent, { before, after, secrets });
    context.terminal.json({
      agent_id: agent.id,
      from: before.version,
      to: after.version,
      ...differencesOf(before, after),
      secrets,
    });
  });

const publish = (context: Context, wanted: string, version: number, { json }: Json) =>
  withClient(context, async ({ client, read, findAgent, terminal }) => {
    const { id: agent_id, name } = await findAgent(client, wanted);
    const path = '/api/v1/agents/{agent_id}/versions/{version}/publish';
    const value = await read('version', client.post(path, { params: { path: { agent_id, version } } }));
    if (json) return terminal.json(value);
    const title = `Version ${value.version} of ${printable(name)} is the live one`;
    if (value.version === version) return terminal.out(`${title} already.`);
    terminal.out(`${title}, with the definition of version ${version}.`);
    terminal.note('The workspace file is as it was: the next `portico apply` makes its definition the live one again.');
  });

const numbered = wholeNumber(1, 2 ** 31 - 1);

export const agentVersionCommands = (agents: Command, context: Context) => {
  const of = (name: string, about: string, endings: readonly string[] = ['']) => {
    const lines = endings.map((ending) => `portico agents ${name} "Invoice reader"${ending}`);
    return resultCommand(agents, name, about, lines).argument('<agent>', "the agent's name or id");
  };
  paged(of('versions', 'list the versions of an agent, newest first, each with what it changed')).action(
    inContext(context, list),
  );
  of('show', 'print the definition of an agent as the workspace file has it, without secrets', [
    '',
    ' --version 2 > reader-2.yaml',
  ])
    .option('--version <n>', 'this version instead of the live one', numbered)
    .action(inContext(context, show));
  of('diff', 'show what differs between two versions of an agent', [' 2', ' 1 2'])
    .argument('<from>', 'the number of a version', numbered)
    .argument('[to]', 'the number of another one; without it: the live one', numbered)
    .action(inContext(context, diff));
  of('publish', 'make the definition of an older version the live one (with the key of an administrator)', [' 2'])
    .argument('<version>', 'the number of the version', numbered)
    .action(inContext(context, publish));
};
