import type { EventPage, LoggedEvent } from '../../../application/ports/events.ts';
import { eventTypes } from '../../../domain/event.ts';
import { runMachine } from '../../../domain/run.ts';
import { webhookEvents } from '../../../domain/webhook.ts';
import { event, exampleEvent, startCursor, typeList, typesOf } from '../../../wire/event.ts';
import { about, list, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { boolean, cursor, integerParameter, oneOf, uuid } from '../../../wire/kit/values.ts';
import { exampleRun } from '../../../wire/run.ts';
import { type EventFrame, EventStream, operation } from '../operation.ts';
import { requestHeaders } from '../parameters.ts';

const page = wire({
  events: list(event),
  next: about('Where to go on: pass it as `after`. It is always there, even if there was nothing.', cursor),
  hasMore: about('Whether there is more to read right now.', boolean),
});

const reading = {
  after: about(
    'Where to go on: the `next` of the page before, or the `id` of an event, as webhooks have it too. `now`: only what happens from now on. Absent: everything that is kept.',
    optional(startCursor),
  ),
  limit: about('The most to return.', withDefault(integerParameter({ min: 1, max: 1000 }), 100)),
  wait: about('Seconds to wait for an event if there is none.', withDefault(integerParameter({ min: 0, max: 25 }), 0)),
};

const pageOf = ({ events, position, hasMore }: EventPage) => ({ events, next: position, hasMore });
const examplePage = { events: [exampleEvent], next: exampleEvent.sequence, hasMore: false };

const framesOf = async function* (events: AsyncIterable<LoggedEvent>): AsyncGenerator<EventFrame> {
  for await (const entry of events)
    yield { id: String(cursor.encode(entry.sequence)), type: entry.type, data: event.encode(entry) };
};

const ORDER =
  'Events are in one order, in which none appears before one that was read already: who asks again with `next` misses nothing. A page of large events has fewer than `limit`, at least one. ';

const reads = { tag: 'Events', access: { scope: 'runs:read' } } as const;

export const listEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  resource: 'events',
  ...reads,
  summary: 'List events',
  description:
    `Everything that happens to the runs that you see and to their documents, oldest first unless \`order\` says otherwise. ${ORDER}` +
    'With `wait` the answer comes as soon as there is an event, or after that many seconds. The log is kept for a number of days (`EVENTS_DAYS`); a ' +
    'cursor from before is 410 `cursor_expired`: begin without one.',
  query: wire({
    ...reading,
    types: about(
      'Types and patterns, separated by commas. Absent: all types but the steps, `unit.*`.',
      optional(typeList),
    ),
    runId: about('Only events of this run.', optional(uuid), exampleRun.id),
    order: about(
      'With `newest` the newest event comes first, `next` leads to older ones, and `wait` has no effect: for people who look at the log.',
      withDefault(oneOf('oldest', 'newest'), 'oldest'),
    ),
  }),
  example: { query: { after: exampleEvent.sequence, types: ['run.*', 'document.ready'], limit: 100, wait: 25 } },
  success: { description: 'A page of events.', data: page, example: examplePage },
  refuses: ['cursor_expired'],
  handle: async (
    { events },
    { caller, query: { after = null, limit, wait: waitSeconds, types, runId = null, order }, signal },
  ) => {
    const filter = { runId, types: types === undefined ? webhookEvents : typesOf(types) };
    if (order === 'newest')
      return pageOf(await events.listBack(caller, filter, { before: after === 'now' ? null : after, limit }));
    return pageOf(await events.list(caller, filter, { after, limit, waitSeconds }, signal));
  },
});

export const listRunEvents = operation({
  id: 'listRunEvents',
  method: 'get',
  path: '/runs/{id}/events',
  resource: 'run_events',
  ...reads,
  summary: 'List or follow the events of a run',
  description:
    `What happened to the run and its documents, the steps of its units of work among it, oldest first. ${ORDER}` +
    'With `Accept: text/event-stream` it is a stream of Server-Sent Events that goes on until the run has ended: `id` is a cursor, `event` the type, `data` the ' +
    'event. A stream that breaks is resumed by `Last-Event-ID`, on whatever server; it is answered 204 once there is nothing more to come. A comment is sent every 15 seconds. A credential may have 10 streams open on a server, and a user 30 by what they made themselves; one more is 429 `rate_limited`.',
  params: wire({ id: about('The run.', uuid) }),
  query: wire(reading),
  headers: requestHeaders({
    lastEventId: about('The `id` of the last event that was received; in place of `after`.', optional(cursor)),
  }),
  example: { params: { id: exampleRun.id }, query: { limit: 100 } },
  success: { description: 'A page of events, or a stream of them.', data: page, example: examplePage },
  stream: Object.fromEntries(eventTypes.map((type) => [type, event])),
  refuses: ['not_found', 'cursor_expired'],
  handle: async (
    { events, runs },
    { caller, params: { id: runId }, query, headers: { lastEventId }, signal, streams },
  ) => {
    const { limit, wait: waitSeconds } = query;
    const after = lastEventId ?? query.after ?? null;
    const { status } = await runs.get(caller, runId);
    const read = (waiting: number) =>
      events.list(caller, { runId, types: eventTypes }, { after, limit, waitSeconds: waiting }, signal);
    // A cursor that has expired is refused before a stream begins.
    const first = await read(streams ? 0 : waitSeconds);
    if (!streams) return pageOf(first);
    const isOver = runMachine.isTerminal(status) && first.events.length === 0 && !first.hasMore && !first.isUnsettled;
    return new EventStream(isOver ? null : framesOf(events.follow(caller, runId, after, signal)));
  },
});
