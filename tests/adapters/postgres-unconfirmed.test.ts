import { expect } from 'chai';
import { type Database, openDatabase, prepared } from '../../src/adapters/postgres/connection/database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { commitProxy, type Fate } from '../support/commit-proxy.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';

const text = 'insert into unconfirmed select 1';
const insert = prepared('unconfirmed_insert')`insert into unconfirmed select 1`;
const read = prepared('unconfirmed_read')`select count(*)::int as stored from unconfirmed`;

describe('a write of which the database does not say whether it is stored', () => {
  const postgres = usePostgres();
  before(() => postgres.database.pool.query('create table unconfirmed (id int check (id = 1))'));

  /** What the work fails with where the way to the database has this fate for what holds these bytes. */
  const failure = async (bytes: string, fate: Fate, work: (database: Database) => Promise<unknown>) => {
    const { hostname: host, port } = new URL(postgres.url);
    const proxy = await commitProxy({ host, port: Number(port), commit: Buffer.from(bytes) }, fate);
    const url = Object.assign(new URL(postgres.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    const database = await openDatabase({ url, poolSize: 1, statementTimeoutSeconds: 1, log: quiet });
    try {
      return await work(database).then(
        () => 'it was answered',
        (error: unknown) => error,
      );
    } finally {
      proxy.close();
      await database.close();
    }
  };
  const stored = async () => {
    const [row] = await postgres.database.query<{ readonly stored: number }>(read, []);
    return row?.stored;
  };

  const ways: Readonly<Record<string, [bytes: string, work: (database: Database) => Promise<unknown>]>> = {
    'a statement': [insert.name, (database) => database.query(insert, [])],
    'a transaction of SQL': ['commit\0', (database) => database.atomically((run) => run(text))],
    'a transaction of entities': ['commit\0', (database) => database.transaction((em) => em.execute(text))],
  };
  const fates: readonly Fate[] = ['done, and silent', 'done, and cut', 'lost'];
  for (const [way, [bytes, work]] of Object.entries(ways))
    it(`is told as such, by ${way}`, async () => {
      for (const fate of fates) {
        const before = (await stored()) ?? 0;
        const error = await failure(bytes, fate, work);
        expect(error, fate).to.be.instanceOf(DomainError).and.to.include({ kind: 'outcome_unknown' });
        expect(await stored(), fate).to.equal(fate === 'lost' ? before : before + 1);
      }
    });

  it('is told as such where its session ends', async () => {
    const ends = prepared(
      'unconfirmed_end',
    )`with ended as (select pg_terminate_backend(pg_backend_pid())), stored as (${text}) select * from ended`;
    expect(await failure('nothing', 'lost', (database) => database.query(ends, []))).to.include({
      kind: 'outcome_unknown',
    });
  });

  it('is told as such where a pooler loses its session', async () => {
    const loses = `create function loses() returns int language plpgsql as $$ begin raise 'server conn crashed?' using errcode = '08P01'; end $$`;
    await postgres.database.pool.query(loses);
    const lost = prepared('unconfirmed_lost')`insert into unconfirmed select loses()`;
    expect(await failure('nothing', 'lost', (database) => database.query(lost, []))).to.include({
      kind: 'outcome_unknown',
    });
  });

  it('is none where the database has refused it, or never got it', async () => {
    const refused = prepared('unconfirmed_refused')`insert into unconfirmed select 2`;
    expect(await failure('nothing', 'lost', (database) => database.query(refused, []))).to.include({ code: '23514' });
    expect(await failure('begin', 'lost', (database) => database.atomically((run) => run(text)))).to.include({
      kind: 'busy',
    });
    expect(await failure(read.name, 'done, and silent', (database) => database.query(read, []))).to.include({
      kind: 'busy',
    });
  });
});
