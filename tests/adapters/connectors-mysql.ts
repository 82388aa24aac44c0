import { connectorContract } from '../contracts/connector.ts';
import { systemsOfRecordContract } from '../contracts/systems-of-record.ts';
import type { MariadbBackend, MariadbServer } from '../support/mariadb.ts';
import { deliveriesOf } from './connectors-mysql-deliveries.ts';
import { type MysqlHarness, mysqlDialect, mysqlHarness } from './connectors-mysql-harness.ts';
import { mysqlsWrites } from './connectors-mysql-writes.ts';

/** Its attacks are compared with everything that is on the server, so that the server is one that other suites do not use. */
export const mysqlOn = (backend: MariadbBackend) => {
  let server: MariadbServer | null = null;
  let harness: MysqlHarness;
  before(async function () {
    this.timeout(240_000);
    server = await backend.start();
    if (server === null) return this.skip();
    harness = await mysqlHarness(server.url);
  });
  after(async () => {
    await harness?.drop();
    await server?.stop();
  });

  describe('Connector', () => connectorContract(mysqlDialect, () => harness));
  describe('Writes', () => mysqlsWrites(() => harness));
  describe('SystemOfRecord', () => {
    let deliveries: ReturnType<typeof deliveriesOf>;
    before(() => {
      deliveries = deliveriesOf(harness);
    });
    after(() => deliveries?.close());
    systemsOfRecordContract(() => deliveries);
  });
};
