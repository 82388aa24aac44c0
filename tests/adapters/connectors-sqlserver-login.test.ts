import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { ConnectorFamily } from '../../src/adapters/connectors/settings.ts';
import { sqlserverConnector } from '../../src/adapters/connectors/sqlserver/connector.ts';
import { never, refusal } from '../contracts/connector/suite.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';
import { rowsOf, type Script, type TdsServer, tdsServer } from '../support/sqlserver-tds.ts';

const names = ['schema_name', 'table_name', 'is_view'];
const noTables = rowsOf([], names);

describe('a session of SQL Server, from its beginning', () => {
  let certified: Certified;
  let tls: { readonly key: string; readonly cert: string };
  let family: ConnectorFamily;
  const servers: TdsServer[] = [];

  before(async function () {
    const own = await certify('DNS:db.local,DNS:localhost');
    if (own === null) return this.skip();
    certified = own;
    tls = { key: await readFile(own.key, 'utf8'), cert: await readFile(own.cert, 'utf8') };
  });
  beforeEach(() => {
    family = sqlserverConnector({ sealer, log: quiet, timeoutSeconds: 5, poolSize: 2, queryPoolSize: 1 });
  });
  afterEach(async () => {
    await family.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  after(() => certified?.remove());

  const serving = async (script: Script): Promise<TdsServer> => {
    const server = await tdsServer({ statement: () => noTables, ...script });
    servers.push(server);
    return server;
  };
  const tables = (url: string) => family(aConnection(url)).tables(never);
  const local = (server: TdsServer, options: string) => server.url(options).replace('127.0.0.1', 'localhost');

  describe('its certificate', () => {
    it('is checked by default, and what trusts one of your own is said', async () => {
      const server = await serving({ tls });
      for (const options of ['', 'encrypt=true']) {
        const { message, kind } = await refusal(tables(local(server, options)));
        expect(kind).to.equal('unavailable');
        expect(message).to.match(/certificate that is not trusted.*caFile=.*trustServerCertificate=true/);
      }
      expect(server.logins).to.deep.equal([]);
    });

    it('is taken unchecked where the address says so', async () => {
      const server = await serving({ tls });
      expect(await tables(local(server, 'trustServerCertificate=true'))).to.deep.equal([]);
      expect(server.logins[0]).to.deep.equal({ user: 'u', password: 'hush-hush', database: 'd', federated: false });
    });

    it('is trusted where an authority of the file signed it, for the name in the address', async () => {
      const server = await serving({ tls });
      expect(await tables(local(server, `caFile=${certified.ca}`))).to.deep.equal([]);
      const stranger = await refusal(tables(local(server, `caFile=${certified.stranger}`)));
      expect(stranger.message).to.include('not trusted');
      const elsewhere = await refusal(tables(server.url(`caFile=${certified.ca}`)));
      expect(elsewhere.message).to.match(/another name.*hostNameInCertificate=/);
      expect(await tables(server.url(`caFile=${certified.ca}&hostNameInCertificate=db.local`))).to.deep.equal([]);
    });

    it('is examined, and its fault is told', async () => {
      const server = await serving({ tls });
      const hop = async (options: string) =>
        (await family(aConnection(local(server, options))).examine(never)).find(({ name }) => name === 'tls');
      expect(await hop(`caFile=${certified.ca}`)).to.deep.include({
        status: 'ok',
        detail: 'The server speaks TLSv1.2, and its certificate is trusted.',
      });
      expect(await hop('trustServerCertificate=true')).to.deep.include({ status: 'ok' });
      expect((await hop(''))?.detail).to.match(/^It has a certificate that is not trusted: caFile=/);
    });

    it('needs a file that is there, and holds one; it is looked for again each time', async () => {
      const server = await serving({ tls });
      const file = path.join(path.dirname(certified.ca), `${randomUUID()}.pem`);
      const connector = family(aConnection(local(server, `caFile=${file}`)));
      const words =
        'The connection "ledger" has an address that cannot be used: it names a caFile that cannot be read, or holds no certificate in PEM form.';
      expect((await refusal(connector.tables(never))).message).to.equal(words);
      await writeFile(file, 'no certificate');
      expect((await refusal(connector.tables(never))).message).to.equal(words);
      const hops = await connector.examine(never);
      expect(hops.find(({ status }) => status === 'fail')?.detail).to.equal(words);
      await writeFile(file, await readFile(certified.ca));
      expect(await connector.tables(never)).to.deep.equal([]);
    });
  });

  describe('without encryption', () => {
    it('sends no login, but where the address does without', async () => {
      const server = await serving({});
      for (const options of ['', 'encrypt=true', 'trustServerCertificate=true']) {
        expect((await refusal(tables(server.url(options)))).message).to.match(/offers no encryption: encrypt=false in its address/);
      }
      expect(server.logins).to.deep.equal([]);
      expect(await tables(server.url('encrypt=false'))).to.deep.equal([]);
    });

    it('says what takes encrypted sessions only', async () => {
      const server = await serving({ tls });
      expect((await refusal(tables(server.url('encrypt=false')))).message).to.match(/encrypted sessions only.*encrypt=false/);
    });
  });
});
