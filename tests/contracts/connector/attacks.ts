import { expect } from 'chai';
import { DomainError } from '../../../src/domain/errors.ts';
import { eventually } from '../../support/until.ts';
import type { Attack } from './harness.ts';
import { plenty } from './query.ts';
import { type Made, never, rowsOf, type Suite, textOf } from './suite.ts';

/** What may be answered, or not in time, keeps a core busy all the while; what has to be refused gets the time to be answered. */
const capsOf = ({ expects }: Pick<Attack, 'expects'>) => ({
  ...plenty,
  timeoutSeconds: expects === 'refused' ? 1 : 0.3,
});

export const attacksContract = ({ dialect, harness, open, connector, numbered }: Suite) => {
  let table: Made;
  /** What is there, after the last attack: what one of them changes is no fault of the next. */
  let print: string;
  before(async () => {
    table = await numbered(3);
    print = await harness().fingerprint();
  });
  const mustBeUnchanged = async () => {
    await eventually(async () => (await harness().busy()) === 0);
    const before = print;
    print = await harness().fingerprint();
    expect(print).to.equal(before);
  };

  const attempt = async (attack: Attack): Promise<string> => {
    try {
      await textOf(connector().query(attack.sql, capsOf(attack), never));
      return 'answered';
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'invalid') return error.message;
      throw error;
    }
  };

  for (const [index, { name }] of dialect.attacks('a table').entries()) {
    it(`changes nothing and leaves nothing behind: ${name}`, async () => {
      const attack = dialect.attacks(table.quoted)[index];
      if (!attack) throw new Error('There is no such attack.');
      const outcome = await attempt(attack);
      if (attack.expects === 'refused') expect(outcome).not.to.equal('answered');
      if (attack.told) expect(outcome).to.match(attack.told);
      await mustBeUnchanged();
      expect(await rowsOf(connector().query(`select count(*) as n from ${table.quoted}`, plenty, never))).to.deep.equal(
        [{ n: 3 }],
      );
    });
  }

  it('changes nothing with any of them at once, and the pool works', async () => {
    const connectors = open({ poolSize: 2, timeoutSeconds: 60 });
    const attacked = connectors.open(harness().connection);
    const outcomes = await Promise.allSettled(
      dialect.attacks(table.quoted).map((attack) => attacked.query(attack.sql, capsOf(attack), never).then(textOf)),
    );
    expect(outcomes).to.have.length.above(20);
    await mustBeUnchanged();
    const count = () => rowsOf(attacked.query(`select count(*) as n from ${table.quoted}`, plenty, never));
    for (const rows of await Promise.all(Array.from({ length: 6 }, count))) expect(rows).to.deep.equal([{ n: 3 }]);
  });

  for (const [index, { sql }] of dialect.innocent('a table').entries()) {
    it(`answers what only looks like one: ${sql}`, async () => {
      const innocent = dialect.innocent(table.quoted)[index];
      const answer = connector().query(innocent?.sql ?? '', { ...plenty, timeoutSeconds: 1 }, never);
      expect(await textOf(answer)).to.equal(innocent?.rows);
    });
  }
};
