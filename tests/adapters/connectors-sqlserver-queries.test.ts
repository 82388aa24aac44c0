import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connector } from '../../src/application/ports/connectors.ts';
import { plenty } from '../contracts/connector/query.ts';
import { invalid, never, textOf } from '../contracts/connector/suite.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';
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
      expect(await invalid(connector.query('with a as (select 1 as n) delete from a', plenty, never))).to.match(/DELETE/);
    });
  }

  it('is refused once and for all where it fails without a transaction, too', async () => {
    const connector = await serving((text) => (text.startsWith('select') ? failing({ number: 41368, message: 'No.' }) : null));
    expect(await invalid(connector.query('select id from t', plenty, never))).to.match(/^No/);
    expect(begun()).to.have.length(2);
  });

  it('asks the server where names without a schema are, and refuses those outside of its schemas', async () => {
    const connector = await serving((text) => {
      if (!text.startsWith('select')) return null;
      if (!text.includes('object_schema_name')) return rowsOf([{ id: 7 }]);
      return rowsOf([
        { name: 't', schema: 'dbo' },
        { name: 'secrets', schema: text.includes('@p1') ? 'hidden' : null },
      ]);
    });
    const bound = { ...plenty, schemas: ['dbo'] };
    expect(await textOf(connector.query('select id from t', bound, never))).to.equal('[{"id":7}]');
    expect(await invalid(connector.query('select id from t, secrets', bound, never))).to.match(/cannot read hidden\.secrets/);
    expect(server.statements.filter((text) => text.startsWith('select id'))).to.have.length(1);
    expect(server.statements.at(-1)).to.match(/rollback transaction/);
    expect(await textOf(connector.query('select id from dbo.t', bound, never))).to.equal('[{"id":7}]');
    expect(server.statements.filter((text) => text.includes('object_schema_name'))).to.have.length(2);
  });
});
