import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { createIn, runCreation } from '../../src/adapters/postgres/repositories/run-creation.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { runRepositoryContract } from '../contracts/run-repository.ts';
import { aNewRun, type Cast } from '../support/builders.ts';
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

    it('tells of each new run once, and pauses after it has told of several', async () => {
      const stage = postgresStage(postgres);
      const { agent, user } = await stage.cast();
      const told: { readonly ids: readonly string[]; readonly begunAt: number; readonly endedAt: number }[] = [];
      const query: Database['query'] = async (statement, values) => {
        const begunAt = performance.now();
        const rows = await postgres.database.query(statement, values);
        if (statement.name === 'runs_announce')
          told.push({ ids: values[0] as string[], begunAt, endedAt: performance.now() });
        return rows as never;
      };
      const create = runCreation({ query });
      const asked = Array.from({ length: 40 }, () => aNewRun(agent, user));
      for (let done = 0; done < asked.length; done += 4)
        await Promise.all(asked.slice(done, done + 4).map((run) => create(run, null)));
      while (told.flatMap(({ ids }) => ids).length < asked.length) await sleep(10);
      expect(told.flatMap(({ ids }) => ids)).to.have.members(asked.map(({ id }) => id));
      for (const [index, { ids, endedAt }] of told.slice(0, -1).entries())
        if (ids.length > 1) expect((told[index + 1]?.begunAt ?? 0) - endedAt).to.be.above(4);
      await stage.close();
    });

    it('asks what is spent only where a budget stops the agent', async () => {
      const stage = postgresStage(postgres);
      const { agent, user } = await stage.cast();
      const undone = new Error('undone');
      const trial = postgres.database.atomically(async (run) => {
        await run(`create or replace function spent_budget(workspace uuid, agent uuid) returns json language plpgsql stable
        as $$ begin raise exception 'it was asked what is spent'; end $$`);
        expect(await createIn(run, aNewRun(agent, user))).to.equal(true);
        throw undone;
      });
      await trial.catch((error) => expect(error).to.equal(undone));
      await stage.close();
    });

    it('looks up the runs of one moment in one statement, each for its own viewer', async () => {
      const stage = postgresStage(postgres);
      const [mine, theirs] = [await stage.cast(), await stage.cast()];
      const create = async ({ agent, user }: Cast) => {
        const run = aNewRun(agent, user);
        await stage.runs.create(run, null);
        return run.id;
      };
      const [first, second, foreign] = [await create(mine), await create(mine), await create(theirs)];
      let statements = 0;
      const read: Database['read'] = (...asked) => {
        statements += 1;
        return postgres.database.read(...asked);
      };
      const runs = runRepository({ ...postgres.database, read });
      const viewerOf = ({ user }: Cast) => ({ workspaceId: user.workspaceId, userId: user.id });
      const asked = [
        [mine, second],
        [mine, foreign],
        [theirs, foreign],
        [mine, 'no id'],
        [mine, first],
        [mine, second],
      ] as const;
      const found = await Promise.all(asked.map(([cast, id]) => runs.findVisible(viewerOf(cast), id)));
      expect(found.map((run) => run?.id ?? null)).to.deep.equal([second, null, foreign, null, first, second]);
      expect(statements).to.equal(1);

      const refusing: Database['read'] = async () => {
        statements += 1;
        throw new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
      };
      const lost = runRepository({ ...postgres.database, read: refusing });
      const outcomes = await Promise.allSettled([first, second].map((id) => lost.findVisible(viewerOf(mine), id)));
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
      expect(statements, 'no lookup is tried again').to.equal(2);
      await stage.close();
    });
  });
});
