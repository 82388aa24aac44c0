import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Cell } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { never, refusal, suiteOf, textOf } from '../contracts/connector/suite.ts';
import { aDelivery } from '../contracts/systems-of-record.ts';
import { commitProxy, type Fate } from '../support/commit-proxy.ts';
import { eventually } from '../support/until.ts';
import { type MysqlHarness, mysqlDialect } from './connectors-mysql-harness.ts';

/** A query, as against the name of an isolation level. */
const queryOf = (text: string) => Buffer.from(`\x03${text}`);

/** For so long after each look, the server shows its transactions as they were. */
const TRANSACTIONS_CACHED_MS = 150;

/** What only MySQL and MariaDB have, of the records that are written. */
export const mysqlsWrites = (harness: () => MysqlHarness) => {
  const { open, connector } = suiteOf(mysqlDialect, harness);
  const table = async (columns: string, engine = 'InnoDB') => {
    const { schema, execute } = harness();
    const name = `w_${randomUUID().slice(0, 8)}`;
    await execute(`create table \`${schema}\`.${name} (${columns}) engine = ${engine}`);
    return `${schema}.${name}`;
  };
  const read = (entity: string) => textOf(connector().records({ entity, filter: null, limit: 10, offset: 0 }, never));
  const insert = (entity: string, values: Readonly<Record<string, Cell>>) =>
    connector().writer?.insert(entity, values, never) ?? expect.fail('A writer was expected.');

  describe('a commit', () => {
    /** Writes by way of a network on which a commit has this fate. */
    const writtenBy = async (fate: Fate, work: 'insert' | 'update', { dark = false } = {}) => {
      const entity = await table('id int primary key, a varchar(9)');
      if (work === 'update') await insert(entity, { id: 1, a: 'before' });
      const proxy = await commitProxy({ ...harness().address, commit: queryOf('commit') }, fate, { dark });
      try {
        const own = open().open(harness().via(proxy.port)).writer;
        const written =
          work === 'insert'
            ? own?.insert(entity, { id: 1, a: 'x' }, never)
            : own?.update(entity, { column: 'id', value: 1 }, { a: 'x' }, never);
        const answer = await written?.catch((error: unknown) => error);
        return { answer, isThere: (await read(entity)) === '[{"id":1,"a":"x"}]' };
      } finally {
        proxy.close();
      }
    };
    const isUnknown = (answer: unknown) => {
      expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'outcome_unknown' });
      expect(String(answer)).to.match(/Look for it before you write it again/);
    };

    for (const work of ['insert', 'update'] as const)
      it(`of an ${work} whose answer is lost is done, and the answer says so`, async () => {
        expect(await writtenBy('done, and cut', work)).to.deep.equal({ answer: 1, isThere: true });
      });

    it('of an insert that never arrives has written nothing, and the answer says so', async () => {
      const { answer, isThere } = await writtenBy('lost', 'insert');
      expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'upstream_unavailable' });
      expect(isThere).to.equal(false);
    });

    it('of an update that never arrives has an unknown outcome, as the row may have been changed back', async () => {
      const { answer, isThere } = await writtenBy('lost', 'update');
      isUnknown(answer);
      expect(isThere).to.equal(false);
    });

    for (const fate of ['done, and cut', 'lost'] as const)
      it(`has an unknown outcome where the server cannot be asked: ${fate}`, async () => {
        const { answer, isThere } = await writtenBy(fate, 'insert', { dark: true });
        isUnknown(answer);
        expect(isThere).to.equal(fate !== 'lost');
      });

    it('that arrives late is waited for, where its session cannot be ended', async () => {
      const entity = await table('id int primary key, a varchar(9)');
      const waiting = async () => {
        await sleep(TRANSACTIONS_CACHED_MS);
        const waits = `select count(*) as n from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`;
        const [rows] = await harness().admin.query(waits);
        return Number((rows as unknown as readonly [{ readonly n: unknown }])[0].n) > 0;
      };
      const target = { ...harness().address, commit: queryOf('commit'), refused: queryOf('kill ') };
      const proxy = await commitProxy(target, 'late');
      try {
        const written = open().open(harness().via(proxy.port)).writer?.insert(entity, { id: 1, a: 'x' }, never);
        await Promise.race([written, eventually(waiting)]);
        proxy.deliver();
        expect(await written).to.equal(1);
        expect(await read(entity)).to.equal('[{"id":1,"a":"x"}]');
      } finally {
        proxy.close();
      }
    });
  });

  it('writes nothing into a table whose rows have no transactions', async () => {
    for (const engine of ['MyISAM', 'MEMORY']) {
      const entity = await table('id int primary key, document_id char(36)', engine);
      const told = new RegExp(`are kept by ${engine}, which has no transactions: nothing is written there`);
      const own = connector();
      const key = { column: 'id', value: 1 };
      for (const work of [
        () => own.writer?.insert(entity, { id: 1 }, never),
        () => own.writer?.update(entity, key, { id: 2 }, never),
        () => own.rehearsal?.insert(entity, { id: 1 }, never),
      ]) {
        const refused = await refusal(Promise.resolve(work()));
        expect(refused.kind).to.equal('invalid');
        expect(refused.message).to.match(told);
      }
      const delivered = await own.deliver(aDelivery(entity), never);
      expect(delivered).to.include({ outcome: 'rejected' }).and.have.property('reason').that.matches(told);
      expect(await read(entity)).to.equal('[]');
    }
  });
};
