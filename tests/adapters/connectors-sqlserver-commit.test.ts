import { expect } from 'chai';
import type { Connection as Session } from 'tedious';
import { deliverRow, rehearseRow } from '../../src/adapters/connectors/sql/delivery.ts';
import { rehearseWrite, rowWriter, writeRow } from '../../src/adapters/connectors/sql/writer.ts';
import { sqlserver } from '../../src/adapters/connectors/sqlserver/dialect.ts';
import type { Pools } from '../../src/adapters/connectors/sqlserver/pools.ts';
import type { Request } from '../../src/adapters/connectors/sqlserver/session.ts';
import { transactionsOf } from '../../src/adapters/connectors/sqlserver/transaction.ts';
import type { Cell } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { aDelivery } from '../contracts/systems-of-record.ts';
import { aConnection } from '../support/sqlserver-harness.ts';

const column = (name: string, type: string, key: number | null, precision = 0) => ({
  schema_name: 'dbo',
  table_name: 'bills',
  is_view: 0,
  column_name: name,
  base_type: type,
  is_clr: false,
  max_length: 80,
  declared_type: type === 'decimal' ? `decimal(${precision},2)` : type,
  precision,
  scale: type === 'decimal' ? 2 : 0,
  is_nullable: 1,
  default_definition: null,
  collation_name: null,
  key_ordinal: key,
});
const described = [
  column('id', 'bigint', 1),
  column('total', 'decimal', null, 38),
  column('note', 'nvarchar', null),
  column('doc', 'xml', null),
];

type Row = Readonly<Record<string, unknown>>;

const lost = Object.assign(new Error('Connection lost'), { code: 'ESOCKET' });
const timeUp = Object.assign(new Error('Timeout: Request failed to complete'), { code: 'ETIMEOUT' });
const killed = Object.assign(new Error('The session was killed.'), { number: 596, class: 21 });
const refusal = Object.assign(new Error('The row is not valid.'), { number: 50000, class: 16 });

interface Server {
  /** What comes of the first commit; null: it is answered. */
  readonly commit: Error | null;
  /** What a look at the row finds, or why none can be had. */
  readonly look?: readonly Row[] | Error;
}

/** Stands in for sessions of the driver: answers by what a statement is, and keeps what was asked. */
const sessionsOf = ({ commit, look = [] }: Server) => {
  const asked: { readonly text: string; readonly values: readonly string[] }[] = [];
  const released: boolean[] = [];
  let commits = 0;
  const answerTo = (text: string): readonly Row[] | Error => {
    if (text === 'commit transaction') return (commits++ === 0 ? commit : null) ?? [];
    if (text.includes('as same from') || text.startsWith('select top (1) 1 as found')) return commits === 0 ? [] : look;
    if (text.startsWith('select top (2) 1 as found')) return [{ found: 1 }];
    if (text.includes('sp_getapplock')) return [{ answer: 0 }];
    if (text.includes('@portico_rows')) return [{ affected: 1 }];
    return text.includes('sys.') ? described : [];
  };
  const answer = (request: Request) => {
    const { sqlTextOrProcedure: text = '', parameters } = request as unknown as {
      readonly sqlTextOrProcedure?: string;
      readonly parameters: readonly { readonly value: unknown }[];
    };
    asked.push({ text, values: parameters.map(({ value }) => String(value)) });
    const given = answerTo(text);
    setImmediate(() => {
      const under = request as unknown as {
        emit(event: string, value: unknown): void;
        callback(error: Error | null): void;
      };
      if (given instanceof Error) return under.callback(given);
      under.emit('columnMetadata', []);
      for (const row of given)
        under.emit(
          'row',
          Object.entries(row).map(([colName, value]) => ({ value, metadata: { colName } })),
        );
      under.callback(null);
    });
  };
  const session = { execSql: answer, execSqlBatch: answer } as unknown as Session;
  const pools: Pools = {
    lease: async () => ({ session, release: (reusable) => void released.push(reusable) }),
    most: 1,
    close: async () => {},
  };
  return { asked, released, transactions: transactionsOf(pools, connection) };
};

const connection = aConnection('mssql://nowhere');
const bounds = { signal: new AbortController().signal, timeoutSeconds: 30 };

const writerOn = (server: Server) => {
  const { asked, transactions } = sessionsOf(server);
  const writer = rowWriter(sqlserver, (write) => writeRow(sqlserver, connection, transactions, write, bounds));
  const insert = (values: Readonly<Record<string, Cell>>) => writer.insert('dbo.bills', values, bounds.signal);
  const update = (values: Readonly<Record<string, Cell>>) =>
    writer.update('dbo.bills', { column: 'id', value: jsonNumber('9007199254740993') }, values, bounds.signal);
  return { asked, insert, update };
};

const failure = (work: Promise<unknown>) =>
  work.then(
    (value) => expect.fail(`answered ${value}`),
    (error: unknown) => error,
  );

const isUnknown = (error: unknown) => {
  expect(error).to.be.instanceOf(DomainError).and.include({ code: 'outcome_unknown', kind: 'outcome_unknown' });
  expect((error as Error).message).to.match(
    /"ledger" was lost before it said whether the row was saved. Look for it before/,
  );
};

const row = { id: jsonNumber('9007199254740993'), total: jsonNumber('123456789012345678901234567890.12'), note: 'a' };

describe('a commit to SQL Server whose answer is lost', () => {
  for (const [how, commit] of Object.entries({
    'the connection breaks': lost,
    'the time is up': timeUp,
    'the session is killed': killed,
  })) {
    it(`is looked after by the primary key, and done where the row is there: ${how}`, async () => {
      const { asked, insert } = writerOn({ commit, look: [{ same: 1 }] });
      expect(await insert(row)).to.equal(1);
      expect(asked.find(({ text }) => text.includes('as same from'))).to.deep.equal({
        text:
          'select top (2) case when r.[id] = convert(bigint, convert(bigint, @p0)) and r.[total] = convert(decimal(38,2), convert(decimal(38,2), @p1)) ' +
          'and r.[note] collate Latin1_General_100_BIN2 = @p2 collate Latin1_General_100_BIN2 then 1 else 0 end as same ' +
          'from [dbo].[bills] as r with (readcommittedlock) where r.[id] = convert(bigint, @p3)',
        values: ['9007199254740993', '123456789012345678901234567890.12', 'a', '9007199254740993'],
      });
    });

    it(`has an unknown outcome where nobody can look: ${how}`, async () => {
      for (const look of [lost, timeUp]) isUnknown(await failure(writerOn({ commit, look }).insert(row)));
    });
  }

  it('has written nothing where the row is not there', async () => {
    expect(await failure(writerOn({ commit: lost, look: [] }).insert(row))).to.equal(lost);
  });

  it('has an unknown outcome where another row has the key, or no value tells the row', async () => {
    isUnknown(await failure(writerOn({ commit: lost, look: [{ same: 0 }] }).insert(row)));
    const { asked, insert } = writerOn({ commit: lost, look: [{ same: 1 }] });
    isUnknown(await failure(insert({ total: 1 })));
    expect(asked.some(({ text }) => text.includes('as same from'))).to.equal(false);
  });

  it('never takes for the same what cannot be compared', async () => {
    const { asked, insert } = writerOn({ commit: lost, look: [{ same: 0 }] });
    isUnknown(await failure(insert({ id: 1, doc: '<a/>', note: null })));
    expect(asked.find(({ text }) => text.includes('as same from'))?.text).to.match(
      / and 1 = 0 and r\.\[note\] is null then/,
    );
  });

  it('of an update is done where the row has the values, and unknown in every other case', async () => {
    const { asked, update } = writerOn({ commit: lost, look: [{ same: 1 }] });
    expect(await update({ note: 'a' })).to.equal(1);
    expect(asked.find(({ text }) => text.includes('as same from'))?.values).to.deep.equal(['a', '9007199254740993']);
    for (const look of [[{ same: 0 }], [], [{ same: 1 }, { same: 1 }], lost])
      isUnknown(await failure(writerOn({ commit: lost, look }).update({ note: 'a' })));
  });

  it('is no matter of doubt where the server said no, or the commit was not sent', async () => {
    const unsent = Object.assign(new Error('Requests can only be made in the LoggedIn state'), {
      code: 'EINVALIDSTATE',
    });
    for (const commit of [refusal, unsent]) {
      const { asked, insert } = writerOn({ commit, look: [{ same: 1 }] });
      expect(await failure(insert(row))).to.equal(commit);
      expect(asked.some(({ text }) => text.includes('as same from'))).to.equal(false);
    }
  });

  it('of a delivery is looked after by the document, under its lock', async () => {
    const delivery = { ...aDelivery('dbo.bills', { total: 1 }), documentIdColumn: 'note' };
    const deliver = (server: Server) =>
      deliverRow(sqlserver, connection, sessionsOf(server).transactions, delivery, bounds);
    expect(await deliver({ commit: lost, look: [{ found: 1 }] })).to.include({ outcome: 'written' });
    expect(await failure(deliver({ commit: lost, look: [] }))).to.equal(lost);
    const unknown = await failure(deliver({ commit: lost, look: lost }));
    expect(unknown).to.be.instanceOf(DomainError).and.include({ code: 'outcome_unknown' });
    expect(String(unknown)).to.match(/Process the document again/);
  });
});

describe('a rehearsal on SQL Server', () => {
  const textsOf = (asked: readonly { readonly text: string }[]) => asked.map(({ text }) => text);
  const rolledBack = 'if @@trancount > 0 rollback transaction';

  it('runs the statements of the delivery, ends with a rollback and gives up its session', async () => {
    const [real, rehearsed] = [sessionsOf({ commit: null }), sessionsOf({ commit: null })];
    const bill = { ...aDelivery('dbo.bills', { total: 1, note: 'a' }), documentIdColumn: 'note' };
    await deliverRow(sqlserver, connection, real.transactions, bill, bounds);
    expect(await rehearseRow(sqlserver, rehearsed.transactions, bill, bounds)).to.deep.equal({
      would: 'insert',
      reason: null,
    });
    expect(textsOf(real.asked).at(-1)).to.equal('commit transaction');
    expect(textsOf(rehearsed.asked)).to.deep.equal([...textsOf(real.asked).slice(0, -1), rolledBack]);
    expect(rehearsed.released).to.deep.equal([false]);
  });

  it('of an insert and an update runs their statements and commits nothing', async () => {
    for (const work of ['insert', 'update'] as const) {
      const { asked, released, transactions } = sessionsOf({ commit: null });
      const writer = rowWriter(sqlserver, (write) => rehearseWrite(sqlserver, transactions.rolledBack, write, bounds));
      const key = { column: 'id', value: jsonNumber('9007199254740993') };
      const affected =
        work === 'insert'
          ? writer.insert('dbo.bills', row, bounds.signal)
          : writer.update('dbo.bills', key, row, bounds.signal);
      expect(await affected).to.equal(1);
      expect(textsOf(asked).at(-1)).to.equal(rolledBack);
      expect(textsOf(asked).filter((text) => text.startsWith('commit'))).to.deep.equal([]);
      expect(
        textsOf(asked).some((text) =>
          text.includes(work === 'insert' ? 'insert into [dbo].[bills]' : 'update [dbo].[bills]'),
        ),
      ).to.equal(true);
      expect(released).to.deep.equal([false]);
    }
  });
});
