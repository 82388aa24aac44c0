import { deadline } from '../../application/shared/async.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';

/** The answer to a commit was lost: the transaction is done, or it is not. */
export class CommitUnanswered extends Error {
  constructor(cause: unknown) {
    super('the answer to a commit was lost', { cause });
    this.name = 'CommitUnanswered';
  }
}

/** What a look at the row finds out about such a transaction. */
export type Finding = 'written' | 'not written' | 'unclear';

/** When work has to end, and how long it may take. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
}

/** How long a client waits for the look, on top of what the write took. */
const MOST_LOOK_SECONDS = 10;

interface Settling<T> {
  readonly connection: Connection;
  /** How long the work may take. */
  readonly timeoutSeconds: number;
  readonly work: () => Promise<T>;
  /** Looks for what the work wrote, in a session of its own. It waits until the transaction of the work is over. */
  readonly look: (bounds: Bounds, tell: (finding: Finding) => void) => Promise<void>;
  /** What is answered if the row is there. */
  readonly done: () => T;
  /** What to do about an outcome that stays unknown, as a sentence. */
  readonly advice: string;
}

/** Runs the work. If its commit is not answered, looks for the row first: an outage means that nothing was written. */
export const settled = async <T>({ connection, timeoutSeconds, work, look, done, advice }: Settling<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommitUnanswered)) throw error;
    const seconds = Math.min(timeoutSeconds, MOST_LOOK_SECONDS);
    const bounds = { signal: deadline(seconds), timeoutSeconds: seconds };
    let finding = 'unclear' as Finding;
    const tell = (what: Finding) => {
      finding = what;
    };
    // What a look has found is certain, even if its own transaction fails afterwards.
    await look(bounds, tell).catch(() => {});
    if (finding === 'written') return done();
    if (finding === 'not written') throw error.cause;
    const what = `The connection "${connection.name}" was lost before it said whether the row was saved.`;
    throw new DomainError('outcome_unknown', `${what} ${advice}`);
  }
};
