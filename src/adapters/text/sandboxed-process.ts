import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnswerHeader, RESULT_FD, readFrames, writeFrame } from './frames.ts';
import { sandboxCommand, sandboxEnvironment } from './sandbox.ts';

/** The reader did not answer: the message says why the file has no text. */
export class ReaderFailed extends Error {
  override readonly name = 'ReaderFailed';
}

/** The system or V8 ends a process that takes too much memory with a signal, or with 134 if the system has no signals. */
const failureOf = (code: number | null) =>
  new ReaderFailed(
    code === null || code === 134
      ? 'is too large to read'
      : 'is damaged: the program that reads it could make nothing of it',
  );

/**
 * A process that reads files, because a worker thread is not enough: when a thread outgrows its heap by one large array, V8 ends
 * the whole program. It has nothing of this process's environment (so no secrets) and runs in a sandbox. `program` is the
 * path of the module that it runs, without its extension; it may take twice the megabytes of its heap in all.
 */
export const startProcess = <Request, Answer>(program: string, memoryMegabytes: number) => {
  const [command, ...args] = sandboxCommand(memoryMegabytes);
  const main = fileURLToPath(new URL(`./${program}${path.extname(import.meta.url)}`, import.meta.url));
  const child = spawn(command, [...args, main, String(memoryMegabytes * 2)], {
    env: sandboxEnvironment(),
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
  let memoryBytes = 0;
  const answered = async (request: Request, data: Uint8Array) => {
    await writeFrame(requests, request, [data]);
    const next = await frames.next();
    if (next.done === true) return died();
    const header = next.value.header as AnswerHeader<Answer>;
    memoryBytes = header.memoryBytes;
    return { answer: header.answer, body: next.value.body };
  };
  return {
    /** One request at a time. Rejects with ReaderFailed. */
    ask: (request: Request, data: Uint8Array) => Promise.race([answered(request, data).catch(died), died()]),
    /** What the process took when it last answered. */
    memoryBytes: () => memoryBytes,
    /** Whether it keeps the program running. */
    keepAlive(on: boolean): void {
      for (const handle of [child, requests, results]) on ? handle.ref() : handle.unref();
    },
    kill(): void {
      child.kill('SIGKILL');
    },
    pid: child.pid,
    gone,
  };
};

type SandboxedProcess = ReturnType<typeof startProcess<never, unknown>>;

export interface PoolOptions {
  /** Of one process: the heap; twice that in all. */
  readonly memoryMegabytes?: number | undefined;
  /** How long a process without work is kept. */
  readonly idleSeconds?: number | undefined;
}

/** PDFium, the decoder or the engine, and one page: a larger page leaves a process larger, because the memory of WebAssembly never shrinks. */
const WITH_ONE_PAGE_MEGABYTES = 420;

/**
 * Processes that read files: started when needed, used again, ended when idle for a while, or when they take so many megabytes after
 * their work that too little is left for the next file.
 */
export const processPool = <P extends SandboxedProcess>(
  startProcess: (memoryMegabytes: number) => P,
  { memoryMegabytes = 512, idleSeconds = 30 }: PoolOptions,
  retireAtMegabytes = WITH_ONE_PAGE_MEGABYTES,
) => {
  /** The one that was used last stands last. */
  const idle = new Map<P, NodeJS.Timeout>();
  const live = new Set<P>();

  const removeIdle = (reader: P) => {
    clearTimeout(idle.get(reader));
    idle.delete(reader);
  };
  const start = () => {
    const reader = startProcess(memoryMegabytes);
    live.add(reader);
    void reader.gone.then(() => {
      live.delete(reader);
      removeIdle(reader);
    });
    return reader;
  };

  const giveBack = (reader: P) => {
    reader.keepAlive(false);
    if (reader.memoryBytes() > retireAtMegabytes * 1_048_576) {
      reader.kill();
      return;
    }
    const retire = () => {
      removeIdle(reader);
      reader.kill();
    };
    idle.set(reader, setTimeout(retire, idleSeconds * 1000).unref());
  };

  return {
    /** Does the work with a process of its own. A process whose work fails is ended. */
    async use<T>(work: (reader: P) => Promise<T>): Promise<T> {
      const reader = [...idle.keys()].at(-1) ?? start();
      removeIdle(reader);
      reader.keepAlive(true);
      try {
        const result = await work(reader);
        giveBack(reader);
        return result;
      } catch (error) {
        reader.kill();
        throw error;
      }
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
