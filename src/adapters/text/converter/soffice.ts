import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Converter } from '../../../application/ports/converter.ts';
import { inTime } from '../../../application/shared/async.ts';
import type { Sandbox } from '../native-sandbox.ts';
import { cannotBeUsed, mustBePdf, nothingMade, tooLarge, tooLate } from './pdf-answer.ts';
import { sofficeProfile } from './soffice-profile.ts';

interface SofficeOptions {
  /** The path of the program. */
  readonly program: string;
  /** Where it finds the programs that it needs, like `PATH`. */
  readonly searchPath: string;
  readonly sandbox: Sandbox;
  readonly timeoutSeconds: number;
  /** Addresses of each of its processes: those that LibreOffice reserves, and does not use, count as well. */
  readonly memoryMegabytes?: number;
  /** Of all that it writes for one document. */
  readonly maxBytes?: number;
}

/** How often what it has written is measured. */
const LOOK_MILLISECONDS = 200;
const MOST_MILLISECONDS_TO_END = 5000;

/**
 * Sets the limits and runs the program that follows. It ends everything when its own input closes, as that of a process does whose server
 * is gone, and takes the folder away. The server closes the input also when it learns of the end of the guard: what waits for that ends
 * before, or it takes away what was made. The size of a file is in blocks of 512 bytes.
 */
const GUARD = `
folder=$1; shift
ulimit -c 0
ulimit -v "$1" 2>/dev/null; shift
ulimit -f "$1"; shift
ulimit -t "$1"; shift
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ cat <&3 >/dev/null; rm -rf "$folder"; kill -9 0; } &
watch=$!
exec 3<&-
wait $program
status=$?
kill -9 $watch
exit $status`;

/** The first `soffice` on a search path such as `PATH`, or null. */
export const findSoffice = (searchPath: string): string | null => {
  const isProgram = (file: string) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  };
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, 'soffice')).find(isProgram) ?? null;
};

/** Files come and go while they are counted. */
const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map(({ parentPath, name }) => lstat(path.join(parentPath, name)).catch(() => ({ size: 0 })));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
};

/** Answers whether any process of the group is left. */
const signalGroup = (id: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
};

/** The program and all that it started: a group of processes. */
const start = (command: readonly string[], searchPath: string, folder: string) => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: searchPath, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', SAL_USE_VCLPLUGIN: 'svp' },
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  /** With a status, or by a signal. */
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
    child.once('error', ({ message }) => reject(cannotBeUsed(`LibreOffice did not start: ${message}`)));
  });
  child.stdin.on('error', () => undefined);
  return {
    ended,
    async kill() {
      if (child.pid === undefined) return;
      // Those that the system has not collected yet count as well, so that it is not waited for without end.
      const until = performance.now() + MOST_MILLISECONDS_TO_END;
      while (signalGroup(child.pid, 'SIGKILL') && performance.now() < until) await sleep(LOOK_MILLISECONDS / 20);
      await ended.catch(() => undefined);
    },
  };
};

/** LibreOffice on this machine, started anew for each document, with a profile and a folder of its own. */
export const soffice = (options: SofficeOptions): Converter => {
  const { program, searchPath, sandbox, timeoutSeconds } = options;
  const { memoryMegabytes = 2048, maxBytes = 100 * 1024 * 1024 } = options;
  const limits = [memoryMegabytes * 1024, Math.ceil(maxBytes / 512), Math.ceil(timeoutSeconds)].map(String);

  const commandIn = (folder: string, extension: string): readonly string[] => [
    'sh',
    '-c',
    GUARD,
    'sh',
    folder,
    ...limits,
    ...sandbox(folder),
    realpathSync(program),
    `-env:UserInstallation=${pathToFileURL(path.join(folder, 'profile'))}`,
    '--headless',
    '--norestore',
    '--nologo',
    '--nodefault',
    '--nolockcheck',
    '--nofirststartwizard',
    '--convert-to',
    'pdf',
    '--outdir',
    path.join(folder, 'made'),
    path.join(folder, `document.${extension}`),
  ];

  const prepare = async (folder: string, name: string, data: Uint8Array) => {
    await mkdir(path.join(folder, 'profile/user'), { recursive: true });
    await writeFile(path.join(folder, 'profile/user/registrymodifications.xcu'), sofficeProfile);
    await writeFile(path.join(folder, name), data);
  };

  /** Resolves with the status or signal with which the program has ended, and rejects when it has written too much. */
  const run = async (command: readonly string[], folder: string, most: number, signal: AbortSignal) => {
    const running = start(command, searchPath, folder);
    let fail: (error: Error) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const isTooMuch = async () => (await sizeOf(folder)) > most;
    const look = setInterval(async () => {
      if (await isTooMuch()) fail(tooLarge());
    }, LOOK_MILLISECONDS);
    try {
      const status = await Promise.race([running.ended, failed]);
      // The limit of a single file may have ended it between two looks.
      if (await isTooMuch()) throw tooLarge();
      return status;
    } finally {
      clearInterval(look);
      signal.removeEventListener('abort', abort);
      await running.kill();
    }
  };

  const made = async (folder: string, status: number | string | null): Promise<Uint8Array> => {
    const file = path.join(folder, 'made/document.pdf');
    const made = await lstat(file).catch(() => null);
    // A link would lead out of the folder.
    if (made === null || !made.isFile()) throw nothingMade(`LibreOffice made nothing, and ended with ${status}`);
    if (made.size >= Math.ceil(maxBytes / 512) * 512) throw tooLarge();
    return mustBePdf(await readFile(file));
  };

  return {
    name: `LibreOffice (${program})`,
    async convert({ extension, data }, signal) {
      signal.throwIfAborted();
      const folder = await mkdtemp(path.join(tmpdir(), 'portico-convert-'));
      const convert = async (end: AbortSignal) => {
        await prepare(folder, `document.${extension}`, data);
        return made(folder, await run(commandIn(folder, extension), folder, data.length + maxBytes, end));
      };
      // The work heeds its signal, and is waited for: what it does with the folder must not outlive it.
      let working: Promise<unknown> = Promise.resolve();
      try {
        return await inTime(
          (end) => {
            const work = convert(end);
            working = work.catch(() => undefined);
            return work;
          },
          { seconds: timeoutSeconds, late: tooLate, signal },
        );
      } finally {
        await working;
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
};
