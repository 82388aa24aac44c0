import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Frame, RESULT_FD, readFrames, writeFrame } from './frames.ts';
import { sandboxCommand } from './sandbox.ts';

/** The reader did not answer: the message says why the file has no text. */
export class ReaderFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReaderFailed';
  }
}

export interface SandboxedProcess {
  /** One request at a time. Rejects with ReaderFailed. */
  ask(request: object, data: Uint8Array): Promise<Frame>;
  /** Whether it keeps the program running. */
  keepAlive(on: boolean): void;
  kill(): void;
  readonly pid: number | undefined;
  readonly gone: Promise<unknown>;
}

/** The system or V8 ends a process that takes too much memory with a signal, or with 134 if the system has no signals. */
const failureOf = (code: number | null) =>
  new ReaderFailed(
    code === null || code === 134 ? 'is too large to read' : 'is damaged: the program that reads it could make nothing of it',
  );

/**
 * A process that reads files, because a worker thread is not enough: when a thread outgrows its heap by one large array, V8 ends
 * the whole program. It has no environment (so no secrets) and runs in a sandbox. `program` is the
 * path of the module that it runs, without its extension; it may take twice the megabytes of its heap in all.
 */
export const startProcess = (program: string, memoryMegabytes: number): SandboxedProcess => {
  const [command, ...args] = sandboxCommand(memoryMegabytes);
  const main = fileURLToPath(new URL(`./${program}${path.extname(import.meta.url)}`, import.meta.url));
  const child = spawn(command, [...args, main, String(memoryMegabytes * 2)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  // Pipes to another process are sockets, which the types do not say.
  const requests = child.stdin as Socket;
  const results = child.stdio[RESULT_FD] as Socket;
  const gone = new Promise<ReaderFailed>((resolve) => {
    child.once('exit', (code) => resolve(failureOf(code)));
    child.once('error', () => resolve(new ReaderFailed('could not be read: the program that reads it did not start')));
  });
  // A pipe breaks when its process ends, which `gone` reports.
  requests.on('error', () => undefined);
  results.on('error', () => undefined);
  const frames = readFrames(results);
  const died = async (): Promise<never> => {
    throw await gone;
  };
  const answer = async (request: object, data: Uint8Array): Promise<Frame> => {
    await writeFrame(requests, request, [data]);
    const next = await frames.next();
    return next.done === true ? died() : next.value;
  };
  return {
    ask: (request, data) => Promise.race([answer(request, data).catch(died), died()]),
    keepAlive(on) {
      for (const handle of [child, requests, results]) on ? handle.ref() : handle.unref();
    },
    kill() {
      child.kill('SIGKILL');
    },
    pid: child.pid,
    gone,
  };
};

export interface PoolOptions {
  /** How long a process without work is kept. */
  readonly idleSeconds: number;
  /** One that takes more when it is given back has too little left for the next file. */
  readonly retireAtMegabytes: number;
}

interface Idle<P> {
  readonly reader: P;
  readonly timer: NodeJS.Timeout;
}

/** Processes that read files: started when needed, used again, ended when idle for a while or grown large. */
export const processPool = <P extends SandboxedProcess>(startProcess: () => P, { idleSeconds, retireAtMegabytes }: PoolOptions) => {
  const idle: Idle<P>[] = [];
  const live = new Set<P>();

  const removeIdle = (reader: P) => {
    const at = idle.findIndex((entry) => entry.reader === reader);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer);
  };
  const start = () => {
    const reader = startProcess();
    live.add(reader);
    void reader.gone.then(() => {
      live.delete(reader);
      removeIdle(reader);
    });
    return reader;
  };

  return {
    take(): P {
      const reader = idle.at(-1)?.reader ?? start();
      removeIdle(reader);
      reader.keepAlive(true);
      return reader;
    },
    /** `memoryBytes`: what the process takes now. */
    giveBack(reader: P, memoryBytes: number): void {
      reader.keepAlive(false);
      if (memoryBytes > retireAtMegabytes * 1_048_576) {
        reader.kill();
        return;
      }
      const retire = () => {
        removeIdle(reader);
        reader.kill();
      };
      idle.push({ reader, timer: setTimeout(retire, idleSeconds * 1000).unref() });
    },
    async end(): Promise<void> {
      for (const reader of live) {
        // The program must not end before an idle reader is gone.
        reader.keepAlive(true);
        reader.kill();
      }
      await Promise.all([...live].map(({ gone }) => gone));
    },
  };
};
