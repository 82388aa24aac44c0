import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../domain/json.ts';
import { callTool, type Dependencies, type Peer, result } from './call.ts';
import {
  accepted,
  codes,
  failure,
  invalidParams,
  invalidRequest,
  type Reply,
  readMessage,
  shown,
  success,
} from './messages.ts';
import {
  batchVersion,
  knowsStructure,
  legacyVersions,
  meta,
  newestLegacy,
  type Request,
  requestOf,
  versionHeader,
} from './revisions.ts';
import type { ServedAgent } from './served-agents.ts';
import { answerTask, taskMethods } from './task-methods.ts';

const MAX_BATCH = 20;

const initialize = (request: Request, agent: ServedAgent): Reply => {
  const { protocolVersion: revision } = request.params;
  if (typeof revision !== 'string') return invalidParams(request.id, 'protocolVersion must be a string');
  return result(request, agent, {
    protocolVersion: legacyVersions.includes(revision) ? revision : newestLegacy,
    ...agent.handshake,
  });
};

/** The methods that only revisions with a handshake have. Some hosts list resources and prompts in any case, and drop a server without an answer. */
const legacyOnly: Readonly<Record<string, (request: Request, agent: ServedAgent) => Reply>> = {
  initialize,
  ping: (request, agent) => result(request, agent, {}),
  'resources/list': (request, agent) => result(request, agent, { resources: [] }),
  'resources/templates/list': (request, agent) => result(request, agent, { resourceTemplates: [] }),
  'prompts/list': (request, agent) => result(request, agent, { prompts: [] }),
};

const unknownMethod = ({ id, method, modern }: Request): Reply =>
  failure(modern === null ? 200 : 404, id, codes.methodNotFound, `Method not found: ${shown(method)}`);

const answerRequest = async (
  request: Request,
  agent: ServedAgent,
  peer: Peer,
  dependencies: Dependencies,
): Promise<Reply | null> => {
  const { id, method, params, modern } = request;
  if (method === 'tools/call') return callTool(request, agent, peer, dependencies);
  if (modern !== null && Object.hasOwn(taskMethods, method)) return answerTask(request, agent, peer, dependencies);
  if (method === 'tools/list') {
    // The list has one page, because several hosts never ask for a second.
    if ((params.cursor ?? null) !== null) return invalidParams(id, 'there is no such cursor');
    if (modern !== null) return success(id, agent.modernList);
    return success(id, knowsStructure(request) ? agent.legacyList : agent.plainList);
  }
  if (modern !== null) return method === 'server/discover' ? success(id, agent.discovery) : unknownMethod(request);
  const handle = Object.hasOwn(legacyOnly, method) ? legacyOnly[method] : undefined;
  return handle ? handle(request, agent) : unknownMethod(request);
};

const isReply = (value: object): value is Reply => 'status' in value;

/** What every message of a request is answered with. */
type Rest = [headers: IncomingHttpHeaders, agent: ServedAgent, peer: Peer, dependencies: Dependencies];

/** The reply to one message, whatever came before it; null if the client hung up. */
const answerMessage = async (value: unknown, ...[headers, agent, peer, dependencies]: Rest): Promise<Reply | null> => {
  const message = readMessage(value);
  if (isReply(message)) return message;
  const request = requestOf(message, headers);
  if (request === null) return accepted;
  return isReply(request) ? request : answerRequest(request, agent, peer, dependencies);
};

const mayBeBatched = (value: unknown): boolean => {
  if (!isObject(value)) return true;
  const params = isObject(value.params) ? value.params : {};
  return value.method !== 'initialize' && !(isObject(params._meta) && meta.version in params._meta);
};

/** Why an array is no batch; null if it is one. */
export const batchError = (values: readonly unknown[], headers: IncomingHttpHeaders): Reply | null => {
  const version = versionHeader(headers);
  if (version !== undefined && version !== batchVersion)
    return invalidRequest(null, `only ${batchVersion} has batches`);
  if (values.length === 0 || values.length > MAX_BATCH)
    return invalidRequest(null, `a batch has 1 to ${MAX_BATCH} messages`);
  return values.every(mayBeBatched) ? null : invalidRequest(null, 'this message cannot be part of a batch');
};

/** Answers one message after another, so that a batch uses no more of the server at a time than one message. */
const answerBatch = async (values: readonly unknown[], ...rest: Rest): Promise<Reply | null> => {
  const bodies: string[] = [];
  for (const value of values) {
    const reply = await answerMessage(value, ...rest);
    if (reply === null) return null;
    if (reply.body !== null) bodies.push(reply.body);
  }
  return bodies.length === 0 ? accepted : { status: 200, body: `[${bodies.join(',')}]` };
};

/** The reply to the body of one POST; `batchError` has checked a batch. */
export const answer = (value: unknown, ...rest: Rest): Promise<Reply | null> =>
  Array.isArray(value) ? answerBatch(value, ...rest) : answerMessage(value, ...rest);
