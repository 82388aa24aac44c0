import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import sql from 'mssql';
import type { Cell } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import type { OpenConnectors } from '../contracts/connector/harness.ts';
import { pendingWhereLacking } from '../contracts/connector/lacking.ts';
import { never, refusal, rowsOf, textOf } from '../contracts/connector/suite.ts';
import { connectorContract } from '../contracts/connector.ts';
import {
  aDelivery,
  type ColumnSpec,
  type Kind,
  type SystemOfRecordHarness,
  systemsOfRecordContract,
} from '../contracts/systems-of-record.ts';
import { commitProxy, type Fate } from '../support/commit-proxy.ts';
import { type SqlserverServer, sqlserver } from '../support/sqlserver.ts';
import { type Ability, abilities, type Trace, traces } from '../support/sqlserver-abilities.ts';
import { quote, sqlserverDialect } from '../support/sqlserver-dialect.ts';
import { type SqlserverHarness, sqlserverHarness, withAddress } from '../support/sqlserver-harness.ts';

const types: Record<Kind, string> = {
  id: 'uniqueidentifier',
  text: 'nvarchar(max)',
  short: 'nvarchar(3)',
  integer: 'int',
  exact: 'decimal(38,10)',
  amount: 'decimal(5,2)',
  date: 'date',
  boolean: 'bit',
};

const quoted = (entity: string) => {
  const dot = entity.indexOf('.');
  return `${quote(entity.slice(0, dot))}.${quote(entity.slice(dot + 1))}`;
};

/** Constraints are named after their columns, for that is how the server tells of them. */
const definition = ([name, spec]: [string, ColumnSpec]) => {
  const named = (kind: string) => `constraint ${quote(`${kind}_${name}_${randomUUID().slice(0, 8)}`)}`;
  return [
    quote(name),
    types[spec.kind],
    spec.required ? 'not null' : 'null',
    spec.unique && `${named('uq')} unique`,
    spec.positive && `${named('ck')} check (${quote(name)} > 0)`,
    spec.references && `${named('fk')} references ${quoted(spec.references)} (${quote('key')})`,
    spec.uniqueWith && `, ${named('uq')} unique (${quote(name)}, ${quote(spec.uniqueWith)})`,
  ]
    .filter(Boolean)
    .join(' ');
};

const deliveries = `sys.sysprocesses where program_name = N'portico' and dbid = db_id()`;

interface Arranged extends SystemOfRecordHarness {
  readonly systems: OpenConnectors;
  readonly impatient: OpenConnectors;
}

const arrange = ({
  abilities,
  admin,
  execute,
  rowsOf: select,
  terminate,
  open,
  ...harness
}: SqlserverHarness): Arranged => {
  const counted = async (condition: string) => {
    abilities.need('sys.sysprocesses');
    return Number((await select(`select count(distinct spid) as n from ${deliveries} and ${condition}`))[0]?.n);
  };
  return {
    systems: open(),
    impatient: open({ timeoutSeconds: 1 }),
    connection: harness.connection,
    unreachable: harness.unreachable,
    wrongPassword: harness.wrongPassword,
    reader: harness.reader,
    longestName: 128,
    async createTable(columns, name = `t_${randomUUID().slice(0, 8)}`) {
      await execute(`create table dbo.${quote(name)} (${Object.entries(columns).map(definition).join(', ')})`);
      return `dbo.${name}`;
    },
    async rows(entity) {
      const request = new sql.Request(admin);
      Object.assign(request, { arrayRowMode: true });
      const result = await request.query(`select * from ${quoted(entity)}`);
      const { columns } = result as unknown as { columns: readonly (readonly { readonly name: string }[])[] };
      const names = (columns[0] ?? []).map(({ name }) => name);
      const texts = await select(
        `select ${names.map((name, index) => `lower(convert(nvarchar(max), ${quote(name)})) as l${index}, convert(nvarchar(max), ${quote(name)}) as c${index}`).join(', ')} from ${quoted(entity)}`,
      );
      return texts.map((row) =>
        Object.fromEntries(
          names.map((name, index) => [
            name,
            (name === 'document_id' ? row[`l${index}`] : row[`c${index}`]) as string | null,
          ]),
        ),
      );
    },
    async block(entity) {
      abilities.need('table hints that lock');
      const transaction = new sql.Transaction(admin);
      await transaction.begin();
      await transaction.request().batch(`select count(*) as n from ${quoted(entity)} with (tablock, holdlock)`);
      return () => transaction.rollback();
    },
    waiting: () => counted('blocked <> 0'),
    inTransaction: () => counted('open_tran > 0'),
    terminate,
  };
};

describe(`${sqlserver.name}`, () => {
  let server: SqlserverServer | null = null;
  let harness: SqlserverHarness;
  let systems: Arranged;

  before(async function () {
    this.timeout(600_000);
    server = await sqlserver.open();
    if (server === null) return this.skip();
    harness = await sqlserverHarness(server.url);
    await harness.execute(`grant select on schema::dbo to ${quote(harness.readerLogin)}`);
    systems = arrange(harness);
  });
  after(async () => {
    await Promise.all([systems?.systems.close(), systems?.impatient.close()]);
    await harness?.drop();
    await server?.stop();
  });

  describe('can be asked for', () => {
    for (const name of [...abilities, ...Object.keys(traces)] as readonly (Ability | Trace)[]) {
      it(name, function () {
        // A server that is named may be another product; the maker's image has everything.
        if (process.env.TEST_SQLSERVER_URL && harness.abilities.lacking.has(name)) this.skip();
        expect([...harness.abilities.lacking]).to.not.include(name);
      });
    }
  });

  pendingWhereLacking(describe('Connector', () => connectorContract(sqlserverDialect, () => harness)));

  pendingWhereLacking(describe('deliveries', () => systemsOfRecordContract(() => systems)));

  const connector = () => systems.systems.open(harness.connection);
  const writer = () => {
    const { writer: own } = connector();
    if (!own) throw new Error('A writer was expected.');
    return own;
  };
  const table = async (columns: string) => {
    const name = `t_${randomUUID().slice(0, 8)}`;
    await harness.execute(`create table dbo.${name} (${columns})`);
    return `dbo.${name}`;
  };
  const read = (entity: string) => textOf(connector().records({ entity, filter: null, limit: 10, offset: 0 }, never));

  describe("SQL Server's own", () => {
    it('spatial and hierarchical values are read as its own text, and written so', async () => {
      const entity = await table('id int primary key, place geography, shape geometry, node hierarchyid');
      await writer().insert(entity, { id: 1, place: 'POINT (1 2)', shape: 'POINT (3 4)', node: '/1/2/' }, never);
      expect(await read(entity)).to.equal('[{"id":1,"place":"POINT (1 2)","shape":"POINT (3 4)","node":"/1/2/"}]');
      expect((await refusal(writer().insert(entity, { id: 2, place: 'nowhere' }, never))).kind).to.equal('invalid');
    });

    it('alias types are what is below them', async () => {
      await harness.execute(`create type dbo.phone_${harness.readerLogin} from nvarchar(20) not null`);
      const entity = await table(`id int primary key, phone dbo.phone_${harness.readerLogin} null`);
      const described = (await connector().schema(['dbo'], never)).find(({ name }) => `dbo.${name}` === entity);
      expect(described?.columns[1]).to.include({ name: 'phone', dataType: 'nvarchar(20)' });
      expect((await refusal(writer().insert(entity, { id: 1, phone: '1'.repeat(21) }, never))).message).to.match(
        /"phone".*nvarchar\(20\)/,
      );
    });

    it('identities, computed columns and row versions take no values, and have theirs', async () => {
      const entity = await table('id int identity primary key, a int, twice as a * 2, version rowversion');
      expect(await writer().insert(entity, { a: 2 }, never)).to.equal(1);
      expect(await read(entity)).to.match(/^\[\{"id":1,"a":2,"twice":4,"version":"[A-Za-z0-9+/]{11}="\}\]$/);
      const refused: readonly Readonly<Record<string, Cell>>[] = [
        { id: 7, a: 1 },
        { a: 1, twice: 2 },
        { a: 1, version: 'AAAAAAAAB9E=' },
      ];
      for (const values of refused)
        expect((await refusal(writer().insert(entity, values, never))).kind).to.equal('invalid');
    });

    it('triggers that answer rows or count others change nothing in the count of rows affected', async () => {
      const log = await table('a int');
      const entity = await table('id int primary key, a int');
      await harness.execute(
        `create trigger ${entity}_noisy on ${entity} after insert, update as begin
           insert into ${log} select a from inserted; insert into ${log} select a from inserted;
           select a from ${log}; update ${log} set a = a; end`,
      );
      expect(await writer().insert(entity, { id: 1, a: 5 }, never)).to.equal(1);
      expect(await writer().update(entity, { column: 'id', value: 1 }, { a: 6 }, never)).to.equal(1);
      expect(await writer().update(entity, { column: 'id', value: 9 }, { a: 6 }, never)).to.equal(0);
      expect(await read(entity)).to.equal('[{"id":1,"a":6}]');
    });

    it('triggers that refuse are told in their own words, and nothing is written', async () => {
      const entity = await table('document_id uniqueidentifier, a int');
      await harness.execute(
        `create trigger ${entity}_closed on ${entity} after insert as begin raiserror ('The month is closed', 16, 1); rollback transaction; end`,
      );
      expect((await refusal(writer().insert(entity, { a: 1 }, never))).message).to.equal('The month is closed.');
      const told = await systems.systems.open(harness.connection).deliver(aDelivery(entity, { a: 1 }), never);
      expect(told).to.include({ outcome: 'rejected', reason: 'The month is closed.' });
      expect(await read(entity)).to.equal('[]');
    });

    it('code pages keep what they can hold, and refuse what they cannot', async () => {
      const entity = await table('id int primary key, a varchar(20) collate SQL_Latin1_General_CP1_CI_AS');
      expect(await writer().insert(entity, { id: 1, a: 'déjà vu' }, never)).to.equal(1);
      expect((await refusal(writer().insert(entity, { id: 2, a: '☃' }, never))).message).to.match(/"a".*code page/);
      expect(await read(entity)).to.equal('[{"id":1,"a":"déjà vu"}]');
      const found = (text: string) =>
        rowsOf(
          connector().records(
            {
              entity,
              filter: { kind: 'compare', column: 'a', comparison: 'eq', value: { type: 'text', text } },
              limit: 5,
              offset: 0,
            },
            never,
          ),
        );
      expect(await found('déjà vu')).to.have.length(1);
      expect(await found('d?jà vu')).to.have.length(0);
    });

    it('like takes brackets as they are', async () => {
      const entity = await table('id int primary key, a nvarchar(20)');
      for (const [id, a] of ['a[b]c', 'abc', 'a%c', 'a\\c'].entries()) await writer().insert(entity, { id, a }, never);
      const like = async (text: string) =>
        (
          await rowsOf(
            connector().records(
              {
                entity,
                filter: { kind: 'compare', column: 'a', comparison: 'like', value: { type: 'text', text } },
                limit: 9,
                offset: 0,
              },
              never,
            ),
          )
        ).map(({ a }) => a);
      expect(await like('a[b]c')).to.deep.equal(['a[b]c']);
      expect(await like('a_c')).to.deep.equal(['abc', 'a%c', 'a\\c']);
      expect(await like('a\\%c')).to.deep.equal(['a%c']);
      expect(await like('a\\\\c')).to.deep.equal(['a\\c']);
    });

    it('views are written as far as the server lets them be', async () => {
      const entity = await table('id int primary key, a int');
      await harness.execute(`create view ${entity}_view as select id, a from ${entity}`);
      expect(await writer().insert(`${entity}_view`, { id: 1, a: 2 }, never)).to.equal(1);
      expect(await writer().update(`${entity}_view`, { column: 'id', value: 1 }, { a: 3 }, never)).to.equal(1);
      expect(await read(entity)).to.equal('[{"id":1,"a":3}]');
    });
  });

  describe('a commit whose answer is lost', () => {
    /** A connection on which it is; a `dark` one cannot be asked afterwards. */
    const cutting = async (fate: Fate, dark = false) => {
      const proxy = await commitProxy(
        { ...harness.address, commit: Buffer.from('commit transaction', 'utf16le') },
        fate,
        { dark },
      );
      // In the clear, for the proxy must see the commit.
      const sealedUrl = withAddress(
        harness.url,
        { hostname: '127.0.0.1', port: String(proxy.port) },
        { encrypt: 'false' },
      );
      return { cut: { ...harness.connection, id: randomUUID(), sealedUrl }, close: proxy.close };
    };
    const outcomeOf = (error: unknown) => (error instanceof DomainError ? error.code : error);

    it('of a delivery has written the row, which is found', async () => {
      const entity = await table('document_id uniqueidentifier, a nvarchar(20)');
      const { cut, close } = await cutting('done, and cut');
      const row = aDelivery(entity, { a: 'x' });
      expect((await systems.systems.open(cut).deliver(row, never)).outcome).to.equal('written');
      close();
      expect((await systems.systems.open(harness.connection).deliver(row, never)).outcome).to.equal('written');
      expect(await systems.rows(entity)).to.have.length(1);
    });

    for (const [columns, fate, dark, expected, rows] of [
      ['id bigint primary key, a nvarchar(20)', 'done, and cut', false, 1, 1],
      ['id bigint primary key, a nvarchar(20)', 'lost', false, 'upstream_unavailable', 0],
      ['id bigint primary key, a nvarchar(20)', 'done, and cut', true, 'outcome_unknown', 1],
      ['id bigint, a nvarchar(20)', 'done, and cut', false, 'outcome_unknown', 1],
    ] as const)
      it(`of an insert into (${columns}) is told as it is: ${fate}${dark ? ', and nobody can look' : ''}`, async () => {
        const entity = await table(columns);
        const { cut, close } = await cutting(fate, dark);
        const opened = harness.open();
        const insert = opened.open(cut).writer?.insert(entity, { id: jsonNumber('9007199254740993'), a: 'x' }, never);
        expect(await insert?.catch(outcomeOf)).to.equal(expected);
        close();
        await opened.close();
        expect(JSON.parse(await read(entity))).to.have.length(rows);
      });

    it('of an update is done where the row has the values', async () => {
      const entity = await table('id int primary key, a nvarchar(20)');
      await writer().insert(entity, { id: 1, a: 'x' }, never);
      const { cut, close } = await cutting('done, and cut');
      const opened = harness.open();
      expect(await opened.open(cut).writer?.update(entity, { column: 'id', value: 1 }, { a: 'y' }, never)).to.equal(1);
      close();
      await opened.close();
      expect(await read(entity)).to.equal('[{"id":1,"a":"y"}]');
    });
  });
});
