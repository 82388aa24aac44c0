import { expect } from 'chai';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { cleaningUp, heldBack } from '../../src/adapters/postgres/connection/old-snapshots.ts';
import { usePostgres } from '../support/postgres.ts';

/** Of a database that has these. */
const checksOf = (rows: readonly object[]) =>
  cleaningUp({ query: async () => rows } as unknown as Pick<Database, 'query'>);

describe('snapshots that keep dead rows', () => {
  const postgres = usePostgres();

  it('are counted by the transactions that they have outlasted, as long as they are open', async () => {
    const { database } = postgres;
    const session = await database.pool.connect();
    const count = heldBack(database);
    try {
      const before = (await count()).transaction;
      await session.query('begin isolation level repeatable read');
      await session.query('select 1');
      for (let times = 0; times < 25; times += 1) await database.pool.query('select pg_current_xact_id()');
      const held = await count();
      expect(held.transaction - before).to.be.at.least(25);
      expect(held).to.deep.include({ prepared_transaction: 0, replication_slot: 0, standby: 0 });
      await session.query('rollback');
      expect((await count()).transaction).to.be.below(held.transaction);
    } finally {
      session.release();
    }
    expect(await cleaningUp(database), 'a short one is usual').to.equal('no old snapshot holds it back');
  });

  it('are named to the operator when they are old, with what ends them', async () => {
    const kinds: readonly (readonly [object, RegExp])[] = [
      [
        { by: 'transaction', name: '4711', transactions: 1200, seconds: 720 },
        /^rows that are dead cannot be removed for 12 minutes and for 1200 transactions.*pg_terminate_backend\(4711\)/,
      ],
      [
        { by: 'prepared_transaction', name: "o'clock", transactions: 5, seconds: 3600 },
        /: commit prepared 'o''clock', or rollback prepared$/,
      ],
      [
        { by: 'replication_slot', name: 'east', transactions: 100_000, seconds: null },
        /for 100000 transactions.*pg_drop_replication_slot\('east'\)$/,
      ],
      [{ by: 'standby', name: 'east', transactions: 100_000, seconds: null }, /turn hot_standby_feedback off there$/],
    ];
    for (const [row, detail] of kinds) {
      const [check] = (await checksOf([row])) as readonly { status: string; detail: string }[];
      expect(check?.status).to.equal('warn');
      expect(check?.detail).to.match(detail);
    }
    const young = [
      { by: 'transaction', name: '1', transactions: 900_000, seconds: 299 },
      { by: 'replication_slot', name: 'east', transactions: 99_999, seconds: null },
    ];
    expect(await checksOf(young)).to.be.a('string');
  });
});
