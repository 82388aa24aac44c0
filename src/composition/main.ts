#!/usr/bin/env node
import { runCli } from '../adapters/cli/cli.ts';
import { deliverySettings, readConfig, settings } from './config.ts';
import { endUnanswered } from './exit.ts';
import { besideServer } from './running-server.ts';
import { onStopSignal } from './stop-signal.ts';
import { version } from './version.ts';

/** The settings of commands that run beside a server; `serve` reads its own settings alone. */
const commandEnv = besideServer(process.env);

const settingRows = Object.values(settings).map(({ env, fallback, about }) => ({
  env,
  fallback: fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? null : String(fallback),
  about,
}));

// Everything heavy is imported when a command needs it, so that `--help` is quick.
process.exitCode = await runCli(process.argv.slice(2), {
  version,
  env: commandEnv,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  onStopSignal,
  settings: settingRows,
  operations: async () => (await import('../adapters/http/operations.ts')).operationRows(),
  openWorkspaceFiles: async () => {
    const [{ examineWorkspaceFile, placeErrors }, { workspaceSchema }] = await Promise.all([
      import('../adapters/workspace-file/read.ts'),
      import('../adapters/workspace-file/schema.ts'),
    ]);
    return { read: examineWorkspaceFile, place: placeErrors, schema: workspaceSchema };
  },
  openForwarding: async () => {
    const { standardSignatures: signatures } = await import('../adapters/webhooks/signatures.ts');
    return { signatures, ...deliverySettings };
  },
  openOperator: async () => {
    const config = readConfig(commandEnv);
    const [{ openOperator }, { pinoLog }] = await Promise.all([
      import('./operator.ts'),
      import('../adapters/system/log.ts'),
    ]);
    return openOperator(config, pinoLog({ level: config.logLevel === 'debug' ? 'debug' : 'error' }));
  },
  serve: async ({ role }) => (await import('./serve.ts')).serveUntilStopped(readConfig(process.env), role),
  backup: async (place, signal) => (await import('./backup.ts')).backUp(readConfig(commandEnv), place, signal),
  restore: async (place, signal) => (await import('./backup.ts')).restore(readConfig(commandEnv), place, signal),
  demo: async ({ apply }, signal) => (await import('./demo.ts')).demo(readConfig(commandEnv), apply, signal),
});
// After what is still to be written.
setTimeout(() => endUnanswered((message) => process.stderr.write(`${message}\n`)), 1000).unref();
