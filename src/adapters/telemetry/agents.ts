import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import type { ConversationTurns } from '../../application/ports/conversations.ts';
import { ModelError, type Models, type Step, type StepRequest } from '../../application/ports/models.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { Turn } from '../../application/turns/turn.ts';
import { bounded, type Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import { markFailed, type Trace } from './tracing.ts';

// Spans by the OpenTelemetry conventions for generative AI, which never hold messages, arguments or results.

const conversationAttribute = (): Attributes => {
  const id = currentScope()?.conversationId;
  return id ? { 'gen_ai.conversation.id': id } : {};
};

/** An agent's answer, in a run or a conversation: the span around its steps and calls. */
export const observedTurn = (turn: Turn, trace: Trace): Turn => ({
  answer(question, signal) {
    const { agent, purpose } = question;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': agent.model.split('/')[0] ?? agent.model,
      'gen_ai.agent.id': agent.id,
      'gen_ai.agent.name': agent.name,
      'portico.purpose': purpose,
      ...conversationAttribute(),
    };
    const task = { name: `invoke_agent ${agent.name}`, kind: SpanKind.INTERNAL, attributes };
    return trace(task, () => turn.answer(question, signal));
  },
});

/** The conversation of a request is known once the request has its lease. */
export const observedConversations = (turns: ConversationTurns, { count }: Metrics): ConversationTurns => ({
  ...turns,
  async reserve(lease, bound) {
    const reservation = await turns.reserve(lease, bound);
    if (reservation.outcome === 'spent') count.budgetRefusals.inc();
    return reservation;
  },
  async begin(conversationId, leaseSeconds) {
    const lease = await turns.begin(conversationId, leaseSeconds);
    const scope = currentScope();
    if (lease && scope) {
      scope.conversationId = lease.conversationId;
      scope.fields.conversation_id = lease.conversationId;
    }
    return lease;
  },
});

/** More models than agents of one server name. */
const MOST_MODELS = 50;

const requestAttributes = ({ model, outputSchema }: StepRequest): Attributes => {
  const [provider, ...name] = model.split('/');
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider ?? model,
    'gen_ai.request.model': name.length === 0 ? model : name.join('/'),
    'gen_ai.output.type': outputSchema === null ? 'text' : 'json',
    ...conversationAttribute(),
  };
};

const describe = (span: Span, { model }: StepRequest, { usage, finish, answeredBy }: Step) =>
  span.setAttributes({
    'gen_ai.response.model': answeredBy ?? model.slice(model.indexOf('/') + 1),
    'gen_ai.response.finish_reasons': [finish],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  });

/** Each step: a span, its duration and its tokens. */
export const observedModels = (models: Models, trace: Trace, { count }: Metrics): Models => {
  const label = bounded(MOST_MODELS);
  return {
    ...models,
    step(request, signal, draft, onRetry) {
      const attributes = requestAttributes(request);
      const model = label(request.model);
      const since = performance.now();
      return trace(
        { name: `chat ${attributes['gen_ai.request.model']}`, kind: SpanKind.CLIENT, attributes },
        async (span) => {
          try {
            const step = await models.step(request, signal, draft, onRetry);
            describe(span, request, step);
            count.tokens.inc({ model, type: 'input' }, step.usage.inputTokens);
            count.tokens.inc({ model, type: 'output' }, step.usage.outputTokens);
            return step;
          } catch (error) {
            count.stepErrors.inc({ model, error: error instanceof ModelError ? error.code : 'stopped' });
            throw error;
          } finally {
            count.steps.observe({ model }, (performance.now() - since) / 1000);
          }
        },
      );
    },
  };
};

/** More tools than agents of most servers have. */
const MOST_TOOLS = 200;

/** Each call: a span, its duration and its outcome. */
export const observedTools = (service: ToolService, trace: Trace, { count }: Metrics): ToolService => {
  const label = bounded(MOST_TOOLS);
  return {
    ...service,
    execute(tool, input, context) {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
        'gen_ai.tool.type': 'function',
        ...conversationAttribute(),
      };
      const since = performance.now();
      return trace({ name: `execute_tool ${tool.name}`, kind: SpanKind.INTERNAL, attributes }, async (span) => {
        let outcome = 'stopped';
        try {
          const result = await service.execute(tool, input, context);
          outcome = result.isError ? 'failed' : 'answered';
          if (result.isError) markFailed(span, 'tool_error');
          return result;
        } finally {
          count.toolCalls.inc({ tool: label(tool.name), outcome });
          count.tools.observe((performance.now() - since) / 1000);
        }
      });
    },
  };
};
