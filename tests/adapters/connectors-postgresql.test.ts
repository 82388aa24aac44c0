import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import {
  aDelivery,
  type ColumnSpec,
  type Kind,
  refusal,
  type SystemOfRecordHarness,
  systemsOfRecordContract,
  until,
} from '../contracts/systems-of-record.ts';
import { type Backend, containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { aConnection, sealer, withAddress } from './connectors-postgresql-harness.ts';

const { escapeIdentifier } = pg;
const settings = { sealer, log: quiet, timeoutSeconds: 60, poolSize: 4, queryPoolSize: 2 };
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
  await admin.query(`create role ${reader} login password 'reads'; alter default privileges grant select on tables to ${reader}`);
  const systems = connectors(settings);
  const impatient = connectors({ ...settings, timeoutSeconds: 1 });
  const deliveries = `pg_stat_activity where application_name = 'portico' and datname = current_database()`;
  const counted = async (sql: string) => Number((await admin.query<{ n: string }>(`select count(*) as n from ${sql}`)).rows[0]?.n);
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
      await admin.query(`create table public.${escapeIdentifier(name)} (${Object.entries(columns).map(definition).join(', ')})`);
      return `public.${name}`;
    },
    async rows(entity) {
      const text = { getTypeParser: () => (value: unknown) => value };
      const { rows, fields } = await admin.query({ text: `select * from ${quoted(entity)}`, types: text, rowMode: 'array' });
      return rows.map((row: unknown[]) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] as string | null])));
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

/** A way to the server that is cut when the server answers the commit: written there, never heard of here. */
const cutAtCommit = async (url: string): Promise<{ url: string; server: Server }> => {
  const { hostname, port } = new URL(url);
  const server = createServer((near: Socket) => {
    const far = connect(Number(port), hostname);
    let committing = false;
    near.on('data', (data) => {
      committing ||= data.includes('commit\0');
      far.write(data);
    });
    far.on('data', (data) => (committing ? near.destroy() : near.write(data)));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as { port: number };
  return { url: withAddress(url, { hostname: '127.0.0.1', port: String(own) }), server };
};

const suite = (backend: Backend) => {
  let harness: Arranged;
  before(async function () {
    this.timeout(120_000);
    const server = await backend.url();
    if (server === null) return this.skip();
    harness = await arrange(server);
  });
  after(() => harness?.drop());

  describe('SystemsOfRecord', () => systemsOfRecordContract(() => harness));

  const columnsOf = async (columns: string) => {
    const name = `t_${randomUUID().slice(0, 8)}`;
    await harness.admin.query(`create table ${name} (document_id text, ${columns})`);
    return `public.${name}`;
  };
  const stored = async (columns: string, values: Record<string, JsonValue>) => {
    const entity = await columnsOf(columns);
    const result = await harness.systems.deliver(harness.connection, aDelivery(entity, values), never);
    if (result.outcome === 'rejected') return result.reason;
    const { document_id, ...row } = (await harness.rows(entity))[0] ?? {};
    return row;
  };

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
      expect(await stored('a text[]', { a: hostile })).to.deep.equal({ a: '{"a,b","\\"","\\\\","","NULL","{x}",NULL}' });
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

    it('refuse a text that is too long instead of cutting it', async () => {
      expect(await stored('a varchar(3), b text', { a: 'abcd', b: '' })).to.match(/^Column "a": value too long/);
      expect(await stored('a char(3), b text', { a: 'abcd', b: '' })).to.match(/^Column "a": value too long/);
    });

    it('tell what a trigger raises, and what is only found at the commit', async () => {
      const entity = await columnsOf('a text');
      await harness.admin.query(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'The month is closed'; end $$;
        create constraint trigger closed after insert on ${entity} deferrable initially deferred for each row execute function refuse()`);
      const result = await harness.systems.deliver(harness.connection, aDelivery(entity, { a: 'x' }), never);
      expect(result).to.deep.equal({ outcome: 'rejected', reason: 'The month is closed.' });
      expect(await harness.rows(entity)).to.deep.equal([]);
    });

    it('do not show the rest of a row that a check refuses', async () => {
      expect(await stored(`a int check (a > 0), secret text default 'hidden'`, { a: -1 }))
        .to.match(/check/)
        .and.not.match(/hidden/);
    });
  });

  it('finds a row again after the answer to its commit was lost', async () => {
    const entity = await columnsOf('a text');
    const { url, server } = await cutAtCommit(harness.url);
    try {
      const row = aDelivery(entity, { a: 'x' });
      const cut = { ...harness.connection, id: randomUUID(), sealedUrl: url };
      expect((await refusal(harness.systems.deliver(cut, row, never))).kind).to.equal('unavailable');
      await until(async () => (await harness.rows(entity)).length === 1);
      expect((await harness.systems.deliver(harness.connection, row, never)).outcome).to.equal('written');
      expect(await harness.rows(entity)).to.have.length(1);
    } finally {
      server.close();
    }
  });

  it('writes one row for deliveries at once where the database isolates by snapshot', async () => {
    const entity = await columnsOf('a text');
    const name = escapeIdentifier(new URL(harness.url).pathname.slice(1));
    await harness.admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    const systems = connectors(settings);
    const row = aDelivery(entity, { a: 'x' });
    await Promise.all(Array.from({ length: 8 }, () => systems.deliver(harness.connection, row, never)));
    await systems.close();
    await harness.admin.query(`alter database ${name} reset default_transaction_isolation`);
    expect(await harness.rows(entity)).to.have.length(1);
  });

  it('goes to the new address of a connection that was changed, and lets the old one go', async () => {
    const entity = await columnsOf('a text');
    const changed = { ...harness.connection, id: randomUUID() };
    const wrong = { ...changed, sealedUrl: harness.wrongPassword.sealedUrl };
    expect((await refusal(harness.systems.deliver(wrong, aDelivery(entity), never))).kind).to.equal('unavailable');
    expect((await harness.systems.deliver(changed, aDelivery(entity), never)).outcome).to.equal('written');
  });

  it('refuses an address that is none, without telling it', async () => {
    for (const address of ['not an address', 'mysql://u:hush@h/d', 'postgres://u:hush@h/d?sslrootcert=/nowhere/hush.pem']) {
      const error = await refusal(harness.systems.deliver(aConnection(address), aDelivery('public.t'), never));
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.equal('The connection "ledger" has an address that cannot be used.');
    }
  });

  it('leaves no session behind when it is closed', async () => {
    const entity = await columnsOf('a text');
    const systems = connectors(settings);
    const under = systems.deliver(harness.connection, aDelivery(entity, { a: 'x' }), never);
    await systems.close();
    expect((await under).outcome).to.equal('written');
    expect((await refusal(systems.deliver(harness.connection, aDelivery(entity), never))).kind).to.equal('unavailable');
  });
};

describe('connectors', () => {
  for (const backend of [embeddedPostgres, containerPostgres]) describe(`on ${backend.name}`, () => suite(backend));
});
