import { answerRequests } from './frames.ts';
import { readFile } from './read-file.ts';
import type { PartHeader, ReadRequest } from './reader-process.ts';

await answerRequests(async ({ maxCharacters, isAlone, ...about }: ReadRequest, data) => {
  const parts = await readFile({ ...about, data }, maxCharacters, isAlone);
  const answer: readonly PartHeader[] = parts.map(({ data: bytes, ...part }) => ({
    ...part,
    size: bytes?.length ?? null,
  }));
  return { answer, bodies: parts.flatMap(({ data: bytes }) => bytes ?? []) };
});
