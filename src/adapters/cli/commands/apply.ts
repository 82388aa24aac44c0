import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { buffer as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';
import { decisionText, openDecisions } from '../../../application/agents/declarations.ts';
import type { Change } from '../../../application/workspace/merge.ts';
import { SECRET_BYTES, shortSecretsIn } from '../../../application/workspace/short-secrets.ts';
import { uncountedIn } from '../../../application/workspace/uncounted.ts';
import { codeOf, DomainError, invalid, type ValidationError } from '../../../domain/errors.ts';
import { type Context, inContext, resultCommand, withOperator } from '../command.ts';
import type { Operator } from '../dependencies.ts';
import { CliFailure } from '../failures.ts';
import { printable } from '../printable.ts';
import { painted } from '../terminal.ts';

interface Options {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly reseal?: boolean;
  readonly json?: boolean;
}

const MAX_BYTES = 4 * 1024 * 1024;
const STDIN = '-';

const textOf = (bytes: Buffer, name: string): string => {
  if (isUtf8(bytes)) return bytes.toString();
  throw new CliFailure(`${name} is not UTF-8: save it in this encoding`);
};

const readSource = async (file: string, { stdin }: Context['dependencies']): Promise<string> => {
  try {
    if (file === STDIN && stdin) return textOf(await readStream(stdin), 'stdin');
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new CliFailure(`${file} is over ${MAX_BYTES} bytes long`);
    return textOf(await readFile(file), file);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const code = codeOf(error) || 'unknown';
    throw new CliFailure(`${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}`);
  }
};

const kinds: Record<Change['kind'], string> = {
  workspace: 'workspace',
  users: 'user',
  connections: 'connection',
  databases: 'database',
  agents: 'agent',
  webhooks: 'webhook',
  budgets: 'budget',
  sources: 'source',
};

const summaries: Record<Change['action'], readonly [done: string, dry: string]> = {
  create: ['created', 'to create'],
  change: ['changed', 'to change'],
  keep: ['left as they are', 'left as they are'],
  missing: ['missing from the file', 'missing from the file'],
  remove: ['removed', 'to remove'],
};

const print = ({ terminal }: Context, changes: readonly Change[], dryRun: boolean) => {
  for (const { action, kind, name, id } of changes) {
    terminal.out(
      `${painted(terminal.paint, action, 8)} ${kinds[kind].padEnd(10)}  ${printable(name)}  ${terminal.paint('dim', printable(id))}`,
    );
  }
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const actions = Object.keys(summaries) as Change['action'][];
  const parts = actions.flatMap((action) =>
    count(action) === 0 ? [] : [`${count(action)} ${summaries[action][dryRun ? 1 : 0]}`],
  );
  terminal.out(`${parts.join(', ')}.${dryRun ? ' Nothing was changed.' : ''}`);
  if (count('missing') > 0) terminal.out('What is missing from the file stays; --prune removes it.');
};

/** Every error with its line, as editors and terminals understand it: `file:line:column`. */
const errorLines = (file: string, errors: readonly (ValidationError & { line: number; column: number })[]) =>
  errors.map(
    ({ line, column, path, message }) => `${file}:${line}:${column} ${path === '' ? '' : `${path} `}${message}`,
  );

const apply = async (context: Context, { file, dryRun = false, prune = false, reseal = false, json }: Options) => {
  const { dependencies, terminal } = context;
  const text = await readSource(file, dependencies);
  const files = await dependencies.openWorkspaceFiles();
  const name = file === STDIN ? 'stdin' : file;
  const explained = (error: unknown): never => {
    if (!(error instanceof DomainError) || error.errors.length === 0) throw error;
    const { length } = error.errors;
    throw new CliFailure(
      `${name} has ${length === 1 ? 'an error' : `${length} errors`}; nothing was applied:`,
      errorLines(name, files.place(text, error.errors)),
    );
  };
  const read = () => {
    try {
      return files.read(text, dependencies.env);
    } catch (error) {
      return explained(error);
    }
  };
  const { spec, ...doubts } = read();
  const work = async ({ workspaces, tools }: Operator) => {
    const changes = await workspaces.apply(spec, { dryRun, prune, reseal }, doubts);
    // Said at once: a server of tools may let itself be waited for, and be interrupted.
    if (!json) print(context, changes, dryRun);
    return { changes, leftOut: await tools.unusable(spec.agents) };
  };
  const { changes, leftOut } = await withOperator(context, work).catch((error) => {
    // If the database cannot be asked, the errors of the file itself are still reported.
    const isJudged = doubts.errors.length === 0 || (error instanceof DomainError && error.errors.length > 0);
    return explained(isJudged ? error : invalid(...doubts.errors));
  });
  const decisions = openDecisions(spec);
  if (json)
    return terminal.json({
      workspace: spec.workspace,
      dry_run: dryRun,
      changes,
      open_decisions: decisions,
      left_out: leftOut,
    });
  for (const { agent, tool, reason } of leftOut)
    terminal.out(`Left out of the agent ${printable(agent)}: ${printable(`${tool} ${reason}`)}`);
  for (const { budget, agent, model } of uncountedIn(spec))
    terminal.out(
      `Not counted by the budget ${printable(budget)}: the agent ${printable(agent)}, whose model ${printable(model)} has no price`,
    );
  const { signatures } = await dependencies.openForwarding();
  for (const { webhook, bytes } of shortSecretsIn(spec, signatures))
    terminal.out(
      `Short: the secret of the webhook ${printable(webhook)} has ${bytes} bytes, and can be guessed; Standard Webhooks asks for ${SECRET_BYTES}`,
    );
  for (const decision of decisions)
    terminal.out(`To decide for the agent ${printable(decision.agent)}: ${printable(decisionText(decision))}`);
};

export const applyCommand = (program: Command, context: Context) => {
  const lines = ['portico apply -f workspace.yaml --dry-run', 'ERP_URL=postgresql://… portico apply -f workspace.yaml'];
  resultCommand(program, 'apply', 'make a workspace as its file describes it', lines)
    .requiredOption('-f, --file <file>', 'the workspace file; - reads standard input')
    .option('--dry-run', 'only print what would be done')
    .option('--prune', 'remove what is no longer in the file')
    .option('--reseal', 'replace secrets that no ENCRYPTION_KEY opens, because the key that sealed them is lost')
    .action(inContext(context, apply));
};
