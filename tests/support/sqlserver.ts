import { randomBytes } from 'node:crypto';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { usableImage } from './backends.ts';

/** The maker's image; starting it accepts its licence for development and tests. */
const OFFICIAL_IMAGE = 'mcr.microsoft.com/mssql/server:2022-latest';
const PORT = 1433;
const STARTUP_MILLISECONDS = 180_000;

export interface SqlserverServer {
  /** Where a login answers that may make databases, logins and everything else. */
  readonly url: string;
  stop(): Promise<void>;
}

const start = async (image: string, password: string): Promise<StartedTestContainer> =>
  new GenericContainer(image)
    .withEnvironment({ ACCEPT_EULA: 'Y', MSSQL_SA_PASSWORD: password })
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage(/SQL Server is now ready for client connections/))
    .withStartupTimeout(STARTUP_MILLISECONDS)
    .start();

/** A SQL Server: that of TEST_SQLSERVER_URL, else one in a container; null where neither can be had. */
export const sqlserver = {
  name: process.env.TEST_SQLSERVER_URL ? 'SQL Server at TEST_SQLSERVER_URL' : 'SQL Server in a container',
  async open(): Promise<SqlserverServer | null> {
    const given = process.env.TEST_SQLSERVER_URL;
    if (given) return { url: given, stop: async () => {} };
    const image = await usableImage(process.env.TEST_SQLSERVER_IMAGE, OFFICIAL_IMAGE);
    if (image === null) return null;
    // The server wants letters of both cases and digits.
    const password = `Aa1${randomBytes(16).toString('hex')}`;
    const container = await start(image, password);
    const url = `mssql://sa:${password}@${container.getHost()}:${container.getMappedPort(PORT)}/master?trustServerCertificate=true`;
    return { url, stop: async () => void (await container.stop()) };
  },
};
