import { answerRequests } from './frames.ts';
import { readFile } from './read-file.ts';
import type { PartHeader, ReadRequest } from './reader-process.ts';

await answerRequests(async ({ maxCharacters, ...about }: ReadRequest, data) => {
  const parts = await readFile({ ...about, data }, maxCharacters);
  const answer: readonly PartHeader[] = parts.map(({ data: own, ...part }) => ({ ...part, size: own?.length ?? null }));
  return { answer, bodies: parts.flatMap(({ data: own }) => own ?? []) };
});
