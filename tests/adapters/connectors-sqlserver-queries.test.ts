import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connector } from '../../src/application/ports/connectors.ts';
import { plenty } from '../contracts/connector/query.ts';
import { invalid, never, textOf } from '../contracts/connector/suite.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';
import { columnOf } from '../support/sqlserver-table.ts';
import { failing, rowsOf, type Script, type TdsServer, tdsServer } from '../support/sqlserver-tds.ts';

describe('a query of SQL Server', () => {
  let systems: ReturnType<typeof connectors>;
  let server: TdsServer;
  const serving = async (statement: Script['statement']): Promise<Connector> => {
    server = await tdsServer({ statement });
    return systems.open(aConnection(server.url()));
  };
  beforeEach(() => {
    systems = connectors({ sealer, log: quiet, timeoutSeconds: 5, poolSize: 1 });
  });
  afterEach(async () => {
    await systems.close();
    await server.close();
  });
  const begun = () => server.statements.filter((text) => text.includes('set nocount on'));

  it('is run in a transaction, which is rolled back', async () => {
    const connector = await serving((text) => (text.startsWith('select') ? rowsOf([{ id: 7 }]) : null));
    expect(await textOf(connector.query('select id from t', plenty, never))).to.equal('[{"id":7}]');
    expect(begun()).to.have.length(1);
    expect(begun()[0]).to.match(/; begin transaction$/);
    expect(server.statements.at(-1)).to.match(/rollback transaction/);
  });

  for (const [what, number] of [
    ['a memory-optimized table', 41368],
    ['a table of two kinds of transaction', 41333],
    ['a view of a linked server', 7391],
  ] as const) {
    it(`is run without a transaction where ${what} takes none`, async () => {
      let inTransaction = false;
      const connector = await serving((text) => {
        if (text.includes('set nocount on')) inTransaction = text.includes('begin transaction');
        if (!text.startsWith('select')) return null;
        return inTransaction ? failing({ number }) : rowsOf([{ id: 7 }]);
      });
      expect(await textOf(connector.query('select id from t', plenty, never))).to.equal('[{"id":7}]');
      expect(begun().map((text) => text.includes('begin transaction'))).to.deep.equal([true, false]);
      expect(await invalid(connector.query('with a as (select 1 as n) delete from a', plenty, never))).to.match(
        /DELETE/,
      );
    });
  }

  it('is refused once and for all where it fails without a transaction, too', async () => {
    const connector = await serving((text) =>
      text.startsWith('select') ? failing({ number: 41368, message: 'No.' }) : null,
    );
    expect(await invalid(connector.query('select id from t', plenty, never))).to.match(/^No/);
    expect(begun()).to.have.length(2);
  });

  it('asks the server where names without a schema are, and refuses those outside of its schemas', async () => {
    const connector = await serving((text) => {
      if (!text.startsWith('select')) return null;
      if (!text.includes('object_schema_name')) return rowsOf([{ id: 7 }]);
      return rowsOf([
        { name: '[t]', id: 1, schema: 'dbo' },
        { name: '[secrets]', id: 2, schema: 'hidden' },
      ]);
    });
    const bound = { ...plenty, schemas: ['dbo'] };
    expect(await textOf(connector.query('select id from t', bound, never))).to.equal('[{"id":7}]');
    expect(await invalid(connector.query('select id from t, secrets', bound, never))).to.match(
      /cannot read hidden\.secrets/,
    );
    expect(server.statements.filter((text) => text.startsWith('select id'))).to.have.length(1);
    expect(server.statements.at(-1)).to.match(/rollback transaction/);
    expect(await textOf(connector.query('select id from dbo.t', bound, never))).to.equal('[{"id":7}]');
    expect(server.statements.filter((text) => text.includes('object_schema_name'))).to.have.length(2);
  });

  it('reads what is called nodes as the method of a column of XML where the server knows no function of that name', async () => {
    const functions = [
      { name: '[hidden].[nodes]', id: 1, schema: 'hidden' },
      { name: '[dbo].[nodes]', id: 2, schema: 'dbo' },
      { name: '[elsewhere].[dbo].[nodes]', id: 3, schema: 'dbo' },
    ];
    const connector = await serving((text) => {
      if (!text.startsWith('select')) return null;
      return text.includes('object_schema_name') ? rowsOf(functions) : rowsOf([{ id: 7 }]);
    });
    const bound = { ...plenty, schemas: ['dbo'] };
    for (const name of ['t.doc', 'doc', 'dbo'])
      expect(
        await textOf(
          connector.query(`select id from dbo.t as t cross apply ${name}.nodes('/a') as x (n)`, bound, never),
        ),
        name,
      ).to.equal('[{"id":7}]');
    for (const name of ['hidden', '[hidden]', 'elsewhere.dbo'])
      expect(await invalid(connector.query(`select n from ${name}.nodes('/a') as x (n)`, bound, never)), name).to.match(
        /cannot read (?:hidden|elsewhere\.dbo)\.nodes: the schemas/,
      );
  });

  it('refuses names that the server does not know, unless they are called as functions of T-SQL', async () => {
    const connector = await serving((text) => {
      if (!text.startsWith('select')) return null;
      return text.includes('object_schema_name') ? rowsOf([], ['name', 'id', 'schema']) : rowsOf([{ id: 7 }]);
    });
    const bound = { ...plenty, schemas: ['dbo'] };
    for (const name of [
      '##others',
      '#mine',
      'unknown',
      '[openjson]',
      'string_split',
      'elsewhere(1)',
      'unknown (nolock)',
    ])
      expect(await invalid(connector.query(`select id from ${name}`, bound, never)), name).to.match(
        /cannot read .*schemas .* dbo/,
      );
    for (const name of ["openjson('[]')", "String_Split('a b', ' ')", 'generate_series(1, 3)'])
      expect(await textOf(connector.query(`select id from ${name}`, bound, never)), name).to.equal('[{"id":7}]');
    expect(await invalid(connector.query("select id from openjson('[]'), t", bound, never))).to.match(
      /cannot read "?t/,
    );
    expect(await invalid(connector.query('select id from changetable(changes t, 0) as c', bound, never))).to.match(
      /cannot read "?t/,
    );
  });
});

describe('the catalogue of SQL Server', () => {
  it('is read as Unicode, whatever code page the server keeps names in', async () => {
    const systems = connectors({ sealer, log: quiet, timeoutSeconds: 30, poolSize: 1 });
    const names = { 's.name': 'πίνακες', 'o.name': 'λογαριασμός', 'c.name': 'ποσό' };
    const server = await tdsServer({
      statement(text) {
        const sent = (column: keyof typeof names) =>
          text.includes(`convert(nvarchar(128), ${column}) as `) ? names[column] : names[column].replace(/./g, '?');
        const [schema, name] = [sent('s.name'), sent('o.name')];
        if (text.includes('has_perms_by_name(quotename')) return rowsOf([{ schema, name, readable: 1, writable: 0 }]);
        if (!text.includes('sys.tables')) return null;
        return rowsOf([{ ...columnOf({ schema_name: schema, table_name: name, column_name: sent('c.name') }) }]);
      },
    });
    try {
      const connector = systems.open(aConnection(server.url()));
      const table = { schema: 'πίνακες', name: 'λογαριασμός' };
      expect(await connector.tables(never)).to.deep.equal([{ ...table, type: 'table' }]);
      expect(
        (await connector.schema(null, never)).map(({ columns, ...named }) => [named.name, columns[0]?.name]),
      ).to.deep.equal([['λογαριασμός', 'ποσό']]);
      const hops = await connector.examine(never);
      expect(hops.find(({ name }) => name === 'sample read')?.detail).to.include('λογαριασμός');
    } finally {
      await systems.close();
      await server.close();
    }
  });
});
