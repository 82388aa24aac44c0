import { connectorContract } from '../contracts/connector.ts';
import { type Backend, containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { type PostgresqlHarness, postgresqlDialect, postgresqlHarness } from './connectors-postgresql-harness.ts';
import { postgresqlsOwn } from './connectors-postgresql-own.ts';

const suite = (backend: Backend) => {
  let harness: PostgresqlHarness;
  before(async function () {
    this.timeout(120_000);
    const server = await backend.url();
    if (server === null) return this.skip();
    harness = await postgresqlHarness(server);
  });
  after(() => harness?.drop());

  describe('Connector', () => connectorContract(postgresqlDialect, () => harness));
  describe("PostgreSQL's own", () => postgresqlsOwn(() => harness));
};

describe('PostgreSQL connectors', () => {
  for (const backend of [embeddedPostgres, containerPostgres]) describe(`on ${backend.name}`, () => suite(backend));
});
