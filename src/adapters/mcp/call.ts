import type { Caller } from '../../application/access/caller.ts';
import type { Log, SchemaValidator } from '../../application/ports/runtime.ts';
import type { ContentBlock, Progress, ToolResult } from '../../application/ports/tools.ts';
import type { ToolContext } from '../../application/tools/tool.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import { isObject } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { traceContextOf } from '../../domain/trace-context.ts';
import type { Request } from './era.ts';
import { disagreement } from './header-values.ts';
import { codes, failure, invalidParams, type Reply, shown, success } from './messages.ts';
import type { Offer, ServedAgent } from './served-agent.ts';
import { meta } from './versions.ts';

export interface Means {
  readonly tools: Pick<ToolService, 'execute'>;
  readonly schemas: SchemaValidator;
  readonly log: Log;
}

/** Who is at the other end of one POST. */
export interface Peer {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborts when the client hangs up, which is how a call is cancelled. */
  readonly signal: () => AbortSignal;
  /** Sends a notification ahead of the reply; null where the client takes none. */
  readonly notify: ((notification: object) => void) | null;
}

/** A result of the revision that was asked in. */
export const result = ({ id, modern }: Request, { self }: ServedAgent, value: object): Reply =>
  success(id, JSON.stringify(modern === null ? value : { resultType: 'complete', ...value, _meta: self }));

/** Tells the client how far the call is, where it asked to know. What does not go forward is not passed on. */
const reporter = ({ meta: { progressToken } }: Request, { notify }: Peer): ToolContext['report'] => {
  if (notify === null || (typeof progressToken !== 'string' && !isNumber(progressToken))) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }: Progress) => {
    if (!(progress > last)) return;
    last = progress;
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total, message } });
  };
};

const text = (words: string): ContentBlock => ({ type: 'text', text: words });

type Outcome = 'done' | 'failed' | 'broken promise' | 'cancelled';

interface Served {
  readonly reply: Reply;
  readonly outcome: Outcome;
}

/** Clients check structured results of failures too: those are said in words only. */
const replyTo = (request: Request, agent: ServedAgent, { tool }: Offer, said: ToolResult, { schemas }: Means): Served => {
  const { structured, content = [text(said.text)] } = said;
  if (said.isError) return { reply: result(request, agent, { content, isError: true }), outcome: 'failed' };
  if (tool.outputSchema && (structured === undefined || schemas.errors(tool.outputSchema, structured).length > 0)) {
    const why = `Tool ${tool.name} returned a result that does not match its output schema`;
    return { reply: failure(200, request.id, codes.internal, why), outcome: 'broken promise' };
  }
  const shownToo = content.length > 0 || structured === undefined ? content : [text(JSON.stringify(structured))];
  return { reply: result(request, agent, { content: shownToo, ...(structured && { structuredContent: structured }) }), outcome: 'done' };
};

const clientOf = ({ meta: said }: Request): object => {
  const client = said[meta.client];
  if (!isObject(client)) return {};
  return { client: shown(client.name), client_version: shown(client.version) };
};

const record = (request: Request, agent: ServedAgent, { tool }: Offer, peer: Peer, log: Log) => {
  const begunAt = performance.now();
  return (outcome: Outcome) => {
    const ms = Math.round((performance.now() - begunAt) * 10) / 10;
    const what = { request_id: peer.requestId, agent_id: agent.id, agent: agent.name, tool: tool.name };
    const fields = { ...what, era: request.modern ?? 'handshake', ...clientOf(request), ms, outcome };
    if (outcome === 'broken promise') log.error(fields, 'a tool answered what its output schema does not allow');
    else log.info(fields, 'tool call');
  };
};

/** null where the client hung up meanwhile: there is nobody to reply to. */
export const callTool = async (request: Request, agent: ServedAgent, peer: Peer, means: Means): Promise<Reply | null> => {
  const { id, params, headers } = request;
  const { name, arguments: input = {} } = params;
  if (typeof name !== 'string') return invalidParams(id, 'name must be a string');
  if (!isObject(input)) return invalidParams(id, 'arguments must be an object');
  const offer = agent.offers.get(name);
  if (!offer) return invalidParams(id, `there is no tool ${shown(name)}`);
  const differing = request.modern === null ? null : disagreement(offer.mirrored, input, headers);
  if (differing !== null)
    return failure(400, id, codes.headerMismatch, `Header mismatch: Mcp-Param-${shown(differing)} is not what the arguments say`);
  const note = record(request, agent, offer, peer, means.log);
  const signal = peer.signal();
  try {
    const traceId = traceContextOf(request.meta.traceparent)?.traceId ?? null;
    const context: ToolContext = {
      caller: peer.caller,
      signal,
      mayStartRuns: true,
      untrusted: false,
      traceId,
      report: reporter(request, peer),
    };
    const { reply, outcome } = replyTo(request, agent, offer, await means.tools.execute(offer.tool, input, context), means);
    note(outcome);
    return reply;
  } catch (error) {
    if (!signal.aborted) throw error;
    note('cancelled');
    return null;
  }
};
