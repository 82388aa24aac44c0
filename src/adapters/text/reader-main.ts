import { createWriteStream } from 'node:fs';
import { RESULT_FD, readFrames, writeFrame } from './frames.ts';
import { readFile } from './read-file.ts';
import type { ReadRequest, ReadResult } from './reader-process.ts';

// A library's promise may still fail after its file is done.
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
