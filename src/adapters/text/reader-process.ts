import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FilePart } from '../../application/ports/text.ts';
import { RESULT_FD, readFrames, writeFrame } from './frames.ts';
import type { ReadPart } from './read-file.ts';
import { sandboxCommand } from './sandbox.ts';

export interface ReadRequest {
  readonly fileName: string;
  readonly contentType: string;
  readonly articleOnly?: boolean;
  readonly maxCharacters: number;
}

export interface ReadResult {
  /** The bytes of the parts follow one another in the frame; `size` null stands for the file itself. */
  readonly parts: readonly (Omit<ReadPart, 'data'> & { readonly size: number | null })[];
  readonly memoryBytes: number;
}

/** The reader did not answer: the message says why the file has no text. */
export class ReaderFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReaderFailed';
  }
}

export interface ReaderProcess {
  /** One file at a time. Rejects with ReaderFailed. */
  read(request: ReadRequest, data: Uint8Array): Promise<{ parts: readonly FilePart[]; memoryBytes: number }>;
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

const partsOf = (result: ReadResult, body: Uint8Array, whole: Uint8Array): readonly FilePart[] => {
  let offset = 0;
  return result.parts.map(({ size, ...part }) => {
    const data = size === null ? whole : body.subarray(offset, offset + size);
    offset += size ?? 0;
    return { ...part, data };
  });
};

/**
 * A process that reads files, because a worker thread is not enough: when a thread outgrows its heap by one large array, V8 ends
 * the whole program. It has no environment (so no secrets) and runs in a sandbox.
 */
export const startReader = (memoryMegabytes: number): ReaderProcess => {
  const [command, ...args] = sandboxCommand(memoryMegabytes);
  const main = fileURLToPath(new URL(`./reader-main${path.extname(import.meta.url)}`, import.meta.url));
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
  const answer = async (request: ReadRequest, data: Uint8Array) => {
    await writeFrame(requests, request, [data]);
    const next = await frames.next();
    if (next.done === true) return died();
    const result = next.value.header as ReadResult;
    return { parts: partsOf(result, next.value.body, data), memoryBytes: result.memoryBytes };
  };
  return {
    read: (request, data) => Promise.race([answer(request, data).catch(died), died()]),
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

interface Idle {
  readonly reader: ReaderProcess;
  readonly timer: NodeJS.Timeout;
}

/** Processes that read files: started when needed, used again, ended when idle for a while or grown large. */
export const readerPool = (memoryMegabytes: number, idleSeconds: number) => {
  const idle: Idle[] = [];
  const live = new Set<ReaderProcess>();
  const retireAtBytes = (memoryMegabytes / 2) * 1_048_576;

  const removeIdle = (reader: ReaderProcess) => {
    const at = idle.findIndex((entry) => entry.reader === reader);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer);
  };
  const start = () => {
    const reader = startReader(memoryMegabytes);
    live.add(reader);
    void reader.gone.then(() => {
      live.delete(reader);
      removeIdle(reader);
    });
    return reader;
  };

  return {
    take(): ReaderProcess {
      const reader = idle.at(-1)?.reader ?? start();
      removeIdle(reader);
      reader.keepAlive(true);
      return reader;
    },
    /** `memoryBytes`: what the process takes now. One that a file made large would have too little left for the next. */
    giveBack(reader: ReaderProcess, memoryBytes: number): void {
      reader.keepAlive(false);
      if (memoryBytes > retireAtBytes) {
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
