import { createServer } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import type { ServeRole } from '../../src/adapters/cli/dependencies.ts';
import { type Config, readConfig } from '../../src/composition/config.ts';
import { openOperator } from '../../src/composition/operator.ts';
import { serve } from '../../src/composition/serve.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { freshDatabase } from '../support/postgres.ts';
import { aFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('a start that fails', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let onlooker: pg.Client;
  let config: Config;

  before(async function () {
    const url = await embeddedPostgres.url();
    if (url === null) return this.skip();
    database = await freshDatabase(url);
    onlooker = new pg.Client({ connectionString: database.url, application_name: 'onlooker' });
    await onlooker.connect();
    config = readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: await aFolder(),
      PORT: String(await freePort()),
      SHUTDOWN_SECONDS: '1',
    });
  });
  after(async () => {
    await onlooker?.end();
    await database?.drop();
  });

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  /** A connection that stays would keep the process from ending. */
  const nothingIsOpen = () =>
    until('every connection is closed', async () => {
      const { rows } = await onlooker.query(
        `select from pg_stat_activity where datname = current_database() and application_name <> 'onlooker' and backend_type = 'client backend'`,
      );
      return rows.length === 0;
    });

  for (const role of ['all', 'api', 'egress'] as const satisfies readonly ServeRole[]) {
    it(`of ${role} closes what it had opened where the API cannot be made`, async () => {
      const failure = await failureOf(serve({ ...config, baseUrl: 'no address', authUrl: 'no address' }, role, quiet));
      expect(failure).to.be.instanceOf(Error);
      await nothingIsOpen();
    });
  }

  it('closes what it had opened where a port is taken, and names the setting', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    try {
      for (const [settings, name] of [
        [{ port }, 'PORT'],
        [{ managementPort: port }, 'MANAGEMENT_PORT'],
      ] as const) {
        const failure = await failureOf(serve({ ...config, ...settings }, 'all', quiet));
        expect(failure).to.be.instanceOf(DomainError);
        expect((failure as DomainError).message).to.equal(
          `${name} ${port} is taken by another program: set ${name} to a free one`,
        );
        await nothingIsOpen();
      }
    } finally {
      taken.close();
    }
  });

  it('of a command closes what it had opened', async () => {
    await onlooker.query(`insert into schema_migrations (name) values ('9999-of-a-later-version')`);
    try {
      const failure = await failureOf(openOperator(config, quiet));
      expect(failure).to.be.instanceOf(Error);
      expect((failure as Error).message).to.contain('newer than this Portico');
      await nothingIsOpen();
    } finally {
      await onlooker.query(`delete from schema_migrations where name like '9999%'`);
    }
    const operator = await openOperator(config, quiet);
    await operator.close();
    await nothingIsOpen();
  });
});
