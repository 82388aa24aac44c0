import { DomainError } from '../../domain/errors.ts';
import type { SourceFile } from '../ports/text.ts';
import { fairShare } from '../shared/fair-share.ts';
import { bytesKey, type KeptFile } from './kept-file.ts';
import type { SourceFiles } from './source-files.ts';

/** How many may wait: beyond, the user who has the most of them is refused. */
const MOST_WAITING = 50;
const RETRY_SECONDS = 5;

const busy = () =>
  new DomainError('rate_limited', 'Too many files are waiting to be read or drawn. Try again in a few seconds.', {
    retryAfterSeconds: RETRY_SECONDS,
  });

/** So many files at the same time, because each is in memory meanwhile. What is under way ends even if no client wants it. */
export const filesInTurn = (sources: Pick<SourceFiles, 'read'>, places: number) => {
  const share = fairShare({ places, mostWaiting: MOST_WAITING, refusal: busy });
  /** null if the file is gone. */
  return <T>(file: KeptFile, unwanted: AbortSignal, use: (source: SourceFile) => Promise<T>): Promise<T | null> => {
    const { fileName, contentType, sharer } = file;
    const work = async () => {
      const bytes = await sources.read(bytesKey(file));
      return bytes && use({ fileName, contentType, sharer, data: bytes.data });
    };
    return share.pass(sharer, work, unwanted);
  };
};
