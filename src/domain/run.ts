import type { WorkflowType } from './agent.ts';
import type { Pages } from './routing/part.ts';
import type { RunSource } from './source.ts';
import { machine } from './state-machine.ts';

export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
export type RunEvent = 'start' | 'complete' | 'fail' | 'cancel';

/** `running` does not change when a worker is lost: another one takes the run over with the next `attempt`. */
export const runMachine = machine<RunStatus, RunEvent>('run', {
  queued: { start: 'running', fail: 'failed', cancel: 'cancelled' },
  running: { complete: 'completed', fail: 'failed', cancel: 'cancelled' },
  completed: {},
  failed: {},
  cancelled: {},
});

/** How often a run may be taken over from workers that were lost. */
export const MAX_ATTEMPTS = 3;

export interface StatusReason {
  /** `worker_lost`, `interrupted`, `internal`, `deadline_exceeded`, `model_error`, `unit_failed`, `cancelled_by_user`, … */
  readonly code: string;
  readonly message: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them, in words that a pattern means without the flag u as well
export const FILE_NAME = /^[^/\\\u0000-\u001f\u007f-\u009f]*$/;

/** A media type (RFC 9110 section 8.3.1); names as they may be registered (RFC 6838 section 4.2). */
export const MEDIA_TYPE =
  /^[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*( *; *[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;

export interface RunFile {
  readonly fileKey: string;
  readonly fileName: string;
  readonly contentType: string;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Where a run came from: only API-originated runs are listed. `untrusted_tool`: from a conversation with content that its user did not write. */
export type RunOrigin = 'api' | 'tool' | 'untrusted_tool';

/** So long the documents of a run that is a trial stay out of the trash. */
export const TRIAL_MINUTES = 15;

/** What a client asks for; it is stored as it came. */
export interface RunRequest {
  readonly files: readonly RunFile[];
  readonly processTogether: boolean;
  readonly userMessage: string | null;
}

export interface Run extends RunRequest {
  readonly id: string;
  readonly workspaceId: string;
  readonly agentId: string;
  /** The definition that the run has from its creation to its end. */
  readonly agentVersion: number;
  readonly userId: string;
  readonly origin: RunOrigin;
  /** null: someone asked for it. */
  readonly source: RunSource | null;
  readonly workflowType: WorkflowType;
  readonly status: RunStatus;
  readonly statusReason: StatusReason | null;
  readonly error: string | null;
  /** W3C trace id, 32 hexadecimal digits. */
  readonly traceId: string;
  /** The approvals of calls that it waits for; null for none. */
  readonly waitingFor: readonly string[] | null;
  /** Counts the leases of the run; it is also the fencing number that guards what a worker writes. */
  readonly attempt: number;
  readonly usage: Usage;
  /** By the prices of the workspace, a decimal number with every digit; null as long as nothing of it had a price. */
  readonly cost: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

/** One unit of work of a run: all its files, one of them, or its message alone. */
export interface RunUnit {
  readonly index: number;
  /** Positions in the run's `files`. */
  readonly fileIndexes: readonly number[];
  /** A unit has the same states as its run. */
  readonly status: RunStatus;
  readonly error: string | null;
  /** The error for machines. */
  readonly errorCode: string | null;
  readonly conversationId: string | null;
  readonly documentId: string | null;
  /** Set if it reads a part of a file. */
  readonly part: Pages | null;
  /** The agent that reads the part, and its version; null for those of the run. */
  readonly agentId: string | null;
  readonly agentVersion: number | null;
}

/** The files of each unit, by position: all together, or one unit a file; a message alone is one unit without files. */
export const unitsOf = (files: number, together: boolean): readonly (readonly number[])[] => {
  const indexes = Array.from({ length: files }, (_, index) => index);
  return together || files === 0 ? [indexes] : indexes.map((index) => [index]);
};

interface UnitOutcome {
  readonly name: string;
  readonly error: string | null;
  readonly code: string | null;
}

/** The error of a run names so many failures and counts the rest: a file may have thousands of parts. */
const MOST_TOLD = 100;

/** How a run ends once each of its units has: completed when all succeeded, else failed, with which and why. */
export const concludeRun = (
  units: readonly UnitOutcome[],
): { event: 'complete' } | { event: 'fail'; reason: StatusReason; error: string } => {
  const failed = units.filter((unit) => unit.error !== null);
  if (failed.length === 0) return { event: 'complete' };
  const told = failed
    .slice(0, MOST_TOLD)
    .map(({ name, error }) => (error?.startsWith(name) ? error : `${name}: ${error}`));
  const messages = [...told, ...(failed.length > MOST_TOLD ? ['The others are not named here.'] : [])].join(' ');
  const error = units.length === 1 ? messages : `${failed.length} of ${units.length} failed. ${messages}`;
  const codes = new Set(failed.map((unit) => unit.code));
  const code = codes.size === 1 && failed.length === units.length ? ([...codes][0] ?? 'unit_failed') : 'unit_failed';
  return { event: 'fail', reason: { code, message: error }, error };
};
