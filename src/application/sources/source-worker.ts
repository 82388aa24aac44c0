import { backOffSeconds } from '../../domain/back-off.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SourcePlace } from '../../domain/source.ts';
import type { Log } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { LeasedSource, OpenSource, SourceQueue, Sources, SourceWakeups } from '../ports/sources.ts';
import { inTime } from '../shared/async.ts';
import { leasesOf, Stopping } from '../shared/leases.ts';
import { opened as unsealed } from '../shared/opened.ts';
import { poller } from '../shared/poller.ts';
import type { LookEnd, SourceIntake } from './intake.ts';
import { keptToken } from './kept-token.ts';

interface SourceWorkerSettings {
  /** Sources under a look at a time; those that only wait for news do not count. */
  readonly concurrency: number;
  readonly leaseSeconds: number;
  readonly pollMs: number;
  /** A look that takes longer is given up, whatever it waits for. */
  readonly lookSeconds: number;
}

interface Dependencies {
  readonly queue: SourceQueue;
  readonly wakeups: SourceWakeups;
  readonly sources: Pick<Sources, 'open'>;
  readonly intake: SourceIntake;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly settings: SourceWorkerSettings;
}

/** A source that fails is looked at less and less often, down to this, or to its own pace if that is slower. */
const LONGEST_SECONDS = 900;
/** One that waits for the end of its runs is asked this often whether it may go on, which costs a count. */
const WAIT_SECONDS = 5;

const inWords = (error: unknown) =>
  error instanceof DomainError ? error.message : 'Something went wrong on our side; the log of the server says what.';

const tooLong = (seconds: number) =>
  new DomainError('unavailable', `The look had not ended after ${Math.round(seconds / 60)} minutes, and was given up.`);

const fieldsOf = ({ id, name }: LeasedSource) => ({ source_id: id, source: name });

/** Looks at the sources that are due; one process at a time looks at each. */
export const sourceWorker = ({ queue, wakeups, sources, intake, sealer, log, settings }: Dependencies) => {
  const { concurrency, leaseSeconds, pollMs, lookSeconds } = settings;
  const leases = leasesOf<LeasedSource>({
    subject: 'source',
    idOf: ({ id }) => id,
    renewal: { leaseSeconds, renew: (held) => queue.renew(held, leaseSeconds) },
    log,
  });
  /** What wakes each source that waits for news here. */
  const waiting = new Map<string, AbortController>();
  let unsubscribe = () => {};

  /** The seconds until the next look. A failure of single items does not slow it down. */
  const paceOf = ({ everySeconds }: LeasedSource, { end, failure }: LookEnd) => {
    if (end === 'full') return Math.min(WAIT_SECONDS, everySeconds);
    return end === 'cut' && failure === null ? 0 : everySeconds;
  };

  const look = async (source: LeasedSource, opened: OpenSource, signal: AbortSignal): Promise<LookEnd> => {
    const { userId } = source;
    if (userId === null)
      throw new DomainError('unavailable', 'No user who may start runs sees the agent of this source.');
    const ended = await intake({ source: { ...source, userId }, opened, signal });
    const { end, failure } = ended;
    if (failure !== null)
      log.warn(
        { ...fieldsOf(source), err: failure },
        'something that came to a source could not be taken; trying again',
      );
    await queue.looked(source, {
      error: failure === null ? null : inWords(failure),
      isWaiting: end === 'full',
      nextSeconds: paceOf(source, ended),
      isWatched: opened.news !== undefined && end !== 'cut',
    });
    return ended;
  };

  const lookInTime = (source: LeasedSource, opened: OpenSource, signal: AbortSignal) =>
    inTime((until) => look(source, opened, until), { seconds: lookSeconds, late: () => tooLong(lookSeconds), signal });

  /** Until something may have come, or someone asks for a look. */
  const news = async ({ id }: LeasedSource, seconds: number, opened: OpenSource, signal: AbortSignal) => {
    const woken = new AbortController();
    waiting.set(id, woken);
    due.wake();
    try {
      await opened.news?.(seconds, AbortSignal.any([signal, woken.signal]));
    } catch (error) {
      if (signal.aborted || !woken.signal.aborted) throw error;
    } finally {
      waiting.delete(id);
    }
  };

  const lookOn = async (source: LeasedSource, signal: AbortSignal) => {
    const place: SourcePlace = JSON.parse(unsealed(sealer, source.sealedPlace, 'source'));
    const opened = await sources.open(
      { place, after: source.after, token: keptToken(source, { queue, sealer }) },
      signal,
    );
    try {
      let ended = await lookInTime(source, opened, signal);
      // One whose look was cut is leased again at its turn.
      while (opened.news && ended.end !== 'cut') {
        await news(source, paceOf(source, ended), opened, signal);
        const present = await queue.present(source.id);
        const next = { ...source, ...present, failures: 0, isWaiting: ended.end === 'full' };
        ended = await lookInTime(next, opened, signal);
      }
    } finally {
      await opened.close();
    }
  };

  const failed = (source: LeasedSource, error: unknown) => {
    log.warn(
      { ...fieldsOf(source), failures: source.failures + 1, err: error },
      'a source could not be looked at; trying again later',
    );
    const { everySeconds: firstSeconds } = source;
    const longest = { firstSeconds, longestSeconds: Math.max(firstSeconds, LONGEST_SECONDS) };
    const nextSeconds = backOffSeconds(source.failures + 1, Math.random(), longest);
    return queue.looked(source, { error: inWords(error), isWaiting: false, nextSeconds, isWatched: false });
  };

  const perform = async (source: LeasedSource, signal: AbortSignal) => {
    try {
      await lookOn(source, signal);
    } catch (error) {
      const end = signal.reason instanceof Stopping ? queue.release(source) : failed(source, error);
      // Another process looks at it when the lease is over.
      await end.catch((err) => log.warn({ source_id: source.id, err }, 'the end of a look could not be stored'));
    }
  };

  const due = poller({
    everyMs: pollMs,
    async look() {
      const free = concurrency - (leases.held().length - waiting.size);
      const leased = free <= 0 ? [] : await queue.lease(free, leaseSeconds);
      for (const source of leased) void leases.during(source, (signal) => perform(source, signal)).finally(due.wake);
      return false;
    },
    failed: (err) => log.warn({ err }, 'the sources that are due could not be read; trying again'),
  });

  const wake = (sourceId: string | null) => {
    const woken = sourceId === null ? [...waiting.values()] : [waiting.get(sourceId)];
    for (const one of woken) one?.abort();
    due.wake();
  };

  return {
    start(): void {
      unsubscribe = wakeups.subscribe(wake);
      due.start();
    },

    /** Leases no more; what is not taken within the grace is left to another worker. */
    async stop(graceMs: number): Promise<void> {
      unsubscribe();
      await due.stop();
      wake(null);
      await leases.stop(graceMs);
    },
  };
};

export type SourceWorker = ReturnType<typeof sourceWorker>;
