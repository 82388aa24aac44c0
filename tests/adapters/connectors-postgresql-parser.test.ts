import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import type { UsedName } from '../../src/adapters/connectors/postgresql/query-tree.ts';
import { queryParser } from '../../src/adapters/connectors/query-parser.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { type Backend, containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('the parser of PostgreSQL queries', () => {
  const parser = queryParser<UsedName>(
    new URL('../../src/adapters/connectors/postgresql/parser-worker.ts', import.meta.url),
  );
  after(() => parser.close());

  const refusal = async (text: string): Promise<string> => {
    try {
      await parser.namesIn(text);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'invalid') return error.message;
      throw error;
    }
    return 'taken';
  };
  const used = async (kind: string, text: string) =>
    (await parser.namesIn(text))
      .filter((name) => name.kind === kind)
      .map(({ schema, name }) => (schema === null ? name : `${schema}.${name}`))
      .sort();

  it('names functions, operators and types however they are written', async () => {
    const text = `select a.F(x) over (order by x using operator(s.<<)), (y).G, t.h, 'a'::s.kind, cast(1 as int[]), 1 operator(s.+) 2
      from "T" as t natural join lateral s.i() tablesample system (1)`;
    expect(await refusal(text)).to.match(/^Syntax error|^syntax error/);
    const sound = text.replace(' tablesample system (1)', '');
    expect(await used('function', sound)).to.deep.equal(['a.f', 's.i']);
    expect(await used('attribute', sound)).to.deep.equal(['g', 'h']);
    const rows = 'select t.h, (y).g from "T" as t';
    expect([await used('column', rows), await used('attribute', rows)]).to.deep.equal([['h'], ['g']]);
    expect(await used('operator', sound)).to.deep.equal(['=', 's.+', 's.<<']);
    expect(await used('type', sound)).to.deep.equal(['pg_catalog.int4', 's.kind']);
  });

  for (const [text, relations] of [
    ['select * from a, b.c join "D" on true', ['D', 'a', 'b.c']],
    ['with a as (select 1) select * from a, s.a', ['s.a']],
    ['with a as (select * from a) select * from a', ['a']],
    ['with recursive a as (select 1 union all select * from a) select * from a', []],
    ['with a as (select * from b), b as (select * from a) select * from b', ['b']],
    ['with recursive a as (select * from b), b as (select 1) select * from a', []],
    ['select * from a, (with a as (select 1) select * from a) as x', ['a']],
    ['(with a as (select 1) select * from a) union all select * from a', ['a']],
    ['with a as (select 1) (select 1 union select * from a) union (with b as (table a) table b)', []],
    ['with a as (with b as (select 1) select * from b) select * from a, b', ['b']],
    [
      'with a as (select 1) select (select 1 from a), exists (table b) from c order by (select 1 from a limit (table d))',
      ['b', 'c', 'd'],
    ],
    ['select * from a as b, lateral (select b.c from b) as c', ['a', 'b']],
    ['explain analyze table a', ['a']],
    ['select * from a tablesample system (1)', ['a']],
    ['show work_mem', []],
  ] as const) {
    it(`knows which relations are read: ${text}`, async () =>
      expect(await used('relation', text)).to.deep.equal(relations));
  }

  it('answers the message of PostgreSQL for an error of the grammar, and its place', async () => {
    expect(await refusal(`select 'ä☃',\n  x y z`)).to.equal('syntax error at or near "z" (line 2, column 7).');
  });

  it('names what is refused', async () => {
    expect(await refusal('select $1')).to.match(/no parameters: .*\$1/);
    expect(await refusal('create table x as select 1')).to.match(
      /^Only statements that read.*CREATE TABLE AS is none of them/,
    );
    expect(await refusal('select 1; select 2')).to.match(/more than one/);
    expect(await refusal(`select '${'x'.repeat(70_000)}'`)).to.equal('A query has at most 65536 characters.');
    expect(await refusal(`select '\ud800' as a`)).to.match(/surrogate/);
  });

  it('goes on after texts that use the stack of its thread up, and takes no other text with them', async () => {
    const hostile = (n: number) => `select ${Array(30_000).fill('1').join('+')}-${n}`;
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 3 === 0 ? refusal(hostile(n)) : used('function', `select f${n}(1)`))),
    );
    for (const [n, outcome] of outcomes.entries())
      if (n % 3 === 0) expect(outcome).to.match(/nests too deeply/);
      else expect(outcome).to.deep.equal([`f${n}`]);
  });

  const suite = (backend: Backend) => {
    let client: pg.Client;
    let drop: () => Promise<void>;
    before(async function () {
      const server = await backend.url();
      if (server === null) return this.skip();
      const database = await emptyDatabase(server);
      drop = database.drop;
      client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(
        'create function marker() returns int language sql as $$ select 1 $$; set standard_conforming_strings = on',
      );
    });
    after(async () => {
      await client?.end();
      await drop?.();
    });

    /** Whether the server takes it for one SELECT, and finds the function in it. */
    const serverFinds = async (text: string): Promise<boolean> => {
      await client.query('begin');
      try {
        await client.query({ text: `create view found as select 1 as one where exists (${text}\n)`, values: [] });
        const { rowCount } = await client.query(
          `select from pg_depend where refobjid = 'marker()'::regprocedure and deptype = 'n'`,
        );
        return rowCount !== 0;
      } catch {
        return false;
      } finally {
        await client.query('rollback');
      }
    };

    it('finds every call that the server finds, whatever quotes, escapes and comments are around it', async () => {
      const seed = fc.hash(randomUUID()) | 0;
      console.log(`      property seed ${seed}`);
      const inside = fc.constantFrom(
        'a',
        ' ',
        `\\`,
        `\\'`,
        `''`,
        '"',
        '--',
        '/*',
        '*/',
        '$$',
        '$a$',
        '\n',
        '\r',
        ', marker() as z',
        ',',
        'é',
        `'`,
      );
      const texts = fc.array(inside, { maxLength: 3 }).map((parts) => parts.join(''));
      const opened = fc.constantFrom(
        `'`,
        `E'`,
        `e'`,
        `N'`,
        `U&'`,
        `'a'\n'`,
        `E'a'\r'`,
        `E'a' \n\t'`,
        `E'' --x\n'`,
        `U&'a'\n'`,
      );
      const piece = fc.oneof(
        fc.tuple(opened, texts, fc.constant(`'`)),
        fc.tuple(fc.constant('1 as "'), texts, fc.constant('"')),
        fc.tuple(fc.constantFrom('$$', '$a$', '$é$'), texts, fc.constantFrom('$$', '$a$', '$é$')),
        fc.tuple(fc.constant('/*'), texts, fc.constantFrom('*/ 1', '/**/*/ */ 1')),
        fc.tuple(fc.constant('--'), texts, fc.constantFrom('\n 1', '\r 1')),
        fc.constant(['marker()']),
      );
      const statement = fc
        .array(piece, { minLength: 1, maxLength: 4 })
        .map((pieces) => `select ${pieces.map((parts) => parts.join('')).join(', ')}`);
      let found = 0;
      await fc.assert(
        fc.asyncProperty(statement, async (text) => {
          if (!(await serverFinds(text))) return;
          const names = await used('function', text).catch((error: Error) => error);
          // Where the server takes a comment between two parts of one text, the parser sees two texts side by side, which no statement has.
          if (names instanceof DomainError && /'\s*--/.test(text)) return;
          expect(names).to.deep.equal(['marker']);
          found += 1;
        }),
        { seed, numRuns: 1500 },
      );
      expect(found).to.be.above(100);
    });
  };

  for (const backend of [embeddedPostgres, containerPostgres]) describe(`beside ${backend.name}`, () => suite(backend));
});
