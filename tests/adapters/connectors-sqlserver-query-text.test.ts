import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { assertReadOnly } from '../../src/adapters/connectors/sqlserver/read-only.ts';
import { tokensOf } from '../../src/adapters/connectors/sqlserver/tokens.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { sqlserverDialect } from '../support/sqlserver-dialect.ts';

const reasonFor = (text: string, schemas: readonly string[] | null = null): string => {
  try {
    assertReadOnly(text, schemas);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
  return 'admitted';
};

const kinds = (text: string) => tokensOf(text).map(({ kind, text: own }) => `${kind} ${own}`);

describe('T-SQL tokens', () => {
  it('are texts, names, numbers, variables and symbols, without comments', () => {
    expect(
      kinds(`select N'it''s' as [a]]b], "c""d", @@version -- end\n/* x */ from #t where n >= 1.5e-3`),
    ).to.deep.equal([
      'word select',
      'word N',
      `text 'it''s'`,
      'word as',
      'quoted a]b',
      'symbol ,',
      'quoted c"d',
      'symbol ,',
      'variable @@version',
      'word from',
      'word #t',
      'word where',
      'word n',
      'symbol >',
      'symbol =',
      'number 1.5e-3',
    ]);
  });

  it('have comments in comments', () => {
    expect(kinds('/* a /* b */ drop */ select')).to.deep.equal(['word select']);
    expect(kinds("'/*' select -- ' /*\n'*/'")).to.deep.equal(["text '/*'", 'word select', "text '*/'"]);
  });

  for (const [what, text, reason] of [
    ['a text', "select 'a", /A text is not closed/],
    ['a bracket', 'select [a', /in brackets is not closed/],
    ['a quote', 'select "a', /in quotes is not closed/],
    ['a comment', 'select /* /* */ 1', /comment is not closed/],
    ['an ODBC escape', '{call sp_who}', /\{ \(U\+007B\)/],
    ['a backslash', 'select \\', /U\+005C/],
    ['a zero-width space', 'select 1 drop\u200btable x', /U\+200B/],
    ['a soft hyphen', 'select 1 dr\u00adop table x', /U\+00AD/],
    ['a letter nobody sees', 'select 1 drop\u3164table x', /invisible/],
    ['a NUL character', 'select 1\0', /NUL/],
    ['a curly quote', 'select \u2018a\u2019', /U\+2018/],
    ['a carriage return that ends a comment, or not', "select 1 -- \r ' \n drop table x --'", /end of line/],
    ['a line separator in a comment', 'select 1 -- \u2028 x', /end of line/],
    ['a number and a word at once', 'select 1drop table x', /space behind the number 1/],
    ['a hexadecimal number and a word at once', 'select 0xAdrop', /space behind the number/],
    ['an exponent without digits', 'select 1exec sp_who', /space behind the number/],
  ] as const) {
    it(`cannot be read from ${what} that may be taken for something else`, () => {
      expect(reasonFor(text)).to.match(reason);
    });
  }
});

describe('a query', () => {
  for (const text of [
    'select 1',
    'SELECT * FROM dbo.t;',
    ' ; ;select 1 ; ; ',
    'with a as (select 1 as n), b (m) as (select n from a) select * from a cross join b order by m',
    '(select 1) union all (select 2)',
    'select 1 union select 2 except select 3 intersect select 4 union all select 5',
    'select case when a = 1 then 2 else 3 end from t',
    'select \'drop table x\', [drop], "delete" from [insert]',
    "select 'a' 'b'",
    'select top (5) with_ties, set_, into_ from updates',
    'select top 5 with ties * from t order by a',
    'select a, count(*) from t group by a with rollup',
    "select * from t with (nolock) inner merge join u on t.id = u.id option (recompile, use hint ('FORCE_ORDER'))",
    'select * from t order by a offset 10 rows fetch next 5 rows only',
    'select * from t for json path, include_null_values',
    'select * from t for xml auto',
    "select * from t for system_time as of '2026-01-01'",
    'select sum(a) over (partition by b order by c rows between unbounded preceding and current row) from t',
    'select * from (values (1), (2)) as v (n)',
    'select * from t pivot (sum(a) for b in ([x], [y])) as p',
    "select * from openjson(@@servername) with (a int '$.a')",
    'select t.geo.STAsText(), a.b.c.d from t',
    'select name from other.dbo.t, sys.objects as o',
    "select x.query('/a') from t cross apply t.doc.nodes('/a') as n (x)",
    'select $partition.f(1), $1.50, 0xFF, 1e5, -1., .5, geography::Point(1, 2, 4326)',
    "select try_convert(int, a), convert(double precision, b) from t where a is not null and b like N'%x' escape '!'",
    'select\u00a01 as \u00fcbergröße, été, 名前',
    'select * from sys.fn_builtin_permissions(default)',
    'select sp_price from dbo.sp_prices',
    'select @@rowcount, @@trancount',
    "with xmlnamespaces ('u' as p) select 1",
    'select xp_total, t.[xp_y] as xp_ from t where xp_total > 1 order by t.xp_total',
    'select * from t join u on t.a = u.xp_total, v where v.xp_a = 1',
    'select [serializable], [tablock] from t with (nolock, readpast)',
    "select trim('x' from a.b.c.d), a.b.c.e from t",
    'select * from t where a.b.c.d is distinct from e.f.g.h',
  ]) {
    it(`is admitted: ${text}`, () => {
      expect(reasonFor(text)).to.equal('admitted');
    });
  }

  for (const [text, reason] of [
    ['', /blank/],
    [' ;; -- nothing', /blank/],
    ['select 1; select 2', /one statement/],
    ['select 1; drop table x', /one statement/],
    ['select 1 drop table x', /DROP/],
    ['select 1/**/drop/**/table x', /DROP/],
    ['select 1\ndelete from x', /DELETE/],
    ['select 1 select 2', /second SELECT/],
    ['(select 1) select 2', /second SELECT/],
    ['with a as (select 1 as n) select * from a select 2', /second SELECT/],
    ['select 1 with a as (select 2 as n) select * from a', /WITH is not allowed there/],
    ['select * into y from x', /INTO/],
    ['with a as (select 1 as n) select * into y from a', /INTO/],
    ['with a as (select * from x) delete from a', /DELETE/],
    ['with a as (select * from x) update a set id = 1', /UPDATE/],
    ['with a as (select 1 as n) insert into x select n from a', /INSERT/],
    ['merge into x using y on 1 = 1 when matched then delete', /SELECT or WITH|MERGE/],
    ['select 1 merge x using y on 1 = 1 when matched then delete', /MERGE/],
    ['exec sp_who', /EXEC/],
    ["execute ('drop table x')", /EXECUTE/],
    ["select 1 exec('drop table x')", /EXEC/],
    ['sp_who', /begin with SELECT/],
    ["xp_cmdshell 'dir'", /begin with SELECT/],
    ['select * from xp_cmdshell', /xp_cmdshell/],
    ['select * from master..[xp_cmdshell]', /xp_cmdshell/],
    ['select * from t cross apply XP_dirtree', /XP_dirtree/],
    ["select dbo.xp_fileexist('x')", /xp_fileexist/],
    ["select * from sys.fn_MSxe_read_event_stream('system_health', 0)", /fn_MSxe_read_event_stream/],
    ["select * from sys.[FN_msxe_READ_event_stream] ('system_health', 0)", /event_stream/i],
    ['select * from t with (serializable)', /SERIALIZABLE/],
    ['select * from t with (nolock, TabLock)', /TABLOCK/],
    ['select * from t (repeatableread)', /REPEATABLEREAD/],
    ['select * from t option (table hint (t, paglock))', /PAGLOCK/],
    ['select * from a join b on 1 = (select 1) , srv.db.dbo.t', /four parts/],
    ["select * from containstable(srv.db.dbo.t, *, N'x') as k", /four parts/],
    ["select * from openrowset('SQLNCLI', 'x', 'select 1')", /OPENROWSET/],
    ["select * from openrowset(bulk '/etc/passwd', single_clob) as x", /OPENROWSET/],
    ["select * from openquery(srv, 'select 1')", /OPENQUERY/],
    ["select * from opendatasource('SQLNCLI', 'x').db.dbo.t", /OPENDATASOURCE/],
    ['select * from srv.db.dbo.t', /four parts/],
    ['select * from t join [srv].[db]..[t] as u on 1 = 1', /four parts/],
    ['select * from a, srv.db.dbo.t', /four parts/],
    ['select * from ((srv.db.dbo.t cross join u) cross join v)', /four parts/],
    ['select (select max(x) from (select 1 as x) as a, srv.db.dbo.t)', /four parts/],
    ["select * from sys.fn_trace_gettable('x', default)", /fn_trace_gettable/],
    ["select * from sys.fn_xe_file_target_read_file('x', null, null, null)", /fn_xe_file/],
    ["select * from sys.[dm_os_file_exists]('/etc/passwd')", /dm_os_file_exists/],
    ["waitfor delay '00:10:00'", /WAITFOR/],
    ["select 1 waitfor delay '00:10:00'", /WAITFOR/],
    ['select 1 commit', /COMMIT/],
    ['select 1 commit; drop table x', /one statement|COMMIT/],
    ['select 1 rollback transaction', /ROLLBACK/],
    ['begin transaction', /BEGIN/],
    ['use master', /begin with SELECT|USE/],
    ['select 1 use master', /USE/],
    ['select 1 use hint', /USE/],
    ['set nocount on', /SET/],
    ['select 1 set xact_abort off', /SET/],
    ['declare @x int', /DECLARE/],
    ['select 1 declare @x int', /DECLARE/],
    ['truncate table x', /TRUNCATE/],
    ['create table x (id int)', /CREATE/],
    ['select 1 alter login sa disable', /ALTER/],
    ['select 1 grant all to public', /GRANT/],
    ["backup database x to disk = N'y'", /BACKUP/],
    ['select 1 shutdown with nowait', /SHUTDOWN/],
    ['select 1 kill 55', /KILL/],
    ['select 1 dbcc checkdb', /DBCC/],
    ['select 1 reconfigure', /RECONFIGURE/],
    ['select 1 raiserror(50000, 1, 1)', /RAISERROR/],
    ["select 1 print 'x'", /PRINT/],
    ['select next value for dbo.numbers', /NEXT VALUE FOR/],
    ['select * from t for browse', /BROWSE/],
    ['updatetext t.c 0x00 0 null', /UPDATETEXT/],
    ['select 1 end conversation 0x', /END without CASE|space behind/],
    ['select 1 fetch next from c into @x', /FETCH/],
    ['select 1) select 2 (', /parenthesis/],
    ['select * from t with (tablockx)', /TABLOCKX/],
    ['select * from t with (updlock)', /UPDLOCK/],
    ['select * from t (xlock)', /XLOCK/],
    ['select * from t with (holdlock)', /HOLDLOCK/],
    ['select 1\nGO\ndrop table x', /GO|DROP/],
    ['select 1\n  go  ', /GO/],
    ['select 1 ＤＲＯＰ table x', /DROP/],
    ['select 1 \u017fet nocount on', /SET/],
    ['select 1 drop\u0301 table x', /DROP/],
    ['values (1)', /begin with SELECT/],
    ['revert', /REVERT/],
    ['if 1 = 1 select 1', /IF/],
    [`select '${'x'.repeat(300_000)}'`, /at most/],
  ] as const) {
    it(`is refused: ${text.slice(0, 80)}`, () => {
      expect(reasonFor(text)).to.match(reason);
    });
  }

  for (const { name, sql, expects } of sqlserverDialect.attacks('[s].[t]')) {
    it(`that is an attack is ${expects}: ${name}`, () => {
      if (expects === 'refused') expect(reasonFor(sql)).not.to.equal('admitted');
      else expect(reasonFor(sql)).to.equal('admitted');
    });
  }

  for (const { sql } of sqlserverDialect.innocent('[s].[t]')) {
    it(`that only looks like an attack is admitted: ${sql}`, () => {
      expect(reasonFor(sql)).to.equal('admitted');
    });
  }

  it('is admitted or refused in plain words, whatever it is', () => {
    const seed = fc.hash(randomUUID()) | 0;
    console.log(`      property seed ${seed}`);
    const piece = fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '[',
        ']',
        '/*',
        '*/',
        '--',
        '\n',
        '\r',
        ';',
        '(',
        ')',
        '@',
        'select',
        'drop',
        'with',
        'union',
        ' ',
        'N',
        '0x',
        '1e',
      ),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(reasonFor(pieces.join('')))
          .to.be.a('string')
          .and.not.equal('');
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('never hides a statement from the check in what only looks like a text, a name or a comment', () => {
    const seed = fc.hash(randomUUID()) | 0;
    console.log(`      property seed ${seed}`);
    const closed = fc.oneof(
      fc.string().map((text) => `'${text.replaceAll("'", "''")}'`),
      fc.string().map((text) => `[q${text.replaceAll(']', ']]')}]`),
      fc.string().map((text) => `"q${text.replaceAll('"', '""')}"`),
      fc.string().map((text) => `/*${text.replaceAll('/*', '').replaceAll('*/', '')} */`),
      fc.string().map((text) => `--${text.replace(/[\r\n\v\f\u0085\u2028\u2029]/g, '')}\n`),
    );
    fc.assert(
      fc.property(fc.array(closed, { maxLength: 6 }), (pieces) => {
        expect(reasonFor(`select ${pieces.join(' ')} drop table x`)).to.match(/DROP|U\+/);
      }),
      { seed, numRuns: 1000 },
    );
  });
});

describe('a query that is bound to schemas', () => {
  const bound = ['dbo', 'a b'];
  const unqualified = (text: string) =>
    assertReadOnly(text, bound).map(({ parts, isObject }) => (isObject ? parts.join('.') : { own: parts.join('.') }));

  for (const [text, names] of [
    ['select * from dbo.t', []],
    ['select * from [dbo] . "t" as x cross join [a b].u', []],
    ['select * from t, U', ['t', 'U']],
    ['with a as (select * from t), b (n) as (select 1) select * from a, b', ['t']],
    ['with a as (select * from b), b as (select 1 as n) select * from a', ['b']],
    ["select x.n.value('.', 'int') from dbo.t as t cross apply t.doc.nodes('/a') as x (n)", [{ own: 't.doc.nodes' }]],
    ["select x.n.value('.', 'int') from other.nodes('/a') as x (n)", [{ own: 'other.nodes' }]],
    ["select j.a from dbo.t as t cross apply openjson(t.doc, '$.x') with (a int) as j", [{ own: 'openjson' }]],
    ['with Totals as (select 1 as n) select * from totals', [{ own: 'totals' }]],
    ['with a as (select * from totals), Totals as (select 1 as n) select * from a', ['totals']],
    ['with [##a] as (select 1 as n) select * from ##A', ['##A']],
    ['select * from openjson', ['openjson']],
    ["select trim('x' from other.c), other.d.e from dbo.t as other", []],
    ['select * from dbo.t as a join dbo.u as b on (a.x = b.y and other.f(a.x, b.y) = 1)', []],
    ['select * from (values (1, 2), (3, 4)) as v (a, b)', []],
    ['select other.f(a) from dbo.t for json path', []],
    ['select * from dbo.t where a is distinct from b.c', []],
    ["select * from dbo.t for system_time from '2020' to '2021'", []],
    ['select object_name, t.[col_name], dbo.object_id(1) from dbo.t', []],
  ] as const) {
    it(`may read these, and asks for those without a schema: ${text}`, () =>
      expect(unqualified(text)).to.deep.equal(names));
  }

  for (const text of [
    'select * from other.t',
    'select * from [other].[t]',
    'select * from "other"."t"',
    'select * from other/**/./* . */t',
    'select * from db.dbo.t',
    'select * from db..t',
    'select * from db..nodes (nolock)',
    "select * from dbo.t as t cross apply db . . nodes('/a') as x (n)",
    'select * from dbo.t, other.t',
    'select * from dbo.t as a (x, y), other.t',
    'select * from dbo.t with (nolock), other.t',
    'select * from dbo.t (nolock), other.t',
    'select * from dbo.t tablesample (10 percent), other.t',
    'select * from dbo.t for system_time all, other.t',
    'select * from dbo.t pivot (sum(a) for b in ([x])) as p, other.t',
    'select * from (dbo.t cross join other.t)',
    'select * from ((other.t cross join dbo.t) cross join dbo.u)',
    'select * from dbo.t as a join (other.t as b cross join dbo.u) on 1 = 1',
    'select * from dbo.t as a join dbo.u on 1 = (select 1), other.t',
    "select * from dbo.t as a join dbo.u on string_agg(a.x, ',') within group (order by a.x) = '', other.t",
    'select * from dbo.t cross apply other.f(1) as x',
    'select * from dbo.t where exists (select 1 from other.t)',
    'select (select max(a) from other.t)',
    'select 1 union all select a from other.t',
    'with a as (select * from other.t) select * from a',
    'select 1 where 1 in (select a from other.t)',
    'select top (select 1 from other.t) 1',
    'select * from dbo.t order by (select 1 from other.t)',
    "select * from containstable(other.t, *, N'x') as k",
    'select * from changetable(changes other.t, 0) as k',
    'select * from sys.objects',
    'select * from information_schema.tables',
    'select * from predict(model = @m, data = other.t as d) with (x float) as p',
    'select * from DBO.t',
    'select object_name(value) from generate_series(1, 1000)',
    'select Object_Definition /* */ (5)',
    "select col_name(object_id(N'other.t'), 1)",
    "select has_perms_by_name('other.t', 'OBJECT', 'SELECT') from dbo.t",
    'select [schema_name](1)',
  ])
    it(`may not read: ${text}`, () =>
      expect(reasonFor(text, bound)).to.match(/cannot read|cannot call|not allowed in a query of this database/));
});

describe('a query written in every way that T-SQL knows', () => {
  const name = (text: string) => fc.constantFrom(text, `[${text}]`, `"${text}"`);
  const cased = (word: string) =>
    fc
      .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
      .map((upper) =>
        [...word].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
      );
  const comment = fc.constantFrom(
    '/**/',
    '/* drop table x */',
    "/* ' */",
    '/* [ */',
    '/* /* */ " */',
    '/* -- */',
    '/*\n*/',
    "-- it's\n",
    '-- /*\n',
    '--\r\n',
  );
  const space = fc.constantFrom(
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\v',
    '\f',
    '\u00a0',
    '\u2003',
    '\u3000',
    '\u0085',
    '\u2028',
    '\ufeff',
  );
  const gap = fc.array(fc.oneof(comment, space), { maxLength: 3 }).map((parts) => ` ${parts.join('')}`);
  const text = fc
    .tuple(
      fc.constantFrom('', 'N'),
      fc.string().map((value) => value.replaceAll("'", "''").replaceAll('\0', '')),
    )
    .map(([n, value]) => `${n}'${value}'`);

  /** Words are keywords, `<x>` is a name, `?` a text; all else stands as it is. */
  const written = (pattern: string): fc.Arbitrary<string> => {
    const pieces = pattern.split(' ').map((piece) => {
      if (piece === '?') return text;
      if (/^<.*>$/.test(piece)) return name(piece.slice(1, -1));
      return /^[a-z_]+$/.test(piece) ? cased(piece) : fc.constant(piece);
    });
    return fc.tuple(gap, ...pieces.flatMap((piece) => [piece, gap])).map((parts) => parts.join(''));
  };

  for (const [pattern, decision] of [
    ['select <a> , ? as <b> from <dbo> . <t> where <c> = ? order by <a>', 'admitted'],
    ['with <a> as ( select ? as <x> ) select * from <a> cross join <dbo> . <t>', 'admitted'],
    ['select case when <a> = ? then 1 else 2 end from <dbo> . <t> with ( nolock )', 'admitted'],
    ['select ? as <drop> , <delete> from <dbo> . <exec> union all select ? , <into>', 'admitted quoted'],
    ['select <a> into <b> from <dbo> . <t>', 'refused'],
    ['select ? drop table <t>', 'refused'],
    ['select ? ; delete from <dbo> . <t>', 'refused'],
    ['select <a> from <dbo> . <t> exec <sp_who>', 'refused'],
    ['select <a> from <dbo> . <t> with ( tablockx )', 'refused'],
    ['select * from <srv> . <db> . <dbo> . <t>', 'refused'],
    ['select * from <sys> . <fn_dblog> ( null , null )', 'refused'],
    ['select * from <dbo> . <t> , <other> . <t>', 'outside'],
    ['select ? where exists ( select 1 from <other> . <t> )', 'outside'],
    ['select * from <db> . <dbo> . <t>', 'outside'],
  ] as const) {
    it(`is ${decision}, however it is written: ${pattern}`, () => {
      const seed = fc.hash(randomUUID()) | 0;
      console.log(`      property seed ${seed}`);
      const quotedOnly = decision === 'admitted quoted';
      const property = fc.property(written(quotedOnly ? pattern.replaceAll(/<(\w+)>/g, '[$1]') : pattern), (query) => {
        const [free, bounded] = [reasonFor(query), reasonFor(query, ['dbo'])];
        if (decision === 'refused') expect(free).not.to.equal('admitted');
        else expect(free).to.equal('admitted');
        if (decision === 'outside') expect(bounded).to.match(/cannot read/);
      });
      fc.assert(property, { seed, numRuns: 300 });
    });
  }
});
