import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connector } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { never, textOf } from '../contracts/connector/suite.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';
import { answersOfTable, worksOnTable } from '../support/sqlserver-table.ts';
import { failing, rowsOf, type Script, type TdsServer, tdsServer } from '../support/sqlserver-tds.ts';

/** Far below what a driver waits that waits for an attention, and far above the second that there is for it. */
const LATE_MILLISECONDS = 4000;

type Work = (connector: Connector) => Promise<unknown>;

describe('the time limits of SQL Server', () => {
  let systems: ReturnType<typeof connectors>;
  let server: TdsServer;
  const serving = async (script: Script): Promise<Connector> => {
    server = await tdsServer(script);
    return systems.open(aConnection(server.url()));
  };
  /** Where the server answers at once: a machine that is busy must not make it look like one that does not. */
  const patiently = async (script: Script, work: Work): Promise<unknown> => {
    const patient = connectors({ sealer, log: quiet, timeoutSeconds: 30, poolSize: 1 });
    server = await tdsServer(script);
    const outcome = await work(patient.open(aConnection(server.url()))).catch((error: unknown) => error);
    await patient.close();
    return outcome;
  };
  const records: Work = async (c) => textOf(c.records({ entity: 'dbo.t', filter: null, limit: 1, offset: 0 }, never));
  before(async () => {
    // The first session loads the driver, for which the limits below leave no time.
    expect(await patiently({ statement: answersOfTable }, records)).to.equal('[{"id":7}]');
    await server.close();
  });
  const open = (timeoutSeconds = 0.5) => {
    systems = connectors({ sealer, log: quiet, timeoutSeconds, poolSize: 1 });
  };
  const close = async () => {
    await systems.close();
    await server.close();
  };
  beforeEach(() => open());
  afterEach(close);

  const inTime = (work: Promise<unknown>, late = LATE_MILLISECONDS): Promise<unknown> =>
    Promise.race([work.catch((error: unknown) => error), sleep(late, 'late', { ref: false })]);
  const told = async (work: Promise<unknown>, late?: number): Promise<string> => {
    const outcome = await inTime(work, late);
    return outcome instanceof DomainError ? outcome.message : String(outcome);
  };
  const words = (what: string) => (what === 'a query' ? /longer than/ : /in time/);

  for (const [what, work, statement] of worksOnTable(0.5)) {
    const answered = statement ?? (what === 'a query' ? /^select 7/ : /offset/);

    it(`hold for ${what}, though the server reacts to no attention`, async () => {
      const connector = await serving({
        statement: (text) => (answered.test(text) ? 'silence' : answersOfTable(text)),
        attention: () => 'silence',
      });
      expect(await told(work(connector))).to.match(words(what));
      expect(server.attentions()).to.be.at.least(1);
    });

    it(`hold for ${what}, though the server never begins`, async () => {
      const connector = await serving({ statement: () => 'silence', attention: () => 'silence' });
      expect(await told(work(connector))).to.match(words(what));
    });

    it(`hold for ${what}, though the server does not roll back`, async () => {
      const stopped = what === 'a query' || what === 'records' ? /longer than/ : /in time/;
      const connector = await serving({
        statement: (text) => (answered.test(text) || text.includes('rollback') ? 'silence' : answersOfTable(text)),
      });
      expect(await told(work(connector))).to.match(stopped);
      expect(await told(work(connector)), 'with a session of its own').to.match(stopped);
    });
  }

  for (const [what, work, statement] of worksOnTable(0.5)) {
    if (!statement) continue;

    it(`hold for the commit of ${what} and the look after it, and leave the outcome unknown`, async () => {
      let committing = false;
      const script: Script = {
        statement(text) {
          committing ||= text.includes('commit transaction');
          return committing ? 'silence' : answersOfTable(text);
        },
        attention: () => 'silence',
      };
      let outcome = await told(work(await serving(script)));
      // A busy machine may come to the limit before it comes to the commit.
      for (let seconds = 2; !committing && seconds < 20; seconds *= 2) {
        await close();
        open(seconds);
        outcome = await told(work(await serving(script)), LATE_MILLISECONDS + 4000 * seconds);
      }
      expect(committing).to.equal(true);
      expect(outcome).to.match(/was lost before it said whether the row was saved/);
    });
  }

  describe('answer a read that the server stops as a query that takes too long', () => {
    const rows: Work = async (c) =>
      textOf(
        c.rows({ schema: 'dbo', name: 't', orderBy: null, direction: 'asc', after: null, limit: 1, offset: 0 }, never),
      );
    const reads: readonly (readonly [string, Work, RegExp])[] = [
      ['records', records, /offset/],
      ['rows', rows, /offset/],
      ['records of a table that is looked up slowly', records, /key_ordinal/],
      ['entities', (c) => c.tables(never), /sys\.tables/],
      ['a schema', (c) => c.schema(null, never), /key_ordinal/],
    ];
    const refusal = async (work: Promise<unknown>) => {
      const outcome = await inTime(work);
      return outcome instanceof DomainError ? `${outcome.kind} ${outcome.code}: ${outcome.message}` : String(outcome);
    };

    for (const [what, work, statement] of reads) {
      it(`${what}, and gives the session back`, async () => {
        const connector = await serving({
          statement: (text) => (statement.test(text) ? 'silence' : answersOfTable(text)),
        });
        const logins: number[] = [];
        for (let round = 0; round < 2; round += 1) {
          expect(await refusal(work(connector))).to.match(
            /^invalid query_timeout: Reading .*"ledger" took longer than 0\.5 seconds/,
          );
          logins.push(server.logins.length);
        }
        expect(
          server.statements.filter((text) => statement.test(text)),
          'nothing is asked twice',
        ).to.have.length(2);
        expect(logins[1]).to.equal(logins[0]);
      });
    }

    it('records that another transaction has locked, in words that say so', async () => {
      const locked = failing({ number: 1222, message: 'Lock request time out period exceeded.' });
      const connector = await serving({
        statement: (text) => (text.includes('offset') ? locked : answersOfTable(text)),
      });
      expect(await refusal(records(connector))).to.match(/^invalid query_timeout: .*locked by another transaction/);
    });
  });

  it('hold for rows that stop coming in the middle', async () => {
    const rows = rowsOf(Array.from({ length: 9000 }, (_, n) => ({ n, filler: 'x'.repeat(20) })));
    const connector = await serving({
      statement(text, session) {
        if (!text.startsWith('select')) return null;
        session.part(rows.subarray(0, -10_000));
        return 'silence';
      },
      attention: () => 'silence',
    });
    const caps = { schemas: null, maxRows: 1e9, maxBytes: 1e9, timeoutSeconds: 0.5 };
    expect(await told(connector.query('select 1 as n', caps, never).then(textOf))).to.match(/longer than/);
  });

  it('hold for rows that stop coming on a session that took the place of a dead one', async () => {
    const rows = rowsOf(Array.from({ length: 9000 }, (_, id) => ({ id, filler: 'x'.repeat(20) })));
    let asked = 0;
    const connector = await serving({
      statement(text, session) {
        if (!text.includes('offset')) return answersOfTable(text);
        asked += 1;
        if (asked === 1) return 'end';
        session.part(rows.subarray(0, -10_000));
        return 'silence';
      },
      attention: () => 'silence',
    });
    const query = { entity: 'dbo.t', filter: null, limit: 10_000, offset: 0 };
    expect(await told(connector.records(query, never).then(textOf))).to.match(/in time/);
    expect(asked).to.equal(2);
  });

  it('keep a query whose rows are all there from waiting for its end', async () => {
    const connector = await serving({
      statement: (text) => (text.includes('rollback') ? 'silence' : answersOfTable(text)),
    });
    const caps = { schemas: null, maxRows: 10, maxBytes: 1000, timeoutSeconds: 60 };
    expect(await inTime(textOf(connector.query('select 7 as id', caps, never)))).to.equal('[{"id":7}]');
  });

  describe('leave time to say that a row is locked', () => {
    it('to every session, and to a query with a limit of its own', async () => {
      const connector = await serving({ statement: (text) => answersOfTable(text) });
      await records(connector);
      expect(server.setUps[0]).to.match(/set lock_timeout 250$/);
      await textOf(
        connector.query('select 7 as id', { schemas: null, maxRows: 1, maxBytes: 100, timeoutSeconds: 30 }, never),
      );
      expect(server.statements.join()).to.include('set lock_timeout 29000');
    });

    for (const [what, work, statement] of worksOnTable(30)) {
      it(`in words: ${what}`, async () => {
        const answered = statement ?? (what === 'a query' ? /^select 7/ : /offset/);
        const locked = failing({ number: 1222, message: 'Lock request time out period exceeded.' });
        const outcome = await patiently(
          { statement: (text) => (answered.test(text) ? locked : answersOfTable(text)) },
          work,
        );
        expect(String(outcome)).to.match(/locked by another transaction/);
      });
    }
  });
});
