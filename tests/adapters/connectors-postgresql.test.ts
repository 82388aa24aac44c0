import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { RowDelivery } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';
import { refusal } from '../contracts/connector/suite.ts';
import {
  aDelivery,
  type ColumnSpec,
  type Kind,
  type SystemOfRecordHarness,
  systemsOfRecordContract,
} from '../contracts/systems-of-record.ts';
import { type Backend, containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { commitProxy, type Fate } from '../support/commit-proxy.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';
import { aConnection, sealer, withAddress } from './connectors-postgresql-harness.ts';

const { escapeIdentifier } = pg;
const settings = { sealer, log: quiet, timeoutSeconds: 60, poolSize: 4 };
const never = new AbortController().signal;

const types: Record<Kind, string> = {
  id: 'uuid',
  text: 'text',
  short: 'varchar(3)',
  integer: 'integer',
  exact: 'numeric(38,10)',
  amount: 'numeric(5,2)',
  date: 'date',
  boolean: 'boolean',
};

const quoted = (entity: string) => {
  const dot = entity.indexOf('.');
  return `${escapeIdentifier(entity.slice(0, dot))}.${escapeIdentifier(entity.slice(dot + 1))}`;
};

const definition = ([name, spec]: [string, ColumnSpec]) =>
  [
    escapeIdentifier(name),
    types[spec.kind],
    spec.required && 'not null',
    spec.unique && 'unique',
    spec.positive && `check (${escapeIdentifier(name)} > 0)`,
    spec.references && `references ${quoted(spec.references)} (key)`,
    spec.uniqueWith && `, unique (${escapeIdentifier(name)}, ${escapeIdentifier(spec.uniqueWith)})`,
  ]
    .filter(Boolean)
    .join(' ');

interface Arranged extends SystemOfRecordHarness {
  readonly admin: pg.Pool;
  readonly url: string;
  readonly systems: ReturnType<typeof connectors>;
  drop(): Promise<void>;
}

const arrange = async (server: string): Promise<Arranged> => {
  const { url, drop } = await emptyDatabase(server);
  const admin = new pg.Pool({ connectionString: url, application_name: 'contract' });
  admin.on('error', () => {});
  const reader = `reader_${randomUUID().slice(0, 8)}`;
  await admin.query(
    `create role ${reader} login password 'reads'; alter default privileges grant select on tables to ${reader}`,
  );
  const systems = connectors(settings);
  const impatient = connectors({ ...settings, timeoutSeconds: 1 });
  const deliveries = `pg_stat_activity where application_name = 'portico' and datname = current_database()`;
  const counted = async (sql: string) =>
    Number((await admin.query<{ n: string }>(`select count(*) as n from ${sql}`)).rows[0]?.n);
  return {
    admin,
    url,
    systems,
    impatient,
    connection: aConnection(url),
    unreachable: aConnection(withAddress(url, { port: '1' }), 'nowhere'),
    wrongPassword: aConnection(withAddress(url, { password: 'not-the-password' }), 'locked'),
    reader: aConnection(withAddress(url, { username: reader, password: 'reads' }), 'readers'),
    longestName: 63,
    async createTable(columns, name = `t_${randomUUID().slice(0, 8)}`) {
      await admin.query(
        `create table public.${escapeIdentifier(name)} (${Object.entries(columns).map(definition).join(', ')})`,
      );
      return `public.${name}`;
    },
    async rows(entity) {
      const text = { getTypeParser: () => (value: unknown) => value };
      const { rows, fields } = await admin.query({
        text: `select * from ${quoted(entity)}`,
        types: text,
        rowMode: 'array',
      });
      return rows.map((row: unknown[]) =>
        Object.fromEntries(fields.map(({ name }, index) => [name, row[index] as string | null])),
      );
    },
    async block(entity) {
      const client = await admin.connect();
      await client.query(`begin; lock table ${quoted(entity)} in share row exclusive mode`);
      return async () => {
        await client.query('rollback');
        client.release();
      };
    },
    waiting: () => counted(`${deliveries} and wait_event_type = 'Lock'`),
    inTransaction: () => counted(`${deliveries} and xact_start is not null`),
    terminate: async () => void (await admin.query(`select pg_terminate_backend(pid) from ${deliveries}`)),
    async drop() {
      await Promise.all([systems.close(), impatient.close()]);
      await admin.query(`drop owned by ${reader}; drop role ${reader}`);
      await admin.end();
      await drop();
    },
  };
};

const suite = (backend: Backend) => {
  let harness: Arranged;
  before(async function () {
    const server = await backend.url();
    if (server === null) return this.skip();
    harness = await arrange(server);
  });
  after(() => harness?.drop());

  describe('deliveries', () => systemsOfRecordContract(() => harness));

  const columnsOf = async (columns: string) => {
    const name = `t_${randomUUID().slice(0, 8)}`;
    await harness.admin.query(`create table ${name} (document_id text, ${columns})`);
    return `public.${name}`;
  };
  const stored = async (columns: string, values: Record<string, JsonValue>) => {
    const entity = await columnsOf(columns);
    const result = await harness.systems.open(harness.connection).deliver(aDelivery(entity, values), never);
    if (result.outcome === 'rejected') return result.reason;
    const { document_id, ...row } = (await harness.rows(entity))[0] ?? {};
    return row;
  };

  it('has every digit of any number', async () => {
    const entity = await columnsOf('a numeric, b jsonb, c numeric[], d text');
    const digits = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }),
        fc.stringMatching(/^\d{0,38}$/),
        fc.option(fc.integer({ min: -60, max: 60 })),
      )
      .map(
        ([sign, whole, fraction, exponent]) =>
          `${sign}${whole}${fraction && `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    await fc.assert(
      fc.asyncProperty(digits, async (text) => {
        const a = parseJson(text) as JsonValue;
        const row = aDelivery(entity, { a, b: { a }, c: [a], d: [a] });
        expect(await harness.systems.open(harness.connection).deliver(row, never)).to.include({ outcome: 'written' });
        const { rows } = await harness.admin.query(
          `select a = $2::numeric and (b ->> 'a')::numeric = $2::numeric and c[1] = $2::numeric and (d::json ->> 0)::numeric = $2::numeric as same
           from ${entity} where document_id = $1`,
          [row.documentId, text],
        );
        expect(rows).to.deep.equal([{ same: true }]);
      }),
      { numRuns: 60 },
    );
    expect(
      await stored('a bigint, b integer', { a: parseJson('9007199254740993.0') as JsonValue, b: 7 }),
    ).to.deep.equal({
      a: '9007199254740993',
      b: '7',
    });
  });

  describe("PostgreSQL's own types", () => {
    it('take JSON as JSON, through domains too', async () => {
      await harness.admin.query('create domain payload as jsonb; create domain deep as payload');
      const values = { a: { b: ['x', null] }, b: 'text', c: [1, '2'], d: null };
      expect(await stored('a json, b jsonb, c deep, d jsonb', values)).to.deep.equal({
        a: '{"b":["x",null]}',
        b: '"text"',
        c: '[1, "2"]',
        d: null,
      });
    });

    it('take lists as arrays, their elements as they are', async () => {
      const hostile = ['a,b', '"', '\\', '', 'NULL', '{x}', null];
      expect(await stored('a text[]', { a: hostile })).to.deep.equal({
        a: '{"a,b","\\"","\\\\","","NULL","{x}",NULL}',
      });
      const values = { a: [1, 2], b: [[true], [false]], c: [{ x: 1 }, 'y'] };
      expect(await stored('a int[], b boolean[], c jsonb[]', values)).to.deep.equal({
        a: '{1,2}',
        b: '{{t},{f}}',
        c: '{"{\\"x\\": 1}","\\"y\\""}',
      });
      expect(await stored('a int[]', { a: ['one'] })).to.match(/^Column "a": invalid input syntax.*one/);
      expect(await stored('a int[]', { a: 'one' })).to.match(/^Column "a": malformed array/);
    });

    it('take base64 as bytes, and nothing else', async () => {
      expect(await stored('a bytea', { a: 'AP/+' })).to.deep.equal({ a: '\\x00fffe' });
      expect(await stored('a bytea', { a: 'no base64!' })).to.match(/^Column "a".*base64/);
    });

    it('take the day first of a date with points, in whatever order the login reads dates', async () => {
      for (const order of ['MDY', 'DMY', 'YMD']) {
        const sealedUrl = `${harness.url}?options=${encodeURIComponent(`-c datestyle=ISO,${order}`)}`;
        const entity = await columnsOf('a date, b timestamp, c text, d date');
        const row = aDelivery(entity, { a: '03.11.2026', b: '3.11.2026 09:30', c: '03.11.2026', d: '2026-11-03' });
        await harness.systems.open({ ...harness.connection, id: randomUUID(), sealedUrl }).deliver(row, never);
        const [{ document_id, ...written } = {}] = await harness.rows(entity);
        expect(written, order).to.deep.equal({
          a: '2026-11-03',
          b: '2026-11-03 09:30:00',
          c: '03.11.2026',
          d: '2026-11-03',
        });
      }
      expect(await stored('a date', { a: '31.02.2026' })).to.match(/^Column "a": date\/time field value out of range/);
    });

    it('refuse an offset that the column would lose', async () => {
      for (const [type, value] of [
        ['timestamp', '2026-11-20T09:30:00+05:00'],
        ['timestamp(3)', '2026-11-20 09:30-05:30'],
        ['time', '09:30+02'],
      ] as const)
        expect(await stored(`a ${type}`, { a: value })).to.match(
          /^Column "a": ".*" has an offset, which time(?:stamp)?(?:\(3\))? without time zone does not keep\.$/,
        );
      const at = '2026-11-20T09:30:00';
      expect(
        await stored('a timestamp, b timestamp, c timestamptz', { a: `${at}Z`, b: at, c: `${at}+02:00` }),
      ).to.include({
        a: '2026-11-20 09:30:00',
        b: '2026-11-20 09:30:00',
      });
    });

    it('refuse a part that the column would lose, and a date that the login may read as another one', async () => {
      const refusals = [
        ['date', '2026-11-20T09:30:00', 'has a time, which date does not keep: write 2026-11-20'],
        ['date', '2026-11-20T23:30:00-05:00', 'has a time, which date does not keep: write 2026-11-20'],
        ['time', '2026-11-20T09:30', 'has a date, which time without time zone does not keep'],
        ...['11/03/2026', '3-11-2026', '03.11.26'].flatMap((text) =>
          ['date', 'timestamp', 'timestamptz'].map(
            (type) => [type, text, 'could be two dates: write it as year-month-day, such as 2026-11-03'] as const,
          ),
        ),
        ['timestamp', '11/03/2026 09:30', 'could be two dates: write it as year-month-day, such as 2026-11-03'],
      ] as const;
      for (const [type, value, error] of refusals)
        expect(await stored(`a ${type}`, { a: value }), `${type} ${value}`).to.equal(
          `Column "a": "${value}" ${error}.`,
        );
      const values = {
        a: '2026-11-20T00:00:00',
        b: '2026-11-20T00:00:00.000Z',
        c: '11/11/2026',
        d: '11/25/2026',
        e: '11/03/2026',
      };
      expect(await stored('a date, b date, c date, d date, e text', values)).to.include({
        a: '2026-11-20',
        b: '2026-11-20',
        c: '2026-11-11',
        d: '2026-11-25',
        e: '11/03/2026',
      });
    });

    it('refuse a text that is too long instead of cutting it', async () => {
      expect(await stored('a varchar(3), b text', { a: 'abcd', b: '' })).to.match(/^Column "a": value too long/);
      expect(await stored('a char(3), b text', { a: 'abcd', b: '' })).to.match(/^Column "a": value too long/);
    });

    it('tell what a trigger raises, and what is only found at the commit', async () => {
      const entity = await columnsOf('a text');
      await harness.admin.query(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'The month is closed'; end $$;
        create constraint trigger closed after insert on ${entity} deferrable initially deferred for each row execute function refuse()`);
      const result = await harness.systems.open(harness.connection).deliver(aDelivery(entity, { a: 'x' }), never);
      expect(result).to.include({ outcome: 'rejected', reason: 'The month is closed.' });
      expect(await harness.rows(entity)).to.deep.equal([]);
    });

    it('keep a row, or tell that a trigger or a rule left it out', async () => {
      await harness.admin.query(
        `create function left_out() returns trigger language plpgsql as $$ begin if new.a = 'twin' then return null; end if; return new; end $$`,
      );
      const ways: readonly (readonly [string, (entity: string) => string])[] = [
        ['trigger', (entity) => `create trigger t before insert on ${entity} for each row execute function left_out()`],
        ['rule', (entity) => `create rule r as on insert to ${entity} where new.a = 'twin' do instead nothing`],
      ];
      for (const [way, create] of ways) {
        const entity = await columnsOf('a text');
        await harness.admin.query(create(entity));
        const system = harness.systems.open(harness.connection);
        const twin = aDelivery(entity, { a: 'twin' });
        const refused = await system.deliver(twin, never);
        if (refused.outcome !== 'rejected') throw new Error(`The ${way} kept no row, and it was taken for written.`);
        expect(refused.reason).to.match(/^public\.t_\w+ did not keep the row: a trigger or a rule/);
        expect(await system.rehearse(twin, never)).to.include({ would: 'reject', reason: refused.reason });
        expect(await system.deliver(aDelivery(entity, { a: 'x' }), never)).to.include({ outcome: 'written' });
        expect(await harness.rows(entity)).to.have.length(1);
      }
    });

    it('take a row that a trigger keeps in another part of the table', async () => {
      const entity = await columnsOf('a text');
      await harness.admin.query(`
        create table ${entity}_2026 () inherits (${entity});
        create function elsewhere() returns trigger language plpgsql as $$ begin insert into ${entity}_2026 values (new.*); return null; end $$;
        create trigger t before insert on ${entity} for each row execute function elsewhere()`);
      const row = aDelivery(entity, { a: 'x' });
      for (let time = 0; time < 2; time += 1)
        expect(await harness.systems.open(harness.connection).deliver(row, never)).to.include({ outcome: 'written' });
      expect(await harness.rows(entity)).to.have.length(1);
    });

    it('do not show the rest of a row that a check refuses', async () => {
      expect(await stored(`a int check (a > 0), secret text default 'hidden'`, { a: -1 }))
        .to.match(/check/)
        .and.not.match(/hidden/);
    });
  });

  describe('a rehearsal', () => {
    const rehearsed = async (
      columns: string,
      values: Record<string, JsonValue>,
      prepare: (entity: string) => string = () => '',
    ) => {
      const entity = await columnsOf(columns);
      await harness.admin.query(prepare(entity));
      const result = await harness.systems.open(harness.connection).rehearse(aDelivery(entity, values), never);
      return { ...result, rows: (await harness.rows(entity)).length };
    };

    it('finds what a delivery would only find at its commit', async () => {
      const closing = (entity: string) => `
        create function shut() returns trigger language plpgsql as $$ begin raise exception 'The month is shut'; end $$;
        create constraint trigger shut after insert on ${entity} deferrable initially deferred for each row execute function shut()`;
      expect(await rehearsed('a text', { a: 'x' }, closing)).to.deep.equal({
        would: 'reject',
        reason: 'The month is shut.',
        constraint: null,
        columns: [],
        rows: 0,
      });
      const referring = (entity: string) => `create table parents (id int primary key);
        alter table ${entity} add foreign key (parent) references parents deferrable initially deferred`;
      const orphan = await rehearsed('parent int', { parent: 7 }, referring);
      expect(orphan).to.include({ would: 'reject', rows: 0 });
      expect(orphan.reason).to.match(/foreign key/);
    });

    it('leaves no row that a trigger wrote, no lock, table or setting of its session, and no message; a sequence goes on', async () => {
      await harness.admin.query(`create table echoes (a text); create sequence counted; create function echo() returns trigger language plpgsql as $$ begin
        insert into echoes values (new.a); perform nextval('counted'), pg_advisory_lock(77), set_config('search_path', 'nowhere', false),
        pg_notify('echo', new.a); create temp table left_over (a text); return new; end $$`);
      const watching = new pg.Client({ connectionString: harness.url });
      const heard: unknown[] = [];
      await watching.connect();
      watching.on('notification', ({ payload }) => heard.push(payload));
      await watching.query('listen echo');
      const echoing = (entity: string) =>
        `create trigger echo after insert on ${entity} for each row execute function echo()`;
      for (let time = 0; time < 3; time += 1)
        expect(await rehearsed('a text', { a: 'x' }, echoing)).to.deep.equal({
          would: 'insert',
          reason: null,
          rows: 0,
        });
      const held = `select 1 from pg_locks l join pg_stat_activity s using (pid) where s.application_name = 'portico' and l.locktype = 'advisory'`;
      await eventually(async () => (await harness.admin.query(held)).rows.length === 0);
      const { rows } = await watching.query(
        `select (select count(*) from echoes)::int as echoes, last_value::int as counted from counted`,
      );
      expect(rows).to.deep.equal([{ echoes: 0, counted: 3 }]);
      expect(heard).to.deep.equal([]);
      await watching.end();
    });

    it('leaves nothing where the program that asked is gone before it is answered', async () => {
      const entity = await columnsOf('a text');
      const { hostname, port } = new URL(harness.url);
      const sockets: Socket[] = [];
      const between = createServer((socket) => {
        const onward = connect(Number(port), hostname);
        for (const end of [socket, onward]) sockets.push(end.on('error', () => {}));
        socket.pipe(onward).pipe(socket);
      });
      await once(between.listen(0, '127.0.0.1'), 'listening');
      const sealedUrl = withAddress(harness.url, {
        hostname: '127.0.0.1',
        port: String((between.address() as AddressInfo).port),
      });
      const release = await harness.block(entity);
      const asked = refusal(
        harness.systems
          .open({ ...harness.connection, id: randomUUID(), sealedUrl })
          .rehearse(aDelivery(entity, { a: 'x' }), never),
      );
      await eventually(async () => (await harness.waiting()) === 1);
      for (const socket of sockets) socket.destroy();
      between.close();
      expect((await asked).kind).to.equal('unavailable');
      await release();
      await eventually(async () => (await harness.inTransaction()) === 0);
      expect(await harness.rows(entity)).to.deep.equal([]);
    });
  });

  describe('a commit', () => {
    /** Delivers a row by way of a network on which a commit has this fate; what was answered, and how many rows there are. */
    const deliveredBy = async (fate: Fate, { dark = false, systems = harness.systems } = {}) => {
      const entity = await columnsOf('a text');
      const { hostname, port } = new URL(harness.url);
      const proxy = await commitProxy({ host: hostname, port: Number(port), commit: Buffer.from('commit\0') }, fate, {
        dark,
      });
      try {
        const row = aDelivery(entity, { a: 'x' });
        const sealedUrl = withAddress(harness.url, { hostname: '127.0.0.1', port: String(proxy.port) });
        const answer = await systems
          .open({ ...harness.connection, id: randomUUID(), sealedUrl })
          .deliver(row, never)
          .catch((error: unknown) => error);
        return { row, answer, rows: (await harness.rows(entity)).length };
      } finally {
        proxy.close();
      }
    };
    const again = async (row: RowDelivery) => {
      expect((await harness.systems.open(harness.connection).deliver(row, never)).outcome).to.equal('written');
      expect(await harness.rows(row.entity)).to.have.length(1);
    };

    it('whose answer is lost has written the row, which is found', async () => {
      const { row, answer, rows } = await deliveredBy('done, and cut');
      expect(answer).to.deep.equal({ outcome: 'written', reference: `${row.entity} document_id=${row.documentId}` });
      expect(rows).to.equal(1);
      await again(row);
    });

    it('that never arrives has written nothing, and the answer says so', async () => {
      const { row, answer, rows } = await deliveredBy('lost');
      expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'upstream_unavailable' });
      expect(rows).to.equal(0);
      await again(row);
    });

    for (const fate of ['done, and cut', 'lost'] as const)
      it(`whose row cannot be looked for has an unknown outcome, and the next delivery looks: ${fate}`, async () => {
        const { row, answer } = await deliveredBy(fate, { dark: true });
        expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'outcome_unknown' });
        expect(String(answer)).to.match(
          /"ledger" was lost before it said whether the row was saved. Process the document again/,
        );
        await again(row);
      });

    it('that is never answered has written the row, which is found', async () => {
      // It waits as long for the answer as for the look: too short a time would be over on a busy machine before the row is found.
      const systems = connectors({ ...settings, timeoutSeconds: 5 });
      const { answer, rows } = await deliveredBy('done, and silent', { systems });
      await systems.close();
      expect(answer).to.include({ outcome: 'written' });
      expect(rows).to.equal(1);
    });
  });

  it('writes one row for deliveries at once where the database isolates by snapshot', async () => {
    const entity = await columnsOf('a text');
    const name = escapeIdentifier(new URL(harness.url).pathname.slice(1));
    await harness.admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    const systems = connectors(settings);
    const row = aDelivery(entity, { a: 'x' });
    await Promise.all(Array.from({ length: 8 }, () => systems.open(harness.connection).deliver(row, never)));
    await systems.close();
    await harness.admin.query(`alter database ${name} reset default_transaction_isolation`);
    expect(await harness.rows(entity)).to.have.length(1);
  });

  it('goes to the new address of a connection that was changed, and lets the old one go', async () => {
    const entity = await columnsOf('a text');
    const changed = { ...harness.connection, id: randomUUID() };
    const wrong = { ...changed, sealedUrl: harness.wrongPassword.sealedUrl };
    expect((await refusal(harness.systems.open(wrong).deliver(aDelivery(entity), never))).kind).to.equal('unavailable');
    expect((await harness.systems.open(changed).deliver(aDelivery(entity), never)).outcome).to.equal('written');
  });

  it('refuses an address that is none, without telling it', async () => {
    for (const address of [
      'not an address',
      'mysql://u:hush@h/d',
      'postgres://u:hush@h/d?sslrootcert=/nowhere/hush.pem',
    ]) {
      const error = await refusal(harness.systems.open(aConnection(address)).deliver(aDelivery('public.t'), never));
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.equal('The connection "ledger" has an address that cannot be used.');
    }
  });

  it('leaves no session behind when it is closed', async () => {
    const entity = await columnsOf('a text');
    const systems = connectors(settings);
    const under = systems.open(harness.connection).deliver(aDelivery(entity, { a: 'x' }), never);
    await systems.close();
    expect((await under).outcome).to.equal('written');
    expect((await refusal(systems.open(harness.connection).deliver(aDelivery(entity), never))).kind).to.equal(
      'unavailable',
    );
  });
};

describe('connectors', () => {
  for (const backend of [embeddedPostgres, containerPostgres]) describe(`on ${backend.name}`, () => suite(backend));
});
