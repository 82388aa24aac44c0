import { LeaseLost } from '../../../application/ports/leases.ts';
import type { Intake, LeasedSource, SourceLease, SourceQueue } from '../../../application/ports/sources.ts';
import type { Database, RunSql, Statement } from '../connection/database.ts';
import * as sql from '../statements/source-statements.ts';
import { announce, createIn } from './run-creation.ts';

const record = async (
  runSql: RunSql,
  sourceId: string,
  { ref, key, name, sizeBytes, digest }: Intake,
  end: { readonly runId: string | null; readonly whyNot: string | null; readonly unsettled: boolean },
) => runSql(sql.insert, [sourceId, ref, key, name, sizeBytes, digest, end.runId, end.whyNot, end.unsettled]);

export const sourceQueue = ({
  query,
  apart,
  atomically,
}: Pick<Database, 'query' | 'apart' | 'atomically'>): SourceQueue => {
  const holding = <T>({ id, fence }: SourceLease, work: (runSql: RunSql) => Promise<T>) =>
    atomically(async (runSql) => {
      if ((await runSql(sql.hold, [id, fence])).length === 0) throw new LeaseLost('source', id);
      return work(runSql);
    });

  const change = async (statement: Statement, { id, fence }: SourceLease, values: readonly unknown[]) => {
    if ((await query(statement, [id, fence, ...values])).length === 0) throw new LeaseLost('source', id);
  };

  return {
    lease: (most, leaseSeconds) => query<LeasedSource>(sql.lease, [most, leaseSeconds]),

    async renew(leases, leaseSeconds) {
      const lists = [leases.map(({ id }) => id), leases.map(({ fence }) => fence)];
      return new Set((await apart<{ id: string }>(sql.renew, [...lists, leaseSeconds])).map(({ id }) => id));
    },

    async keepToken(sourceId, sealedToken) {
      await query(sql.keepToken, [sourceId, sealedToken]);
    },

    openRuns: async (sourceId, most) => (await query<{ open: number }>(sql.openRuns, [sourceId, most]))[0]?.open ?? 0,

    async unknown(sourceId, refs) {
      return new Set((await query<{ ref: string }>(sql.unknown, [sourceId, refs])).map(({ ref }) => ref));
    },

    takenAs: async (sourceId, digest) =>
      (await query<{ runId: string | null }>(sql.takenAs, [sourceId, digest]))[0] ?? null,

    async take(lease, item, run) {
      const taken = await holding(lease, async (runSql) => {
        const known = await runSql(sql.isKnown, [lease.id, item.ref, item.digest]);
        if (known.length > 0) return 'known';
        if (!(await createIn(runSql, run))) return 'no agent';
        await record(runSql, lease.id, item, { runId: run.id, whyNot: null, unsettled: true });
        return 'taken';
      });
      if (taken === 'taken') await announce(query, [run]);
      return taken;
    },

    pass: (lease, item, whyNot, runId) =>
      holding(lease, async (runSql) => {
        await record(runSql, lease.id, item, { runId, whyNot, unsettled: false });
      }),

    unsettled: async (sourceId, most) =>
      (await query<{ ref: string }>(sql.unsettled, [sourceId, most])).map(({ ref }) => ref),

    settled: (lease, ref) => change(sql.settled, lease, [ref]),
    advance: (lease, cursor) => change(sql.advance, lease, [JSON.stringify(cursor)]),
    present: async (sourceId) =>
      (await query<Pick<LeasedSource, 'cursor' | 'userId'>>(sql.present, [sourceId]))[0] ?? {
        cursor: null,
        userId: null,
      },
    looked: (lease, { error, isWaiting, nextSeconds, isWatched }) =>
      change(sql.looked, lease, [error, nextSeconds, isWatched, isWaiting]),

    async release({ id, fence }) {
      await query(sql.release, [id, fence]);
    },
  };
};
