import * as t from 'io-ts';
import { uri, uuid } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, wire } from '../structures.ts';
import { workflowType } from './run.ts';

export const agent = named(
  'Agent',
  wire({
    id: uuid,
    name: t.string,
    description: t.string,
    workflowType,
    mcpUrl: about('The address of the agent’s tools for the Model Context Protocol.', uri),
  }),
);

const id = '01989c0e-65f2-7a1b-8c3d-222222222222';

export const exampleAgent: t.TypeOf<typeof agent> = {
  id,
  name: 'Invoice reader',
  description: 'Reads supplier invoices.',
  workflowType: 'document_extraction',
  mcpUrl: `https://portico.example.com/api/v1/agents/${id}/mcp`,
};
