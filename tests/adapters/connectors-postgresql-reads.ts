import { connectorContract } from '../contracts/connector.ts';
import type { Backend } from '../support/backends.ts';
import { type PostgresqlHarness, postgresqlDialect, postgresqlHarness } from './connectors-postgresql-harness.ts';
import { postgresqlsOwn } from './connectors-postgresql-own.ts';
import { postgresqlsWrites } from './connectors-postgresql-writes.ts';

/** Reads, queries and records that are written. Its attacks are compared with everything that is on the server, so that the server is one that other suites do not use. */
export const readsOn = (backend: Backend) => {
  let harness: PostgresqlHarness;
  before(async function () {
    const server = await backend.url();
    if (server === null) return this.skip();
    harness = await postgresqlHarness(server);
  });
  after(() => harness?.drop());

  describe('Connector', () => connectorContract(postgresqlDialect, () => harness));
  describe("PostgreSQL's own", () => postgresqlsOwn(() => harness));
  describe("PostgreSQL's own writes", () => postgresqlsWrites(() => harness));
};
