import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentService } from '../../application/agents/agents.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import { isObject } from '../../domain/json.ts';
import type { Dependencies, Peer } from './call.ts';
import { codes, failure, type Id, invalidRequest, readBody, shown } from './messages.ts';
import { answer, batchError } from './protocol.ts';
import { legacyVersions, versionHeader } from './revisions.ts';
import { type ServedAgent, servedAgents } from './served-agents.ts';
import {
  defaults,
  eventStreams,
  jsonChannel,
  type ReplyChannel,
  type StreamSettings,
  sendJson,
  streamingChannel,
} from './streams.ts';

interface Settings extends Omit<Dependencies, 'tools'> {
  readonly agents: AgentService;
  readonly tools: Pick<ToolService, 'execute' | 'servedTools'>;
  /** The version of this program. */
  readonly version: string;
  /** Whether a GET opens a stream; else it is 405. */
  readonly getStream: boolean;
  readonly streams?: Partial<StreamSettings>;
  /** After this time the answer to a call becomes a stream. */
  readonly patienceMs?: number;
}

/** A request whose credential may use the tools of the agent. */
interface ToolRequest extends Omit<Peer, 'notify'> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly agentId: string;
  /** Calls back once the credential has ended; answers what ends the watch. */
  onCredentialEnd(end: () => void): () => void;
  /** Counts one more request against the limit of the credential. */
  count(): Promise<void>;
}

const METHODS = 'GET, POST, DELETE, OPTIONS';
const NO_GET = 'POST, DELETE, OPTIONS';
const PATIENCE_MS = 10_000;

const acceptOf = (req: IncomingMessage) => (req.headers.accept ?? '').toLowerCase();

const refuseMethod = (res: ServerResponse, allowed: string) => {
  res.setHeader('Allow', allowed);
  sendJson(res, failure(405, null, codes.notAllowed, 'Method not allowed.'));
};

const isCall = (value: unknown): value is { readonly id?: unknown } => isObject(value) && value.method === 'tools/call';
const idOf = ({ id }: { readonly id?: unknown }): Id | null =>
  typeof id === 'string' || typeof id === 'number' ? id : null;

/** The Model Context Protocol for the tools of agents, in every revision. It keeps nothing between two requests: any server of a deployment answers any of them. */
export const toolEndpoint = ({
  agents,
  version,
  getStream,
  streams: over,
  patienceMs = PATIENCE_MS,
  ...dependencies
}: Settings) => {
  const streams = eventStreams({ ...defaults, ...over });
  const find = servedAgents({ agents, tools: dependencies.tools, version });

  /** Opens a stream for clients that wait for notifications: they accept a 405 instead, but no other answer. */
  const get = ({ req, res, method, caller, onCredentialEnd }: ToolRequest) => {
    const revision = versionHeader(req.headers);
    if (revision !== undefined && !legacyVersions.includes(revision))
      return sendJson(res, invalidRequest(null, `there is no GET in the protocol version ${shown(revision)}`));
    const accept = acceptOf(req);
    if (method === 'HEAD' || !accept.includes('text/event-stream') || accept.includes('application/json'))
      return sendJson(res, invalidRequest(null, 'there is nothing to GET here: send messages with POST'));
    if (!getStream || !streams.open(res, caller, onCredentialEnd)) refuseMethod(res, NO_GET);
  };

  const reply = async (request: ToolRequest, agent: ServedAgent, value: unknown, channel: ReplyChannel) => {
    try {
      const answered = await answer(
        value,
        request.req.headers,
        agent,
        { ...request, notify: channel.notify },
        dependencies,
      );
      if (answered !== null) channel.end(answered);
    } catch (error) {
      if (!channel.isStreaming() || !isCall(value)) throw error;
      dependencies.log.error({ request_id: request.requestId, err: error }, 'a tool call failed unexpectedly');
      channel.end(failure(200, idOf(value), codes.internal, 'Internal error'));
    }
  };

  const post = async (request: ToolRequest, agent: ServedAgent) => {
    const { req, res, count } = request;
    const body = await readBody(req);
    if (!('value' in body)) return sendJson(res, body);
    const { value } = body;
    if (Array.isArray(value)) {
      const error = batchError(value, req.headers);
      if (error !== null) return sendJson(res, error);
      for (const _ of value.slice(1)) await count();
    }
    const mayStream = isCall(value) && acceptOf(req).includes('text/event-stream');
    await reply(request, agent, value, mayStream ? streamingChannel(request, streams, patienceMs) : jsonChannel(res));
  };

  return {
    /** Answers the request, or throws before anything is answered. */
    async serve(request: ToolRequest): Promise<void> {
      const { res, method, caller, agentId } = request;
      if (method === 'POST') return post(request, await find(caller, agentId));
      await agents.get(caller, agentId);
      if (method === 'GET' || method === 'HEAD') return get(request);
      if (method === 'DELETE') return sendJson(res, { status: 200, body: '{}' });
      refuseMethod(res, METHODS);
    },

    /** Ends the streams of GET requests; calls go on. */
    stop: () => streams.stop(),
  };
};
