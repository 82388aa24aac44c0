import { useQuery } from '@tanstack/preact-query';
import { reading } from '../queries.ts';
import { useLive } from './live.ts';

const work = reading(['work'], (get) => get('/api/v1/work'));

/** More are not counted. */
const MOST_SHOWN = 99;

export const workText = (count: number): string => (count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count));

/** How much waits for a person on each page, as it changes; undefined until it is known. */
export const useWork = () => {
  const { data, refetch } = useQuery(work);
  useLive(['document.*', 'run.failed', 'approval.*'], refetch);
  if (data === undefined) return undefined;
  const { needs_review: reviews, failed_documents: failed, failed_runs: runs, ready_to_post: ready, approvals } = data;
  return { inbox: reviews + failed + runs + approvals, ready, approvals };
};
