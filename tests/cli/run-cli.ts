import { Writable } from 'node:stream';
import { runCli } from '../../src/adapters/cli/cli.ts';
import type { CliDependencies, Operator } from '../../src/adapters/cli/dependencies.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import { examineWorkspaceFile, placeErrors } from '../../src/adapters/workspace-file/read.ts';
import { workspaceSchema } from '../../src/adapters/workspace-file/schema.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A stream that keeps what is written to it. */
export class Kept extends Writable {
  text = '';
  isTTY = false;
  columns = 100;
  rows = 30;

  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    this.text += chunk.toString();
    done();
  }
}

const unused = () => Promise.reject(new Error('this command needs no operator'));

interface Overrides extends Partial<CliDependencies> {
  readonly operator?: Partial<Operator>;
  readonly tty?: boolean;
  /** Stands in for Ctrl-C. */
  readonly interrupt?: AbortSignal;
}

/** Runs one command line as the composition root would, its output kept. */
export const cli = async (
  argv: readonly string[],
  { operator, tty = false, interrupt, ...overrides }: Overrides = {},
): Promise<Ended> => {
  const stdout = Object.assign(new Kept(), { isTTY: tty });
  const stderr = Object.assign(new Kept(), { isTTY: tty });
  const code = await runCli(argv, {
    version: '1.2.3',
    env: {},
    stdout,
    stderr,
    settings: [],
    openOperator: operator ? async () => ({ close: async () => {}, ...operator }) as Operator : unused,
    openWorkspaceFiles: async () => ({ read: examineWorkspaceFile, place: placeErrors, schema: workspaceSchema }),
    openForwarding: async () => ({ signatures: standardSignatures, timeoutSeconds: 5, firstRetrySeconds: 0.02 }),
    serve: async () => 0,
    demo: async () => 0,
    backup: unused,
    restore: unused,
    operations: async () => [],
    onStopSignal: (stop) => {
      interrupt?.addEventListener('abort', stop);
      return () => interrupt?.removeEventListener('abort', stop);
    },
    ...overrides,
  });
  return { code, out: stdout.text, err: stderr.text };
};

/** The lines of one command, as an array. */
export const lines = (text: string) => text.trimEnd().split('\n');
