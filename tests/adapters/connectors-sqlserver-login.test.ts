import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connection } from '../../src/domain/connection.ts';
import { never, refusal } from '../contracts/connector/suite.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';
import { answersOfTable, worksOnTable } from '../support/sqlserver-table.ts';
import {
  failing,
  fedAuthInfo,
  type Login,
  type Reply,
  rowsOf,
  type Script,
  type TdsServer,
  tdsServer,
} from '../support/sqlserver-tds.ts';
import { eventually } from '../support/until.ts';

const names = ['schema_name', 'table_name', 'is_view'];
const noTables = rowsOf([], names);

describe('a session of SQL Server, from its beginning', () => {
  let certified: Certified;
  let tls: { readonly key: string; readonly cert: string };
  let systems: ReturnType<typeof connectors>;
  const family = (connection: Connection) => systems.open(connection);
  const servers: TdsServer[] = [];

  before(async function () {
    const own = await certify('DNS:db.local,DNS:localhost');
    if (own === null) return this.skip();
    certified = own;
    tls = { key: await readFile(own.key, 'utf8'), cert: await readFile(own.cert, 'utf8') };
  });
  beforeEach(() => {
    systems = connectors({ sealer, log: quiet, timeoutSeconds: 5, poolSize: 2 });
  });
  afterEach(async () => {
    await systems.close();
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

    it('is trusted for an IP address that it names', async () => {
      const own = await certify('DNS:localhost,IP:127.0.0.1');
      if (own === null) throw new Error('openssl made a certificate before.');
      const server = await serving({
        tls: { key: await readFile(own.key, 'utf8'), cert: await readFile(own.cert, 'utf8') },
      });
      expect(await tables(server.url(`caFile=${own.ca}`))).to.deep.equal([]);
      expect((await refusal(tables(server.url('encrypt=true')))).message).to.include('not trusted');
      await own.remove();
    });

    it('is examined, and its error is told', async () => {
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

  describe('its login', () => {
    for (const [numbers, words] of [
      [[18456], /did not accept its user or password/],
      [[18452], /Windows account/],
      [[18470], /login disabled/],
      [[18486], /login locked/],
      [[18488], /asks for a new password/],
      [[4060, 18456], /no database of that name, or does not open it/],
      [[40532], /not known under the name/],
      [[40615], /firewall/],
      [[17892, 18456], /logon trigger/],
      [[18461], /single user/],
      [[924, 18456], /single user/],
      [[1], /refused its login \(1\)/],
    ] as const) {
      it(`is refused once, with why: ${numbers[0]}`, async () => {
        const told = numbers.map((number) => ({ number, class: 14, message: "Refused for user 'u' of 10.0.0.7." }));
        const server = await serving({ login: () => failing(...told) });
        const { kind, message, cause } = await refusal(tables(server.url()));
        expect([kind, cause]).to.deep.equal(['unavailable', undefined]);
        expect(message)
          .to.match(words)
          .and.not.match(/'u'|10\.0|hush|127/);
        expect(server.logins).to.have.length(1);
        const hops = await family(aConnection(server.url())).examine(never);
        const login = hops.find(({ status }) => status === 'fail');
        expect([login?.name, login?.detail.includes(`(${numbers[0]})`)]).to.deep.equal(['login', true]);
      });
    }

    for (const number of [40613, 40501, 10928, 10929, 40197, 49918]) {
      it(`is tried again where that may help: ${number}`, async () => {
        const server = await serving({ login: (_, attempt) => (attempt <= 2 ? failing({ number, class: 20 }) : null) });
        expect(await tables(server.url())).to.deep.equal([]);
        expect(server.logins.length).to.be.at.least(3);
      });
    }

    it('is tried again no longer than the operation may take, and then says why', async () => {
      // Where much runs beside it, a single login may take most of a second.
      const impatient = connectors({ sealer, log: quiet, timeoutSeconds: 3, poolSize: 1 });
      const server = await serving({ login: () => failing({ number: 40613, class: 17 }) });
      const { message } = await refusal(impatient.open(aConnection(server.url())).tables(never));
      expect(message).to.equal('The connection "ledger" is paused or moving at present.');
      expect(server.logins.length).to.be.at.least(2);
      await impatient.close();
    });

    it('is no longer tried once the caller has gone', async () => {
      const server = await serving({ login: () => failing({ number: 40613 }) });
      const gone = new AbortController();
      const waiting = family(aConnection(server.url()))
        .tables(gone.signal)
        .catch((error: unknown) => error);
      await eventually(async () => server.logins.length >= 2);
      gone.abort(new Error('gone'));
      expect(await waiting).to.have.property('message', 'gone');
    });
  });

  describe('a token of Microsoft Entra ID', () => {
    const federated = {
      login: ({ federated: asked }: Login) =>
        asked ? fedAuthInfo('https://login.invalid/acme', 'https://database.windows.net/') : null,
    };
    const environment = (values: Readonly<Record<string, string>>) => {
      const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
      Object.assign(process.env, values);
      return () => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      };
    };

    it('is fetched for a managed identity, and logs in', async () => {
      const asked: string[] = [];
      const issuer = createServer((request, response) => {
        asked.push(`${request.headers['x-identity-header']} ${request.url}`);
        const body = {
          access_token: 'a-token',
          expires_on: `${Math.floor(Date.now() / 1000) + 3600}`,
          resource: 'x',
          token_type: 'Bearer',
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      });
      await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
      const { port } = issuer.address() as { port: number };
      const restore = environment({
        IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/token`,
        IDENTITY_HEADER: 'own-header',
      });
      try {
        const server = await serving({ ...federated, tls });
        const options = `authentication=ActiveDirectoryManagedIdentity&caFile=${certified.ca}`;
        const url = server.url(options, 'my-app@').replace('127.0.0.1', 'localhost');
        expect(await tables(url)).to.deep.equal([]);
        expect(server.tokens[0]).to.equal('a-token');
        expect(server.logins[0]).to.include({ user: '', password: '', federated: true });
        expect(asked[0]).to.match(/^own-header .*resource=https%3A%2F%2Fdatabase.windows.net.*my-app/);
      } finally {
        restore();
        issuer.close();
      }
    });

    it('is asked for as the service principal of the address, and nothing of it is told where none is given', async () => {
      const restore = environment({ AZURE_AUTHORITY_HOST: 'https://127.0.0.1:1' });
      const impatient = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 1 });
      try {
        const server = await serving({ ...federated, tls });
        const options = `authentication=ActiveDirectoryServicePrincipal&tenantId=acme&caFile=${certified.ca}`;
        const url = server.url(options, 'my-app:hush-hush@').replace('127.0.0.1', 'localhost');
        const { message } = await refusal(impatient.open(aConnection(url)).tables(never));
        expect(message).to.not.match(/hush|acme|my-app/);
        expect(server.logins[0]).to.include({ password: '', federated: true });
      } finally {
        restore();
        await impatient.close();
      }
    });
  });

  describe('that was closed before it is used', () => {
    const ends: readonly (readonly [string, Reply])[] = [
      ['FIN', 'end'],
      ['RST', 'reset'],
      [
        'KILL',
        failing({
          number: 596,
          class: 21,
          message: 'Cannot continue the execution because the session is in the kill state.',
        }),
      ],
    ];

    for (const [what, work, statement] of worksOnTable(5)) {
      it(`is passed over by ${what}, where its end is seen only then`, async () => {
        const server = await serving({ tls, statement: answersOfTable });
        const connector = family(aConnection(server.url('trustServerCertificate=true')));
        await work(connector);
        server.endSessions();
        await work(connector);
        if (statement) expect(server.statements.filter((text) => statement.test(text))).to.have.length(2);
      });

      for (const [how, end] of ends) {
        it(`is passed over by ${what}, where ${how} meets its first statement`, async () => {
          let ending: number | null = null;
          const server = await serving({
            tls,
            statement(text, session) {
              if (ending === null || session.number > ending) return answersOfTable(text);
              if (end === 'end' || end === 'reset') return end;
              session.reply(end);
              return 'end';
            },
          });
          const connector = family(aConnection(server.url('trustServerCertificate=true')));
          await work(connector);
          ending = server.sessions();
          await work(connector);
          expect(server.sessions()).to.be.above(ending);
        });
      }
    }

    for (const [what, work, statement] of worksOnTable(5)) {
      if (statement === null) continue;
      it(`is not used again by ${what} that was a deadlock's victim, which is tried once more`, async () => {
        let victims = 0;
        const deadlock = failing({
          number: 1205,
          class: 13,
          message: 'Transaction was deadlocked. Rerun the transaction.',
        });
        let most = 1;
        const server = await serving({
          tls,
          statement(text) {
            if (!statement.test(text) || victims === most) return answersOfTable(text);
            victims += 1;
            return deadlock;
          },
        });
        const connector = family(aConnection(server.url('trustServerCertificate=true')));
        await work(connector);
        expect(victims).to.equal(1);
        most = 3;
        expect((await refusal(work(connector))).message).to.match(/gave the work up/);
        expect(victims).to.equal(3);
      });
    }
  });

  describe('without encryption', () => {
    it('sends no login, but where the address does without', async () => {
      const server = await serving({});
      for (const options of ['', 'encrypt=true', 'trustServerCertificate=true']) {
        expect((await refusal(tables(server.url(options)))).message).to.match(
          /offers no encryption: encrypt=false in its address/,
        );
      }
      expect(server.logins).to.deep.equal([]);
      expect(await tables(server.url('encrypt=false'))).to.deep.equal([]);
    });

    it('says what takes encrypted sessions only', async () => {
      const server = await serving({ tls });
      expect((await refusal(tables(server.url('encrypt=false')))).message).to.match(
        /encrypted sessions only.*encrypt=false/,
      );
    });
  });

  describe('is lost, and the process goes on, where the server sends no TDS', () => {
    const senseless = Buffer.from([0x17, 1, 2, 3]);
    const longest = { schemas: null, maxRows: 10, maxBytes: 1000, timeoutSeconds: 0.5 };
    const scripts: readonly (readonly [string, (sound: () => boolean) => Script])[] = [
      ['in answer to its login', (sound) => ({ login: () => (sound() ? null : senseless) })],
      ['in answer to a statement', (sound) => ({ statement: () => (sound() ? noTables : senseless) })],
      [
        'in the middle of rows',
        (sound) => ({ statement: () => (sound() ? noTables : Buffer.concat([noTables.subarray(0, -13), senseless])) }),
      ],
      [
        'in answer to a cancellation',
        (sound) => ({ statement: () => (sound() ? noTables : 'silence'), attention: () => senseless }),
      ],
    ];

    for (const [where, script] of scripts) {
      it(where, async () => {
        let sound = false;
        const server = await serving({ tls, ...script(() => sound) });
        const connector = family(aConnection(server.url('trustServerCertificate=true')));
        const { kind } = await refusal(connector.query('select 1', longest, never));
        expect(kind).to.be.oneOf(['unavailable', 'invalid']);
        sound = true;
        expect(await connector.tables(never)).to.deep.equal([]);
        expect(server.sessions()).to.be.at.least(2);
      });
    }
  });
});
