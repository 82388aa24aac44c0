import * as t from 'io-ts';
import type { ApprovalTerm } from '../domain/tool.ts';
import { exampleId } from './example.ts';
import { about, component, written } from './kit/structures.ts';
import { boolean, uri, uuid } from './kit/values.ts';
import { workflowType } from './run.ts';

export const agent = component('Agent', {
  id: uuid,
  name: t.string,
  description: t.string,
  workflowType,
  posts: about('Whether it has a system of record now, to which its documents are posted.', boolean),
  mcpUrl: about('The address of the agent’s tools for the Model Context Protocol.', uri),
});

const id = exampleId(2);

export const exampleAgent: t.TypeOf<typeof agent> = {
  id,
  name: 'Invoice reader',
  description: 'Reads supplier invoices.',
  workflowType: 'document_extraction',
  posts: true,
  mcpUrl: `https://portico.example.com/api/v1/agents/${id}/mcp`,
};

export const agentTool = component('AgentTool', {
  name: about('By this name models and programs call it.', t.string),
  title: t.string,
  description: t.string,
  inputSchema: about('The JSON Schema of its arguments.', t.UnknownRecord),
  readOnly: about('Whether it does no more than read.', boolean),
  destructive: about('Whether it may change or remove what is there, rather than only add.', boolean),
  idempotent: about('Whether doing it twice is doing it once.', boolean),
  openWorld: about('Whether it reaches beyond the systems that the workspace names.', boolean),
  requiresApproval: about(
    'Whether a person has to approve each call; the tool endpoint leaves such a tool out.',
    written(boolean, (term: ApprovalTerm) => term !== false),
  ),
});

export const leftOutTool = component('LeftOutTool', {
  tool: about('The entry of the workspace file, and the tool of its server.', t.string),
  reason: about('What is wrong with it.', t.string),
});

export const exampleTool: t.TypeOf<typeof agentTool> = {
  name: 'ledger_query',
  title: 'Query Ledger',
  description: 'Runs one SELECT statement.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
  requiresApproval: false,
};
