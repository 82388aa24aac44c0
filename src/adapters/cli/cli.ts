import { Command, CommanderError } from 'commander';
import { codeOf as systemCodeOf } from '../../domain/errors.ts';
import { type Context, createContext, examples } from './command.ts';
import { agentCommands } from './commands/agents.ts';
import { applyCommand } from './commands/apply.ts';
import { approvalCommands } from './commands/approvals.ts';
import { auditCommands } from './commands/audit.ts';
import { backupCommands } from './commands/backup.ts';
import { databaseCommands } from './commands/database.ts';
import { documentCommands } from './commands/documents.ts';
import { eraseCommand } from './commands/erase.ts';
import { holdCommands } from './commands/holds.ts';
import { keyCommands } from './commands/keys.ts';
import { listenCommand } from './commands/listen.ts';
import { queryCommand } from './commands/query.ts';
import { referenceCommands } from './commands/reference.ts';
import { retentionCommand } from './commands/retention.ts';
import { runCommands } from './commands/runs.ts';
import { searchCommand } from './commands/search.ts';
import { secretCommands } from './commands/secrets.ts';
import { demoCommand, doctorCommand, migrateCommand, serveCommand } from './commands/server.ts';
import { sourceCommands } from './commands/sources.ts';
import { threadCommands } from './commands/threads.ts';
import { userCommands } from './commands/users.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { initCommand, workspaceCommands } from './commands/workspace.ts';
import type { CliDependencies, Output } from './dependencies.ts';
import { describeFailure, exitCode, Interrupted, UsageFailure } from './failures.ts';
import { printable } from './printable.ts';

const groups = [
  serveCommand,
  migrateCommand,
  initCommand,
  applyCommand,
  workspaceCommands,
  userCommands,
  keyCommands,
  webhookCommands,
  doctorCommand,
  databaseCommands,
  backupCommands,
  auditCommands,
  secretCommands,
  retentionCommand,
  holdCommands,
  eraseCommand,
  agentCommands,
  runCommands,
  listenCommand,
  documentCommands,
  approvalCommands,
  sourceCommands,
  threadCommands,
  queryCommand,
  searchCommand,
  demoCommand,
  referenceCommands,
];

/** What commands of other programs are called here. */
const MEANT = new Map([
  ['get', 'show'],
  ['ls', 'list'],
]);

/** Of these, what is spelled alike is not meant: `holds get` is no `holds set`. */
const suggested = (text: string, group: Command) =>
  text.replace(/unknown command '(\w+)'.*$/s, (said, name: string) => {
    const meant = MEANT.get(name);
    if (meant === undefined) return said;
    const unknown = `unknown command '${name}'`;
    return group.commands.some((command) => command.name() === meant) ? `${unknown} (Did you mean ${meant}?)` : unknown;
  });

const usageError = (text: string, group: Command) =>
  `portico: ${printable(suggested(text.replace(/^error: /, '').trim(), group).replaceAll('\n', ' '))}\n`;

/** Ends each error with what helps next: what was meant of its group, how the command is used, or what lists the commands of the group. */
const withHelpAfterErrors = (command: Command, path: string): void => {
  const isGroup = command.commands.length > 0;
  command.configureOutput({ outputError: (text, write) => write(usageError(text, command)) });
  command.showHelpAfterError(isGroup ? `(${path} --help lists the commands)` : `Usage: ${path} ${command.usage()}`);
  for (const child of command.commands) withHelpAfterErrors(child, `${path} ${child.name()}`);
};

const programOf = (context: Context): Command => {
  const { stdout, stderr, version } = context.dependencies;
  const program = new Command('portico')
    .description('A server that lets programs use AI agents and the data behind them.')
    .version(version, '-V, --version', 'print the version')
    // Commands may have an option of the same name as the program, such as --version.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns || 100,
      getErrHelpWidth: () => stderr.columns || 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const add of groups) add(program, context);
  withHelpAfterErrors(program, program.name());
  return examples(program, [
    'portico serve',
    'portico apply -f workspace.yaml --dry-run',
    'portico runs create "Invoice reader" a.pdf b.eml --watch',
    '',
    'Commands for agents, runs and documents call the server at PORTICO_URL (unset: the one that runs in this folder, else http://localhost:3000) with PORTICO_API_KEY.',
    'Exit codes: 0 done, 1 failed, 2 usage.',
  ]);
};

const codeOf = (error: unknown, { terminal }: Context): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
  if (error instanceof Interrupted) {
    if (error.remark !== null) terminal.note(error.remark);
    return exitCode.interrupted;
  }
  terminal.fail(describeFailure(error));
  return error instanceof UsageFailure ? exitCode.usage : exitCode.failed;
};

/**
 * Answers what went wrong with an output, once all that was written to it has arrived or has not. A reader that ends early (`| head`) is no
 * failure.
 */
const watchOutput = (output: Output): (() => Promise<Error | null>) => {
  let failure: Error | null = null;
  output.on('error', (error: Error) => {
    if (systemCodeOf(error) !== 'EPIPE') failure ??= error;
  });
  return async () => {
    await new Promise<void>((written) => output.write('', () => written()));
    return failure;
  };
};

const ended = async (argv: readonly string[], context: Context): Promise<number | null> => {
  try {
    await programOf(context).parseAsync(argv, { from: 'user' });
    return null;
  } catch (error) {
    return codeOf(error, context);
  }
};

/** Runs one command line and answers its exit code; what it prints goes to the streams it is given. */
export const runCli = async (argv: readonly string[], dependencies: CliDependencies): Promise<number> => {
  let result: number = exitCode.done;
  const context = createContext(dependencies, (code) => {
    result = code;
  });
  const [printed, noted] = [dependencies.stdout, dependencies.stderr].map(watchOutput);
  const code = (await ended(argv, context)) ?? result;
  const failure = (await printed?.()) ?? (await noted?.()) ?? null;
  if (failure === null || code !== exitCode.done) return code;
  context.terminal.fail([`what it prints cannot be written: ${printable(failure.message)}`]);
  return exitCode.failed;
};
