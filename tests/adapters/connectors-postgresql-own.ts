import { expect } from 'chai';
import { closeNetworks, dribbleTo } from '../contracts/connector/network.ts';
import { plenty } from '../contracts/connector/query.ts';
import { invalid, is, never, refusal, rowsOf, suiteOf, textOf } from '../contracts/connector/suite.ts';
import { eventually } from '../support/until.ts';
import {
  aConnection,
  type PostgresqlHarness,
  postgresqlDialect,
  withAddress,
} from './connectors-postgresql-harness.ts';

/** What only PostgreSQL has. */
export const postgresqlsOwn = (harness: () => PostgresqlHarness) => {
  const { open, connector, make, records } = suiteOf(postgresqlDialect, harness);
  const query = (text: string, caps = {}) => connector().query(text, { ...plenty, ...caps }, never);

  afterEach(closeNetworks);

  it('writes values the same way whatever the defaults of the login are', async () => {
    const odd = {
      datestyle: `'SQL, DMY'`,
      timezone: `'Asia/Kathmandu'`,
      intervalstyle: `'sql_standard'`,
      bytea_output: `'escape'`,
      extra_float_digits: '-3',
      standard_conforming_strings: 'off',
      default_transaction_isolation: `'serializable'`,
      statement_timeout: '1',
    };
    for (const [name, value] of Object.entries(odd))
      await harness().execute(`alter role odd_${suffix()} set ${name} = ${value}`);
    const address = withAddress(harness().url, { username: `odd_${suffix()}`, password: 'odd' });
    const sql = `select timestamptz '2026-11-20T09:30:00Z' as a, date '2026-11-20' as b, interval '1 day 2 hours' as c,
      '\\x00ff'::bytea as d, 0.1::float8 + 0.2 as e, '\\' as f, public.contract_sleeps(0.1) as g`;
    expect(await textOf(open().open(aConnection(address)).query(sql, plenty, never))).to.equal(
      '[{"a":"2026-11-20T09:30:00+00:00","b":"2026-11-20","c":"P1DT2H","d":"AP8=","e":0.30000000000000004,"f":"\\\\","g":false}]',
    );
  });
  const suffix = () => new URL(harness().url).pathname.slice(-6);
  before(() => harness().execute(`create role odd_${suffix()} login password 'odd'`));
  after(() => harness().execute(`drop owned by odd_${suffix()}`, `drop role odd_${suffix()}`));

  it('finds dates and timestamps by the text that rows show of them', async () => {
    const instants = postgresqlDialect.values.filter(({ declared }) => /^(?:date|timestamp)[^[]*$/.test(declared));
    const more = [
      { declared: 'date', literal: `'4713-01-01 BC'` },
      { declared: 'date', literal: `'12026-11-20'` },
      { declared: 'timestamp', literal: `'0044-03-15 12:00:00.25 BC'` },
      { declared: 'timestamptz', literal: `'10000-01-01 00:00:00+00'` },
    ];
    const shown: string[] = [];
    for (const { declared, literal } of [...instants, ...more]) {
      const table = await make({ columns: { v: declared }, rows: [[literal], ['null']] });
      const [row] = await rowsOf(records(table));
      shown.push(String(row?.v));
      expect(await rowsOf(records(table, is('v', 'eq', String(row?.v)))), String(row?.v)).to.deep.equal([row]);
      expect(await rowsOf(records(table, is('v', 'ne', String(row?.v)))), String(row?.v)).to.deep.equal([]);
    }
    expect(shown).to.include.members([
      '-0043-03-15',
      '-4712-01-01',
      '+12026-11-20',
      '0000-01-01',
      'infinity',
      '-0043-03-15T12:00:00+00:00',
    ]);
  });

  it('shows the columns that the login may read, and orders by them where the key is not one', async () => {
    const table = await make({
      columns: { id: 'int', secret: 'text', name: 'text' },
      key: ['id'],
      rows: [
        ['2', `'s'`, `'a'`],
        ['1', `'s'`, `'b'`],
      ],
    });
    const reader = new URL(harness().reader.sealedUrl).username;
    await harness().execute(
      `revoke all on ${table.quoted} from ${reader}`,
      `grant select (name) on ${table.quoted} to ${reader}`,
    );
    const own = open().open(harness().reader);
    const all = { entity: table.entity, filter: null, limit: 9, offset: 0 };
    expect(await rowsOf(own.records(all, never))).to.deep.equal([{ name: 'a' }, { name: 'b' }]);
    expect(await invalid(own.records({ ...all, filter: is('secret', 'eq', 's') }, never))).to.match(
      /^There is no column "secret"/,
    );
    const described = (await own.schema([table.schema], never)).find(({ name }) => name === table.name);
    expect(described?.columns.map(({ name }) => name)).to.deep.equal(['name']);
  });

  it('reads the rows of a parent and its children, whose keys are not one key, in a total order', async () => {
    const parent = await make({ columns: { id: 'int', name: 'text' }, key: ['id'], rows: [['1', `'b'`]] });
    await harness().execute(`create table ${parent.quoted.slice(0, -1)}_child" () inherits (${parent.quoted})`);
    await harness().execute(`insert into ${parent.quoted.slice(0, -1)}_child" values (1, 'a'), (1, 'c')`);
    const names = [];
    for (let offset = 0; offset < 3; offset += 1)
      names.push((await rowsOf(records(parent, null, { limit: 1, offset })))[0]?.name);
    expect(names).to.deep.equal(['a', 'b', 'c']);
  });

  it('reads partitioned tables, materialized views and foreign tables', async () => {
    await harness().execute(
      'create table parts (id int primary key, v text) partition by range (id)',
      'create table parts_1 partition of parts for values from (0) to (10)',
      `insert into parts values (2, 'b'), (1, 'a')`,
      'create materialized view summary as select count(*) as n from parts',
    );
    const all = (entity: string) => rowsOf(connector().records({ entity, filter: null, limit: 9, offset: 0 }, never));
    expect((await all('public.parts')).map(({ id }) => id)).to.deep.equal([1, 2]);
    expect(await all('public.summary')).to.deep.equal([{ n: 2 }]);
    const types = new Map((await connector().tables(never)).map(({ name, type }) => [name, type]));
    expect([types.get('parts'), types.get('summary')]).to.deep.equal(['table', 'view']);
  });

  it('asks which of two tables is meant where dots leave it open', async () => {
    await harness().execute(
      'create schema "a.b"',
      'create schema a',
      'create table "a.b".c (v int)',
      'create table a."b.c" (v int)',
    );
    expect(await invalid(connector().records({ entity: 'a.b.c', filter: null, limit: 1, offset: 0 }, never))).to.match(
      /more than one/,
    );
    const rows = { orderBy: null, direction: 'asc' as const, after: null, limit: 1, offset: 0 };
    expect(await rowsOf(connector().rows({ schema: 'a', name: 'b.c', ...rows }, never))).to.deep.equal([]);
  });

  it('describes what a column is by default, and no expression of a generated one', async () => {
    await harness().execute(
      `create table made (id int generated always as identity, a int default 1 + 1, b int generated always as (a * 2) stored)`,
    );
    const made = (await connector().schema(['public'], never)).find(({ name }) => name === 'made');
    expect(made?.columns.map((column) => column.default)).to.deep.equal([null, '(1 + 1)', null]);
  });

  it('follows a composite type that was changed between two reads', async () => {
    await harness().execute(
      'create type place as (x int)',
      'create table places (p place)',
      'insert into places values (row(1))',
    );
    const read = () =>
      textOf(connector().records({ entity: 'public.places', filter: null, limit: 1, offset: 0 }, never));
    expect(await read()).to.equal('[{"p":{"x":1}}]');
    await harness().execute('alter type place add attribute y text cascade', `update places set p = row(1, 'a')`);
    expect(await read()).to.equal('[{"p":{"x":1,"y":"a"}}]');
  });

  it('likes texts only, and compares what has no order by its text', async () => {
    const table = await make({
      columns: { id: 'int', doc: 'json', at: 'point' },
      rows: [['1', `'{"a": 1}'`, `'(1,2)'`]],
    });
    expect(await invalid(records(table, is('id', 'like', '1%')))).to.match(/"id" is integer.*like/);
    expect(await rowsOf(records(table, is('doc', 'eq', '{"a": 1}')))).to.have.length(1);
    expect(await rowsOf(records(table, is('at', 'eq', '(1,2)')))).to.have.length(1);
  });

  it('refuses a row that is too large to be held, and goes on with others', async () => {
    const huge = `select repeat('x', 70 * 1024 * 1024) as a`;
    expect(await invalid(query(huge))).to.match(/larger than 64 MiB/);
    await eventually(async () => (await harness().busy()) === 0);
    expect(await rowsOf(query('select length(a) as n from (select 1::text as a) as x'))).to.deep.equal([{ n: 1 }]);
  });

  it('answers an error that comes after the first rows instead of the rows, if they are few', async () => {
    expect(await invalid(query('select 1 / (500 - n) as a from generate_series(1, 1000) as s (n)'))).to.match(
      /division by zero/,
    );
  });

  it('reads the same however the network cuts what it brings', async () => {
    const network = await dribbleTo(harness().address, [1, 2, 3, 5, 7, 11, 300]);
    const own = open().open(harness().via(network.port));
    const sql = `select n, repeat('ä"', n) as v, null as w from generate_series(1, 40) as s (n)`;
    const whole = await textOf(query(sql));
    for (let round = 0; round < 3; round += 1) expect(await textOf(own.query(sql, plenty, never))).to.equal(whole);
    expect(
      await invalid(own.query('select 1 / (20 - n) from generate_series(1, 40) as s (n)', plenty, never)),
    ).to.match(/by zero/);
  });

  it('leaves nothing of one query to the next in its session', async () => {
    const own = open({ poolSize: 1 }).open(harness().connection);
    const first = await rowsOf(own.query(`select pg_backend_pid() as pid`, plenty, never));
    await eventually(async () => (await harness().busy()) === 0);
    const next = await rowsOf(
      own.query(
        `select pg_backend_pid() as pid, (select count(*) from pg_prepared_statements) as prepared`,
        plenty,
        never,
      ),
    );
    expect(next).to.deep.equal([{ ...first[0], prepared: 1 }]);
  });

  it('takes volatile functions that only read, by their own schema, and no others of that name', async () => {
    await harness().execute(`create function public.random(int) returns int language sql volatile as 'select 1'`);
    expect(await invalid(query('select public.random(1)'))).to.match(/public\.random/);
    await harness().execute(
      'drop function public.random(int)',
      `create function f_stable(n int) returns int language sql stable as 'select n + 1'`,
    );
    expect(await rowsOf(query('select f_stable(1) as a, pg_catalog.random() < 2 as b'))).to.deep.equal([
      { a: 2, b: true },
    ]);
  });

  it('reads columns that are called like a function, and calls none that is written like a column', async () => {
    await harness().execute(
      'create table accounts_of (id int, balance int)',
      'insert into accounts_of values (1, 7)',
      `create function balance(account int) returns int language sql volatile as 'select 1'`,
      `create function risk(account accounts_of) returns int language sql volatile as 'select 1'`,
      `create function risk_of(a int, b int) returns int language sql volatile as 'select 1'`,
    );
    for (const text of [
      'select a.balance from accounts_of a',
      'select a.balance from (select * from accounts_of) a where a.balance > 1 order by a.balance',
      'select accounts_of.balance from accounts_of',
      'with a as (table accounts_of) select a.balance from a',
      'select (a).risk_of from (select 7 as risk_of) a',
    ])
      expect(await textOf(query(text)), text).to.include('7');
    for (const text of [
      'select a.risk from accounts_of a',
      'select (a).risk from accounts_of a',
      'select n.balance from generate_series(1, 2) n',
      'select n.balance from accounts_of a, lateral (select m.balance from unnest(array[1]) m) n',
      'select (1).balance',
      'select balance(1)',
    ])
      expect(await invalid(query(text)), text).to.match(/cannot call public\.(?:risk|balance)/);
    await harness().execute(
      'drop function balance(int)',
      'drop function risk(accounts_of)',
      'drop function risk_of(int, int)',
      'drop table accounts_of',
    );
  });

  it('finds relations as the server does where a query is bound to schemas', async () => {
    await harness().execute(
      'create schema bound',
      'create table bound.notes (a int)',
      'create table public.secrets (a int, hidden text)',
      'create view bound.told as select a from public.secrets',
      "create type bound.kind as enum ('x')",
      'create table bound."Secrets" (a int)',
      'create table bound.parts (a int, item_description text, pg_code text, format_type text)',
      `alter role current_user set search_path = bound, public`,
    );
    const own = open().open(harness().connection);
    const bound = (text: string) => own.query(text, { ...plenty, schemas: ['bound'] }, never);
    try {
      for (const text of [
        'select * from notes',
        'select * from told',
        'table bound.notes',
        'with secrets as (select 1 as a) select * from secrets',
        'select * from "Secrets"',
        `select 'x'::kind as a, '[1,2]'::int4range as b, null::notes as c, pg_typeof(1) as d`,
        'explain select * from notes',
        'select n.a from notes n, lateral (select n.a) as m',
        'select p.item_description, p.pg_code, p.format_type, (p).item_description as b from parts p',
        `select to_tsvector('simple'::regconfig, 'a'), regexp_replace('a', 'a', 'b'), regr_count(1, 1)`,
      ])
        await textOf(bound(text));
      for (const text of [
        'select * from secrets',
        'select * from SECRETS',
        'select * from public.secrets',
        'select * from "public"."secrets"',
        'select * from U&"\\0073ecrets"',
        'with secrets as (select * from secrets) select * from secrets',
        'select * from secrets, (with secrets as (select 1) select * from secrets) as a',
        'explain analyze table secrets',
        'select exists (select from secrets)',
        'select * from notes n join secrets s using (a)',
        'select (null::secrets).*',
        'select (null::public.secrets).hidden',
        'select null::secrets[]',
        'select null::_secrets',
        "select * from json_populate_recordset(null::secrets, '[]')",
      ])
        expect(await invalid(bound(text)), text).to.match(
          /cannot read public\.secrets: the schemas of this database are bound\./,
        );
      for (const text of [
        `select table_to_xml('public.secrets', true, false, '')`,
        `select schema_to_xml('public', true, false, '')`,
        `select pg_get_viewdef('bound.told'::regclass)`,
        `select * from pg_stat_get_activity(null)`,
        `select ('bound.told'::regclass::oid).pg_get_viewdef`,
        'select n::regclass from generate_series(16384, 17000) as n',
        'select regclass(n::oid) from generate_series(16384, 17000) as n',
        'select regclassout(n) from generate_series(16384, 17000) as n',
        'select (n::oid).regclass from generate_series(16384, 17000) as n',
        `select null::_regclass, array['public.secrets']::pg_catalog.regclass[]`,
        `select * from json_to_record('{"a":"16384"}') as t (a regclass)`,
        `select json_value('[16384]', '$[0]' returning regclass)`,
        `select to_regclass('public.secrets')`,
        'select format_type(16384, null)',
        `select has_column_privilege('public.secrets', 'hidden', 'select')`,
        'select 10::regrole',
      ])
        expect(await invalid(bound(text)), text).to.match(/reads beyond its schemas/);
      for (const ask of [bound, query]) {
        for (const sleep of ['pg_sleep(1)', `pg_sleep_for('1 s')`, 'pg_catalog.pg_sleep_until(now())'])
          expect(await invalid(ask(`select ${sleep}`)), sleep).to.match(
            /cannot call pg_sleep\w*: it would keep a session busy with waiting\./,
          );
        expect(await invalid(ask('select pg_advisory_lock(1)'))).to.match(
          /cannot call pg_advisory_lock: it may do more than read/,
        );
      }
      expect(await invalid(bound('select * from nowhere'))).to.match(/"nowhere" does not exist/);
    } finally {
      await harness().execute('alter role current_user reset search_path');
    }
  });

  it('distinguishes errors of the query from outages', async () => {
    for (const text of [
      'select $1',
      'select $1::int + $2',
      `select pg_database_size('nowhere')`,
      `select 'nobody'::regrole`,
      `select has_database_privilege('nobody', 'nowhere', 'connect')`,
      'select 1 from nowhere',
      'select * from elsewhere.public.t',
      `select 1 / 0`,
      `select repeat('x', 2000000000)`,
      `select 'x'::int`,
      'select 1 union select true',
    ])
      expect(await invalid(query(text)), text).to.be.a('string');
    const name = `closed_${suffix()}`;
    await harness().execute(`create database ${name}`, `revoke all on database ${name} from public`);
    const connectors = open();
    try {
      const address = withAddress(harness().url, {
        pathname: `/${name}`,
        username: `odd_${suffix()}`,
        password: 'odd',
      });
      const system = connectors.open(aConnection(address));
      for (const work of [
        () => system.query('select 1', plenty, never),
        () => system.tables(never),
        () => system.deliver({ entity: 'public.t', documentIdColumn: 'id', documentId: 'x', values: {} }, never),
      ]) {
        const error = await refusal(work());
        expect(error.kind).to.equal('unavailable');
        expect(error.message).to.equal('The connection "ledger" does not open its database to its user.');
      }
    } finally {
      await connectors.close();
      await harness().execute(`drop database ${name} with (force)`);
    }
  });

  it('says that the server offers no TLS where the address asks for it', async () => {
    const address = `${harness().url}?sslmode=verify-full`;
    const hops = await open().open(aConnection(address)).examine(never);
    expect(hops.find(({ name }) => name === 'tls')).to.deep.include({
      status: 'fail',
      detail: 'The address asks for TLS, and the server offers none.',
    });
  });

  it('refuses an address that is none, without telling it', async () => {
    for (const address of ['not an address', 'mysql://u:hush@h/d']) {
      const [first, ...others] = await open().open(aConnection(address)).examine(never);
      expect(first).to.deep.include({
        status: 'fail',
        detail: 'The connection "ledger" has an address that cannot be used.',
      });
      expect(new Set(others.map(({ status }) => status))).to.deep.equal(new Set(['skipped']));
    }
  });

  it('tells that bytes of a database without an encoding are no text', async () => {
    const name = `ascii_${suffix()}`;
    await harness().execute(
      `create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
    );
    const connectors = open();
    const own = connectors.open(aConnection(withAddress(harness().url, { pathname: `/${name}` })));
    try {
      expect(await invalid(own.query(`select convert_from('\\x61ff', 'SQL_ASCII') as a`, plenty, never))).to.match(
        /invalid byte sequence/,
      );
      expect(await rowsOf(own.query(`select 'ä ☃' as a`, plenty, never))).to.deep.equal([{ a: 'ä ☃' }]);
    } finally {
      await connectors.close();
      await harness().execute(`drop database ${name} with (force)`);
    }
  });
};
