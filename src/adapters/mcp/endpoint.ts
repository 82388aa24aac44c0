import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../application/access/caller.ts';
import type { AgentService } from '../../application/agents/agents.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import { isObject } from '../../domain/json.ts';
import { readBody } from './body.ts';
import type { Means } from './call.ts';
import { versionHeader } from './era.ts';
import { codes, failure, type Id, invalidRequest, shown } from './messages.ts';
import { answer, batchError } from './protocol.ts';
import { jsonChannel, type ReplyChannel, sendJson, streamingChannel } from './reply-channel.ts';
import type { ServedAgent } from './served-agent.ts';
import { servedAgents } from './served-agents.ts';
import { defaults, eventStreams, type StreamSettings } from './streams.ts';
import { legacyVersions } from './versions.ts';

interface Settings extends Omit<Means, 'tools'> {
  readonly agents: AgentService;
  readonly tools: Pick<ToolService, 'execute' | 'toolsOf'>;
  /** Of this program. */
  readonly version: string;
  /** Whether a GET is given a stream; else it is told that there is none. */
  readonly getStream: boolean;
  readonly streams?: Partial<StreamSettings>;
  /** When a call that nothing was said of becomes a stream. */
  readonly patienceMs?: number;
}

/** A request to the tool endpoint of one agent, from somebody whose credential is good there. */
interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly agentId: string;
  readonly caller: Caller;
  readonly requestId: string;
  /** Counts one request more against the limit of the credential. */
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

/** Aborts when the client hangs up. */
const hangUp = (res: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) controller.abort(new Error('the client hung up'));
  };
  if (res.closed) abort();
  else res.once('close', abort);
  return controller.signal;
};

const isCall = (value: unknown): value is { readonly id?: unknown } => isObject(value) && value.method === 'tools/call';
const idOf = ({ id }: { readonly id?: unknown }): Id | null => (typeof id === 'string' || typeof id === 'number' ? id : null);

/** The Model Context Protocol for the tools of agents, in every revision there is. Nothing is kept between two requests: any server answers any of them. */
export const toolEndpoint = ({ agents, version, getStream, streams: over, patienceMs = PATIENCE_MS, ...means }: Settings) => {
  const streams = eventStreams({ ...defaults, ...over });
  const find = servedAgents({ agents, tools: means.tools, version });

  /** A stream for clients that listen for what a server says unasked; they get by without one, but not with any other answer. */
  const get = ({ req, res, method, caller }: Exchange) => {
    const revision = versionHeader(req.headers);
    if (revision !== undefined && !legacyVersions.includes(revision))
      return sendJson(res, invalidRequest(null, `there is no GET in the protocol version ${shown(revision)}`));
    const accept = acceptOf(req);
    if (method === 'HEAD' || !accept.includes('text/event-stream') || accept.includes('application/json'))
      return sendJson(res, invalidRequest(null, 'there is nothing to GET here: send messages with POST'));
    if (!getStream || !streams.hold(res, caller.credential.id)) refuseMethod(res, NO_GET);
  };

  const converse = async (exchange: Exchange, agent: ServedAgent, value: unknown, channel: ReplyChannel) => {
    const { req, res, caller, requestId } = exchange;
    const peer = { caller, requestId, signal: () => hangUp(res), notify: channel.notify };
    try {
      const reply = await answer(value, req.headers, agent, peer, means);
      if (reply !== null) channel.end(reply);
    } catch (error) {
      if (!channel.isStreaming() || !isCall(value)) throw error;
      means.log.error({ request_id: requestId, err: error }, 'a tool call failed unexpectedly');
      channel.end(failure(200, idOf(value), codes.internal, 'Internal error'));
    }
  };

  const post = async (exchange: Exchange, agent: ServedAgent) => {
    const { req, res, count } = exchange;
    const body = await readBody(req);
    if (!('value' in body)) return sendJson(res, body);
    const { value } = body;
    if (Array.isArray(value)) {
      const error = batchError(value, req.headers);
      if (error !== null) return sendJson(res, error);
      for (const _ of value.slice(1)) await count();
    }
    const mayStream = isCall(value) && acceptOf(req).includes('text/event-stream');
    await converse(exchange, agent, value, mayStream ? streamingChannel(res, streams, patienceMs) : jsonChannel(res));
  };

  return {
    /** Answers the request, or throws before anything is answered. */
    async serve(exchange: Exchange): Promise<void> {
      const { res, method, caller, agentId } = exchange;
      if (method === 'POST') return post(exchange, await find(caller, agentId));
      await agents.get(caller, agentId);
      if (method === 'GET' || method === 'HEAD') return get(exchange);
      if (method === 'DELETE') return sendJson(res, { status: 200, body: '{}' });
      refuseMethod(res, METHODS);
    },

    /** Ends the streams in which nothing is said; calls under way are not touched. */
    stop: () => streams.stop(),
  };
};
