import type {
  EventFilter,
  EventLog,
  EventSignal,
  EventSignals,
  LoggedEvent,
} from '../../../application/ports/events.ts';
import type { Viewer } from '../../../application/ports/storage.ts';
import type {
  ApprovalSnapshot,
  DocumentSnapshot,
  RunSnapshot,
  WebhookSubject,
} from '../../../application/ports/webhooks.ts';
import type { ChainPoint } from '../../../domain/audit-chain.ts';
import type { BudgetMark } from '../../../domain/budget.ts';
import { type EventType, eventIdOf, isOfApproval, isOfBudget, isStep, type StepData } from '../../../domain/event.ts';
import { omit } from '../../../domain/omit.ts';
import { batched } from '../connection/batched.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { Listener } from '../connection/listener.ts';
import { CHECKPOINT } from '../statements/audit-statements.ts';
import { DECISIONS } from '../statements/conversation-statements.ts';
import * as sql from '../statements/event-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';

type Parts = readonly (string | undefined)[];

/**
 * Where events are notified of: the first two by triggers, as `<run> <status> <workspace>` and `<document> <status> <run> <workspace>`;
 * approvals in conversations as `<workspace>`; steps after their commit, as `<run> <workspace>`.
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
  { name: DECISIONS, signal: ([workspaceId = null]) => ({ runId: null, workspaceId, isStep: false }) },
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

/** The fields of a run that never change are not in the data of its events: they are read beside them. */
export type RecordedVersion = Pick<RunSnapshot, 'agentVersion' | 'model'>;

/** As `event-data.ts` has it: of the approval, of the document if there is one, else of the run; of the audit log, where its chain ends; of a budget, what is spent. */
export type EventData =
  | Omit<Json<DocumentSnapshot>, keyof RecordedVersion>
  | Omit<Json<RunSnapshot>, keyof RecordedVersion>
  | Json<ApprovalSnapshot>
  | ChainPoint
  | BudgetMark;

interface Recorded extends RecordedVersion {
  readonly type: EventType;
  readonly documentId: string | null;
  readonly data: EventData;
}

export const subjectOf = ({ type, documentId, data: recorded, agentVersion, model }: Recorded): WebhookSubject => {
  if (isOfApproval(type)) {
    const times = ['requestedAt', 'expiresAt', 'decidedAt'] as const;
    return { kind: 'approval', approval: fromJson<ApprovalSnapshot>(recorded as Json<ApprovalSnapshot>, ...times) };
  }
  if (isOfBudget(type)) return { kind: 'budget', budget: recorded as BudgetMark };
  if (type === CHECKPOINT) return { kind: 'checkpoint', checkpoint: recorded as ChainPoint };
  const data = { ...(recorded as Exclude<EventData, ChainPoint | BudgetMark>), agentVersion, model };
  if (documentId === null) {
    // Events from before there were prices have no cost.
    const run = { cost: null, source: null, ...data } as Json<RunSnapshot>;
    return { kind: 'run', run: fromJson<RunSnapshot>(run, 'createdAt', 'startedAt', 'completedAt') };
  }
  const times = ['createdAt', 'updatedAt', 'processedAt', 'decidedAt', 'postAt', 'postFailingSince'] as const;
  return { kind: 'document', document: fromJson<DocumentSnapshot>(data as Json<DocumentSnapshot>, ...times) };
};

interface Horizon {
  /** The last number that was drawn. */
  readonly drawn: number;
  /** Up to here every event is there that ever will be. */
  readonly settled: number;
}

type Query = Database['query'];

/** How far the log may be read. What is read must be read by a later statement; readers that ask at the same time share the answer. */
export const eventHorizon = (query: Query) => {
  const ask = batched({ most: Number.MAX_SAFE_INTEGER }, async (askers: readonly null[]) => {
    const [horizon] = await query<Horizon>(sql.horizon, []);
    return askers.map(() => horizon as Horizon);
  });
  return (): Promise<Horizon> => ask(null);
};

interface Read extends Pick<LoggedEvent, 'sequence' | 'type' | 'createdAt' | 'runId' | 'documentId'>, RecordedVersion {
  readonly last: number | null;
  readonly events: number;
  /** How many were found, some of which have no room in the page; null for none. */
  readonly inAll: number | null;
  readonly data: EventData | StepData;
}

const eventOf = (
  { data, agentVersion, model, ...event }: Omit<Read, 'last' | 'events' | 'inAll'>,
  workspaceId: string,
): LoggedEvent => {
  const id = eventIdOf({ ...event, workspaceId });
  if (isStep(event.type)) return { ...event, id, subject: { kind: 'step', step: data as StepData } };
  return {
    ...event,
    id,
    subject: subjectOf({ ...event, data: data as EventData, agentVersion, model }),
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
    { ofWorkspace, ofRun }: typeof sql.forwards,
    { workspaceId, userId }: Viewer,
    { runId, types }: EventFilter,
    { after, until, limit }: Span,
  ) => {
    const values = [workspaceId, userId, after, until, types, limit, ...(runId === null ? [] : [runId])];
    const rows = await read<Read>(runId === null ? ofWorkspace : ofRun, values);
    const seen = rows.filter(({ sequence }) => sequence !== null);
    const events = seen.map((row) => eventOf(omit(row, 'last', 'events', 'inAll'), workspaceId));
    const [{ last, events: scanned, inAll }] = rows as [Read];
    const isCut = (inAll ?? 0) > events.length;
    const position = isCut ? events.at(-1)?.sequence : last;
    return { events, position: position ?? null, hasMore: isCut || scanned === sql.MOST_SCANNED };
  };

  const isKept = async (after: number) => {
    const [oldest] = await read<{ day: number }>(sql.oldestDay, []);
    return oldest !== undefined && dayOf(after) >= oldest.day;
  };

  return {
    async read(viewer, filter, after, limit) {
      const { drawn, settled } = await ask();
      if (after !== null && after > drawn) return null;
      const none = { events: [], position: after ?? dayStart(settled), hasMore: false, isUnsettled: settled < drawn };
      if (filter.runId !== null && !isId(filter.runId)) return none;
      const {
        events,
        position: reached,
        hasMore,
      } = await select(sql.forwards, viewer, filter, { after: after ?? 0, until: settled, limit });
      // Only after the read: what was dropped before it is missing from it.
      if (after !== null && dayOf(after) < dayOf(settled) && !(await isKept(after))) return null;
      const position = reached ?? none.position;
      return { ...none, events, position: hasMore ? position : Math.max(position, dayStart(settled)), hasMore };
    },

    async readBack(viewer, filter, before, limit) {
      const { drawn, settled } = await ask();
      const until = Math.min(settled, (before ?? Number.POSITIVE_INFINITY) - 1);
      const none = { events: [], position: before ?? settled, hasMore: false, isUnsettled: settled < drawn };
      if (filter.runId !== null && !isId(filter.runId)) return none;
      const { position, ...events } = await select(sql.backwards, viewer, filter, { after: 0, until, limit });
      return { ...none, ...events, position: position ?? none.position };
    },

    async end({ workspaceId }) {
      const { settled } = await ask();
      const [newest] = await read<{ sequence: number }>(sql.newest, [workspaceId, settled]);
      return Math.max(newest?.sequence ?? 0, dayStart(settled));
    },

    cleanUp: async (keptDays) => (await query<{ dropped: number }>(sql.cleanUp, [keptDays]))[0]?.dropped ?? 0,
  };
};
