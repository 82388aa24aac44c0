import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import { eventTypes, isStep } from '../../domain/event.ts';
import { runMachine } from '../../domain/run.ts';
import type { EventFilter, EventLog, EventPage, EventSignal, EventSignals, LoggedEvent } from '../ports/events.ts';
import type { RunService } from '../runs/runs.ts';
import { pause } from '../shared/async.ts';
import { waits } from '../shared/waits.ts';

/** Where to begin: behind an event, behind everything that is there now, or with what is kept (null). */
type EventStart = number | 'now' | null;

interface Reading {
  readonly after: EventStart;
  readonly limit: number;
  /** How long to wait for the first event. */
  readonly waitSeconds: number;
}

interface Dependencies {
  readonly log: EventLog;
  readonly signals: EventSignals;
  readonly runs: Pick<RunService, 'get'>;
}

/** Events of a stream that are held at a time: what its client does not take stays in the log. */
const STREAM_PAGE = 50;
/** Events that happen together are read together; transactions that are under way are given so long to end. */
const PAUSE_MS = 20;

const expired = () =>
  new DomainError('gone', 'The log no longer has everything after this cursor: begin without one.', {
    code: 'cursor_expired',
  });

const isEnd = ({ subject }: LoggedEvent) => subject.kind === 'run' && runMachine.isTerminal(subject.run.status);

/** Whether a reader with this filter has something to read after a signal. */
const concerns = ({ runId, types }: EventFilter, { workspaceId }: Caller) => {
  const hasSteps = types.some(isStep);
  return (signal: EventSignal): boolean => {
    if (signal.isStep && !hasSteps) return false;
    return runId === null ? signal.workspaceId === null || signal.workspaceId === workspaceId : signal.runId === runId;
  };
};

export const eventService = ({ log, signals, runs }: Dependencies) => {
  const readers = waits();

  const isSeen = async (caller: Caller, runId: string): Promise<boolean> => {
    try {
      await runs.get(caller, runId);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return false;
      throw error;
    }
  };

  /** Reads page after page, each as soon as there is news, until the reader ends it or nothing is waited for any more. */
  const pages = async function* (
    caller: Caller,
    filter: EventFilter,
    { after, limit, waitSeconds }: Reading,
    signal: AbortSignal,
  ): AsyncGenerator<EventPage, void> {
    const isNews = concerns(filter, caller);
    const subscribe = (ring: () => void) =>
      signals.subscribe({ happened: (each) => isNews(each) && ring(), gap: ring });
    const { silence, news, isOver, leave } = readers.begin(subscribe, waitSeconds, signal);
    try {
      let position = after === 'now' ? await log.end(caller) : after;
      for (;;) {
        silence();
        const page = await log.read(caller, filter, position, limit);
        if (page === null) throw expired();
        position = page.position;
        yield page;
        if (isOver()) return;
        if (page.hasMore) continue;
        if (!page.isUnsettled) await news();
        if (!isOver()) await pause(PAUSE_MS);
      }
    } finally {
      leave();
    }
  };

  return {
    async list(caller: Caller, filter: EventFilter, reading: Reading, signal: AbortSignal): Promise<EventPage> {
      let last: EventPage | null = null;
      for await (const page of pages(caller, filter, reading, signal)) {
        last = page;
        if (page.events.length > 0) break;
      }
      return last as EventPage;
    },

    /** A page of the newest events before a position (null: of all), the newest first. */
    listBack: (
      caller: Caller,
      filter: EventFilter,
      { before, limit }: { readonly before: number | null; readonly limit: number },
    ) => log.readBack(caller, filter, before, limit),

    /** Every event of a run, as it happens; ends after the one that ends the run, or when the signal aborts. */
    async *follow(
      caller: Caller,
      runId: string,
      after: EventStart,
      signal: AbortSignal,
    ): AsyncGenerator<LoggedEvent, void> {
      const ended = runMachine.isTerminal((await runs.get(caller, runId)).status);
      const reading = { after, limit: STREAM_PAGE, waitSeconds: Number.POSITIVE_INFINITY };
      for await (const { events, hasMore, isUnsettled } of pages(
        caller,
        { runId, types: eventTypes },
        reading,
        signal,
      )) {
        for (const event of events) {
          yield event;
          if (isEnd(event)) return;
        }
        if (hasMore || isUnsettled) continue;
        // A run that ended before and has no more events after the cursor has been seen to its end.
        if (ended) return;
        // A run that the caller no longer sees shows no end.
        if (events.length === 0 && !(await isSeen(caller, runId))) return;
      }
    },

    /** Ends every wait and every stream, and from now on at once. */
    stop: readers.stop,
  };
};

export type EventService = ReturnType<typeof eventService>;
