import { expect } from 'chai';
import Mocha from 'mocha';
import sql from 'mssql';
import { readAddress } from '../../src/adapters/connectors/sqlserver/address.ts';
import { poolConfig } from '../../src/adapters/connectors/sqlserver/pool-config.ts';
import { Lacking, pendingWhereLacking } from '../contracts/connector/lacking.ts';
import { abilities, abilitiesOf, traces } from '../support/sqlserver-abilities.ts';
import { sqlserverHarness } from '../support/sqlserver-harness.ts';
import { failing, type Reply, rowsOf, tdsServer } from '../support/sqlserver-tds.ts';

const missing = failing({ number: 208, message: 'Invalid object name.' });
const unknown = failing({ number: 33557097, message: 'not supported' });

/** What the probes find of a server that answers like this. */
const found = async (statement: (text: string) => Reply | null) => {
  const server = await tdsServer({ statement });
  const config = poolConfig(readAddress(server.url()), { connectSeconds: 5, acquireSeconds: 5, size: 1 });
  const pools = [new sql.ConnectionPool(config), new sql.ConnectionPool(config)] as const;
  try {
    await Promise.all(pools.map((pool) => pool.connect()));
    return await abilitiesOf(pools[0], pools[1], 't');
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
    await server.close();
  }
};

describe('what the contract for SQL Server asks besides', () => {
  it('is all there where the server has everything', async () => {
    const { lacking, traces: asked } = await found((text) => {
      if (text.startsWith('kill'))
        return failing({ number: 6106, message: 'Process ID 32767 is not an active process ID.' });
      return text.includes('lock_timeout')
        ? failing({ number: 1222, message: 'Lock request time out period exceeded.' })
        : null;
    });
    expect([...lacking]).to.deep.equal([]);
    expect(asked).to.have.length(Object.keys(traces).length);
  });

  it('is known by name where it lacks', async () => {
    const {
      lacking,
      need,
      traces: asked,
    } = await found((text) => {
      if (/^kill|alter database/.test(text)) return unknown;
      return /sysprocesses|dm_tran_locks|sys\.sequences/.test(text) ? missing : null;
    });
    expect([...lacking]).to.have.members([...abilities, 'application locks', 'sequences']);
    expect(asked).to.have.length(Object.keys(traces).length - 2);
    expect(() => need('kill')).to.throw(Lacking, 'kill');
  });

  it('is prepared where the server knows no password policy, folds the names of schemas, and has words of its own for sessions', async () => {
    const statuses = ['idle', 'active', 'idle', 'idle in transaction'];
    const server = await tdsServer({
      statement(text) {
        if (text.includes('check_policy') || /schema::\[.*[A-Z]/.test(text)) return unknown;
        if (text.includes('@@spid')) return rowsOf([{ spid: 7 }]);
        if (text.includes('where spid = 7')) return rowsOf([{ status: 'idle' }]);
        if (!text.includes('count(distinct spid)')) return null;
        return rowsOf([
          { n: statuses.filter((status) => !text.includes('status') || !text.includes(`N'${status}'`)).length },
        ]);
      },
    });
    try {
      const harness = await sqlserverHarness(server.url());
      expect(server.statements.filter((text) => text.includes('schema::')).at(-1)).to.match(/schema::\[own "schema"\]/);
      expect([await harness.sessions(), await harness.busy()]).to.deep.equal([4, 2]);
      await harness.drop();
    } finally {
      await server.close();
    }
  });

  it('makes the tests that need it pending, by name, and no other', async () => {
    const mocha = new Mocha({ reporter: class {} as unknown as Mocha.ReporterConstructor });
    const add = (title: string, fn: () => Promise<void>) => mocha.suite.addTest(new Mocha.Test(title, fn));
    add('needs it', async () => {
      throw new Lacking('kill');
    });
    add('fails', async () => {
      throw new Error('kill');
    });
    add('passes', async () => {});
    pendingWhereLacking(mocha.suite);
    const outcomes: string[] = [];
    await new Promise<void>((resolve) => {
      mocha
        .run(() => resolve())
        .on('pending', ({ title }) => outcomes.push(`pending: ${title}`))
        .on('fail', ({ title }) => outcomes.push(`fail: ${title}`))
        .on('pass', ({ title }) => outcomes.push(`pass: ${title}`));
    });
    expect(outcomes).to.deep.equal(['pending: needs it (pending, for want of kill)', 'fail: fails', 'pass: passes']);
  });
});
