// What the tests of the file store have to do in a process of its own: fill a disk up, or be killed while it writes.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { DomainError } from '../../src/domain/errors.ts';

const [mode, folder = ''] = process.argv.slice(2);
const clock = { now: () => new Date() };
const store = fileBlobs({
  folder,
  baseUrl: 'http://127.0.0.1:3000',
  signingKey: new Uint8Array(32),
  maxBytes: 1e8,
  clock,
});

const fillUp = async () => {
  await store.write('small', Buffer.from('small'), 'text/plain');
  const error = await store.write('large', Buffer.alloc(4_000_000), 'text/plain').catch((thrown: unknown) => thrown);
  const { kind, code } = error instanceof DomainError ? error : { kind: String(error), code: null };
  const drafts = (await readdir(path.join(folder, 'drafts'))).length;
  const kept = Buffer.from((await store.read('small')) ?? []).toString();
  console.log(JSON.stringify({ kind, code, drafts, kept, refused: await store.head('large') }));
};

const writeOn = async () => {
  for (let version = 0; ; version++) {
    await store.write('key', Buffer.alloc(200_000 + version, version % 256), `text/x-${version}`);
    if (version === 0) console.log('ready');
  }
};

await (mode === 'fill-up' ? fillUp() : writeOn());
