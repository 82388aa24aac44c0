import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Cell } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { never, refusal, suiteOf, textOf } from '../contracts/connector/suite.ts';
import { commitProxy, type Fate } from '../support/commit-proxy.ts';
import { type PostgresqlHarness, postgresqlDialect } from './connectors-postgresql-harness.ts';

/** What only PostgreSQL has, of the records that are written. */
export const postgresqlsWrites = (harness: () => PostgresqlHarness) => {
  const { open, connector } = suiteOf(postgresqlDialect, harness);
  const table = async (columns: string) => {
    const name = `w_${randomUUID().slice(0, 8)}`;
    await harness().execute(`create table public.${name} (${columns})`);
    return `public.${name}`;
  };
  const writer = (kind: 'writer' | 'rehearsal' = 'writer') => {
    const { [kind]: own } = connector();
    if (!own) throw new Error('A writer was expected.');
    return own;
  };
  const read = (entity: string) => textOf(connector().records({ entity, filter: null, limit: 10, offset: 0 }, never));
  const insert = (entity: string, values: Readonly<Record<string, Cell>>) => writer().insert(entity, values, never);
  const update = (entity: string, value: string | number, values: Readonly<Record<string, Cell>>) =>
    writer().update(entity, { column: 'id', value }, values, never);

  it('takes values in the forms in which records show them, digits and all', async () => {
    const entity = await table(
      'id int8 primary key, n numeric, day date, at timestamptz, raw bytea, doc jsonb, mood mood, amount amount',
    );
    const id = jsonNumber('9007199254740993');
    const values = {
      id,
      n: jsonNumber('123456789012345678901234567890.125'),
      day: '2026-11-20',
      at: '2026-11-20T09:30:00+02:00',
      raw: 'AP8Q',
      doc: 'a "text"',
      mood: 'ok',
      amount: 1.5,
    };
    expect(await insert(entity, values)).to.equal(1);
    expect(await read(entity)).to.equal(
      '[{"id":9007199254740993,"n":123456789012345678901234567890.125,"day":"2026-11-20","at":"2026-11-20T07:30:00+00:00",' +
        '"raw":"AP8Q","doc":"a \\"text\\"","mood":"ok","amount":1.5}]',
    );
    expect(await writer().update(entity, { column: 'id', value: id }, { n: '0.10' }, never)).to.equal(1);
    expect(await writer().update(entity, { column: 'id', value: '9007199254740992' }, { n: 1 }, never)).to.equal(0);
    expect(await read(entity)).to.include('"n":0.10,');
  });

  it('gives generated columns and identities their own values, and takes none', async () => {
    const entity = await table(
      'id int generated always as identity primary key, a int, twice int generated always as (a * 2) stored',
    );
    expect(await insert(entity, { a: 2 })).to.equal(1);
    expect(await insert(entity, {})).to.equal(1);
    for (const values of [{ id: 7 }, { twice: 1 }] as readonly Readonly<Record<string, Cell>>[])
      expect((await refusal(insert(entity, values))).kind).to.equal('invalid');
    expect(await read(entity)).to.equal('[{"id":1,"a":2,"twice":4},{"id":2,"a":null,"twice":null}]');
  });

  it('counts the rows that are written, whatever triggers do', async () => {
    const entity = await table('id int primary key, a int');
    const log = await table('a int');
    const name = entity.replace('public.', '');
    await harness().execute(
      `create function public.${name}_() returns trigger language plpgsql as $$
         begin insert into ${log} values (new.a), (new.a); if new.a = 13 then return null; end if; return new; end $$`,
      `create trigger t before insert or update on ${entity} for each row execute function public.${name}_()`,
    );
    expect(await insert(entity, { id: 1, a: 1 })).to.equal(1);
    expect(await update(entity, 1, { a: 2 })).to.equal(1);
    expect(await insert(entity, { id: 2, a: 13 })).to.equal(0);
    expect(await update(entity, 1, { a: 13 })).to.equal(0);
    expect(await read(entity)).to.equal('[{"id":1,"a":2}]');
  });

  it('meets deferred constraints, also when it is rehearsed', async () => {
    const entity = await table('id int primary key, next int, unique (next) deferrable initially deferred');
    await insert(entity, { id: 1, next: 1 });
    const told = await refusal(insert(entity, { id: 2, next: 1 }));
    expect(told.kind).to.equal('invalid');
    expect(told.message).to.match(/\(next\)=\(1\) already exists/);
    expect((await refusal(writer('rehearsal').insert(entity, { id: 2, next: 1 }, never))).message).to.equal(
      told.message,
    );
    expect(await read(entity)).to.equal('[{"id":1,"next":1}]');
  });

  it('writes through a view, and into a column that the login cannot read', async () => {
    const entity = await table('id int primary key, secret text');
    const [view, login] = [`${entity}_v`, `writer_${randomUUID().slice(0, 8)}`];
    await harness().execute(
      `create view ${view} as select id, secret from ${entity}`,
      `create role ${login} login password 'writes'`,
      `grant select (id), insert (id, secret), update (secret) on ${entity} to ${login}`,
    );
    expect(await insert(view, { id: 1, secret: 'a' })).to.equal(1);
    const url = new URL(harness().url);
    Object.assign(url, { username: login, password: 'writes' });
    const blind = open().open({ ...harness().connection, id: randomUUID(), sealedUrl: url.href }).writer;
    expect(await blind?.insert(entity, { id: 2, secret: 'b' }, never)).to.equal(1);
    expect(await blind?.update(entity, { column: 'id', value: 1 }, { secret: 'c' }, never)).to.equal(1);
    expect(await read(entity)).to.equal('[{"id":1,"secret":"c"},{"id":2,"secret":"b"}]');
    await harness().execute(`drop owned by ${login}`, `drop role ${login}`);
  });

  describe('a commit', () => {
    /** Writes by way of a network on which a commit has this fate. */
    const writtenBy = async (fate: Fate, work: 'insert' | 'update', { dark = false } = {}) => {
      const entity = await table('id int primary key, a text');
      if (work === 'update') await insert(entity, { id: 1, a: 'before' });
      const commit = Buffer.from('commit\0');
      const proxy = await commitProxy({ ...harness().address, commit }, fate, { dark });
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

    for (const work of ['insert', 'update'] as const) {
      it(`of an ${work} whose answer is lost is done, and the answer says so`, async () => {
        expect(await writtenBy('done, and cut', work)).to.deep.equal({ answer: 1, isThere: true });
      });

      it(`of an ${work} that never arrives has written nothing, and the answer says so`, async () => {
        const { answer, isThere } = await writtenBy('lost', work);
        expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'upstream_unavailable' });
        expect(isThere).to.equal(false);
      });
    }

    for (const fate of ['done, and cut', 'lost'] as const)
      it(`has an unknown outcome where the server cannot be asked: ${fate}`, async () => {
        const { answer, isThere } = await writtenBy(fate, 'insert', { dark: true });
        expect(answer).to.be.instanceOf(DomainError).and.include({ code: 'outcome_unknown' });
        expect(String(answer)).to.match(/Look for it before you write it again/);
        expect(isThere).to.equal(fate !== 'lost');
      });
  });
};
