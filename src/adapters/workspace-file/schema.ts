import * as t from 'io-ts';
import { roles } from '../../domain/access.ts';
import { workflowTypes } from '../../domain/agent.ts';
import { budgetActions, budgetPeriods } from '../../domain/budget.ts';
import { connectionTypes } from '../../domain/connection.ts';
import { DRAFT_2020_12, isObject, type JsonSchema } from '../../domain/json.ts';
import { processModes } from '../../domain/posting.ts';
import { DURATION } from '../../domain/retention.ts';
import { approvers, type ReviewPolicy, reviewTimes, shortPolicy, usualPolicy } from '../../domain/review.ts';
import { splitWays, usualSplit } from '../../domain/routing/part.ts';
import { eventPatterns } from '../../domain/webhook.ts';
import type { AgentSpec } from '../../domain/workspace-spec.ts';
import { codecOf, wholeSchema } from '../../wire/kit/codec.ts';
import { failed } from '../../wire/kit/errors.ts';
import { list, map } from '../../wire/kit/structures.ts';
import { boolean } from '../../wire/kit/values.ts';
import { field, form, jsonObject, line, omissible, oneOf, optional, ref, text, variable } from './codecs.ts';
import { audience, email, name, uuid, webAddress } from './formats.ts';
import { source } from './sources.ts';
import { tool } from './tools.ts';

const visibleTo = 'Who may see and use it: `everyone` in the workspace, or users by their e-mail addresses.';
const id = (what: string) =>
  field(
    optional(uuid, null),
    `Its id in the API. Unset: ${what} of the same name keeps its id, a new one is given one.`,
    '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f',
  );

const user = form('User', {
  email: field(email, 'Who it is. An address belongs to one workspace of the server.', 'ada@example.com'),
  name: field(name, 'The name that others see.', 'Ada'),
  role: field(optional(oneOf(roles), 'member'), 'What the user may do: a `viewer` only reads.', 'admin'),
});

const connection = form('Connection', {
  id: id('the connection'),
  name: field(name, 'What the rest of the file names it by.', 'erp'),
  type: field(oneOf(connectionTypes), 'What kind of system it is.', 'postgresql'),
  url: field(
    line(4000, 'the address of the system'),
    'Its address, with user and password: best an environment variable. It is encrypted at rest.',
    ref('ERP_URL'),
  ),
  visibleTo: field(omissible(audience, 'everyone'), visibleTo, ['ada@example.com']),
});

const database = form('Database', {
  id: field(line(100), 'What the API and the rest of the file name it by.', 'sales'),
  name: field(name, 'The name that people and models see.', 'Sales'),
  connection: field(name, 'The connection that it is read through, by name.', 'erp'),
  schemas: field(
    omissible(list(line(200)), null),
    'The schemas that may be read. Unset: all but those of the system.',
    ['public'],
  ),
  visibleTo: field(omissible(audience, null), `${visibleTo} Unset: as the connection.`, 'everyone'),
});

const systemOfRecord = form('System of record', {
  connection: field(name, 'The connection that documents are written to, by name.', 'erp'),
  entity: field(line(200), 'The table, with its schema.', 'public.invoices'),
  columns: field(
    map(line(1000, 'a JSON Pointer such as /total')),
    'For each column of the table, where its value stands in the document, as a JSON Pointer.',
    { number: '/invoice_number', total: '/total' },
  ),
  documentIdColumn: field(
    optional(line(200), 'document_id'),
    'The column that Portico writes the id of the document to. It must be unique, so that a document is written once.',
    'document_id',
  ),
  constraintMessages: field(
    optional(map(line(500)), undefined),
    'For each constraint of the table, by its name, what people are shown where it refuses a document.',
    { invoices_number_key: 'An invoice of this number is there already.' },
  ),
});

const pointers = list(line(1000, 'a JSON Pointer such as /total'));

const check = form('Check', {
  name: field(line(100), 'What people know it by.', 'sum'),
  rule: field(
    text(4000),
    'What holds of a document, in CEL over `document`, with `sum`, `near(a, b, tolerance)` and `date`. Fields that the `document_schema` does not have are refused.',
    'document.total > 0',
  ),
  when: field(
    optional(text(4000), null),
    'Which documents it is about, in CEL as well. Unset: every one.',
    'document.invoice_number.startsWith("INV-")',
  ),
  message: field(
    optional(text(1000), null),
    'What a person reads of a document that does not keep the rule.',
    'The total is not above zero.',
  ),
});

const reviewWord = oneOf(reviewTimes);
const reviewForm = form('Review', {
  when: field(reviewWord, 'Which documents wait for a decision.', 'when_flagged'),
  by: field(
    omissible(oneOf(approvers), usualPolicy.by),
    'Who may approve them. `client`: people and their programs, but no model; `anyone`: a model that uses the tool `review_document`, too; `person`: ' +
      'only a person in the console, at most `PERSON_HOURS` after signing in; `other_person`: a person who neither started the run nor changed the ' +
      'document since it was approved last. Rejecting needs none of these.',
    'person',
  ),
});

/** The word alone is about the time. */
const review = codecOf<ReviewPolicy>(
  (value, context) => {
    if (isObject(value)) return reviewForm.validate(value, context);
    const when = reviewWord.validate(value, context);
    return when._tag === 'Left'
      ? failed(when.left, () => usualPolicy)
      : t.success({ ...usualPolicy, when: when.right });
  },
  shortPolicy,
  (schemaOf) => ({ anyOf: [reviewWord, reviewForm].map(schemaOf) }),
);

const eInvoiceOff = oneOf(['off']);
const eInvoiceForm = form('E-invoice', {
  map: field(
    map(line(20, 'a term of EN 16931 such as BT-1')),
    'For each field, as a JSON Pointer, the term of EN 16931 that it has. A list has a group, such as BG-25, and `*` stands for its rows.',
    { '/invoice_number': 'BT-1', '/lines': 'BG-25', '/lines/*/amount': 'BT-131' },
  ),
});

const eInvoice = codecOf<NonNullable<AgentSpec['einvoice']>>(
  (value, context) => (isObject(value) ? eInvoiceForm : eInvoiceOff).validate(value, context),
  (value) => value,
  (schemaOf) => ({ anyOf: [eInvoiceOff, eInvoiceForm].map(schemaOf) }),
);

const split = form('Split', {
  by: field(
    optional(oneOf(splitWays), usualSplit.by),
    'What a part ends with. `content`: what stands on the pages, blank pages and separator sheets; `page`: every page; `blank_page`: blank pages and separator sheets; `none`: a file is one part.',
    'content',
  ),
  separators: field(
    optional(list(line(100)), usualSplit.separators),
    'A page that has one of these and no other words is a separator sheet.',
    ['Trennblatt'],
  ),
});

const part = form('Part', {
  name: field(line(100), 'What the part is called.', 'invoice'),
  agent: field(
    optional(name, null),
    'The agent that reads such parts, by name: one with the `workflow_type` `document_extraction`. A part has this or `ignore`.',
    'Invoice reader',
  ),
  ignore: field(optional(boolean, false), 'If true, no agent reads such parts.', true),
  description: field(
    optional(text(2000), ''),
    'How such parts are known. The `offline` model looks for the words of the name and of this.',
    'Invoices and credit notes of suppliers',
  ),
});

const agent = form('Agent', {
  id: id('the agent'),
  name: field(name, 'What people and the rest of the file name it by.', 'Invoice reader'),
  description: field(optional(text(10_000), ''), 'What it is for.', 'Reads supplier invoices'),
  workflowType: field(
    oneOf(workflowTypes),
    '`document_extraction` makes a document of each file or message, in the form of `document_schema`; `document_routing` divides files into `parts`, which other agents read; `assistant` answers.',
    'document_extraction',
  ),
  model: field(
    line(200, 'offline, openai/<model> or anthropic/<model>'),
    'The language model. `offline` is none: it fills the form from `Label: value` lines and tables, without a key or a network.',
    'offline',
  ),
  instructions: field(
    text(200_000),
    'What the model is asked to do.',
    'Read the invoice. Dates are days, amounts have no currency sign.',
  ),
  documentSchema: field(
    optional(jsonObject, null),
    'The form of a document: a JSON Schema of type `object`. An agent with the `workflow_type` `document_extraction` needs it, others have none.',
    { type: 'object', properties: { invoice_number: { type: 'string' }, total: { type: ['number', 'null'] } } },
  ),
  systemOfRecord: field(
    optional(systemOfRecord, null),
    'Where documents are written once they are processed. Unset: nowhere.',
  ),
  process: field(
    optional(oneOf(processModes), 'manual'),
    'Who delivers its documents to the system of record. `manual`: people and programs, one by one. `automatic`: the workers, as soon as a document is ' +
      '`ready` and its review is `not_required` or `approved`; a system that is out of reach is tried again for a day.',
    'automatic',
  ),
  tools: field(optional(list(tool), []), 'What the model may use while it answers.'),
  review: field(
    omissible(review, usualPolicy),
    'Which of its documents wait for a decision before they may be processed, and who may approve them. `when_flagged`: those with something doubtful, such as a value that is missing or that no ' +
      'quote supports, a word that OCR is not sure of, a failed check, a duplicate, or a file that was not read as a whole.',
    'when_flagged',
  ),
  checks: field(optional(list(check), []), 'What its documents are held to, once they are read and after each change.'),
  duplicateKey: field(
    optional(pointers, []),
    'JSON Pointers: documents that have the same values there, whatever their case and spacing, are duplicates of each other. Unset: only documents of the same file are.',
    ['/invoice_number'],
  ),
  requiredValues: field(
    optional(pointers, null),
    'JSON Pointers: a document that has no value there, or an empty text or list, is doubtful. Unset: the pointers of `system_of_record.columns` and `duplicate_key`, and what `checks` name, where an empty list is a value.',
    ['/invoice_number', '/total'],
  ),
  einvoice: field(
    optional(eInvoice, null),
    'What its documents take from e-invoices, without the model. Unset: the fields of the usual names. `off`: e-invoices are read as text.',
    { map: { '/invoice_number': 'BT-1', '/total': 'BT-112' } },
  ),
  listColumns: field(
    optional(pointers, null),
    'JSON Pointers, at most 20: what lists of its documents show, and can be ordered by. Each is a text, a number, or true or false. Unset: the first five of the `document_schema`.',
    ['/invoice_number', '/total'],
  ),
  split: field(
    optional(split, null),
    'How an agent with the `workflow_type` `document_routing` divides files. Unset: by their content.',
  ),
  parts: field(
    optional(list(part), []),
    'What an agent with the `workflow_type` `document_routing` divides files into, at most 50. It needs them, others have none.',
    [
      { name: 'invoice', agent: 'Invoice reader', description: 'Invoices of suppliers' },
      { name: 'other', ignore: true },
    ],
  ),
  visibleTo: field(omissible(audience, 'everyone'), visibleTo, 'everyone'),
});

const aSecret = line(500);
const twoSecrets = list(aSecret, { min: 1, max: 2 });
const secrets = codecOf<readonly string[]>(
  (value, context) => {
    if (Array.isArray(value)) return twoSecrets.validate(value, context);
    const one = aSecret.validate(value, context);
    return one._tag === 'Left' ? failed(one.left, () => ['']) : t.success([one.right]);
  },
  (all) => (all.length === 1 ? all[0] : all),
  (schemaOf) => ({ anyOf: [aSecret, twoSecrets].map(schemaOf) }),
);

const webhook = form('Webhook', {
  url: field(
    webAddress,
    'Where events are sent. A private address must stand in `OUTBOUND_ALLOWED_HOSTS`. It is encrypted at rest; what is shown is its origin, and the first part of its path if that is a plain word.',
    'https://example.com/hook',
  ),
  events: field(list(oneOf(eventPatterns)), 'Which events are sent.', ['run.*', 'document.ready']),
  secret: field(
    secrets,
    'What deliveries are signed with, by Standard Webhooks; a list of two while receivers change from one to the other: each delivery has a signature of both. It is encrypted at rest.',
    ref('WEBHOOK_SECRET'),
  ),
});

const assistant = {
  name: 'Order assistant',
  workflow_type: 'assistant',
  model: 'offline',
  instructions: 'Answer questions about orders.',
};

const router = {
  name: 'Post room',
  workflow_type: 'document_routing',
  model: 'offline',
  instructions: 'Divide what the scanner sends.',
  split: { by: 'content', separators: ['Trennblatt'] },
  parts: [
    { name: 'invoice', agent: 'Invoice reader', description: 'Invoices and credit notes of suppliers' },
    { name: 'other', ignore: true },
  ],
};

const money = line(22, 'an amount without a currency, such as 2.50', /^\d{1,9}(\.\d{1,12})?$/);

const prices = form('Prices', {
  currency: field(line(3, 'a currency of ISO 4217', /^[A-Z]{3}$/), 'The currency of all prices.', 'EUR'),
  models: field(
    optional(
      map(
        form('Price of a model', {
          input: field(money, 'Of 1,000,000 tokens that it reads.', '2.50'),
          output: field(money, 'Of 1,000,000 tokens that it writes.', '10.00'),
        }),
      ),
      {},
    ),
    'What models cost, by the names that agents have in `model`.',
    { 'openai/gpt-5': { input: '1.25', output: '10.00' } },
  ),
  ocrPage: field(optional(money, null), 'Of a page that OCR reads.', '0.001'),
});

const budget = form('Budget', {
  name: field(name, 'What people and events name it by.', 'All agents'),
  agent: field(
    optional(name, null),
    'The agent that it is for. Unset: all agents of the workspace together.',
    assistant.name,
  ),
  period: field(oneOf(budgetPeriods), 'When it begins anew, at 00:00 UTC.', 'month'),
  limit: field(money, 'What may be spent in a period, in the currency of the `prices`.', '100.00'),
  action: field(
    oneOf(budgetActions),
    'What becomes of work once it is spent. `warn`: it goes on; there are only the events `budget.warning`, at 80 %, and `budget.exhausted`. `stop`: no run and no step ' +
      'of a model begins until the next period; what a step may cost at most is reserved before it begins.',
    'stop',
  ),
});

const duration = line(6, 'a number of days, weeks, months or years, such as 90d, 12w, 6m or 7y', DURATION);
const kept = (what: string, example: string) => field(optional(duration, null), `${what} Unset: for ever.`, example);

const retention = form('Retention', {
  files: kept('How long files are kept, from the end of the last run that read them.', '90d'),
  conversations: kept(
    'How long conversations are kept, with their messages and snapshots, from the last change.',
    '1y',
  ),
  documents: kept('How long documents are kept, also those in the trash, from the last change.', '7y'),
  runs: kept(
    'How long runs are kept, from their end, with their files and conversations; a run whose documents are kept stays.',
    '7y',
  ),
});

/** The workspace file, as it is written. */
export const workspaceFile = form('Workspace file', {
  workspace: field(
    line(100, "the workspace's name"),
    'The name of the workspace. A server may hold several, each with a file of its own.',
    'acme',
  ),
  users: field(optional(list(user), []), 'Who may use the workspace.'),
  connections: field(optional(list(connection), []), 'Systems that agents and programs read and write.'),
  databases: field(optional(list(database), []), 'Databases that may be queried, each through a connection.'),
  agents: field(optional(list(agent), []), 'Agents that can be run.', [assistant, router]),
  webhooks: field(optional(list(webhook), []), 'Addresses that are sent what happens to runs and documents.'),
  sources: field(optional(list(source), []), 'Mailboxes, folders and buckets: what comes to them is read by an agent.'),
  prices: field(
    optional(prices, null),
    'What models and OCR cost. With them, runs have a `cost`, and `GET /usage` adds it up. A price counts from the next step on.',
  ),
  budgets: field(optional(list(budget), []), 'What may be spent, by the `prices`.'),
  retention: field(
    optional(retention, null),
    'How long what there is is kept. What is not at rest, waits for a decision or is held stays. Unset: for ever.',
  ),
});

/** The workspace file as a JSON Schema. It refuses no file that the codec takes. */
export const workspaceSchema: JsonSchema = {
  $schema: DRAFT_2020_12,
  description: 'What `portico apply` takes: a workspace, and what is in it.',
  ...wholeSchema(workspaceFile),
  $defs: { variable },
};
