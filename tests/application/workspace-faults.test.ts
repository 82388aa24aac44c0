import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { ajvSchemas } from '../../src/adapters/system/schemas.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import { placeFaults, readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Models } from '../../src/application/ports/models.ts';
import { workspaceFaults } from '../../src/application/workspace-faults.ts';
import { quiet } from '../support/log.ts';
import { sealer } from '../support/sqlserver-harness.ts';

const systems = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 1, queryPoolSize: 1 });
const models = { defect: () => null } as unknown as Models;
const checks = { models, connectors: systems, schemas: ajvSchemas(), signatures: standardSignatures };

const file = (...connections: readonly string[]) =>
  ['workspace: acme', 'connections:', ...connections.map((url, index) => `  - { name: c${index}, ${url} }`)].join('\n');

const faultsOf = (text: string) =>
  placeFaults(text, workspaceFaults(readWorkspaceFile(text, {}), checks)).map(({ line, path, message }) => `${line} ${path} ${message}`);

describe('the addresses in a workspace file', () => {
  after(() => systems.close());

  it('are taken where a connection can have them', () => {
    const good = ['type: postgresql, url: "postgres://u:p@h/d"', 'type: sqlserver, url: "mssql://u:p@h/d?trustServerCertificate=true"'];
    expect(faultsOf(file(...good))).to.deep.equal([]);
  });

  it('are refused with their place and their words, all at once, and not repeated', () => {
    const found = faultsOf(
      file(
        'type: postgresql, url: "mysql://u:hush@h/d"',
        'type: sqlserver, url: "postgres://u:hush@h/d"',
        'type: sqlserver, url: "mssql://u:hush@h/d?encrypt=perhaps"',
        'type: sqlserver, url: "mssql://u:hu%sh@h/d"',
        'type: sqlserver, url: "jdbc:sqlserver://h:1433;user=u;password=hush"',
        'type: sqlserver, url: "mssql://u:hush@h/d?timeout=3"',
      ),
    );
    const expected = [
      '3 connections[0].url must be an address that begins with postgresql://',
      '4 connections[1].url must be an address that begins with mssql://',
      '5 connections[2].url has an option "encrypt" that is none of true, false, yes, no, mandatory, optional, strict',
      '6 connections[3].url has a % in its password that stands for no character: write a percent sign as %25',
      '7 connections[4].url is written as for JDBC: write mssql://user:password@host:1433/database?option=value',
      '8 connections[5].url has an option "timeout" that is not known.',
    ];
    expect(found).to.have.length(expected.length);
    for (const [index, words] of expected.entries()) expect(found[index]?.startsWith(words), found[index]).to.equal(true);
    expect(found.join()).to.not.match(/hush|u:/);
  });
});
