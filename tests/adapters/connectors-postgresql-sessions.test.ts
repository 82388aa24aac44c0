import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { plenty } from '../contracts/connector/query.ts';
import { never, refusal, textOf } from '../contracts/connector/suite.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { listening } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { aConnection, sealer, withAddress } from './connectors-postgresql-harness.ts';

interface Pooler {
  readonly url: string;
  /** What clients sent after their logins, as it came. */
  readonly pieces: readonly Buffer[];
  /** How many logins were refused because of their options. */
  readonly refused: () => number;
  close(): void;
}

interface Manners {
  /** Refuses a login that has options. */
  readonly refusesOptions?: boolean;
  /** Gives each transaction a session in which another client has just run this, and makes up the process ids of logins. */
  readonly mixes?: string;
}

const REFUSAL = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';

const message = (kind: string, text: string): Buffer => {
  const bytes = Buffer.from(`${kind}0000${text}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
};

/** Cuts what comes into messages, each with its kind and length. */
const messagesOf = (take: (kind: string, bytes: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1;
      take(String.fromCharCode(rest[0] as number), rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
};

/** Stands between as a pooler of connections does. */
const poolerTo = async (url: string, { refusesOptions = false, mixes }: Manners = {}): Promise<Pooler> => {
  const { hostname, port } = new URL(url);
  const pieces: Buffer[] = [];
  let refused = 0;
  const serve = (near: Socket) => {
    const far = connect(Number(port), hostname);
    let loggedIn = false;
    let swallows = false;
    const answer = messagesOf((kind, bytes) => {
      if (kind === 'K' && mixes !== undefined) bytes.writeInt32BE(bytes.readInt32BE(5) + 1, 5);
      if (!swallows) near.write(bytes);
      if (kind === 'Z') [loggedIn, swallows] = [true, false];
    });
    far.on('data', answer);
    near.on('data', (data) => {
      if (!loggedIn && refusesOptions && data.includes('options\0')) {
        refused += 1;
        return near.end(message('E', REFUSAL));
      }
      if (loggedIn) pieces.push(data);
      if (loggedIn && mixes !== undefined && data.includes('begin isolation')) {
        swallows = true;
        far.write(message('Q', `${mixes}\0`));
      }
      far.write(data);
    });
    near.on('error', () => {}).on('close', () => far.destroy());
    far.on('error', () => {}).on('close', () => near.destroy());
  };
  const server = createServer(serve);
  const own = await listening(server);
  return {
    url: withAddress(url, { hostname: '127.0.0.1', port: String(own) }),
    pieces,
    refused: () => refused,
    close: () => server.close(),
  };
};

const VALUES = `select timestamptz '2026-11-20T09:30:00Z' as a, interval '1 day 2 hours' as b, '\\x00ff'::bytea as c, 0.1::float8 + 0.2 as d`;
const WRITTEN = '[{"a":"2026-11-20T09:30:00+00:00","b":"P1DT2H","c":"AP8=","d":0.30000000000000004}]';

const ODD = `set timezone to 'Asia/Kathmandu'; set datestyle to 'SQL, DMY'; set intervalstyle to 'sql_standard';
  set bytea_output to 'escape'; set extra_float_digits to -3; set default_transaction_read_only to off`;

describe('sessions of PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  const closing: (() => unknown)[] = [];
  before(async () => {
    database = await emptyDatabase((await embeddedPostgres.url()) ?? '');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  after(() => database?.drop());

  const open = (url: string, timeoutSeconds = 30) => {
    const settings = { sealer, log: quiet, timeoutSeconds, queryTimeoutSeconds: plenty.timeoutSeconds, poolSize: 2 };
    const systems = connectors(settings);
    closing.push(() => systems.close());
    return systems.open(aConnection(url));
  };
  const through = async (manners?: Manners) => {
    const pooler = await poolerTo(database.url, manners);
    closing.push(() => pooler.close());
    return pooler;
  };
  const values = (connector: ReturnType<typeof open>) => textOf(connector.query(VALUES, plenty, never));

  const asked = async (pooler: Pooler, connector: ReturnType<typeof open>, query: string) => {
    const before = pooler.pieces.length;
    const answer = await textOf(connector.query(query, plenty, never));
    return { answer, pieces: pooler.pieces.slice(before).map((piece) => piece.toString('latin1')) };
  };

  it('are asked in two turns where they are known: begin and prepare, then run and restore', async () => {
    const pooler = await through();
    const connector = open(pooler.url);
    await values(connector);
    const text = `${VALUES} -- once more`;
    const { answer, pieces } = await asked(pooler, connector, text);
    expect(answer).to.equal(WRITTEN);
    const [prepared, run, ...others] = pieces;
    expect(others).to.deep.equal([]);
    for (const part of ['begin isolation level read committed read only', text]) expect(prepared).to.include(part);
    for (const part of ['rollback', 'discard all']) expect(run).to.include(part);
    expect(prepared, 'the login gave what never changes').not.to.include('set local');
  });

  it('are asked in one turn where the same text was answered before', async () => {
    const pooler = await through();
    const connector = open(pooler.url);
    await values(connector);
    const { answer, pieces } = await asked(pooler, connector, VALUES);
    expect(answer).to.equal(WRITTEN);
    expect(pieces).to.have.length(1);
    for (const part of ['begin isolation level read committed read only', VALUES, 'rollback', 'discard all'])
      expect(pieces[0]).to.include(part);
  });

  it('answer the columns of today where the same text had others before, and refuse what has none any more', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const pooler = await through();
    const connector = open(pooler.url);
    const rows = () =>
      connector.rows(
        { schema: 'public', name: 'moved', offset: 0, limit: 9, orderBy: null, direction: 'asc', after: null },
        never,
      );
    const query = () => connector.query('select * from moved', plenty, never);
    try {
      await admin.query('create table moved as select 1 as a');
      for (const read of [rows, query, query]) expect(await textOf(read())).to.equal('[{"a":1}]');
      await admin.query('alter table moved alter a type text using a::text');
      for (const read of [rows, query]) expect(await textOf(read())).to.equal('[{"a":"1"}]');
      await admin.query('alter table moved add b bigint default 2');
      for (const read of [rows, query]) expect(await textOf(read())).to.equal('[{"a":"1","b":2}]');
      await admin.query('alter table moved drop a, drop b');
      expect((await refusal(query())).message).to.include('returns no columns');
      await admin.query('drop table moved');
      expect((await refusal(query())).message).to.include('"moved" does not exist');
      expect(await values(connector), 'the session is as it was').to.equal(WRITTEN);
    } finally {
      await admin.query('drop table if exists moved');
      await admin.end();
    }
  });

  it('are passed over where they were ended since their last use', async () => {
    const connector = open(database.url);
    for (let round = 0; round < 2; round += 1) expect(await values(connector)).to.equal(WRITTEN);
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'portico'`,
    );
    await admin.end();
    expect(await values(connector)).to.equal(WRITTEN);
  });

  it('write values the same way behind a pooler that mixes them, whatever other clients set', async () => {
    const pooler = await through({ mixes: ODD });
    const connector = open(pooler.url);
    for (let round = 0; round < 3; round += 1) expect(await values(connector)).to.equal(WRITTEN);
    expect(await textOf(connector.query('show default_transaction_read_only', plenty, never))).to.include('"on"');
  });

  it('log in without their settings behind a pooler that refuses them, once and for all', async () => {
    const pooler = await through({ refusesOptions: true });
    const connector = open(pooler.url);
    expect(await values(connector)).to.equal(WRITTEN);
    await Promise.all(Array.from({ length: 4 }, async () => expect(await values(connector)).to.equal(WRITTEN)));
    expect(pooler.refused()).to.equal(1);
  });

  it('wait for a lock as long as the query may take, however short the time of the connection is', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    for (const sql of ['create table locked (id int)', 'begin', 'lock table locked']) await admin.query(sql);
    try {
      const { kind, message: words } = await refusal(
        // A busy machine takes a second to open a session, for which it has as long.
        open(database.url, 3).query('select * from locked', { ...plenty, timeoutSeconds: 6 }, never),
      );
      expect([kind, words]).to.deep.equal(['invalid', 'The query took longer than 6 seconds.']);
    } finally {
      await admin.end();
    }
  });

  it('answer a read that takes too long as a query that does, though the system is there', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const failure = async (work: Promise<unknown>) => {
      const { kind, code, message } = await refusal(work);
      return `${kind} ${code}: ${message}`;
    };
    try {
      for (const sql of [
        'create view slow as select 1 as id from pg_sleep(60)',
        'create table busy (id int)',
        'begin',
        'lock table busy, pg_catalog.pg_attrdef',
      ])
        await admin.query(sql);
      // A busy machine takes a second to open a session, for which it has as long.
      const connector = open(database.url, 3);
      for (const name of ['slow', 'busy']) {
        const page = { limit: 1, offset: 0 };
        const records = () => connector.records({ entity: `public.${name}`, filter: null, ...page }, never);
        const rows = () =>
          connector.rows({ schema: 'public', name, orderBy: null, direction: 'asc', after: null, ...page }, never);
        for (const read of [records, rows])
          expect(await failure(read())).to.match(
            /^invalid query_timeout: Reading .*"ledger" took longer than 3 seconds/,
          );
      }
      expect(await failure(connector.schema(null, never))).to.match(
        /^invalid query_timeout: Reading .*"ledger" took longer than 3 seconds/,
      );
    } finally {
      await admin.end();
    }
  });

  it('leave nothing of a statement that fails, or is cut, to the next one', async () => {
    const connector = open(database.url);
    const many = 'select n, md5(n::text) as filler from generate_series(1, 2000000) n';
    for (let round = 0; round < 3; round += 1) {
      await refusal(
        connector.query('select 1 / (n - 2) as x from generate_series(1, 3) n', plenty, never).then(textOf),
      );
      await refusal(connector.query('select nowhere', plenty, never));
      expect(JSON.parse(await textOf(connector.query(many, { ...plenty, maxRows: 2 }, never)))).to.have.length(2);
      expect(await values(connector)).to.equal(WRITTEN);
    }
  });
});
