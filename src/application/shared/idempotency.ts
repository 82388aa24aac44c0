import { DomainError } from '../../domain/errors.ts';
import type { Claim, KeyedRequest, KeyedRequests } from '../ports/idempotency.ts';
import type { Ids, Log } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import { abortable } from './async.ts';
import { leasesOf } from './leases.ts';

/** A process that dies leaves its requests to others after so long. */
const LEASE_SECONDS = 30;
const FIRST_LOOK_MS = 50;
const SELDOM_MS = 1000;
const PATIENCE_MS = 20_000;
const RETRY_SECONDS = 5;

/** What the work comes to, and the answer that a repetition gets; null: none, a repetition does it again. */
export interface Worked<T> {
  readonly result: T;
  /** Of work that goes on behind its result: once it is over. */
  readonly answer: string | null | Promise<string | null>;
}

interface Terms {
  /** Whether work that was interrupted may be done again; else it is not known what it did, and a repetition is refused. */
  readonly again: boolean;
  /** Ends the wait for the first request. */
  readonly signal: AbortSignal;
}

interface Dependencies {
  readonly requests: KeyedRequests;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly log: Log;
}

const reused = () =>
  new DomainError('invalid', 'This Idempotency-Key was used with another request.', { code: 'idempotency_key_reused' });

const stillUnderWay = () =>
  new DomainError(
    'busy',
    'The first request with this Idempotency-Key is still under way: send it again in a while to get its answer.',
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  );

const unknownOutcome = () =>
  new DomainError(
    'outcome_unknown',
    'It is not known whether the first request with this Idempotency-Key took effect, because it ended without an answer: find out before you send it again with another key.',
  );

/** Whether nothing can have come of work that ended so. */
const isWithoutEffect = (error: unknown): boolean => error instanceof DomainError && error.kind !== 'outcome_unknown';

/** Does the work of a request with an `Idempotency-Key` once, and answers a repetition of it with the first answer. */
export const idempotencyService = ({ requests, sealer, ids, log }: Dependencies, patienceMs = PATIENCE_MS) => {
  const leases = leasesOf<string>({
    subject: 'request',
    idOf: (id) => id,
    log,
    renewal: { leaseSeconds: LEASE_SECONDS, renew: (held) => requests.renew(held, LEASE_SECONDS) },
  });

  const begin = async (
    request: KeyedRequest,
    leaseId: string,
    { again, signal }: Terms,
  ): Promise<Exclude<Claim, { outcome: 'under way' }>> => {
    const since = performance.now();
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, SELDOM_MS)) {
      const claim = await requests.begin(request, { id: leaseId, seconds: LEASE_SECONDS }, again);
      if (claim.outcome !== 'under way') return claim;
      if (performance.now() - since > patienceMs) throw stillUnderWay();
      await abortable(new Promise((resolve) => setTimeout(resolve, pauseMs)), signal);
    }
  };

  /** The answer is that of the work, whatever becomes of its record. */
  const record = async (leaseId: string, ending: () => Promise<void>): Promise<void> => {
    await ending().catch((err: unknown) =>
      log.warn({ err, lease_id: leaseId }, 'the answer to an Idempotency-Key could not be kept'),
    );
  };

  const end = (leaseId: string, answer: string | null) =>
    record(leaseId, () => (answer === null ? requests.forget(leaseId) : requests.answer(leaseId, sealer.seal(answer))));

  const endFailed = (leaseId: string, error: unknown, again: boolean) =>
    record(leaseId, () => (again || isWithoutEffect(error) ? requests.forget(leaseId) : requests.interrupt(leaseId)));

  const opened = (sealed: string): string => {
    try {
      return sealer.open(sealed);
    } catch {
      throw unknownOutcome();
    }
  };

  /** Resolves with the result as soon as there is one; the lease is held until the work is over. */
  const workUnder = <T>(leaseId: string, again: boolean, work: () => Promise<Worked<T>>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const done = async () => {
      try {
        const { result, answer } = await work();
        if (answer instanceof Promise) resolve(result);
        await end(leaseId, await answer);
        resolve(result);
      } catch (error) {
        await endFailed(leaseId, error, again);
        reject(error);
      }
    };
    void leases.during(leaseId, done);
    return promise;
  };

  return {
    /** What the work comes to; or the answer to the first request with this key, which is all that is done then. */
    async once<T>(
      request: KeyedRequest,
      terms: Terms,
      work: () => Promise<Worked<T>>,
    ): Promise<{ readonly result: T } | { readonly before: string }> {
      const leaseId = ids.next();
      const claim = await begin(request, leaseId, terms);
      if (claim.outcome === 'mismatch') throw reused();
      if (claim.outcome === 'interrupted') throw unknownOutcome();
      if (claim.outcome === 'answered') return { before: opened(claim.answer) };
      return { result: await workUnder(leaseId, terms.again, work) };
    },
  };
};

export type IdempotencyService = ReturnType<typeof idempotencyService>;
