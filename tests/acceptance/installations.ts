import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Ended, Environment } from '../support/program.ts';
import { aServer, embeddedUrl, unlimited } from '../support/server.ts';

/** A running Portico with everything that it needs, in one process or in several. */
export interface Installation {
  readonly baseUrl: string;
  /** Of Portico's own database. */
  databaseUrl(): Promise<string>;
  /** Resolves once all of it serves. */
  start(): Promise<void>;
  /** SIGKILL to every process. */
  kill(): Promise<void>;
  /** Runs a command of the program with the installation's settings. */
  command(args: readonly string[], env?: Environment, stdin?: string): Promise<Ended>;
  /** What was logged, by all processes and in all their starts. */
  logs(): Promise<string>;
  /** What was said on standard output. */
  said(): Promise<string>;
  /** What must never be shown: each by its name. */
  secrets(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

export interface Kind {
  readonly name: string;
  /** Whether what a command prints, and what it does a second time, is tested on another kind: it asks neither the processes nor the stores. */
  readonly commandsElsewhere: boolean;
  /** Not started yet; null where this machine cannot run it. */
  make(env: Environment): Promise<Installation | null>;
}

/** What a checkout is without any setting, but for the number of requests that it takes. */
export const embedded: Kind = {
  name: 'one process with the embedded stores',
  commandsElsewhere: false,
  async make(env) {
    const server = await aServer({ defaults: true, env: { ...unlimited, ...env } });
    const { baseUrl, dataDir, start, kill, command, logs, said, close } = server;
    const kept = (file: string) => readFile(path.join(dataDir, file), 'utf8').then((text) => text.trim());
    return {
      baseUrl,
      start,
      kill,
      command,
      logs,
      said,
      close,
      databaseUrl: () => embeddedUrl(dataDir),
      secrets: async () =>
        new Map([
          ['the password of the database', await kept('postgres/password')],
          ['the encryption key', await kept('encryption.key')],
        ]),
    };
  },
};
