import { createWriteStream } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { readFrames, writeFrame } from './frames.ts';
import { readFile } from './read.ts';
import { RESULT_FD, type ReadRequest, type ReadResult } from './reader-process.ts';

const maxMemoryBytes = Number(process.argv[2]) * 1_048_576;

// Its own thread, because it has to act while a hostile file keeps this one busy: it ends the process that
// outgrows its memory, or whose server is gone.
const watchdog = new Worker(
  `const { workerData: { maxMemoryBytes, parent } } = require('node:worker_threads');
   setInterval(() => {
     if (process.memoryUsage.rss() > maxMemoryBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
   }, 50);`,
  { eval: true, workerData: { maxMemoryBytes, parent: process.ppid } },
);
watchdog.unref();

// A library's promise that fails after its file is done concerns nobody.
process.on('unhandledRejection', () => undefined);

const results = createWriteStream('', { fd: RESULT_FD });
for await (const { header, body } of readFrames(process.stdin)) {
  const { maxCharacters, ...about } = header as ReadRequest;
  const parts = await readFile({ ...about, data: body }, maxCharacters);
  const result: ReadResult = {
    parts: parts.map(({ data, ...part }) => ({ ...part, size: data?.length ?? null })),
    memoryBytes: process.memoryUsage.rss(),
  };
  await writeFrame(
    results,
    result,
    parts.flatMap(({ data }) => data ?? []),
  );
}
