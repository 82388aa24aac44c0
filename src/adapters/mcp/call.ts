import type { Log, SchemaValidator } from '../../application/ports/runtime.ts';
import type { ContentBlock, Progress, ToolResult } from '../../application/ports/tools.ts';
import type { RunService } from '../../application/runs/runs.ts';
import type { ApprovedCalls } from '../../application/tools/approved-calls.ts';
import { parsedOnce } from '../../application/tools/input.ts';
import { errorsBy, isRepeatable, type ToolContext } from '../../application/tools/tool.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { Caller } from '../../domain/caller.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import type { Quota } from '../../domain/rate-limit.ts';
import { traceContextOf } from '../../domain/trace-context.ts';
import { disagreement } from './header-values.ts';
import { codes, failure, invalidParams, type Reply, shown, success } from './messages.ts';
import { knowsStructure, meta, type Request } from './revisions.ts';
import type { Offer, ServedAgent } from './served-agents.ts';
import { hasTasks, newTask } from './tasks.ts';

export interface Dependencies {
  readonly tools: Pick<ToolService, 'execute'>;
  readonly approvedCalls: Pick<ApprovedCalls, 'make'>;
  readonly runs: Pick<RunService, 'get' | 'cancel'>;
  readonly schemas: SchemaValidator;
  readonly log: Log;
}

/** The client of one POST. */
export interface Peer {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborts when the client hangs up, which cancels a call. */
  readonly signal: () => AbortSignal;
  /** Sends a notification before the reply; null if the client accepts none. */
  readonly notify: ((notification: object) => void) | null;
  /** Does work that stops when the client hangs up, and that is refused once the credential has ended. */
  whileAllowed<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T>;
  /** Shows the state of a rate limit in the headers of the answer, if it is the tightest and the answer has not begun. */
  readonly showLimit: (limit: Quota) => void;
}

/** A reply with a result, in the form of the request's revision; of a kind of its own if it names one. */
export const result = ({ id, modern }: Request, { self }: ServedAgent, value: object): Reply =>
  success(id, JSON.stringify(modern === null ? value : { resultType: 'complete', ...value, _meta: self }));

/** Notifies the client of progress if it asks for that. Progress must increase. */
const reporter = ({ meta: { progressToken } }: Request, { notify }: Peer): ToolContext['report'] => {
  if (notify === null || (typeof progressToken !== 'string' && !isNumber(progressToken))) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }: Progress) => {
    if (!(progress > last)) return;
    last = progress;
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total, message } });
  };
};

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

type Outcome = 'done' | 'waiting' | 'failed' | 'invalid result' | 'cancelled';

interface Served {
  readonly reply: Reply;
  readonly outcome: Outcome;
}

/** A failure is text without a structured result, because clients check that too. */
const replyTo = async (
  request: Request,
  agent: ServedAgent,
  { tool }: Offer,
  output: ToolResult,
  caller: Caller,
  { schemas }: Dependencies,
): Promise<Served> => {
  const { structured, content = [textBlock(output.text)], started } = output;
  if (output.isError) return { reply: result(request, agent, { content, isError: true }), outcome: 'failed' };
  if (started && hasTasks(request)) return { reply: result(request, agent, newTask(started)), outcome: 'done' };
  const isWrong = async (schema: JsonSchema) =>
    structured === undefined || (await errorsBy(tool, schema, schemas, caller)(structured)).length > 0;
  if (tool.outputSchema && (await isWrong(tool.outputSchema))) {
    const message = `Tool ${tool.name} returned a result that does not match its output schema`;
    return { reply: failure(200, request.id, codes.internal, message), outcome: 'invalid result' };
  }
  const blocks = content.length > 0 || structured === undefined ? content : [textBlock(JSON.stringify(structured))];
  return {
    reply: result(request, agent, {
      content: blocks,
      ...(structured && knowsStructure(request) && { structuredContent: structured }),
    }),
    outcome: 'done',
  };
};

const isUrlElicited = ({ modern, meta: sent }: Request): boolean => {
  const capabilities = sent[meta.capabilities];
  if (modern === null || !isObject(capabilities)) return false;
  return isObject(capabilities.elicitation) && isObject(capabilities.elicitation.url);
};

/**
 * The reply to a call that waits for a person: the address where they decide. A client that can open it is asked to, once for each call;
 * what it says of that approves nothing, and a call that still waits is answered in words.
 */
const replyToWaiting = (request: Request, agent: ServedAgent, { tool }: Offer, address: string): Served => {
  const outcome = 'waiting';
  if (isUrlElicited(request) && request.params.inputResponses === undefined) {
    const message = `A person has to approve this call of ${tool.name}. Open the page to decide on it.`;
    const params = { mode: 'url', message, url: address };
    const inputRequests = { approval: { method: 'elicitation/create', params } };
    return { reply: result(request, agent, { resultType: 'input_required', inputRequests }), outcome };
  }
  const text =
    `Not run yet: a person has to approve this call, at ${address} . ` +
    'Tell the user so, and make the same call again once it is approved: it is run then.';
  return { reply: result(request, agent, { content: [textBlock(text)], isError: true }), outcome };
};

const clientOf = (request: Request): object => {
  const client = request.meta[meta.client];
  if (!isObject(client)) return {};
  return { client: shown(client.name), client_version: shown(client.version) };
};

const record = (request: Request, agent: ServedAgent, { tool }: Offer, peer: Peer, log: Log) => {
  const begunAt = performance.now();
  return (outcome: Outcome) => {
    const ms = Math.round((performance.now() - begunAt) * 10) / 10;
    const fields = {
      request_id: peer.requestId,
      agent_id: agent.id,
      agent: agent.name,
      tool: tool.name,
      era: request.modern ?? 'handshake',
      ...clientOf(request),
      ms,
      outcome,
    };
    if (outcome === 'invalid result') log.error(fields, 'the result of a tool does not match its output schema');
    else log.info(fields, 'tool call');
  };
};

const make = async (
  { id, agentVersion: version }: ServedAgent,
  { tool }: Offer,
  input: unknown,
  context: ToolContext,
  { tools, approvedCalls }: Dependencies,
) =>
  tool.requiresApproval
    ? approvedCalls.make({ id, version }, tool, input, context)
    : { result: await tools.execute(tool, input, context) };

/** A stream ends with its credential by itself. Without one, a call that only reads does, and any other goes on to its end. */
const endsEarly = ({ tool }: Offer, { notify }: Peer) => notify === null && isRepeatable(tool);

/** The reply to a call; null if the client hung up. */
export const callTool = async (
  request: Request,
  agent: ServedAgent,
  peer: Peer,
  dependencies: Dependencies,
): Promise<Reply | null> => {
  const { id, params, headers } = request;
  const { name } = params;
  const input = parsedOnce(params.arguments ?? {});
  if (typeof name !== 'string') return invalidParams(id, 'name must be a string');
  if (!isObject(input)) return invalidParams(id, 'arguments must be an object');
  const offer = agent.offers.get(name);
  if (!offer) return invalidParams(id, `there is no tool ${shown(name)}`);
  const differing = request.modern === null ? null : disagreement(offer.mirrored, input, headers);
  if (differing !== null)
    return failure(
      400,
      id,
      codes.headerMismatch,
      `Header mismatch: Mcp-Param-${shown(differing)} differs from the arguments`,
    );
  const logOutcome = record(request, agent, offer, peer, dependencies.log);
  const signal = peer.signal();
  try {
    const traceId = traceContextOf(request.meta.traceparent)?.traceId ?? null;
    const context: Omit<ToolContext, 'signal'> = {
      caller: peer.caller,
      mayStartRuns: true,
      untrusted: false,
      traceId,
      report: reporter(request, peer),
      showLimit: peer.showLimit,
    };
    const call = (stopped: AbortSignal) => make(agent, offer, input, { ...context, signal: stopped }, dependencies);
    const made = await (endsEarly(offer, peer) ? peer.whileAllowed(call) : call(signal));
    const { reply, outcome } =
      'waitsAt' in made
        ? replyToWaiting(request, agent, offer, made.waitsAt)
        : await replyTo(request, agent, offer, made.result, peer.caller, dependencies);
    logOutcome(outcome);
    return reply;
  } catch (error) {
    if (!signal.aborted) throw error;
    logOutcome('cancelled');
    return null;
  }
};
