import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '../../tools/compile-cache.mjs';

export type Environment = Readonly<Record<string, string>>;

const root = path.resolve(import.meta.dirname, '../..');
const main = path.join(root, 'src/composition/main.ts');

/** Nothing of the environment of the tests; compiled code is kept, because the same program is started many times. */
const environment = (env: Environment): Environment => {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: compileCache, ...env };
};

/** What is still running when the tests end, however they end, is ended with them. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
// Without a listener a signal would end the tests, and leave their programs running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const tracked = (child: ChildProcess): ChildProcess => {
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
};

/** Starts the program; what it writes is added to the two files. */
export const startProgram = (
  args: readonly string[],
  env: Environment,
  files: { readonly out: string; readonly err: string },
) => {
  const [out, err] = [openSync(files.out, 'a', 0o600), openSync(files.err, 'a', 0o600)];
  try {
    return tracked(
      spawn(process.execPath, [main, ...args], { env: environment(env), cwd: root, stdio: ['ignore', out, err] }),
    );
  } finally {
    closeSync(out);
    closeSync(err);
  }
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command printed with `--json`; throws what it said instead where it failed. */
export const printed = <T>({ code, stdout, stderr }: Ended): T => {
  if (code !== 0) throw new Error(`The command ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
};

/** The demo reads a dozen files; beside other tests that takes minutes. */
const COMMAND_WITHIN_MS = 300_000;

/** Runs a command of the program to its end; one that does not come to it is killed. */
export const portico = async (args: readonly string[], env: Environment, stdin = ''): Promise<Ended> => {
  const child = tracked(spawn(process.execPath, [main, ...args], { env: environment(env), cwd: root, stdio: 'pipe' }));
  child.stdin?.on('error', () => {}).end(stdin);
  const patience = setTimeout(() => child.kill('SIGKILL'), COMMAND_WITHIN_MS);
  const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream)),
  );
  await code.finally(() => clearTimeout(patience));
  return { code: await code, stdout: stdout ?? '', stderr: stderr ?? '' };
};
