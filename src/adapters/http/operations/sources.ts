import { about, list, nullable, wire } from '../../../wire/kit/structures.ts';
import { cursor } from '../../../wire/kit/values.ts';
import { exampleIntake, exampleSource, intakeItem, source, sourceName } from '../../../wire/source.ts';
import { operation } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const shared = { tag: 'Sources', access: 'api-key' } as const;
const params = wire({ name: about('The source.', sourceName, exampleSource.name) });
const example = { params: { name: exampleSource.name } };

export const listSources = operation({
  id: 'listSources',
  method: 'get',
  path: '/sources',
  resource: 'sources',
  ...shared,
  summary: 'List the sources of the workspace',
  description:
    'The mailboxes, folders and buckets from which documents come by themselves, by name: those whose agents you see. The workspace file adds and removes them.',
  success: {
    description: 'The sources.',
    data: wire({ sources: list(source) }),
    example: { sources: [exampleSource] },
  },
  handle: async ({ sources }, { caller }) => ({ sources: await sources.list(caller) }),
});

export const listIntake = operation({
  id: 'listIntake',
  method: 'get',
  path: '/sources/{name}/intake',
  resource: 'source_intake',
  ...shared,
  summary: 'List what came to a source',
  description:
    'What was found, newest first: what became a run, and what did not, with why. What was taken is never taken again: the same bytes under another key are listed as `already taken`, with the first run.',
  params,
  query: wire(cursorPaging(cursor, 25)),
  example: { ...example, query: { limit: 25 } },
  success: {
    description: 'A page of what came; `next` is null on the last one.',
    data: wire({ items: list(intakeItem), next: nullable(cursor) }),
    example: { items: [exampleIntake], next: null },
  },
  refuses: ['not_found'],
  handle: ({ sources }, { caller, params: { name }, query: { limit, after = null } }) =>
    sources.intake(caller, name, { limit, after }),
});

export const checkSource = operation({
  id: 'checkSource',
  method: 'post',
  path: '/sources/{name}/check',
  resource: 'source_check',
  ...shared,
  summary: 'Look at a source now',
  description:
    'Has a worker look at it now, or once more after the look that is under way, also where it waits because it failed. `last_checked_at` says when that look has ended. One that is `paused` is looked at when it is not any more. Takes no body.',
  writes: true,
  params,
  example,
  success: { status: 202, description: 'It is looked at.', data: source, example: exampleSource },
  refuses: ['not_found'],
  handle: ({ sources }, { caller, params: { name } }) => sources.check(caller, name),
});
