import pLimit from 'p-limit';
import { inTime } from '../../../application/shared/async.ts';
import { DomainError } from '../../../domain/errors.ts';

/**
 * Asks the file system something of a folder, and gives up if there is no answer in time. `undo`: what is done with an answer that comes later,
 * such as a file that is open then.
 */
export type Ask = <T>(call: () => Promise<T>, undo?: (late: T) => Promise<unknown>) => Promise<T>;

/** A file system may take this long; one over a network that is away never answers. */
const SECONDS = 30;

const isSilent = (folder: string) => new DomainError('unavailable', `The folder ${folder} does not answer.`);
const isCrowded = (folder: string) =>
  new DomainError(
    'unavailable',
    `The folder ${folder} is not looked at now: other folders of the server do not answer, and it waits until one of them does.`,
  );

/**
 * Bounds what is asked of folders. A call that is not answered keeps a thread of this process until it is, and nothing can end it: so only as
 * many go on at a time as are given here, and a folder that owes an answer is not asked again before.
 */
export const folderCalls = (most: number, seconds = SECONDS) => {
  const places = pLimit(most);
  const silent = new Set<string>();

  return (folder: string, signal?: AbortSignal): Ask =>
    async (call, undo = async () => {}) => {
      if (silent.has(folder)) throw isSilent(folder);
      if (silent.size >= most) throw isCrowded(folder);
      let isAsked = false;
      const late = () => {
        if (!isAsked) return isCrowded(folder);
        silent.add(folder);
        return isSilent(folder);
      };
      const work = (ended: AbortSignal) =>
        places(async () => {
          ended.throwIfAborted();
          isAsked = true;
          try {
            const answer = await call();
            if (ended.aborted) await undo(answer);
            return answer;
          } finally {
            silent.delete(folder);
          }
        });
      return inTime(work, { seconds, late, ...(signal && { signal }) });
    };
};
