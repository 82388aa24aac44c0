import { type Caller, mustWrite } from '../../domain/caller.ts';
import { DomainError, mustExist } from '../../domain/errors.ts';
import type { RunDetail, RunRepository } from '../ports/storage.ts';
import type { WorkRepository } from '../ports/work.ts';

interface Dependencies {
  readonly work: WorkRepository;
  readonly runs: Pick<RunRepository, 'findVisible'>;
}

/** What waits for a person. */
export const workList = ({ work, runs }: Dependencies) => ({
  counts: (caller: Caller) => work.counts(caller),

  failedRuns: (caller: Caller, limit: number) => work.failedRuns(caller, limit),

  /** Takes a failed run off the list, for everybody; twice is once. */
  async dismiss(caller: Caller, runId: string): Promise<RunDetail> {
    mustWrite(caller);
    const run = mustExist(await runs.findVisible(caller, runId), 'run');
    if (run.status !== 'failed')
      throw new DomainError('conflict', `The run is ${run.status}: only a run that has failed can be dismissed.`);
    await work.dismiss(run.id);
    return run;
  },
});

export type WorkList = ReturnType<typeof workList>;
