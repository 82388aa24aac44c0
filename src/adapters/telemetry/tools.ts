import { SpanKind } from '@opentelemetry/api';
import type { ToolService } from '../../application/tools/tools.ts';
import { bounded } from './instruments.ts';
import type { Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import { markFailed, type Watch } from './watch.ts';

/** More tools than most servers have; names are what agents were given. */
const MOST_TOOLS = 200;

/** Each call a span by the conventions for generative AI, without arguments and results, and a count. */
export const watchedTools = (service: ToolService, watch: Watch, { count }: Metrics): ToolService => {
  const label = bounded(MOST_TOOLS);
  return {
    ...service,
    execute(tool, input, context) {
      const conversation = currentScope()?.conversationId;
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
        'gen_ai.tool.type': 'function',
        ...(conversation && { 'gen_ai.conversation.id': conversation }),
      };
      const since = performance.now();
      return watch.task({ name: `execute_tool ${tool.name}`, kind: SpanKind.INTERNAL, attributes }, async (span) => {
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
