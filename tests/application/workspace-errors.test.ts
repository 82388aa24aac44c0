import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { celChecks } from '../../src/adapters/validation/cel/checks.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import { examineWorkspaceFile, placeErrors, readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Models } from '../../src/application/ports/models.ts';
import { workspaceErrors } from '../../src/application/workspace/validation.ts';
import { quiet } from '../support/log.ts';
import { sealer } from '../support/sqlserver-harness.ts';

const systems = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 1 });
const models = { defect: () => null } as unknown as Models;
const checks = {
  models,
  connectors: systems,
  schemas: ajvSchemas(),
  checks: celChecks(),
  signatures: standardSignatures,
};

const file = (...connections: readonly string[]) =>
  ['workspace: acme', 'connections:', ...connections.map((url, index) => `  - { name: c${index}, ${url} }`)].join('\n');

const errorsOf = (text: string) =>
  placeErrors(text, workspaceErrors(readWorkspaceFile(text, {}), checks)).map(
    ({ line, path, message }) => `${line} ${path} ${message}`,
  );

describe('the addresses in a workspace file', () => {
  after(() => systems.close());

  it('are taken where a connection can have them', () => {
    const good = [
      'type: postgresql, url: "postgres://u:p@h/d"',
      'type: sqlserver, url: "mssql://u:p@h/d?trustServerCertificate=true"',
    ];
    expect(errorsOf(file(...good))).to.deep.equal([]);
  });

  it('are refused with their place and their words, all at once, and not repeated', () => {
    const found = errorsOf(
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
    for (const [index, words] of expected.entries())
      expect(found[index]?.startsWith(words), found[index]).to.equal(true);
    expect(found.join()).to.not.match(/hush|u:/);
  });
});

describe('all that is wrong with a workspace file', () => {
  const allOf = (text: string) => {
    const { spec, errors, unread } = examineWorkspaceFile(text, {});
    return placeErrors(text, [...errors, ...workspaceErrors(spec, checks, unread)]).map(
      ({ line, path }) => `${line} ${path}`,
    );
  };

  it('is said where an audience is neither everyone nor a list', () => {
    const connection = '{ name: erp, type: postgresql, url: "postgres://h/d", visible_to: ada@example.com }';
    expect(allOf(`workspace: acme\nconnections:\n  - ${connection}\n`)).to.deep.equal(['3 connections[0].visible_to']);
  });

  it('is said at once, with its lines: what its form is, what it names and what contradicts itself', () => {
    const text = `workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: boss }
  - { email: ada@example.com, name: Ada, role: viewer }
connections:
  - { name: erp, type: postgresql, url: "mysql://h/d" }
databases:
  - { id: books, name: 7, connection: nowhere }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: ""
    document_schema: { type: object, properties: { a: { type: wrong } } }
    system_of_record: { connection: other, entity: invoices, columns: { total: total } }
    tools:
      - { connection: missing }
      - { database: 12 }
      - { agent: Reader, requires_approval: perhaps }
      - { http: { name: Bad Name, url: "https://x.example" } }
    visible_to: [ada@example.com, eve@example.com]
webhooks:
  - { url: "https://x.example", events: [], secret: whsec_short }
`;
    expect(allOf(text)).to.deep.equal([
      '3 users[0].role',
      '4 users[1].email',
      '6 connections[0].url',
      '8 databases[0].name',
      '8 databases[0].connection',
      '13 agents[0].instructions',
      '14 agents[0].document_schema',
      '15 agents[0].system_of_record.connection',
      '15 agents[0].system_of_record.entity',
      '15 agents[0].system_of_record.columns.total',
      '17 agents[0].tools[0].connection',
      '18 agents[0].tools[1].database',
      '19 agents[0].tools[2].requires_approval',
      '20 agents[0].tools[3].http.name',
      '21 agents[0].visible_to[1]',
      '23 webhooks[0].events',
      '23 webhooks[0].secret',
    ]);
  });

  it('is said of budgets without a currency, of no agent, and of a name that another one has', () => {
    const text = `workspace: acme
agents:
  - { name: Helper, workflow_type: assistant, model: offline, instructions: Help. }
prices: { currency: EUR }
budgets:
  - { name: All, period: month, limit: "100.00", action: stop }
  - { name: All, agent: Helper, period: day, limit: "1", action: warn }
  - { name: Nobody, agent: Reader, period: day, limit: "1", action: warn }
`;
    expect(errorsOf(text)).to.deep.equal([
      '7 budgets[1].name is the second All',
      '8 budgets[2].agent names Reader, which is not among the agents',
    ]);
    const prices = 'prices: { currency: EUR }\n';
    expect(errorsOf(text.slice(0, text.indexOf('  - { name: All, agent')))).to.deep.equal([]);
    expect(errorsOf(text.slice(0, text.indexOf('  - { name: All, agent')).replace(prices, ''))).to.deep.equal([
      '5 budgets[0] needs prices: without them nothing has a cost',
    ]);
  });

  it('is said of documents that the workers shall deliver nowhere', () => {
    const text = `workspace: acme
connections:
  - { name: erp, type: postgresql, url: "postgres://h/d" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    process: automatic
  - name: Helper
    workflow_type: assistant
    model: offline
    instructions: Help.
    process: automatic
`;
    expect(errorsOf(text)).to.deep.equal([
      '10 agents[0].process is automatic, which needs a system_of_record to deliver to',
      '15 agents[1].process belongs to agents whose workflow_type is document_extraction',
    ]);
    const system = 'system_of_record: { connection: erp, entity: public.bills, columns: { total: /total } }';
    const without = text.slice(0, text.indexOf('  - name: Helper'));
    expect(errorsOf(without.replace('process: automatic', `process: automatic\n    ${system}`))).to.deep.equal([]);
    expect(errorsOf(without.replace('process: automatic', 'process: manual'))).to.deep.equal([]);
  });

  it('is said of a document_schema of another draft than what reads documents knows', () => {
    const text = (draft: string) => `workspace: acme
agents:
  - { name: Reader, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { $schema: "${draft}", type: object } }
`;
    expect(errorsOf(text('http://json-schema.org/draft-07/schema#'))).to.deep.equal([
      '3 agents[0].document_schema must be of draft 2020-12: write $schema as https://json-schema.org/draft/2020-12/schema, or leave it out',
    ]);
    expect(errorsOf(text('https://json-schema.org/draft/2020-12/schema#'))).to.deep.equal([]);
  });

  it('is said of checks and keys, each at its own line', () => {
    const text = `workspace: acme
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        total: { type: [number, "null"] }
        lines: { type: array, items: { $ref: "#/$defs/line" } }
      $defs: { line: { type: object, properties: { amount: { type: number } } } }
    checks:
      - name: sum
        rule: near(sum(document.lines.map(l, l.amount)), document.total, 0.01)
        when: document.total != null
      - name: sum
        rule: sum(document.lines.map(l, l.amuont)) == document.total
        when: document.currency == "EUR"
      - name: half
        rule: |
          document.total > 0 &&
            document.total >
      - { name: number, rule: document.total }
    duplicate_key: [/total, /lines/0/amount, /lines/0/sku, /currency, total]
    required_values: [/lines, /supplier]
    list_columns: [/total, /lines, /supplier, /total]
    einvoice:
      map:
        /nothing: BT-1
        /total: BT-9999
        /lines/*/amount: BT-131
  - { name: Helper, workflow_type: assistant, model: offline, instructions: Help., checks: [{ name: a, rule: "true" }], duplicate_key: [/a], required_values: [], list_columns: [] }
`;
    const { spec, errors, unread } = examineWorkspaceFile(text, {});
    const found = placeErrors(text, [...errors, ...workspaceErrors(spec, checks, unread)]);
    expect(found.map(({ line, path, message }) => `${line} ${path} ${message}`)).to.deep.equal([
      '17 agents[0].checks[1].name is the second sum',
      '18 agents[0].checks[1].rule names the field amuont, which the document_schema does not have (at character 29)',
      '19 agents[0].checks[1].when names the field currency, which the document_schema does not have (at character 10)',
      '21 agents[0].checks[2].rule is not a usable CEL expression: Unexpected token: EOF (its line 3, character 1)',
      '24 agents[0].checks[3].rule must be true or false, not of the type decimal',
      '25 agents[0].duplicate_key[2] is /lines/0/sku, which the document_schema does not have',
      '25 agents[0].duplicate_key[3] is /currency, which the document_schema does not have',
      '25 agents[0].duplicate_key[4] must be a JSON Pointer such as /total, not total',
      '26 agents[0].required_values[1] is /supplier, which the document_schema does not have',
      '27 agents[0].list_columns[1] is /lines, which is an object or a list: a column has one value',
      '27 agents[0].list_columns[2] is /supplier, which the document_schema does not have',
      '27 agents[0].list_columns[3] is the second /total',
      '30 agents[0].einvoice.map["/nothing"] is of /nothing, which the document_schema does not have',
      '31 agents[0].einvoice.map["/total"] is BT-9999, which is no term of EN 16931-1, such as BT-1 or BG-25',
      '32 agents[0].einvoice.map["/lines/*/amount"] is of a list: /lines has to be mapped to a group, such as BG-25',
      '33 agents[1].checks belongs to agents whose workflow_type is document_extraction',
      '33 agents[1].duplicate_key belongs to agents whose workflow_type is document_extraction',
      '33 agents[1].required_values belongs to agents whose workflow_type is document_extraction',
      '33 agents[1].list_columns belongs to agents whose workflow_type is document_extraction',
    ]);
  });

  it('is not guessed from what could not be read', () => {
    const text = `workspace: acme
users:
  - { emial: ada@example.com, name: Ada }
connections:
  - { name: 12, type: postgresql, url: "postgres://h/d" }
  - { name: erp, type: oracle, url: "oracle://h/d" }
  - not a connection
databases:
  - { id: books, name: Books, connection: main }
agents:
  - name: Reader
    workflow_type: extraction
    model: offline
    instructions: Read.
    tools: [{ database: books }, { database: papers }, { agent: Raeder }]
    visible_to: [ada@example.com]
`;
    expect(allOf(text)).to.deep.equal([
      '3 users[0].emial',
      '5 connections[0].name',
      '6 connections[1].type',
      '7 connections[2]',
      '12 agents[0].workflow_type',
      '15 agents[0].tools[1].database',
      '15 agents[0].tools[2].agent',
    ]);
    expect(allOf('workspace: acme\nconections: []\ndatabases: [{ id: b, name: B, connection: erp }]\n')).to.deep.equal([
      '2 conections',
    ]);
  });
});
