import type { RunDetail } from '../../application/ports/storage.ts';
import { outcomeOf } from '../../application/tools/run-tools.ts';
import type { Scope } from '../../domain/access.ts';
import { type Caller, mayDo } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Dependencies, type Peer, result, textBlock } from './call.ts';
import { codes, failure, invalidParams, type Reply, shown } from './messages.ts';
import type { Request } from './revisions.ts';
import type { ServedAgent } from './served-agents.ts';
import { hasTasks, TASKS, taskOf } from './tasks.ts';

/** How a task ended, in the words of the protocol: the result that its call would have had, or an error. */
const endingOf = (run: RunDetail): JsonObject => {
  if (run.status === 'failed') return { error: { code: codes.internal, message: run.error ?? 'The run failed.' } };
  if (run.status !== 'completed') return {};
  const { text, structured } = outcomeOf(run);
  return { result: { content: [textBlock(text)], ...(structured && { structuredContent: structured }) } };
};

/** Cancelling what is over is no error. */
const cancel = async ({ runs }: Dependencies, caller: Caller, { id }: RunDetail): Promise<JsonObject> => {
  await runs.cancel(caller, id).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.kind !== 'conflict') throw error;
  });
  return {};
};

interface Method {
  readonly scope: Scope;
  answer(dependencies: Dependencies, caller: Caller, run: RunDetail): JsonObject | Promise<JsonObject>;
}

export const taskMethods: Readonly<Record<string, Method>> = {
  'tasks/get': {
    scope: 'runs:read',
    answer: (_, __, run) => ({
      ...taskOf({ ...run, changedAt: run.completedAt ?? run.startedAt ?? run.createdAt }),
      ...endingOf(run),
    }),
  },
  // No run asks for anything, so that there is nothing to answer.
  'tasks/update': { scope: 'runs:write', answer: () => ({}) },
  'tasks/cancel': { scope: 'runs:write', answer: cancel },
};

/** The run behind a task; null if the caller sees none, or no tool of this agent starts such runs. */
const runOf = async (
  { runs }: Dependencies,
  { started }: ServedAgent,
  caller: Caller,
  id: string,
): Promise<RunDetail | null> => {
  const run = await runs.get(caller, id).catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'not_found') return null;
    throw error;
  });
  return run && started.has(run.agentId) ? run : null;
};

export const answerTask = async (
  request: Request,
  agent: ServedAgent,
  { caller }: Peer,
  dependencies: Dependencies,
): Promise<Reply> => {
  const { id, params } = request;
  if (!hasTasks(request)) {
    const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } };
    return failure(400, id, codes.missingCapability, `The client does not declare the extension ${TASKS}`, data);
  }
  const method = taskMethods[request.method] as Method;
  if (typeof params.taskId !== 'string') return invalidParams(id, 'taskId must be a string');
  if (!mayDo(caller, method.scope)) return invalidParams(id, `the scope ${method.scope} is missing`);
  const run = await runOf(dependencies, agent, caller, params.taskId);
  if (run === null) return invalidParams(id, `there is no task ${shown(params.taskId)}`);
  return result(request, agent, await method.answer(dependencies, caller, run));
};
