import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import { ModelError, type Models, type Step, type StepRequest } from '../../application/ports/models.ts';
import { bounded } from './instruments.ts';
import type { Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import type { Watch } from './watch.ts';

/** More models than anyone uses; names are what agents were given. */
const MOST_MODELS = 50;

const requestAttributes = ({ model, outputSchema }: StepRequest): Attributes => {
  const [provider, ...name] = model.split('/');
  const conversation = currentScope()?.conversationId;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider ?? model,
    'gen_ai.request.model': name.length === 0 ? model : name.join('/'),
    'gen_ai.output.type': outputSchema === null ? 'text' : 'json',
    ...(conversation && { 'gen_ai.conversation.id': conversation }),
  };
};

const describe = (span: Span, { model }: StepRequest, { usage, finish, answeredBy }: Step) =>
  span.setAttributes({
    'gen_ai.response.model': answeredBy ?? model.slice(model.indexOf('/') + 1),
    'gen_ai.response.finish_reasons': [finish],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  });

/** Each step a span by the conventions for generative AI (without a word of what is said), a duration, and what it cost. */
export const watchedModels = (models: Models, watch: Watch, { count }: Metrics): Models => {
  const label = bounded(MOST_MODELS);
  return {
    ...models,
    step(request, signal) {
      const attributes = requestAttributes(request);
      const model = label(request.model);
      const since = performance.now();
      return watch.task({ name: `chat ${attributes['gen_ai.request.model']}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
        try {
          const step = await models.step(request, signal);
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
      });
    },
  };
};
