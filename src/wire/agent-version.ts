import * as t from 'io-ts';
import type { AgentDefinition } from '../domain/agent.ts';
import { processModes } from '../domain/posting.ts';
import { approvers, type ReviewPolicy, type ReviewTime, reviewTimes } from '../domain/review.ts';
import { splitWays } from '../domain/routing/part.ts';
import { named } from './kit/codec.ts';
import { about, component, list, map, nullable, onlyWritten, optional, verbatim } from './kit/structures.ts';
import { boolean, dateTime, integer, oneOf } from './kit/values.ts';
import { workflowType } from './run.ts';
import { author } from './thread.ts';

const summary = {
  version: integer({ min: 1 }),
  live: about('Whether new runs and conversations have it, and the tool endpoint.', boolean),
  createdAt: dateTime,
  createdBy: about('The user who published it; null for a version that comes from a workspace file.', nullable(author)),
  changes: about(
    'JSON Pointers into the definition, of what the version before has otherwise; if they are many, of whole fields.',
    list(t.string),
  ),
};

export const agentVersion = component('AgentVersion', summary);

const systemOfRecord = verbatim({
  connection: about('The name of the connection; null if it is no longer there.', nullable(t.string)),
  entity: t.string,
  columns: map(t.string),
  document_id_column: t.string,
  constraint_messages: about('What people are shown where a constraint refuses a document.', optional(map(t.string))),
});

const review = onlyWritten<ReviewTime | ReviewPolicy>(t.identity, (schemaOf) => ({
  anyOf: [oneOf(...reviewTimes), verbatim({ when: oneOf(...reviewTimes), by: oneOf(...approvers) })].map(schemaOf),
}));

const einvoice = onlyWritten<AgentDefinition['einvoice']>(t.identity, (schemaOf) => ({
  anyOf: [oneOf('off'), verbatim({ map: map(t.string) })].map(schemaOf),
}));

const split = verbatim({ by: oneOf(...splitWays), separators: list(t.string) });

const part = verbatim({
  name: t.string,
  agent: about('The agent that reads such parts, by name; `[hidden]` if you do not see it.', optional(t.string)),
  ignore: about('Nobody reads such parts.', optional(boolean)),
  description: t.string,
});

const definition = named(
  'AgentDefinition',
  verbatim({
    workflow_type: workflowType,
    model: t.string,
    instructions: t.string,
    document_schema: nullable(t.UnknownRecord),
    system_of_record: nullable(systemOfRecord),
    process: about(
      'Whether the workers deliver its documents by themselves (`automatic`), or people and programs do.',
      oneOf(...processModes),
    ),
    tools: about(
      'The address, the headers and the body of a tool are `[secret]`; connections, databases and agents that you do not see are `[hidden]`, and so are hosts but for administrators.',
      list(t.unknown),
    ),
    review: about(
      'Which documents wait for a decision; and who may approve them, where these are not people and programs.',
      review,
    ),
    checks: list(verbatim({ name: t.string, rule: t.string, when: nullable(t.string), message: nullable(t.string) })),
    duplicate_key: list(t.string),
    required_values: about(
      'Where a document must have values; null: where its system of record, its key and its checks look for them.',
      nullable(list(t.string)),
    ),
    einvoice: about(
      'Which fields have which terms of an e-invoice; null: those of the usual names. `off`: e-invoices are read as text.',
      nullable(einvoice),
    ),
    list_columns: about('JSON Pointers: what lists of its documents show, and can be ordered by.', list(t.string)),
    split: about('Of an agent that divides files: how.', optional(split)),
    parts: about('Of an agent that divides files: what it divides them into.', optional(list(part))),
  }),
);

export const agentVersionDetail = component('AgentVersionDetail', {
  ...summary,
  definition: about('As in the workspace file, without secrets.', definition),
});

export const exampleVersion = {
  version: 3,
  live: true,
  createdAt: new Date('2026-11-19T16:20:00.000Z'),
  createdBy: null,
  changes: ['/instructions', '/document_schema/properties/currency'],
  definition: {
    workflow_type: 'document_extraction',
    model: 'openai/gpt-5',
    instructions: 'Read the invoice. The currency is its ISO code.',
    document_schema: { type: 'object', properties: { total: { type: 'number' }, currency: { type: 'string' } } },
    system_of_record: {
      connection: 'erp',
      entity: 'public.invoices',
      columns: { total: '/total' },
      document_id_column: 'document_id',
    },
    process: 'automatic',
    tools: ['search_web'],
    review: 'when_flagged',
    checks: [{ name: 'positive', rule: 'document.total > 0', when: null, message: 'The total is not above zero.' }],
    duplicate_key: ['/total'],
    required_values: null,
    einvoice: null,
    list_columns: ['/total', '/currency'],
  },
} as const;
