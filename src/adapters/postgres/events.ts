import type { EventFilter, EventLog, EventSignal, EventSignals, LoggedEvent } from '../../application/ports/events.ts';
import type { Viewer } from '../../application/ports/storage.ts';
import type { DocumentSnapshot, RunSnapshot, WebhookSubject } from '../../application/ports/webhooks.ts';
import { eventIdOf, isStep, type StepData } from '../../domain/event.ts';
import { joinVersion } from './agent-versions.ts';
import { batched } from './batched.ts';
import { fromJson, type Json } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { isId } from './ids.ts';
import type { Listener } from './listener.ts';
import { visible } from './visibility.ts';

type Parts = readonly (string | undefined)[];

/**
 * Where events are notified of: the first two by triggers, as `<run> <status> <workspace>` and `<document> <status> <run> <workspace>`;
 * steps after their commit, as `<run> <workspace>`.
 */
const channels: readonly { readonly name: string; readonly signal: (parts: Parts) => EventSignal }[] = [
  {
    name: 'portico_runs',
    signal: ([runId = '', _status, workspaceId = null]) => ({ runId, workspaceId, isStep: false }),
  },
  {
    name: 'portico_documents',
    signal: ([_id, _status, runId = '', workspaceId = null]) => ({ runId, workspaceId, isStep: false }),
  },
  { name: 'portico_steps', signal: ([runId = '', workspaceId = null]) => ({ runId, workspaceId, isStep: true }) },
];

export const eventSignals = (listener: Listener): EventSignals => ({
  subscribe({ happened, gap }) {
    const ends = channels.map(({ name, signal }) =>
      listener.listen(name, { message: (payload) => happened(signal(payload.split(' '))), gap }),
    );
    return () => {
      for (const end of ends) end();
    };
  },
});

/** What of a run never changes is no part of the data of its events: it is read beside them. */
export type RecordedVersion = Pick<RunSnapshot, 'agentVersion' | 'model'>;
export const versionOfRun = `r.agent_version as "agentVersion", v.model`;
export const withVersion = (event: string) => `left join (runs r ${joinVersion('r')}) on r.id = ${event}.run_id`;

/** As `event-data.ts` has it: of the document if there is one, else of the run. */
export type EventData =
  | Omit<Json<DocumentSnapshot>, keyof RecordedVersion>
  | Omit<Json<RunSnapshot>, keyof RecordedVersion>;

interface Recorded extends RecordedVersion {
  readonly documentId: string | null;
  readonly data: EventData;
}

export const subjectOf = ({ documentId, data: recorded, agentVersion, model }: Recorded): WebhookSubject => {
  const data = { ...recorded, agentVersion, model };
  if (documentId === null)
    return {
      kind: 'run',
      run: fromJson<RunSnapshot>(data as Json<RunSnapshot>, 'createdAt', 'startedAt', 'completedAt'),
    };
  const times = ['createdAt', 'updatedAt', 'processedAt', 'decidedAt'] as const;
  return { kind: 'document', document: fromJson<DocumentSnapshot>(data as Json<DocumentSnapshot>, ...times) };
};

interface Horizon {
  /** The last number that was drawn. */
  readonly drawn: number;
  /** Up to here every event is there that ever will be. */
  readonly settled: number;
}

const horizon = prepared('events_horizon')`select drawn, settled from event_horizon()`;

type Query = Database['query'];

/** How far the log may be read. What is read must be read by a later statement; readers that ask at the same time share the answer. */
export const eventHorizon = (query: Query) => {
  const ask = batched({ most: Number.MAX_SAFE_INTEGER }, async (asked: readonly null[]) => {
    const [found] = await query<Horizon>(horizon, []);
    return asked.map(() => found as Horizon);
  });
  return (): Promise<Horizon> => ask(null);
};

/** Events that one read looks at; those of other types, and of agents that the viewer does not see, are among them. */
const MOST_SCANNED = 5000;

const orders = {
  oldest: { name: 'events', furthest: 'max', sort: 'asc' },
  newest: { name: 'events_back', furthest: 'min', sort: 'desc' },
} as const;

/**
 * The events behind the number $3 and up to $4, in this order; where they do not fill the page, also how far the statement looked.
 * `of`: whose events they are, by an index.
 */
const page = ({ name, furthest, sort }: (typeof orders)[keyof typeof orders], whose: string, of: string) => prepared(
  `${name}_of_${whose}`,
)`
with matching as materialized (
  select e.* from (
    select * from events e where ${of} and e.sequence > $3 and e.sequence <= $4 order by e.sequence ${sort} limit ${MOST_SCANNED}
  ) e
  where e.type = any ($5) and e.agent_id in (select a.id from agents a where ${visible('a')}) order by e.sequence ${sort} limit $6::int + 1
), scanned as (
  select ${furthest}(s.sequence) as last, count(*)::int as events from (
    select e.sequence from events e where ${of} and e.sequence > $3 and e.sequence <= $4 order by e.sequence ${sort} limit ${MOST_SCANNED}
  ) s where (select count(*) from matching) <= $6::int
)
select s.last, s.events, m.sequence, m.type, m.created_at as "createdAt", m.run_id as "runId", m.document_id as "documentId", m.data, ${versionOfRun}
from scanned s left join matching m on true ${withVersion('m')} order by m.sequence ${sort}`;

const pagesIn = (order: keyof typeof orders) => ({
  ofWorkspace: page(orders[order], 'workspace', 'e.workspace_id = $1'),
  ofRun: page(orders[order], 'run', 'e.run_id = $7 and e.workspace_id = $1'),
});
const [forwards, backwards] = [pagesIn('oldest'), pagesIn('newest')];

const newest = prepared('events_newest')`
select sequence from events where workspace_id = $1 and sequence <= $2 order by sequence desc limit 1`;

/** The day that the oldest partition is for, since 1970. */
const oldestDay = prepared('events_oldest_day')`
select min((substring(c.relname from 8)::date - date '1970-01-01'))::int as day
from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass`;

const cleanUp = prepared('events_clean_up')`select keep_events($1) as dropped`;

interface Read extends Pick<LoggedEvent, 'sequence' | 'type' | 'createdAt' | 'runId' | 'documentId'>, RecordedVersion {
  readonly last: number | null;
  readonly events: number;
  readonly data: EventData | StepData;
}

const eventOf = (
  { data, agentVersion, model, ...event }: Omit<Read, 'last' | 'events'>,
  workspaceId: string,
): LoggedEvent => {
  const id = eventIdOf({ ...event, workspaceId });
  if (isStep(event.type)) return { ...event, id, subject: { kind: 'step', step: data as StepData } };
  return {
    ...event,
    id,
    subject: subjectOf({ documentId: event.documentId, data: data as EventData, agentVersion, model }),
  };
};

const EVENTS_OF_A_DAY = 2 ** 32;
const dayOf = (sequence: number) => Math.floor(sequence / EVENTS_OF_A_DAY);
/**
 * Every event before it is there, and stays the last one before it even if the database server crashes. Of numbers that were drawn and not
 * committed this is not so: a crash may give them out again.
 */
const dayStart = (settled: number) => dayOf(settled) * EVENTS_OF_A_DAY;

interface Span {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

export const eventLog = ({ read, query }: Pick<Database, 'read' | 'query'>): EventLog => {
  const ask = eventHorizon(read);

  /** The events of a span, and how far it was looked at. */
  const select = async (
    { ofWorkspace, ofRun }: typeof forwards,
    { workspaceId, userId }: Viewer,
    { runId, types }: EventFilter,
    { after, until, limit }: Span,
  ) => {
    const values = [workspaceId, userId, after, until, types, limit, ...(runId === null ? [] : [runId])];
    const rows = await read<Read>(runId === null ? ofWorkspace : ofRun, values);
    const found = rows.filter(({ sequence }) => sequence !== null);
    const events = found.slice(0, limit).map(({ last: _, events: __, ...row }) => eventOf(row, workspaceId));
    const [{ last, events: scanned }] = rows as [Read];
    const position = found.length > limit ? events.at(-1)?.sequence : last;
    return { events, position: position ?? null, hasMore: found.length > limit || scanned === MOST_SCANNED };
  };

  const isKept = async (after: number) => {
    const [found] = await read<{ day: number }>(oldestDay, []);
    return found !== undefined && dayOf(after) >= found.day;
  };

  return {
    async read(viewer, filter, after, limit) {
      const { drawn, settled } = await ask();
      if (after !== null && after > drawn) return null;
      const none = { events: [], position: after ?? dayStart(settled), hasMore: false, isUnsettled: settled < drawn };
      if (filter.runId !== null && !isId(filter.runId)) return none;
      const {
        events,
        position: found,
        hasMore,
      } = await select(forwards, viewer, filter, { after: after ?? 0, until: settled, limit });
      // Only after the read: what was dropped before it is missing from it.
      if (after !== null && dayOf(after) < dayOf(settled) && !(await isKept(after))) return null;
      const position = found ?? none.position;
      return { ...none, events, position: hasMore ? position : Math.max(position, dayStart(settled)), hasMore };
    },

    async readBack(viewer, filter, before, limit) {
      const { drawn, settled } = await ask();
      const until = Math.min(settled, (before ?? Number.POSITIVE_INFINITY) - 1);
      const none = { events: [], position: before ?? settled, hasMore: false, isUnsettled: settled < drawn };
      if (filter.runId !== null && !isId(filter.runId)) return none;
      const { position, ...found } = await select(backwards, viewer, filter, { after: 0, until, limit });
      return { ...none, ...found, position: position ?? none.position };
    },

    async end({ workspaceId }) {
      const { settled } = await ask();
      const [found] = await read<{ sequence: number }>(newest, [workspaceId, settled]);
      return Math.max(found?.sequence ?? 0, dayStart(settled));
    },

    cleanUp: async (keptDays) => (await query<{ dropped: number }>(cleanUp, [keptDays]))[0]?.dropped ?? 0,
  };
};
