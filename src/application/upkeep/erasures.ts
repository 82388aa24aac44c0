import { callerAsDoer } from '../../domain/audit.ts';
import { type Caller, mustBeAdmin } from '../../domain/caller.ts';
import type { Erasure, ErasureSubject } from '../../domain/erasure.ts';
import { DomainError, mustExist } from '../../domain/errors.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { ErasureLedger, ErasureRepository, StepCounts } from '../ports/erasures.ts';
import type { Ids, Log } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { CursorPage, Position } from '../ports/storage.ts';
import { concurrently, pause } from '../shared/async.ts';

const REQUESTS_AT_ONCE = 8;
/** After so long the answer says that the erasure goes on. */
const ANSWERS_MS = 10_000;

interface Dependencies {
  readonly erasures: ErasureRepository;
  readonly ledger: ErasureLedger;
  readonly blobs: Pick<BlobStore, 'purge'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly ids: Ids;
  readonly log: Log;
}

/** An entry of the ledger: all that it takes to do the erasure again. */
const entryOf = (erasure: Erasure): string => `${JSON.stringify(erasure, null, 2)}\n`;

const erasureOf = (text: string): Erasure => {
  const entry = parseJson(text) as unknown as Erasure;
  return { ...entry, requestedAt: new Date(entry.requestedAt), completedAt: null };
};

/** Erases documents, runs and conversations for good, in every place where their words are. */
export const erasureService = ({ erasures, ledger, blobs, sealer, ids, log }: Dependencies) => {
  const removeFiles = async (keys: readonly string[]): Promise<StepCounts> => {
    const purged = await concurrently(keys, REQUESTS_AT_ONCE, (key) => blobs.purge(key));
    const removed = purged.reduce((sum, each) => sum + each.removed, 0);
    return { files: { removed, kept: purged.filter(({ isCertain }) => !isCertain).length } };
  };

  /** They are sealed, so that no statement finds what they say. */
  const forgetAnswers = async ({ id, targets }: Erasure): Promise<void> => {
    const { documents, runs, conversations, units, keys } = targets;
    const named = [...documents, ...runs, ...conversations, ...units.map(({ runId }) => runId), ...keys];
    for (let after: string | null = null; ; ) {
      const some = await erasures.answers(after);
      const naming = some.filter(({ answer }) => {
        const text = sealer.open(answer);
        return named.some((each) => text.includes(each));
      });
      if (naming.length > 0)
        await erasures.forgetAnswers(
          id,
          naming.map((each) => each.id),
        );
      after = some.at(-1)?.id ?? null;
      if (after === null) return;
    }
  };

  /** What is left to do once the transaction has removed the rows; each step may be done again, after whatever ended the one before. */
  const complete = async (begun: Erasure): Promise<Erasure> => {
    await ledger.write(begun.id, entryOf(begun));
    await erasures.removeTraces(begun);
    await forgetAnswers(begun);
    const completed = await erasures.complete(begun.id, await removeFiles(begun.targets.keys));
    log.info({ erasure_id: begun.id }, 'an erasure is complete');
    return completed;
  };

  const goOn = (erasure: Erasure): Promise<Erasure | null> =>
    complete(erasure).catch((err: unknown) => {
      log.warn({ err, erasure_id: erasure.id }, 'an erasure is not complete yet; trying again in a minute');
      return null;
    });

  const missing = async () => erasures.missing(await ledger.ids());

  return {
    /** Complete, or `completedAt` is null: then it goes on without the caller. */
    async erase(caller: Caller, subject: ErasureSubject, reason: string): Promise<Erasure> {
      mustBeAdmin(caller);
      const by = callerAsDoer(caller);
      const begun = mustExist(await erasures.begin(caller, { id: ids.next(), subject, reason, by }), subject.type);
      const completed = await Promise.race([goOn(begun), pause(ANSWERS_MS).then(() => null)]);
      return completed ?? begun;
    },

    async list(caller: Caller, page: CursorPage<Position>) {
      mustBeAdmin(caller);
      return erasures.list(caller.workspaceId, page);
    },

    /** Goes on with those that another process left, or whose store was away; how many are complete now. */
    async resume(): Promise<number> {
      let completed = 0;
      for (const erasure of await erasures.due()) if ((await goOn(erasure)) !== null) completed++;
      return completed;
    },

    /** Refuses to serve a database that was restored from a backup from before an erasure. */
    async mustBeDone(): Promise<void> {
      const { length } = await missing();
      if (length === 0) return;
      const what = length === 1 ? 'An erasure' : `${length} erasures`;
      throw new DomainError(
        'conflict',
        `${what} of the file store’s ledger ${length === 1 ? 'is' : 'are'} not in this database, which comes from a backup: run "portico erase --replay" before the server starts.`,
      );
    },

    /** Does the erasures again that the database lacks. */
    async replay(): Promise<readonly Erasure[]> {
      const done: Erasure[] = [];
      for (const id of await missing()) {
        const text = mustExist(await ledger.read(id), 'entry of the ledger');
        done.push(await complete(await erasures.repeat(erasureOf(text))));
      }
      return done;
    },
  };
};

export type ErasureService = ReturnType<typeof erasureService>;
