import { hash } from 'node:crypto';
import type { RunSummary } from '../../../application/ports/storage.ts';
import { invalid } from '../../../domain/errors.ts';
import { TRIAL_MINUTES } from '../../../domain/run.ts';
import { exampleAgent } from '../../../wire/agent.ts';
import { exampleDocument } from '../../../wire/document.ts';
import { exampleFile, uploadedFile } from '../../../wire/file.ts';
import { about, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { boolean, integer, integerParameter, positionCursor, text, uuid } from '../../../wire/kit/values.ts';
import { exampleQueued, exampleRun, run, runDetail, runStatus } from '../../../wire/run.ts';
import { API, ONCE, operation, REPEATABLE, type Urls, WithHeaders } from '../operation.ts';
import { cursorPaging, requestHeaders, traceparent } from '../parameters.ts';

const newRun = wire({
  files: about(
    'Uploaded files, each of them once; there may be none if there is a message.',
    withDefault(list(uploadedFile, { max: 100 }), []),
  ),
  processTogether: about('Whether all files are one unit of work, in one conversation.', withDefault(boolean, false)),
  userMessage: about('A message to the agent.', withDefault(nullable(text({ max: 100_000 })), null)),
  agentVersion: about('The version of the agent to run. Without it: the live one.', optional(integer({ min: 1 }))),
  trial: about(
    `Whether its documents are only looked at: the workers post none of them, and ${TRIAL_MINUTES} minutes after the run was created, once it has ended, they go to the trash.`,
    optional(boolean),
  ),
});

const reads = { tag: 'Runs', access: { scope: 'runs:read' } } as const;
const writes = { tag: 'Runs', access: { scope: 'runs:write' } } as const;

const queued = {
  description: 'The run is queued.',
  data: run,
  headers: { Location: 'Where to poll the run.' },
  example: exampleQueued,
};

const locationOf = ({ base }: Urls, { id }: Pick<RunSummary, 'id'>) => ({ Location: `${base}${API}/runs/${id}` });

export const createRun = operation({
  id: 'createRun',
  method: 'post',
  path: '/agents/{agent_id}/run',
  resource: 'agent_run',
  ...writes,
  specified: true,
  idempotent: 'own',
  summary: 'Create a run',
  description:
    'Queues a run of the agent on uploaded files, a message, or both: at least one file, or a message that is not blank. ' +
    'With `process_together` all files are one unit of work; without it each file is a unit of its own, and they are worked on concurrently. ' +
    'With an `Idempotency-Key` the same request again (within 24 hours, with the same credential) gets the first response again and starts nothing. ' +
    'The run keeps its version of the agent to its end, whatever becomes of the agent. The run continues a W3C `traceparent`. Poll the run at its `Location`.',
  params: wire({ agentId: about('The agent.', uuid) }),
  headers: requestHeaders({
    traceparent: about('A W3C trace context to continue; an invalid one is ignored.', optional(traceparent)),
  }),
  body: newRun,
  example: {
    params: { agentId: exampleAgent.id },
    body: { files: [exampleFile], processTogether: false, userMessage: 'Book these under project 12.' },
  },
  success: queued,
  limits: [{ name: 'agent-runs', size: 'runs', per: 'agent' }],
  refuses: ['not_found', 'budget_exhausted'],
  handle: async ({ runs, urls }, { caller, params: { agentId }, headers, body, idempotencyKey: key }) => {
    const { traceparent: traceId = null } = headers;
    const requestHash = () => hash('sha256', JSON.stringify(['createRun', agentId, body]));
    const idempotency = key === null ? null : { key, requestHash: requestHash() };
    const started = await runs.start(caller, { agentId, ...body, traceId, idempotency, counted: true });
    const location = locationOf(urls, started.run);
    return new WithHeaders(started.run, started.replayed ? { ...location, 'Idempotency-Replayed': 'true' } : location);
  },
});

export const rereadDocument = operation({
  id: 'rereadDocument',
  method: 'post',
  path: '/documents/{id}/reread',
  resource: 'document_reread',
  ...writes,
  idempotent: ONCE,
  summary: 'Read the files of a document again',
  description:
    'Queues a run on the files that the document was read from, with the message that came with them, by the live version of the same or another agent. The new ' +
    'document takes the place of this one, which goes to the trash as soon as the new one is ready; `POST /documents/{id}/restore` brings it back. If the run fails or is cancelled, this ' +
    'document stays as it is, and its new copy is in the trash. Until then it can still be corrected, decided on and processed: if it is being processed, or is processed, when the new one is ' +
    'ready, it stays too, and each of the two is a duplicate of the other. It is 409 while the document is not read yet or is being processed, once it is processed, and for a document that was not read from a file. Poll the run at its `Location`.',
  params: wire({ id: about('The document.', uuid) }),
  body: wire({ agentId: about('By which agent. Without it: by that of the document.', optional(uuid)) }),
  example: { params: { id: exampleDocument.id }, body: { agentId: exampleAgent.id } },
  success: queued,
  refuses: ['not_found', 'conflict', 'document_busy', 'document_processed', 'held', 'file_changed', 'budget_exhausted'],
  handle: async ({ rereads, urls }, { caller, params: { id }, body: { agentId = null }, signal }) => {
    const started = await rereads(caller, id, agentId, signal);
    return new WithHeaders(started, locationOf(urls, started));
  },
});

const filter = {
  agentId: about('Only runs of this agent.', optional(uuid)),
  status: about('Only runs with this status.', optional(runStatus)),
};

const { limit, after } = cursorPaging(positionCursor, 20, ' However deep a page lies, it costs the same.');
const offset = about(
  'How many to skip; not together with `after`.',
  optional(integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER }), 0),
);

export const listRuns = operation({
  id: 'listRuns',
  method: 'get',
  path: '/runs',
  resource: 'runs',
  ...reads,
  summary: 'List runs',
  description:
    'The runs that were created over this API, newest first, without their documents and conversations. Go on with `after`, which neither ' +
    'repeats nor skips while runs are created, or with `offset`: with one of the two.',
  query: wire({ ...filter, limit, offset, after }),
  example: { query: { agentId: exampleAgent.id, status: 'completed', limit: 20, offset: 0 } },
  success: {
    description: 'A page of runs; `total` counts all that match, `next` is null on the last page.',
    data: wire({
      runs: list(run),
      total: integer({ min: 0 }),
      offset: about('That of the request; 0 with `after`.', integer({ min: 0 })),
      limit: integer({ min: 1 }),
      next: nullable(positionCursor),
    }),
    example: { runs: [exampleRun], total: 1, offset: 0, limit: 20, next: null },
  },
  handle: async ({ runs }, call) => {
    const { caller, query } = call;
    const { agentId, status, limit: most, offset: skipped, after: position = null } = query;
    if (position !== null && skipped !== undefined)
      throw invalid({ path: 'after', message: 'must not be given together with offset' });
    const window = { limit: most, offset: skipped ?? 0 };
    // Only a page that skips many runs takes so long that its client may leave before.
    const leaving = skipped === undefined ? undefined : call.signal;
    const { items, total, next } = await runs.list(
      caller,
      { agentId, status },
      { ...window, after: position },
      leaving,
    );
    return { runs: items, total, ...window, next };
  },
});

const wait = about(
  'Seconds to wait for a change of the status.',
  withDefault(integerParameter({ min: 0, max: 25 }), 0),
);
const params = wire({ id: about('The run.', uuid) });

export const getRun = operation({
  id: 'getRun',
  method: 'get',
  path: '/runs/{id}',
  resource: 'run',
  ...reads,
  summary: 'Get a run',
  description:
    'The run with its units of work, conversations and documents. With `wait` the answer comes as soon as the status of the run changes, or after ' +
    'that many seconds. Send the `ETag` of the last answer as `If-None-Match`: 304 means that nothing has changed, and with `wait` a changed run is ' +
    'answered at once.',
  params,
  query: wire({ wait }),
  example: { params: { id: exampleRun.id }, query: { wait: 25 } },
  success: { description: 'The run.', data: runDetail, example: exampleRun },
  refuses: ['not_found'],
  etag: {},
  handle: ({ runs }, input) => {
    const { caller, params, query, knows } = input;
    if (query.wait === 0) return runs.get(caller, params.id);
    let status: string | null = null;
    return runs.watch(
      caller,
      params.id,
      query.wait,
      (run) => {
        const before = status ?? run.status;
        status = run.status;
        return knows ? !knows(run) : run.status !== before;
      },
      input.signal,
    );
  },
});

export const cancelRun = operation({
  id: 'cancelRun',
  method: 'post',
  path: '/runs/{id}/cancel',
  resource: 'run_cancel',
  ...writes,
  idempotent: REPEATABLE,
  summary: 'Cancel a run',
  description: 'Stops a queued or running run; its results stay. Cancelling a cancelled run is 200 as well.',
  params,
  example: { params: { id: exampleRun.id } },
  success: {
    description: 'The cancelled run.',
    data: run,
    example: {
      ...exampleQueued,
      status: 'cancelled',
      completedAt: new Date('2026-11-20T09:30:01.000Z'),
      statusReason: { code: 'cancelled_by_user', message: 'The run was cancelled.' },
    },
  },
  refuses: ['not_found', 'conflict', 'run_completed', 'run_failed'],
  handle: ({ runs }, { caller, params }) => runs.cancel(caller, params.id),
});
