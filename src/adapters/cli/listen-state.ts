import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type * as t from 'io-ts';
import { codeOf } from '../../domain/errors.ts';
import { nullable, wire } from '../../wire/kit/structures.ts';
import { string } from '../../wire/kit/values.ts';
import type { Environment } from './dependencies.ts';
import { CliFailure } from './failures.ts';

const stored = wire({ server: string, position: nullable(string), secret: string });

const SAVED_EVERY_MS = 1000;

/** The folder for the state of programs, by the custom of the system. */
const stateFolder = (env: Environment): string => {
  if (env.XDG_STATE_HOME) return env.XDG_STATE_HOME;
  const ofSystem = process.platform === 'win32' ? env.LOCALAPPDATA : undefined;
  return ofSystem || path.join(homedir(), '.local', 'state');
};

const read = (file: string): t.TypeOf<typeof stored> | null => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const decoded = stored.decode(JSON.parse(text));
    if (decoded._tag === 'Right') return decoded.right;
  } catch {
    // Refused below.
  }
  throw new CliFailure(`${file} is not what portico listen wrote: remove it, and it begins anew`);
};

/** Where `portico listen` was stopped for this server and key, and the secret that it signs with, in a file that has no key in it and that only its user can read. */
export const listenState = (
  env: Environment,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
) => {
  const folder = path.join(stateFolder(env), 'portico', 'listen');
  const file = path.join(
    folder,
    `${createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 32)}.json`,
  );
  const before = read(file);
  const secret = before?.secret ?? `whsec_${randomBytes(24).toString('base64')}`;
  let position = before?.position ?? null;
  let saved: string | null = null;
  let savedAt = Number.NEGATIVE_INFINITY;

  const save = () => {
    if (position === null || position === saved) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify({ server: baseUrl, position, secret }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
    saved = position;
    savedAt = performance.now();
  };
  return {
    secret,
    /** null: it was never started. */
    position,
    save,
    /** Keeps the position, on disk from time to time. */
    moveTo(next: string) {
      position = next;
      if (performance.now() - savedAt >= SAVED_EVERY_MS) save();
    },
  };
};
