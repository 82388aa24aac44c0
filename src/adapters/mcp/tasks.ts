import { isObject, type JsonObject } from '../../domain/json.ts';
import type { RunStatus } from '../../domain/run.ts';
import { meta, type Request } from './revisions.ts';

/** The extension by which a client follows what a call of a tool has begun. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** Whether the client declares the extension, which it does with each request. */
export const hasTasks = ({ modern, meta: sent }: Request): boolean => {
  const capabilities = sent[meta.capabilities];
  return (
    modern !== null &&
    isObject(capabilities) &&
    isObject(capabilities.extensions) &&
    isObject(capabilities.extensions[TASKS])
  );
};

const POLL_MS = 1000;

const statusOf: Readonly<Record<RunStatus, string>> = {
  queued: 'working',
  running: 'working',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

interface Followed {
  readonly id: string;
  readonly status: RunStatus;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** A run as a task. Only `retention` removes runs, long after a client stops asking for them, so that a task has no time limit of its own. */
export const taskOf = ({ id, status, createdAt, changedAt }: Followed): JsonObject => ({
  taskId: id,
  status: statusOf[status],
  createdAt: createdAt.toISOString(),
  lastUpdatedAt: changedAt.toISOString(),
  ttlMs: null,
  pollIntervalMs: POLL_MS,
});

/** The result of a call that has begun a run. */
export const newTask = ({ id, createdAt }: Pick<Followed, 'id' | 'createdAt'>): JsonObject => ({
  resultType: 'task',
  ...taskOf({ id, status: 'queued', createdAt, changedAt: createdAt }),
});
