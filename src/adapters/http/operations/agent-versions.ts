import { exampleAgent } from '../../../wire/agent.ts';
import { agentVersion, agentVersionDetail, exampleVersion } from '../../../wire/agent-version.ts';
import { about, list, nullable, wire } from '../../../wire/kit/structures.ts';
import { cursor, integerParameter, uuid } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const agentId = about('The agent.', uuid);
const one = wire({ agentId, version: about('The number of the version.', integerParameter({ min: 1 })) });
const example = { params: { agentId: exampleAgent.id, version: exampleVersion.version } };

const reads = { tag: 'Agents', access: { scope: 'agents:read' } } as const;

export const listAgentVersions = operation({
  id: 'listAgentVersions',
  method: 'get',
  path: '/agents/{agent_id}/versions',
  resource: 'agent_versions',
  ...reads,
  summary: 'List the versions of an agent',
  description:
    'The definitions that the agent has had, newest first; the newest one is live. A definition is made of the instructions, the model, the ' +
    'form of the documents, the tools and the system of record. Applying a workspace file makes the next version if something of it changed.',
  params: wire({ agentId }),
  query: wire(cursorPaging(cursor, 20)),
  example: { params: { agentId: exampleAgent.id }, query: { limit: 20 } },
  success: {
    description: 'A page of versions; `next` is null on the last one.',
    data: wire({ versions: list(agentVersion), next: nullable(cursor) }),
    example: { versions: [exampleVersion], next: 3 },
  },
  refuses: ['not_found'],
  handle: ({ agentVersions }, { caller, params, query: { limit, after = null } }) =>
    agentVersions.list(caller, params.agentId, { limit, after }),
});

export const getAgentVersion = operation({
  id: 'getAgentVersion',
  method: 'get',
  path: '/agents/{agent_id}/versions/{version}',
  resource: 'agent_version',
  ...reads,
  summary: 'Get a version of an agent',
  description: 'The version with its definition, as the workspace file has it, without secrets.',
  params: one,
  example,
  success: { description: 'The version.', data: agentVersionDetail, example: exampleVersion },
  refuses: ['not_found'],
  handle: ({ agentVersions }, { caller, params }) => agentVersions.get(caller, params.agentId, params.version),
});

export const publishAgentVersion = operation({
  id: 'publishAgentVersion',
  method: 'post',
  path: '/agents/{agent_id}/versions/{version}/publish',
  resource: 'agent_version_publish',
  tag: 'Agents',
  access: 'api-key',
  writes: true,
  adminOnly: true,
  summary: 'Publish a version of an agent',
  description:
    'Makes the definition of an older version the newest version, which is live. If the live version has the same definition, nothing is made ' +
    'and it is the answer. Runs keep the version that they have. The workspace file is not changed: the next time it is applied, its definition ' +
    'becomes the newest version again. A definition that would not work any more is refused: its model is not configured, or what it names is gone. Takes no body.',
  params: one,
  example,
  success: { description: 'The version that is live now.', data: agentVersionDetail, example: exampleVersion },
  refuses: ['not_found', 'conflict'],
  handle: ({ agentVersions }, { caller, params }) => agentVersions.publish(caller, params.agentId, params.version),
});
