import type { WorkspaceSpec } from '../../application/workspace-spec.ts';
import { roles } from '../../domain/access.ts';
import { workflowTypes } from '../../domain/agent.ts';
import { connectionTypes } from '../../domain/connection.ts';
import { closed, jsonObject, line, list, oneOf, optional, record, text } from './codecs.ts';
import { audience, email, eventPattern, name, uuid, webAddress } from './formats.ts';
import { tool } from './tools.ts';

const user = closed({ email, name, role: optional(oneOf(roles), 'member') });

const connection = closed({
  id: optional(uuid, null),
  name,
  type: oneOf(connectionTypes),
  url: line(4000, 'the address of the system'),
  visible_to: optional(audience, 'everyone'),
});

const database = closed({
  id: line(100),
  name,
  connection: name,
  schemas: optional(list(line(200)), null),
  visible_to: optional(audience, null),
});

const systemOfRecord = closed({
  connection: name,
  entity: line(200),
  columns: record(line(1000, 'a JSON Pointer such as /total')),
  document_id_column: optional(line(200), 'document_id'),
});

const agent = closed({
  id: optional(uuid, null),
  name,
  description: optional(text(10_000), ''),
  workflow_type: oneOf(workflowTypes),
  model: line(200, 'offline, openai/<model> or anthropic/<model>'),
  instructions: text(200_000),
  document_schema: optional(jsonObject, null),
  system_of_record: optional(systemOfRecord, null),
  tools: optional(list(tool), []),
  visible_to: optional(audience, 'everyone'),
});

const webhook = closed({ url: webAddress, events: list(eventPattern), secret: line(500) });

/** The workspace file, as it is written. */
export const workspaceFile = closed({
  workspace: line(100, "the workspace's name"),
  users: optional(list(user), []),
  connections: optional(list(connection), []),
  databases: optional(list(database), []),
  agents: optional(list(agent), []),
  webhooks: optional(list(webhook), []),
});

type Written = (typeof workspaceFile)['_A'];

const agentSpec = (written: Written['agents'][number]): WorkspaceSpec['agents'][number] => {
  const { workflow_type, document_schema, system_of_record, visible_to, ...rest } = written;
  const { document_id_column, ...system } = system_of_record ?? { document_id_column: '' };
  return {
    ...{ ...rest, id: rest.id?.toLowerCase() ?? null, workflowType: workflow_type, documentSchema: document_schema, visibleTo: visible_to },
    systemOfRecord: 'entity' in system ? { ...system, documentIdColumn: document_id_column } : null,
  };
};

/** In the program's own words. */
export const toSpec = ({ connections, databases, agents, ...rest }: Written): WorkspaceSpec => ({
  ...rest,
  connections: connections.map(({ id, visible_to, ...other }) => ({ ...other, id: id?.toLowerCase() ?? null, visibleTo: visible_to })),
  databases: databases.map(({ visible_to, ...other }) => ({ ...other, visibleTo: visible_to })),
  agents: agents.map(agentSpec),
});
