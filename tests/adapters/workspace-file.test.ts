import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { placeErrors, readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { workspaceSchema } from '../../src/adapters/workspace-file/schema.ts';
import type { PlacedError } from '../../src/adapters/workspace-file/source.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { declared } from '../support/tools.ts';

const example = `workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob }
connections:
  - { id: 0197A3F0-5a5e-7c3e-9d0a-3f5b8c1d2e01, name: erp, type: postgresql, url: "\${ERP_URL}", visible_to: everyone }
databases:
  - { id: sales, name: Sales, connection: erp, schemas: [public] }
agents:
  - name: Invoice reader
    description: Reads supplier invoices
    workflow_type: document_extraction
    model: offline                 # or openai/<model>, anthropic/<model>
    instructions: |
      Read the invoice.
      Write "$\${TOTAL}" as it stands.
    document_schema: { type: object, properties: { invoice_number: { type: string }, total: { type: [number, "null"] } } }
    system_of_record:
      connection: erp
      entity: public.invoices
      columns: { total: /total, total.net: /total }
    tools:
      - search_web
      - { connection: erp, write: false }
      - { database: sales }
      - { http: { name: rate, description: Rates, method: GET, url: "https://rates.example.com", input_schema: { type: object } }, requires_approval: true }
      - { mcp: { name: crm, url: "https://crm.example.com/mcp", headers: { Authorization: "Bearer \${CRM_TOKEN}" } } }
      - { agent: Other reader }
    visible_to: [ada@example.com]
  - &other
    name: Other reader
    workflow_type: assistant
    model: openai/gpt-5
    instructions: Answer.
webhooks:
  - { url: "https://example.com/hook", events: ["run.*", document.ready], secret: "\${WEBHOOK_SECRET}" }
`;
const env = { ERP_URL: 'postgresql://u:p@localhost:5432/erp', CRM_TOKEN: 'hush-crm', WEBHOOK_SECRET: 'hush-hook' };

/** A reference to a variable, as the file writes it. */
const ref = (name: string) => `\${${name}}`;

const errorsOf = (text: string, variables: Record<string, string> = env): readonly PlacedError[] => {
  try {
    readWorkspaceFile(text, variables);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.errors as readonly PlacedError[];
    throw error;
  }
  return [];
};

/** As the command line shows them. */
const shown = (text: string, variables?: Record<string, string>) =>
  errorsOf(text, variables).map(
    ({ line, column, path: at, message }) => `${line}:${column} ${at === '' ? '' : `${at} `}${message}`,
  );

const withUser = (user: string) => `workspace: acme\nusers:\n  - ${user}\n`;
const withConnection = (more: string) => `workspace: acme\nconnections:\n  - { name: erp, ${more} }\n`;
const withAgent = (more: string) =>
  `workspace: acme\nagents:\n  - name: Reader\n    workflow_type: assistant\n    model: offline\n    instructions: Read.\n    ${more}\n`;

const isValid = new Ajv2020({ strictSchema: true }).compile(workspaceSchema);

describe('the workspace file', () => {
  it('keeps every digit of a number, however YAML lets it be written', () => {
    const numbers = {
      '9007199254740993': '9007199254740993',
      '+123456789012345678.50': '123456789012345678.5',
      '-.12345678901234567890': '-0.1234567890123456789',
      '9007199254740993.': '9007199254740993',
      '1.2345678901234567890E+3': '1234.567890123456789',
      '0x20000000000001': '9007199254740993',
      '0o400000000000000001': '9007199254740993',
      '1e400': '1e400',
      '12.50': '12.5',
    };
    const file = (body: string) =>
      `workspace: acme\nagents:\n  - name: A\n    workflow_type: assistant\n    model: offline\n    instructions: x\n    tools:\n      - http: { name: r, method: POST, url: "https://x.example", body: ${body} }\n`;
    for (const [written, digits] of Object.entries(numbers)) {
      const [tool] = readWorkspaceFile(file(`{ a: [${written}] }`), {}).agents[0]?.tools ?? [];
      expect(JSON.stringify(tool), written).to.include(`"body":{"a":[${digits}]}`);
    }
    for (const written of ['.inf', '-.INF', '.nan'])
      expect(() => readWorkspaceFile(file(written), {}), written).to.throw(/is not a text, number/);
    expect(() => readWorkspaceFile('workspace: 9007199254740993\n', {})).to.throw(
      /put it in quotes: "9007199254740993"/,
    );
  });

  it('is read whole, variables replaced and defaults filled in', () => {
    const spec = readWorkspaceFile(example, env);
    expect(spec.workspace).to.equal('acme');
    expect(spec.users).to.deep.equal([
      { email: 'ada@example.com', name: 'Ada', role: 'admin' },
      { email: 'bob@example.com', name: 'Bob', role: 'member' },
    ]);
    expect(spec.connections).to.deep.equal([
      {
        id: '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01',
        name: 'erp',
        type: 'postgresql',
        url: env.ERP_URL,
        visibleTo: 'everyone',
      },
    ]);
    expect(spec.databases).to.deep.equal([
      { id: 'sales', name: 'Sales', connection: 'erp', schemas: ['public'], visibleTo: null },
    ]);
    const [reader, other] = spec.agents;
    expect(reader).to.deep.include({
      id: null,
      name: 'Invoice reader',
      description: 'Reads supplier invoices',
      workflowType: 'document_extraction',
      model: 'offline',
      instructions: `Read the invoice.\nWrite "${ref('TOTAL')}" as it stands.\n`,
      documentSchema: {
        type: 'object',
        properties: { invoice_number: { type: 'string' }, total: { type: ['number', 'null'] } },
      },
      systemOfRecord: {
        connection: 'erp',
        entity: 'public.invoices',
        documentIdColumn: 'document_id',
        constraintMessages: undefined,
        columns: { total: '/total', 'total.net': '/total' },
      },
      visibleTo: ['ada@example.com'],
    });
    expect(reader?.tools).to.deep.equal(
      [
        'search_web',
        { connection: 'erp', write: false },
        { database: 'sales' },
        {
          http: {
            name: 'rate',
            description: 'Rates',
            method: 'GET',
            url: 'https://rates.example.com',
            input_schema: { type: 'object' },
          },
          requires_approval: true,
        },
        { mcp: { name: 'crm', url: 'https://crm.example.com/mcp', headers: { Authorization: 'Bearer hush-crm' } } },
        { agent: 'Other reader' },
      ].map(declared),
    );
    expect(other).to.deep.equal({
      id: null,
      name: 'Other reader',
      description: '',
      workflowType: 'assistant',
      model: 'openai/gpt-5',
      instructions: 'Answer.',
      documentSchema: null,
      systemOfRecord: null,
      process: 'manual',
      tools: [],
      review: { when: 'never', by: 'client' },
      checks: [],
      duplicateKey: [],
      requiredValues: null,
      einvoice: null,
      listColumns: null,
      split: null,
      parts: [],
      visibleTo: 'everyone',
    });
    expect(spec.webhooks).to.deep.equal([
      { url: 'https://example.com/hook', events: ['run.*', 'document.ready'], secret: ['hush-hook'] },
    ]);
  });

  it('may hold a workspace and nothing else', () => {
    const nothing = {
      users: [],
      connections: [],
      databases: [],
      agents: [],
      webhooks: [],
      sources: [],
      prices: null,
      budgets: [],
      retention: null,
    };
    expect(readWorkspaceFile('workspace: acme', {})).to.deep.equal({ workspace: 'acme', ...nothing });
    expect(readWorkspaceFile('workspace: acme\nusers:\nagents: []\n', {})).to.deep.equal({
      workspace: 'acme',
      ...nothing,
    });
  });

  it('has budgets whose limits keep every digit', () => {
    const read = (budget: string) => readWorkspaceFile(`workspace: acme\nbudgets:\n  - { ${budget} }`, {}).budgets[0];
    const terms = 'name: All, period: month, action: stop';
    expect(read(`${terms}, limit: "100.00"`)).to.deep.equal({
      name: 'All',
      agent: null,
      period: 'month',
      limit: '100.00',
      action: 'stop',
    });
    expect(read(`${terms}, agent: Reader, limit: "0.000000000001"`)).to.include({
      agent: 'Reader',
      limit: '0.000000000001',
    });
    for (const [budget, message] of [
      [`${terms}, limit: 100`, /limit must be text; put it in quotes/],
      [`${terms}, limit: "-1"`, /limit must be an amount/],
      [`${terms}, limit: "1e3"`, /limit must be an amount/],
      ['name: All, period: week, action: stop, limit: "1"', /period must be one of day, month/],
      ['name: All, period: day, action: halt, limit: "1"', /action must be one of warn, stop/],
      ['name: All, period: day, limit: "1"', /action is required/],
    ] as const)
      expect(() => read(budget), budget).to.throw(message);
  });

  it('says when documents are reviewed by a word, or when and by whom', () => {
    const agent = (review: string) =>
      `workspace: acme\nagents:\n  - { name: A, workflow_type: assistant, model: offline, instructions: Go., review: ${review} }`;
    const read = (review: string) => readWorkspaceFile(agent(review), {}).agents[0]?.review;
    expect(read('always')).to.deep.equal({ when: 'always', by: 'client' });
    expect(read('{ when: when_flagged }')).to.deep.equal({ when: 'when_flagged', by: 'client' });
    for (const by of ['anyone', 'client', 'person', 'other_person'])
      expect(read(`{ when: always, by: ${by} }`)).to.deep.equal({ when: 'always', by });
    for (const [review, message] of [
      ['sometimes', /review must be one of never, when_flagged, always/],
      ['{ when: always, by: nobody }', /review\.by must be one of anyone, client, person, other_person/],
      ['{ by: person }', /review\.when is required/],
      ['[always]', /review must be one of never, when_flagged, always, not a list/],
    ] as const)
      expect(() => read(review), review).to.throw(message);
  });

  it('takes untrusted: allow or refuse at every kind of tool', () => {
    for (const word of ['allow', 'refuse']) {
      const url = 'url: "https://x.example"';
      const kinds = ['connection: erp', 'database: sales', 'agent: A', `mcp: { ${url} }`, `http: { name: a, ${url} }`];
      const tools = kinds.map((kind) => `{ ${kind}, untrusted: ${word} }`).join(', ');
      const [agent] = readWorkspaceFile(withAgent(`tools: [${tools}]`), {}).agents;
      expect(agent?.tools).to.have.length(5);
      for (const tool of agent?.tools ?? []) expect(tool).to.include({ untrusted: word });
    }
  });

  it('may repeat a part by an alias', () => {
    const text =
      'workspace: acme\nagents:\n  - { name: A, workflow_type: assistant, model: offline, instructions: &i Read. }\n  - { name: B, workflow_type: assistant, model: offline, instructions: *i }\n';
    expect(readWorkspaceFile(text, {}).agents.map(({ instructions }) => instructions)).to.deep.equal([
      'Read.',
      'Read.',
    ]);
  });

  it('is read as the demo has it', async () => {
    const text = await readFile(path.resolve(import.meta.dirname, '../../demo/workspace.yaml'), 'utf8');
    expect(readWorkspaceFile(text, { DEMO_LEDGER_URL: env.ERP_URL, DEMO_INBOX: '/srv/inbox' }).workspace).to.equal(
      'demo',
    );
  });

  const faulty: Readonly<Record<string, readonly [text: string, ...errors: string[]]>> = {
    'a file without content': ['# nothing\n', '1:1 the file is empty: it must begin with workspace: and a name'],
    'a file that is not a mapping': [
      '- a\n',
      '1:1 must be a mapping with workspace, users, connections, databases, agents, webhooks, sources, prices, budgets, retention, not a list',
    ],
    'a missing workspace': ['users: []\n', "1:1 workspace is required: it must be the workspace's name"],
    'an unknown key, with what was meant': [
      withAgent('instuctions: Again.'),
      '7:5 agents[0].instuctions is not a field of this file; there are id, description, document_schema, system_of_record, process, tools, review, checks, duplicate_key, required_values, einvoice, list_columns, split, parts, visible_to',
    ],
    'a misspelt key as one error, not two': [
      'workspace: acme\nagents:\n  - name: Reader\n    workflow_type: assistant\n    model: offline\n    instuctions: Read.\n',
      '6:5 agents[0].instuctions is not a field of this file; did you mean instructions?',
    ],
    'a number where text belongs': ['workspace: 2024\n', '1:1 workspace must be text; put it in quotes: "2024"'],
    'a number that begins with a zero': [
      withAgent(
        'tools: [{ http: { name: rate, url: "https://x.example", method: POST, body: { cost_center: 0815, factor: 0.5, none: 0 } } }]',
      ),
      '7:83 agents[0].tools[0].http.body.cost_center begins with a zero: put it in quotes, or leave the zero out',
    ],
    'true where text belongs': [
      withUser('{ email: a@example.com, name: true }'),
      '3:29 users[0].name must be text; put it in quotes: "true"',
    ],
    'nothing where text belongs': [
      withUser('{ email: a@example.com, name: }'),
      '3:29 users[0].name is empty: it must be text on one line',
    ],
    'a blank name': [
      withUser('{ email: a@example.com, name: " " }'),
      '3:29 users[0].name is blank: it must be text on one line',
    ],
    'a name of two lines': [
      withUser('{ email: a@example.com, name: "a\\nb" }'),
      '3:29 users[0].name must be text on one line',
    ],
    'a list where text belongs': [
      withUser('{ email: [a], name: Ada }'),
      '3:7 users[0].email must be an e-mail address, not a list',
    ],
    'an address that is none': [withUser('{ email: ada, name: Ada }'), '3:7 users[0].email must be an e-mail address'],
    'an unknown role': [
      withUser('{ email: a@example.com, name: Ada, role: membre }'),
      '3:40 users[0].role must be one of admin, member, viewer; did you mean member?',
    ],
    'a visibility from which the last user was taken': [
      withConnection('type: postgresql, url: postgres://h/d, visible_to: '),
      '3:57 connections[0].visible_to must be everyone, or a list of e-mail addresses',
    ],
    'a database from which the last schema was taken': [
      'workspace: acme\nconnections:\n  - { name: erp, type: postgresql, url: postgres://h/d }\ndatabases:\n  - { id: sales, name: Sales, connection: erp, schemas: }\n',
      '5:48 databases[0].schemas is empty: it must be a list',
    ],
    'a mailbox from which the last sender was taken': [
      'workspace: acme\nsources:\n  - { name: mail, agent: Reader, type: imap, url: "imaps://u:p@mail.example/INBOX", from: }\n',
      '3:85 sources[0].from is empty: it must be a list',
    ],
    'an approval that is neither needed nor not': [
      withAgent('tools: [{ http: { name: pay, method: POST, url: "https://x.example" }, requires_approval: }]'),
      '7:76 agents[0].tools[0].requires_approval is empty: it must be true or false',
    ],
    'a review without a word': [
      withAgent('review: '),
      '7:5 agents[0].review is empty: it must be one of never, when_flagged, always',
    ],
    'a review by nobody': [
      withAgent('review: { when: always, by: }'),
      '7:29 agents[0].review.by is empty: it must be one of anyone, client, person, other_person',
    ],
    'text where a list belongs': ['workspace: acme\nusers: ada\n', '2:1 users must be a list, not text'],
    'an id that is none': [
      withConnection('id: 7a, type: postgresql, url: postgres://h/d'),
      '3:18 connections[0].id must be a UUID',
    ],
    'an unknown type of connection': [
      withConnection('type: postgres, url: postgres://h/d'),
      '3:18 connections[0].type must be one of mysql, postgresql, sqlserver; did you mean postgresql?',
    ],
    'a word that is neither everyone nor a list': [
      withConnection('type: postgresql, url: postgres://h/d, visible_to: ada@example.com'),
      '3:57 connections[0].visible_to must be everyone, or a list of e-mail addresses',
    ],
    'a document schema that is text': [
      withAgent('document_schema: "{}"'),
      '7:5 agents[0].document_schema must be a mapping, not text',
    ],
    'a column that is not text': [
      withAgent('system_of_record: { connection: erp, entity: public.t, columns: { a: 1 } }'),
      '7:71 agents[0].system_of_record.columns.a must be text; put it in quotes: "1"',
    ],
    'a system of record without its table': [
      withAgent('system_of_record: { connection: erp, columns: {} }'),
      '7:5 agents[0].system_of_record.entity is required: it must be text on one line',
    ],
    'an unknown tool': [
      withAgent('tools: [search_wbe]'),
      '7:13 agents[0].tools[0] must be search_web, documents, or a mapping with one of connection, database, http, mcp, documents, agent',
    ],
    'a tool whose decision is a word that is none': [
      withAgent('tools: [{ agent: A, untrusted: alow }]'),
      '7:25 agents[0].tools[0].untrusted must be one of allow, refuse; did you mean allow?',
    ],
    'a misspelt tool': [
      withAgent('tools: [{ databse: sales }]'),
      '7:13 agents[0].tools[0] must be search_web, documents, or a mapping with one of connection, database, http, mcp, documents, agent; did you mean database?',
    ],
    'a tool that is two': [
      withAgent('tools: [{ database: sales, connection: erp }]'),
      '7:13 agents[0].tools[0] must be search_web, documents, or a mapping with one of connection, database, http, mcp, documents, agent',
    ],
    'a tool with an unknown key': [
      withAgent('tools: [{ connection: erp, wirte: true }]'),
      '7:32 agents[0].tools[0].wirte is not a field of this file; did you mean write?',
    ],
    'a flag that is text': [
      withAgent('tools: [{ connection: erp, write: "no" }]'),
      '7:32 agents[0].tools[0].write must be true or false, not text',
    ],
    'an http tool without an address': [
      withAgent('tools: [{ http: { name: rate } }]'),
      '7:15 agents[0].tools[0].http.url is required: it must be an address that begins with http:// or https://',
    ],
    'an unknown event': [
      'workspace: acme\nwebhooks:\n  - { url: "https://x", secret: s, events: [run.*, run.done] }\n',
      '3:52 webhooks[0].events[1] must be one of *, run.*, run.queued, run.running, run.completed, run.failed, run.cancelled, document.*, document.ready, document.processed, document.error, document.trashed, document.review_required, document.approved, document.rejected, document.changed, document.restored, approval.*, approval.requested, approval.decided, audit.*, audit.checkpoint, budget.*, budget.warning, budget.exhausted',
    ],
    'a key that stands twice': [
      'workspace: acme\nusers: []\nworkspace: b\n',
      '3:1 workspace stands here a second time',
    ],
    'a key that is a list': ['workspace: acme\n? [a]\n: b\n', '1:1 has a key that is not a name'],
    'a number that JSON does not know': [
      withAgent('document_schema: { minimum: .inf }'),
      '7:24 agents[0].document_schema.minimum is not a text, number, true, false or null',
    ],
    'a NUL': ['workspace: "a\\0b"\n', '1:1 workspace holds a NUL or half of a surrogate pair, which cannot be stored'],
    'a variable that is not set': [
      withConnection(`type: postgresql, url: "${ref('ERP_ULR')}"`),
      '3:36 connections[0].url needs the environment variable ERP_ULR, which is not set (ERP_URL is)',
    ],
    'a variable that is not set, below a key that is no word': [
      `workspace: acme\nprices:\n  currency: EUR\n  models:\n    openai/a: { input: "1", output: "2" }\n    openai/b: { input: "${ref('PRICE')}", output: "2" }\n`,
      '6:17 prices.models["openai/b"].input needs the environment variable PRICE, which is not set',
    ],
    'a price that is a number': [
      'workspace: acme\nprices:\n  currency: EUR\n  models:\n    openai/a: { input: "1", output: "2" }\n    openai/b: { input: 2.5, output: "2" }\n',
      '6:17 prices.models["openai/b"].input must be text; put it in quotes: "2.5"',
    ],
    'a variable without a name': [
      `workspace: "${ref('a b')}"\n`,
      '1:1 workspace has "${" without a variable\'s name and a closing brace after it; for the characters themselves write "$${"',
    ],
    'two documents': [
      'workspace: acme\n---\nworkspace: b\n',
      '2:1 the file must hold one document: take out the line ---',
    ],
    tabs: ['workspace: acme\nusers:\n\t- a\n', '3:1 lines are indented with spaces, not with tabs'],
    'broken YAML': [
      'workspace: acme: b\n',
      '1:12 this is not valid YAML: Nested mappings are not allowed in compact mappings',
    ],
    'a tag': ['workspace: !secret acme\n', '1:12 this is not valid YAML: Unresolved tag: !secret'],
    'an alias without an anchor': [
      'workspace: *nobody\n',
      '1:1 workspace is an alias of nothing: there is no such anchor before it',
    ],
  };

  /** Errors of the YAML and of variables, which are gone or not yet replaced where a schema judges. */
  const beyondSchemas = new Set([
    'a key that stands twice',
    'a key that is a list',
    'a number that JSON does not know',
    'a variable that is not set',
    'a variable that is not set, below a key that is no word',
    'a number that begins with a zero',
    'a variable without a name',
    'two documents',
    'tabs',
    'broken YAML',
    'a tag',
    'an alias without an anchor',
  ]);

  for (const [what, [text, ...errors]] of Object.entries(faulty)) {
    it(`is refused for ${what}`, () => expect(shown(text)).to.deep.equal(errors));
    if (!beyondSchemas.has(what))
      it(`is refused by its schema for ${what}`, () => expect(isValid(parse(text))).to.equal(false));
  }

  it('is refused for all its errors at once, in their order', () => {
    const text = 'users:\n  - { email: ada, rle: admin }\nagents:\n  - { name: 1 }\n';
    expect(shown(text)).to.deep.equal([
      "1:1 workspace is required: it must be the workspace's name",
      '2:5 users[0].name is required: it must be text on one line',
      '2:7 users[0].email must be an e-mail address',
      '2:19 users[0].rle is not a field of this file; did you mean role?',
      '4:5 agents[0].workflow_type is required: it must be one of document_extraction, document_routing, assistant',
      '4:5 agents[0].model is required: it must be offline, openai/<model> or anthropic/<model>',
      '4:5 agents[0].instructions is required: it must be text',
      '4:7 agents[0].name must be text; put it in quotes: "1"',
    ]);
  });

  it('tells its errors in the message too', () => {
    expect(() => readWorkspaceFile('workspace: 1', {})).to.throw(
      DomainError,
      'line 1, column 1: workspace must be text; put it in quotes: "1"',
    );
  });

  it('names the variable that was meant as it is written', () => {
    const text = withConnection(`type: postgresql, url: "${ref('ERP_URL')}"`);
    expect(shown(text, { erp_url: 'postgres://h/d' })).to.deep.equal([
      '3:36 connections[0].url needs the environment variable ERP_URL, which is not set (erp_url is)',
    ]);
  });

  it('never repeats what a variable held', () => {
    const secret = 'hush';
    const texts = Object.values(faulty).map(([text]) =>
      text.replaceAll(/: (?:"[^"\n]*"|[\w@.]+)/g, (value) => (value.length % 2 ? value : `: "${ref('SECRET')}"`)),
    );
    const all = texts.flatMap((text) => shown(text, { SECRET: secret, ERP_URL: secret }));
    expect(all.length).to.be.above(20);
    expect(all.join('\n')).to.not.include(secret);
  });

  it('does not read a variable’s value again', () => {
    const variables = { NAME: ref('OTHER'), OTHER: 'x' };
    expect(readWorkspaceFile(`workspace: "a $${ref('b')} ${ref('NAME')}"`, variables).workspace).to.equal(
      `a ${ref('b')} ${ref('OTHER')}`,
    );
  });

  it('finds the place of errors that are found later', () => {
    const places = placeErrors(example, [
      { path: 'agents[0].system_of_record.connection', message: 'a' },
      { path: 'agents[0].system_of_record.columns.total.net', message: 'b' },
      { path: 'agents[0].document_schema', message: 'c' },
      { path: 'agents[0].visible_to[0]', message: 'd' },
      { path: 'agents[1].document_schema', message: 'e' },
      { path: 'databases[0].connection', message: 'f' },
      { path: 'nowhere[7].at.all', message: 'g' },
      { path: '', message: 'h' },
    ]);
    expect(places.map(({ message, line, column }) => `${message} ${line}:${column}`)).to.deep.equal([
      'g 1:1',
      'h 1:1',
      'f 8:31',
      'c 17:5',
      'a 19:7',
      'b 21:33',
      'd 29:18',
      'e 31:5',
    ]);
  });

  it('stays small whatever it says', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x]',
      ...['b', 'c', 'd', 'e', 'f', 'g'].map((name, index) => `${name}: &${name} [${`*${'abcdef'[index]},`.repeat(8)}]`),
    ];
    expect(shown(bomb.join('\n')).join()).to.include('the file has too many');
    expect(shown('a: &a [*a]').length).to.be.above(0);
    expect(shown('['.repeat(5000))).to.have.length(1);
    expect(shown(`a: ${'[[[['.repeat(20)}${']]]]'.repeat(20)}`).join()).to.include('levels deep');
    expect(shown(`workspace: ${'x'.repeat(1024 * 1024)}`)).to.deep.equal([
      '1:1 the file is over 1048576 characters long',
    ]);
    expect(shown('a:\n'.repeat(2000)).length).to.equal(100);
  });

  it('is accepted or refused with errors that have a place, whatever it is', () => {
    const word = fc.constantFrom(
      'workspace',
      'users',
      'agents',
      'tools',
      'email',
      'name',
      'acme',
      'search_web',
      '&a',
      '*a',
      '!!str',
      '!!binary',
      '<<',
      '"',
      "'",
      '|',
      '>',
      '#',
      '---',
      '%YAML 1.1',
      ref('ERP_URL'),
      ref('X'),
      '${',
      '$${',
      '.nan',
      '0x1f',
      '2001-01-01',
      '~',
      '\t',
      '\0',
      '\ud800',
      '__proto__',
      'constructor',
      '?',
    );
    const glue = fc.constantFrom(
      ': ',
      ':\n  ',
      '\n',
      '\n- ',
      '\n  - ',
      '\n    ',
      ', ',
      ' ',
      '[',
      ']',
      '{',
      '}',
      '\r\n',
    );
    const yamlish = fc.array(
      fc.oneof({ weight: 4, arbitrary: word }, { weight: 6, arbitrary: glue }, { weight: 1, arbitrary: fc.string() }),
      { maxLength: 60 },
    );
    const mutated = fc
      .tuple(fc.nat(example.length), fc.nat(40), fc.string())
      .map(([at, length, put]) => example.slice(0, at) + put + example.slice(at + length));
    const property = fc.property(
      fc.oneof(
        yamlish.map((parts) => parts.join('')),
        mutated,
      ),
      (text) => {
        for (const { line, column, message } of errorsOf(text)) {
          expect(line).to.be.within(1, text.split('\n').length + 1);
          expect(column).to.be.above(0);
          expect(message).to.not.equal('');
        }
      },
    );
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    try {
      fc.assert(property, { seed, numRuns: 500 });
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
});
