import type { Command } from 'commander';
import { type Context, examples, type Json, wholeNumber, withClient, withJson } from '../command.ts';
import { printable } from '../printable.ts';

interface ListOptions extends Json {
  readonly limit: number;
  readonly after?: string;
}

interface ShowOptions extends Json {
  readonly version?: number;
}

/** Loaded when a command needs it: it brings YAML and the algorithm of differences. */
const load = () => import('../agent-versions.ts');

const list = (context: Context, wanted: string, { json, ...query }: ListOptions) =>
  withClient(context, async ({ client, wire, findAgent }) => {
    const { terminal } = context;
    const { pageOfVersions, versionRows } = await load();
    const { id } = await findAgent(client, wanted);
    const { value, raw } = await pageOfVersions({ client, wire }, id, query);
    if (json) return terminal.json(raw);
    if (value.versions.length === 0) return terminal.out('There are no older versions.');
    terminal.table(['VERSION', 'LIVE', 'CREATED (UTC)', 'FROM', 'CHANGES'], versionRows(value.versions));
    if (value.next !== null) terminal.note(`older ones: --after ${printable(value.next)}`);
  });

const show = (context: Context, wanted: string, { json, version }: ShowOptions) =>
  withClient(context, async ({ client, wire, findAgent }) => {
    const { readVersion, showVersion } = await load();
    const agent = await findAgent(client, wanted);
    const { value, raw } = await readVersion({ client, wire }, agent.id, version);
    if (json) return context.terminal.json(raw);
    showVersion(context.terminal, agent, value);
  });

const diff = (context: Context, wanted: string, from: number, to: number | undefined, { json }: Json) =>
  withClient(context, async ({ client, wire, findAgent }) => {
    const { changedSecrets, differencesOf, readVersion, showDifference } = await load();
    const agent = await findAgent(client, wanted);
    const [before, after] = await Promise.all(
      [from, to].map(async (version) => (await readVersion({ client, wire }, agent.id, version)).value),
    );
    if (!before || !after) return;
    const secrets = await changedSecrets({ client, wire }, agent.id, before, after);
    if (!json) return showDifference(context.terminal, agent, { before, after, secrets });
    context.terminal.json({ agent_id: agent.id, from: before.version, to: after.version, ...differencesOf(before, after), secrets });
  });

const publish = (context: Context, wanted: string, version: number, { json }: Json) =>
  withClient(context, async ({ client, wire, findAgent }) => {
    const { terminal } = context;
    const { id: agent_id, name } = await findAgent(client, wanted);
    const path = '/api/v1/agents/{agent_id}/versions/{version}/publish';
    const { value, raw } = await wire.read(wire.versionDetail, client.post(path, { params: { path: { agent_id, version } } }));
    if (json) return terminal.json(raw);
    const title = `Version ${value.version} of ${printable(name)} is the live one`;
    if (value.version === version) return terminal.out(`${title} already.`);
    terminal.out(`${title}, with the definition of version ${version}.`);
    terminal.note('The workspace file is as it was: the next `portico apply` makes its definition the live one again.');
  });

const numbered = wholeNumber(1, 2 ** 31 - 1);

export const agentVersionCommands = (agents: Command, context: Context) => {
  const of = (name: string, about: string) =>
    withJson(agents.command(name).description(about)).argument('<agent>', "the agent's name or id");
  const listed = of('versions', 'list the versions of an agent, newest first, each with what it changed')
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, 100), 20)
    .option('--after <cursor>', 'go on where the page before ended')
    .action((agent: string, options: ListOptions) => list(context, agent, options));
  examples(listed, 'portico agents versions "Invoice reader"');

  const shown = of('show', 'print the definition of an agent as the workspace file has it, without secrets')
    .option('--version <n>', 'this version instead of the live one', numbered)
    .action((agent: string, options: ShowOptions) => show(context, agent, options));
  examples(shown, 'portico agents show "Invoice reader"', 'portico agents show "Invoice reader" --version 2 > reader-2.yaml');

  const compared = of('diff', 'show what differs between two versions of an agent')
    .argument('<from>', 'the number of a version', numbered)
    .argument('[to]', 'the number of another one; without it: the live one', numbered)
    .action((agent: string, from: number, to: number | undefined, options: Json) => diff(context, agent, from, to, options));
  examples(compared, 'portico agents diff "Invoice reader" 2', 'portico agents diff "Invoice reader" 1 2');

  const published = of('publish', 'make the definition of an older version the live one (with the key of an administrator)')
    .argument('<version>', 'the number of the version', numbered)
    .action((agent: string, version: number, options: Json) => publish(context, agent, version, options));
  examples(published, 'portico agents publish "Invoice reader" 2');
};
