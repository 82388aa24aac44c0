import type { Database } from '../adapters/postgres/database.ts';
import { pending } from '../adapters/postgres/migrator.ts';
import type { BlobStore } from '../application/ports/blobs.ts';
import type { Probe } from '../application/ports/health.ts';

const answer = { name: 'health', text: 'select 1 as one' };

/** On the connection that short reads share: a pool that is merely busy is no reason to be sent no more requests. */
const database = ({ read }: Database): Probe => ({
  name: 'database',
  required: true,
  check: async () => void (await read(answer, [])),
});

/** What was applied stays applied, so that a yes is asked for once; also where a newer version migrates further during an update. */
const migrations = (of: Database): Probe => {
  let done = false;
  return {
    name: 'migrations',
    required: true,
    async check() {
      if (done) return;
      const todo = await pending(of);
      if (todo.length > 0) throw new Error(`not applied: ${todo.join(', ')}`);
      done = true;
    },
  };
};

/** Most of the API answers without files, so that their absence is no reason to be sent nothing. */
const files = (blobs: BlobStore): Probe => ({
  name: 'files',
  required: false,
  check: async () => void (await blobs.head('health/probe')),
});

export const storageProbes = (of: Database, blobs: BlobStore): readonly Probe[] => [database(of), migrations(of), files(blobs)];
