import * as t from 'io-ts';
import type { ToolReport } from '../../../application/tools/catalogue.ts';
import type { Caller } from '../../../domain/caller.ts';
import { agent, agentTool, exampleAgent, exampleTool, leftOutTool } from '../../../wire/agent.ts';
import { exampleFile, newFile } from '../../../wire/file.ts';
import { about, component, list, map, wire } from '../../../wire/kit/structures.ts';
import { dateTime, oneOf, uri, uuid } from '../../../wire/kit/values.ts';
import { API, operation, REPEATABLE } from '../operation.ts';

export const listAgents = operation({
  id: 'listAgents',
  method: 'get',
  path: '/agents',
  resource: 'agents',
  tag: 'Agents',
  access: { scope: 'agents:read' },
  summary: 'List agents',
  description: 'The agents you can see, ordered by name (by code point).',
  success: { description: 'The agents.', data: wire({ agents: list(agent) }), example: { agents: [exampleAgent] } },
  handle: async ({ agents, urls }, { caller }) => {
    const visible = await agents.list(caller);
    return { agents: visible.map((each) => ({ ...each, mcpUrl: `${urls.base}${API}/agents/${each.id}/mcp` })) };
  },
});

/** Only administrators read where a server is that could not be asked. */
const leftOutFor = ({ role }: Caller, reports: readonly ToolReport[]) =>
  reports.flatMap(({ tool, message, severity }) => {
    if (severity === 'hidden' || severity === 'renamed') return [];
    const isTold = severity === 'left out' || role === 'admin';
    return [{ tool, reason: isTold ? message : 'its server could not be asked for its tools' }];
  });

export const listAgentTools = operation({
  id: 'listAgentTools',
  method: 'get',
  path: '/agents/{agent_id}/tools',
  resource: 'agent_tools',
  tag: 'Agents',
  access: 'api-key',
  summary: 'List the tools of an agent',
  description:
    'What the agent can call in your conversations with it, ordered by name. A tool of a connection or database that you do not see is not ' +
    'there; one that cannot be offered is in `left_out`, with the reason.',
  params: wire({ agentId: about('The agent.', uuid) }),
  example: { params: { agentId: exampleAgent.id } },
  success: {
    description: 'The tools.',
    data: wire({ tools: list(agentTool), leftOut: list(leftOutTool) }),
    example: { tools: [exampleTool], leftOut: [] },
  },
  refuses: ['not_found'],
  handle: async ({ agents, tools }, { caller, params }) => {
    const catalogue = await tools.toolsOf(await agents.get(caller, params.agentId), caller);
    const inOrder = catalogue.tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return {
      tools: inOrder.map(({ annotations, ...tool }) => ({ ...tool, ...annotations })),
      leftOut: leftOutFor(caller, catalogue.reports),
    };
  },
});

const uploadUrl = component('UploadUrl', {
  fileKey: t.string,
  fileName: t.string,
  contentType: t.string,
  uploadUrl: uri,
  method: oneOf('PUT'),
  headers: about('Send exactly these headers with the file.', map(t.string)),
  expiresAt: dateTime,
});

const exampleUploadUrl: t.TypeOf<typeof uploadUrl> = {
  ...exampleFile,
  uploadUrl: `https://portico.example.com/blobs/${exampleFile.fileKey}?expires=1795170600&signature=Zm9v`,
  method: 'PUT',
  headers: { 'Content-Type': exampleFile.contentType },
  expiresAt: new Date('2026-11-20T10:30:00.000Z'),
};

export const createUploadUrls = operation({
  id: 'createUploadUrls',
  method: 'post',
  path: '/agents/{agent_id}/upload-urls',
  resource: 'agent_upload_urls',
  tag: 'Agents',
  access: { scope: 'runs:write' },
  specified: true,
  idempotent: REPEATABLE,
  summary: 'Create upload URLs',
  description:
    'One presigned URL for each file, in the order of the request. `PUT` each file to its `upload_url` with exactly the `headers` of its entry; ' +
    'the URLs take no credential and expire after one hour. A URL takes one file: the same bytes may be sent again, and once a run has the file nothing ' +
    'that is sent to its URL changes it. A file that no run takes within 24 hours is removed. ' +
    'What a workspace stores is limited: a URL counts while it works, with its `size_bytes`, else as the largest file; a user may have half of what is left. ' +
    'Each entry can be an entry of `files` of a new run as it is.',
  params: wire({ agentId: about('The agent.', uuid) }),
  body: wire({ files: list(newFile, { min: 1, max: 100 }) }),
  example: {
    params: { agentId: exampleAgent.id },
    body: { files: [{ fileName: exampleFile.fileName, contentType: exampleFile.contentType }] },
  },
  success: { description: 'The URLs.', data: wire({ files: list(uploadUrl) }), example: { files: [exampleUploadUrl] } },
  refuses: ['upload_quota_exceeded', 'not_found'],
  handle: async ({ uploads }, { caller, params, body }) => {
    const files = await uploads.createUrls(caller, params.agentId, body.files);
    return { files: files.map((file) => ({ ...file, method: 'PUT' as const })) };
  },
});
