import { expect } from 'chai';
import { runRepositoryContract } from '../contracts/run-repository.ts';
import { aNewRun } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { postgresStage } from '../support/runs.ts';

describe('RunRepository', () => {
  onEveryPostgres((postgres) => {
    runRepositoryContract(() => postgresStage(postgres));

    it('stores the runs of one moment in one transaction', async () => {
      const stage = postgresStage(postgres);
      const { agent, user } = await stage.cast();
      const asked = Array.from({ length: 20 }, () => aNewRun(agent, user));
      await Promise.all(asked.map((run) => stage.runs.create(run, null)));
      const ids = asked.map(({ id }) => id);
      const { rows } = await postgres.database.pool.query(
        'select xmin::text, count(*)::int as runs from runs where id = any ($1) group by 1',
        [ids],
      );
      expect(rows.map(({ runs }) => runs)).to.deep.equal([20]);
      await stage.close();
    });
  });
});
