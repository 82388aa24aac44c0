import type { Agent } from '../../domain/agent.ts';
import { concludeRun, type RunUnit } from '../../domain/run.ts';
import { LeaseLost } from '../ports/leases.ts';
import { PartGone, type UnitOutcome, type Work } from '../ports/queue.ts';
import type { AgentVersionRepository } from '../ports/storage.ts';
import { oneAtATime } from '../shared/async.ts';
import { readOnce } from '../turns/read-once.ts';
import { dividedBy, type UnitServices, UnitWork, unitName, type Waiting } from './unit-work.ts';

/** Gives a place to one unit at a time of all the runs of a worker. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

interface Dependencies extends UnitServices {
  readonly versions: Pick<AgentVersionRepository, 'find'>;
}

const PART_GONE = {
  status: 'failed',
  code: 'part_changed',
  error: 'The part was changed before it was read.',
} as const;

const READER_GONE = { status: 'failed', code: 'agent_missing', error: 'The agent that reads it is gone.' } as const;

interface Ended {
  readonly name: string;
  readonly error: string | null;
  readonly code: string | null;
  readonly waitsFor: readonly string[];
}

type End = Omit<Ended, 'name'>;

const WELL: End = { error: null, code: null, waitsFor: [] };

/** How a unit ended under an earlier lease; null: it is still to be done. */
const endedBefore = ({ status, error, errorCode: code }: RunUnit): End | null => {
  if (status === 'completed' || status === 'cancelled') return WELL;
  return status === 'failed' ? { ...WELL, error, code } : null;
};

const endOf = (outcome: UnitOutcome | Waiting): End => {
  if (outcome.status === 'waiting') return { ...WELL, waitsFor: outcome.approvalIds };
  return outcome.status === 'failed' ? { ...WELL, error: outcome.error, code: outcome.code } : WELL;
};

/** Waits for all units, even if one of them is interrupted. */
const allDone = async (
  work: Work,
  units: readonly RunUnit[],
  doUnit: (unit: RunUnit) => Promise<UnitOutcome | Waiting>,
): Promise<readonly Ended[]> => {
  const ends = await Promise.allSettled(
    units.map(async (unit) => ({ name: unitName(work, unit), ...(endedBefore(unit) ?? endOf(await doUnit(unit))) })),
  );
  const broken = ends.filter((end) => end.status === 'rejected').map((end) => end.reason);
  if (broken.length > 0) throw broken.find((reason) => reason instanceof LeaseLost) ?? broken[0];
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
};

/** Tells which files no unit has to read any more, once each unit is done. */
const lastReaders = (units: readonly RunUnit[]) => {
  const left = new Map<number, number>();
  for (const index of units.flatMap(({ fileIndexes }) => fileIndexes)) left.set(index, (left.get(index) ?? 0) + 1);
  return ({ fileIndexes }: RunUnit): readonly number[] => {
    for (const index of fileIndexes) left.set(index, (left.get(index) ?? 0) - 1);
    return fileIndexes.filter((index) => left.get(index) === 0);
  };
};

/** Does the units of a leased run that are not done yet, then ends the run, or parks it if some can only wait. Rejects with LeaseLost when the lease is lost, with the signal's reason when that aborts. */
export const runWork = ({ versions, ...services }: Dependencies) => {
  const { queue, agents } = services;

  /** The agent that reads a part, by the version that the part is bound to; null if it is gone. */
  const readerOf = async ({ agentId, agentVersion }: RunUnit): Promise<Agent | null> => {
    if (agentId === null || agentVersion === null) return null;
    const [live, definition] = await Promise.all([agents.find(agentId), versions.find(agentId, agentVersion)]);
    return live && definition && { ...live, ...definition, version: agentVersion };
  };

  /** Divides the files first, all of them: what is in no part is a reason for review of the documents of every part. */
  const route = async (work: Work, slots: Slots, signal: AbortSignal): Promise<readonly Ended[]> => {
    const { run, agent } = work;
    const { keeper, forget } = readOnce();
    const inTurn = oneAtATime();
    const dividing = work.units.filter(({ part }) => part === null);
    const filesEnded = await allDone(work, dividing, (unit) => {
      const unitWork = new UnitWork(services, { work, unit, agent, divided: null, keeper });
      return slots(() => unitWork.divide(inTurn, signal));
    });
    const routed = await queue.routed(work.lease);
    const divided = dividedBy(routed);
    const readLast = lastReaders(routed.units);
    const read = async (unit: RunUnit): Promise<UnitOutcome | Waiting> => {
      const reader = await readerOf(unit);
      if (reader !== null) return new UnitWork(services, { work, unit, agent: reader, divided, keeper }).read(signal);
      await queue.finishUnit(work.lease, unit.index, READER_GONE);
      return READER_GONE;
    };
    const partsEnded = await allDone(work, routed.units, async (unit) => {
      try {
        return await slots(() => read(unit));
      } catch (error) {
        if (error instanceof PartGone) return PART_GONE;
        throw error;
      } finally {
        for (const index of readLast(unit)) forget(run.files[index]?.fileKey ?? '');
      }
    });
    return [...filesEnded, ...partsEnded];
  };

  const extract = (work: Work, slots: Slots, signal: AbortSignal): Promise<readonly Ended[]> => {
    const { keeper } = readOnce();
    return allDone(work, work.units, (unit) => {
      const unitWork = new UnitWork(services, { work, unit, agent: work.agent, divided: null, keeper });
      return slots(() => unitWork.read(signal));
    });
  };

  return async (work: Work, slots: Slots, signal: AbortSignal): Promise<void> => {
    const does = work.agent.workflowType === 'document_routing' ? route : extract;
    const ended = await does(work, slots, signal);
    const waitsFor = ended.flatMap((unit) => unit.waitsFor);
    if (waitsFor.length > 0) return queue.park(work.lease, waitsFor);
    await queue.finish(work.lease, concludeRun(ended));
  };
};
