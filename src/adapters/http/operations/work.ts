import { MOST_COUNTED } from '../../../application/ports/work.ts';
import { about, list, wire, withDefault } from '../../../wire/kit/structures.ts';
import { integer, integerParameter, uuid } from '../../../wire/kit/values.ts';
import { exampleRun, run } from '../../../wire/run.ts';
import { operation, REPEATABLE } from '../operation.ts';

const reads = { tag: 'Work', access: { scope: 'runs:read' } } as const;
const count = (description: string) => about(description, integer({ min: 0, max: MOST_COUNTED }));

const exampleFailed = {
  ...exampleRun,
  status: 'failed' as const,
  statusReason: { code: 'deadline_exceeded', message: 'The run took too long.' },
  error: 'The run took too long.',
};

export const countWork = operation({
  id: 'countWork',
  method: 'get',
  path: '/work',
  resource: 'work',
  ...reads,
  summary: 'Count what waits for a person',
  description: `Of the agents that you see. No more than ${MOST_COUNTED} of a kind are counted: ${MOST_COUNTED} stands for so many or more.`,
  example: {},
  success: {
    description: 'How much of each kind waits.',
    data: wire({
      needsReview: count('Documents whose review is `pending`.'),
      failedDocuments: count(
        'Documents that are `error`, because they could not be read or their system of record refused them, and whose review is neither `pending` nor `rejected`.',
      ),
      failedRuns: count('Runs that failed and left no document, as `GET /work/failed-runs` lists them.'),
      readyToPost: count('Documents that can be posted, as `GET /documents?ready_to_post=true` lists them.'),
      approvals: count('Calls of tools that are `pending`.'),
    }),
    example: { needsReview: 12, failedDocuments: 1, failedRuns: 0, readyToPost: MOST_COUNTED, approvals: 2 },
  },
  handle: ({ work }, { caller }) => work.counts(caller),
});

export const listFailedRuns = operation({
  id: 'listFailedRuns',
  method: 'get',
  path: '/work/failed-runs',
  resource: 'work_failed_runs',
  ...reads,
  summary: 'List failed runs that wait for a person',
  description:
    'Runs that were created over this API, failed, and have a unit of work that left no document, newest first, without those that were dismissed. A file that could not be read is a document that is `error`; its run is not ' +
    'listed. Of the runs that failed, the newest thousand are looked at.',
  query: wire({
    limit: about('The most to return.', withDefault(integerParameter({ min: 1, max: 100 }), 20)),
  }),
  example: { query: { limit: 20 } },
  success: {
    description: 'The newest of them.',
    data: wire({ runs: list(run) }),
    example: { runs: [exampleFailed] },
  },
  handle: async ({ work }, { caller, query: { limit } }) => ({ runs: await work.failedRuns(caller, limit) }),
});

export const dismissRun = operation({
  id: 'dismissRun',
  method: 'post',
  path: '/runs/{id}/dismiss',
  resource: 'run_dismiss',
  tag: 'Runs',
  access: { scope: 'runs:write' },
  idempotent: REPEATABLE,
  summary: 'Dismiss a failed run',
  description:
    'Takes a failed run off `GET /work/failed-runs`, for everybody; the run stays as it is. Dismissing it again is 200 too. Takes no body.',
  params: wire({ id: about('The run.', uuid) }),
  example: { params: { id: exampleRun.id } },
  success: { description: 'The run.', data: run, example: exampleFailed },
  refuses: ['not_found', 'conflict'],
  handle: ({ work }, { caller, params: { id } }) => work.dismiss(caller, id),
});
