import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { addressDefect, readAddress } from '../../src/adapters/connectors/sqlserver/address.ts';
import { poolConfig } from '../../src/adapters/connectors/sqlserver/pool-config.ts';

const limits = { connectSeconds: 1, acquireSeconds: 1, size: 1 };

describe('an address of SQL Server', () => {
  it('is read with everything in it, percent-encoded or not', () => {
    const text =
      'mssql://s%40:p%2F%3Aw%5D@[::1]:14330/my%20db?encrypt=strict&hostNameInCertificate=db.local&applicationIntent=ReadOnly&caFile=/etc/ca.pem';
    expect(readAddress(text)).to.deep.equal({
      server: '::1',
      port: 14330,
      instanceName: null,
      database: 'my db',
      authentication: { kind: 'sql', user: 's@', password: 'p/:w]' },
      encrypt: 'strict',
      trustServerCertificate: false,
      caFile: '/etc/ca.pem',
      hostNameInCertificate: 'db.local',
      readOnlyIntent: true,
      multiSubnetFailover: false,
    });
  });

  it('has a port, or an instance whose port is asked for', () => {
    const of = (text: string) => {
      const { server, port, instanceName } = readAddress(text);
      return { server, port, instanceName };
    };
    expect(of('sqlserver://u:p@host/d')).to.deep.equal({ server: 'host', port: 1433, instanceName: null });
    expect(of('mssql://u:p@host%5CEXPRESS/d')).to.deep.equal({ server: 'host', port: null, instanceName: 'EXPRESS' });
    expect(of('mssql://u:p@host/d?instanceName=EXPRESS')).to.deep.equal({
      server: 'host',
      port: null,
      instanceName: 'EXPRESS',
    });
    expect(poolConfig(readAddress('mssql://u:p@host:1444/d?instanceName=X'), limits)).to.deep.include({
      port: 1444,
      server: 'host',
    });
  });

  for (const host of [
    'host',
    'x.database.windows.net',
    'x.database.usgovcloudapi.net',
    'x.database.chinacloudapi.cn',
    'x.database.cloudapi.de',
    'x.sql.azuresynapse.net',
    'x.datawarehouse.fabric.microsoft.com',
  ]) {
    it(`is encrypted, and its certificate checked, unless it says otherwise: ${host}`, () => {
      const of = (options: string) => {
        const { encrypt, trustServerCertificate } = readAddress(`mssql://u:p@${host}/d${options}`);
        return [encrypt, trustServerCertificate];
      };
      expect(of('')).to.deep.equal([true, false]);
      expect(of('?encrypt=true')).to.deep.equal([true, false]);
      expect(of('?Trust%20Server%20Certificate=yes')).to.deep.equal([true, true]);
      expect(of('?Encrypt=Optional')).to.deep.equal([false, false]);
      expect(of('?encrypt=strict')).to.deep.equal(['strict', false]);
    });
  }

  describe('logs in', () => {
    const config = (text: string) => {
      const { user, password, domain, authentication } = poolConfig(readAddress(text), limits);
      return {
        ...(user && { user }),
        ...(password && { password }),
        ...(domain && { domain }),
        ...(authentication && { authentication }),
      };
    };
    const entra = 'mssql://app:hush@x.database.windows.net/d?authentication';

    it('with a login of the server, or a Windows account', () => {
      expect(config('mssql://u:p@h/d')).to.deep.equal({ user: 'u', password: 'p' });
      expect(config('mssql://u:p@h/d?authentication=SqlPassword')).to.deep.equal({ user: 'u', password: 'p' });
      expect(config('mssql://u:p@h/d?domain=ACME')).to.deep.equal({ user: 'u', password: 'p', domain: 'ACME' });
    });

    it('as a service principal of Microsoft Entra ID', () => {
      const authentication = {
        type: 'azure-active-directory-service-principal-secret',
        options: { clientId: 'app', clientSecret: 'hush', tenantId: 'acme' },
      };
      expect(config(`${entra}=ActiveDirectoryServicePrincipal&tenantId=acme`)).to.deep.equal({ authentication });
      expect(config(`${entra}=Active Directory Service Principal&Tenant Id=acme`)).to.deep.equal({ authentication });
    });

    it('as a managed identity, or as whatever the machine is', () => {
      const of = (user: string, method: string) =>
        config(`mssql://${user}x.database.windows.net/d?authentication=${method}`).authentication;
      const type = 'azure-active-directory-msi-app-service';
      expect(of('', 'ActiveDirectoryManagedIdentity')).to.deep.equal({ type, options: {} });
      expect(of('app@', 'Active+Directory+MSI')).to.deep.equal({ type, options: { clientId: 'app' } });
      expect(of('', 'ActiveDirectoryDefault')).to.deep.equal({ type: 'azure-active-directory-default', options: {} });
    });
  });

  describe('is refused, with why', () => {
    const on = (options: string) => `mssql://u:hush@h/d?${options}`;
    for (const [text, why] of [
      ['', /begins with mssql/],
      ['not an address', /begins with mssql/],
      ['postgres://u:hush@h/d', /begins with mssql/],
      ['jdbc:sqlserver://h:1433;databaseName=d;user=u;password=hush', /JDBC.*mssql:\/\/user:password@host/],
      ['sqlserver://h:1433;databaseName=d;user=u;password=hush', /semicolons.*JDBC/],
      ['mssql://u:hush@h;encrypt=true', /semicolons.*JDBC/],
      ['Server=tcp:h,1433;Initial Catalog=d;User ID=u;Password=hush', /ADO\.NET/],
      ['Data Source=h;User ID=u;Password=hush', /ADO\.NET/],
      ['mssql://', /no host/],
      ['mssql://h/d', /names no user/],
      ['mssql://u:hush%@h/d', /% in its password.*%25/],
      ['mssql://u:%E0%A4hush@h/d', /% in its password.*%25/],
      ['mssql://hu%sh:p@h/d', /% in its user/],
      ['mssql://u:p@h/hush%', /% in its database/],
      [on('caFile=/a%b'), /% in its options/],
      ['mssql://u:hu?sh@h/d', /%3F/],
      ['mssql://u:12?hush@h/d', /%3F/],
      ['mssql://u:12?hush=sh@h/d', /%3F/],
      ['mssql://u:hu/sh@h/d', /%2F/],
      ['mssql://u:hu#sh@h/d', /%23/],
      ['mssql://u:12/hush@h/d', /%2F/],
      ['mssql://u:hush@h:99999/d', /host or port/],
      ['mssql://u:hush@h:0/d', /port/],
      ['mssql://u:hush@h/d/e', /database.*%2F/],
      [on('encrypt=hush'), /"encrypt" that is none of true, false/],
      [on('encrypt='), /"encrypt" without a value/],
      [on('trustServerCertificate=hush'), /"trustServerCertificate" that is none of/],
      [on('applicationIntent=hush'), /"applicationIntent" that is none of ReadOnly, ReadWrite/],
      [on('multiSubnetFailover=hush'), /"multiSubnetFailover" that is none of/],
      [
        on('authentication=ActiveDirectoryInteractive'),
        /"authentication" that is none of .*ActiveDirectoryManagedIdentity/,
      ],
      [on('encript=true'), /"encript" that is not known\. Did you mean encrypt\? Known are encrypt/],
      [on('hu%24sh=1'), /an option that is not known/],
      [on('Connect Timeout=30'), /"Connect Timeout" that is not known/],
      [on('database=d'), /"database": the database stands behind the \//],
      [on('User Id=x'), /"User Id": the user stands before the @/],
      [on('password=hush'), /"password": the password stands before the @/],
      [on('encrypt=true&Encrypt=false'), /"encrypt" twice/],
      [on('encrypt=strict&trustServerCertificate=true'), /strict checks every certificate/],
      [on('encrypt=false&caFile=/ca.pem'), /"caFile".*encrypt=false/],
      [on('trustServerCertificate=true&hostNameInCertificate=x'), /"hostNameInCertificate".*takes any/],
      [on('tenantId=acme'), /"tenantId".*ActiveDirectoryServicePrincipal/],
      [on('authentication=ActiveDirectoryServicePrincipal'), /no "tenantId"/],
      ['mssql://app@h/d?authentication=ActiveDirectoryServicePrincipal&tenantId=acme', /no secret/],
      [on('authentication=ActiveDirectoryManagedIdentity'), /password, but a managed identity needs none/],
      [on('authentication=SqlPassword&domain=ACME'), /both a "domain" and an "authentication"/],
      [on('authentication=ActiveDirectoryServicePrincipal&tenantId=acme&encrypt=false'), /encrypt=false.*tokens/],
    ] as const) {
      it(text, () => {
        expect(addressDefect(text))
          .to.match(why)
          .and.not.match(/hush|sh@/);
        expect(() => readAddress(text)).to.throw();
      });
    }
  });
});

describe('docs/sql-server.md', () => {
  it('has every option, and addresses that are taken', async () => {
    const text = await readFile(path.resolve(import.meta.dirname, '../../docs/sql-server.md'), 'utf8');
    const documented = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).sort();
    const known = addressDefect('mssql://u:p@h/d?nothing=1')?.split('Known are ')[1]?.split(', ').sort();
    expect(documented).to.deep.equal(known);
    const examples = [...text.matchAll(/mssql:\/\/[^\s`]+/g)].map(([address]) => address.replace(':port/', ':1433/'));
    expect(examples).to.have.length.above(6);
    for (const example of examples.filter((address) => !address.includes('option=value')))
      expect(addressDefect(example), example).to.equal(null);
  });
});
