import { budgetExhausted } from '../../domain/budget.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { DomainError, invalid, mustExist, notFound, type ValidationError } from '../../domain/errors.ts';
import type { Charge, Quota } from '../../domain/rate-limit.ts';
import { type Run, type RunEvent, type RunOrigin, type RunRequest, runMachine, unitsOf } from '../../domain/run.ts';
import type { AgentService } from '../agents/agents.ts';
import type { RateLimiter } from '../ports/limiter.ts';
import type { RunChanges } from '../ports/queue.ts';
import type { Ids } from '../ports/runtime.ts';
import type { RunDetail, RunRepository, RunSummary } from '../ports/storage.ts';
import { waits } from '../shared/waits.ts';
import { expiredFiles, type UploadService } from './uploads.ts';

interface NewRunRequest extends RunRequest {
  readonly agentId: string;
  /** Absent: the live one. */
  readonly agentVersion?: number | undefined;
  /** The document whose files these are: its run took them, so that they may come from an upload to another agent. */
  readonly rereadOf?: string;
  /** Whether its documents are only looked at. */
  readonly trial?: boolean | undefined;
  /** A trace to continue; null begins one. */
  readonly traceId: string | null;
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** Absent: over the API. */
  readonly origin?: RunOrigin;
  /** Whether the run has been counted against the limit of its agent, together with the caller's other limits; absent: `start` counts it. */
  readonly counted?: boolean;
  /** Receives the state of that limit when `start` counts the run. */
  readonly showLimit?: ((limit: Quota) => void) | undefined;
}

interface Dependencies {
  readonly runs: RunRepository;
  readonly agents: AgentService;
  readonly uploads: UploadService;
  readonly changes: RunChanges;
  readonly ids: Ids;
  readonly limiter: RateLimiter;
  readonly limits: RunLimitSettings & { readonly runDeadlineSeconds: number };
}

/** Moves a run along `runMachine`, stamping the times that belong to the move. */
const advance = (
  run: Run,
  event: RunEvent,
  now: Date,
  end: Pick<Run, 'error' | 'statusReason' | 'waitingFor'>,
): Run => {
  const status = runMachine.next(run.status, event);
  return { ...run, ...end, status, completedAt: runMachine.isTerminal(status) ? now : null };
};

const cancelled = { code: 'cancelled_by_user', message: 'The run was cancelled.' };

const cancelOnce = (run: Run, now: Date): Run => {
  if (run.status === 'cancelled') return run;
  if (run.status === 'completed' || run.status === 'failed') {
    throw new DomainError('conflict', `The run is ${run.status}: it cannot be cancelled any more.`, {
      code: `run_${run.status}`,
    });
  }
  return advance(run, 'cancel', now, { error: null, statusReason: cancelled, waitingFor: null });
};

/** Checks the request itself, before anything is looked up; every error at once. */
const mustBeStartable = ({ files, userMessage }: NewRunRequest) => {
  if (files.length === 0 && (userMessage ?? '').trim() === '') {
    throw invalid({ path: '', message: 'must have at least one file in files, or a user_message that is not blank' });
  }
  const first = new Map<string, number>();
  const errors = files.flatMap(({ fileKey }, index): ValidationError[] => {
    const before = first.get(fileKey);
    if (before === undefined) first.set(fileKey, index);
    else
      return [
        {
          path: `files[${index}].file_key`,
          message: `must not be that of files[${before}]: a file may stand once in a run`,
        },
      ];
    return [];
  });
  if (errors.length > 0) throw invalid(...errors);
};

const unknownVersion = (newest: number) =>
  invalid({ path: 'agent_version', message: `must be a version of the agent, from 1 to ${newest}` });

export const runService = ({ runs, agents, uploads, changes, ids, limiter, limits }: Dependencies) => {
  const get = async (caller: Caller, id: string) => mustExist(await runs.findVisible(caller, id), 'run');

  const watchers = waits();

  return {
    get,

    async start(caller: Caller, request: NewRunRequest): Promise<{ run: RunSummary; replayed: boolean }> {
      const {
        agentId,
        agentVersion = null,
        traceId,
        idempotency,
        origin = 'api',
        counted = false,
        showLimit,
        ...terms
      } = request;
      const { files, processTogether } = terms;
      mustWrite(caller);
      mustBeStartable(request);
      if (!counted) await countRun(limiter, runCharge(caller, agentId, limits), showLimit);
      if (files.length > 0 && request.rereadOf === undefined)
        await uploads.mustBeThere(await agents.get(caller, agentId), files);
      const created = await runs.create(
        {
          id: ids.next(),
          agentId,
          agentVersion,
          workspaceId: caller.workspaceId,
          userId: caller.userId,
          origin,
          ...terms,
          units: unitsOf(files.length, processTogether),
          traceId: traceId ?? ids.traceId(),
          deadlineSeconds: limits.runDeadlineSeconds,
        },
        idempotency && { ...idempotency, credentialId: caller.credential.id },
      );
      if (created.outcome === 'no agent') throw notFound('agent');
      if (created.outcome === 'no version') throw unknownVersion(created.newest);
      if (created.outcome === 'spent') throw budgetExhausted(created.budget);
      if (created.outcome === 'expired files') throw expiredFiles(files, created.fileKeys);
      if (created.outcome === 'mismatch') {
        throw new DomainError('invalid', 'This Idempotency-Key was used with another request.', {
          code: 'idempotency_key_reused',
        });
      }
      return { run: created.run, replayed: created.outcome === 'replayed' };
    },

    /** The run as soon as `isNews` accepts it, else as it is when the time is up or the signal aborts. */
    async watch(
      caller: Caller,
      id: string,
      waitSeconds: number,
      isNews: (run: RunDetail) => boolean,
      signal: AbortSignal,
    ) {
      const subscribe = (ring: () => void) =>
        changes.subscribe({ change: ({ runId }) => runId === id && ring(), gap: ring });
      const { silence, news, isOver, leave } = watchers.begin(subscribe, waitSeconds, signal);
      try {
        for (;;) {
          silence();
          const run = await get(caller, id);
          if (isOver() || isNews(run) || runMachine.isTerminal(run.status)) return run;
          await news();
        }
      } finally {
        leave();
      }
    },

    list: (...terms: Parameters<RunRepository['listVisible']>) => runs.listVisible(...terms),

    /** Cancelling twice is once; any other terminal run is a conflict. */
    async cancel(caller: Caller, id: string) {
      mustWrite(caller);
      await get(caller, id);
      return mustExist(await runs.update(id, cancelOnce), 'run');
    },

    /** Ends every `watch` as it is, and from now on at once. */
    stop: watchers.stop,
  };
};

export type RunService = ReturnType<typeof runService>;

interface RunLimitSettings {
  /** Runs of one agent in one window. */
  readonly rateLimitRuns: number;
  readonly rateLimitWindowSeconds: number;
}

const UUID_LENGTH = 36;

/**
 * The window in which every run of an agent is counted, however it is started. Agents are counted within the caller's
 * workspace, so that no other workspace can spend an agent's window.
 */
export const runCharge = ({ workspaceId }: Caller, agentId: string, settings: RunLimitSettings): Charge => ({
  name: 'agent-runs',
  limit: settings.rateLimitRuns,
  windowSeconds: settings.rateLimitWindowSeconds,
  key: `${workspaceId}/${agentId.length === UUID_LENGTH ? agentId.toLowerCase() : 'malformed'}`,
});

export const inSeconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);

const spent = ({ limit, windowSeconds }: Charge, { resetSeconds }: Quota) =>
  new DomainError(
    'rate_limited',
    `The run was not started: the limit of ${limit} runs of this agent in ${inSeconds(windowSeconds)} is spent. Try again in ${inSeconds(resetSeconds)}.`,
    { retryAfterSeconds: resetSeconds },
  );

/** Counts a run of the agent, or refuses it. */
const countRun = async (limiter: RateLimiter, charge: Charge, showLimit?: (limit: Quota) => void): Promise<void> => {
  const { allowed, quotas } = await limiter.take([charge]);
  const [quota] = quotas;
  if (quota) showLimit?.(quota);
  if (!allowed && quota) throw spent(charge, quota);
};
