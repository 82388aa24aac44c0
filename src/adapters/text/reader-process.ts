import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FilePart } from '../../application/ports/text.ts';
import { RESULT_FD, readFrames, writeFrame } from './frames.ts';
import type { ReadPart } from './read.ts';
import { sandboxCommand } from './sandbox.ts';

export interface ReadRequest {
  readonly fileName: string;
  readonly contentType: string;
  readonly articleOnly?: boolean;
  readonly maxCharacters: number;
}

export interface ReadResult {
  /** The bytes of the parts follow one another in the frame; `size` null is the file itself. */
  readonly parts: readonly (Omit<ReadPart, 'data'> & { readonly size: number | null })[];
  readonly memoryBytes: number;
}

/** The reader ended before it answered: the message says what that tells of the file. */
export class ReaderDied extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReaderDied';
  }
}

export interface ReaderProcess {
  /** One file at a time. Rejects with ReaderDied. */
  read(request: ReadRequest, data: Uint8Array): Promise<{ parts: readonly FilePart[]; memoryBytes: number }>;
  /** Whether it keeps the program running. */
  hold(on: boolean): void;
  kill(): void;
  readonly pid: number | undefined;
  readonly gone: Promise<unknown>;
}

/** A signal, or 134 where there are none, is how the system or V8 ends a process that takes too much memory. */
const deathOf = (code: number | null) =>
  new ReaderDied(code === null || code === 134 ? 'is too large to read' : 'is damaged: the program that reads it could make nothing of it');

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
  const main = fileURLToPath(new URL('./reader-main.ts', import.meta.url));
  const child = spawn(command, [...args, main, String(memoryMegabytes * 2)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  // Pipes to another process are sockets, which the types do not say.
  const requests = child.stdin as Socket;
  const results = child.stdio[RESULT_FD] as Socket;
  const gone = new Promise<ReaderDied>((resolve) => {
    child.once('exit', (code) => resolve(deathOf(code)));
    child.once('error', () => resolve(new ReaderDied('could not be read: the program that reads it did not start')));
  });
  // A broken pipe is the death of the process, which is noticed as such.
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
    hold(on) {
      for (const held of [child, requests, results]) on ? held.ref() : held.unref();
    },
    kill() {
      child.kill('SIGKILL');
    },
    pid: child.pid,
    gone,
  };
};
