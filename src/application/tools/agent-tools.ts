import { snakeCase } from '../../domain/tool.ts';
import type { AgentSummary } from '../ports/storage.ts';
import type { RunService } from '../runs/runs.ts';
import { annotated, answered, inputOf, refused, type ToolGroup, textInput } from './tool.ts';

/** Starts a background run of another agent and answers at once: whoever wants its outcome looks the run up. */
export const agentTools = (runs: RunService, { id, name, description }: AgentSummary): ToolGroup => ({
  base: `run_${snakeCase(name, 'agent')}`,
  tools: [
    {
      suffix: '',
      description: `Starts a background run of the agent ${name}${description === '' ? '' : ` (${description.slice(0, 500)})`}. Answers the run's id at once; the run ends later.`,
      inputSchema: inputOf({ message: textInput('What the agent is told.', 100_000) }, ['message']),
      annotations: annotated(`Run ${name}`, 'adds'),
      async run({ message }, { caller, mayStartRuns, untrusted, traceId = null }) {
        if (!mayStartRuns) return refused('A run that a tool started cannot start another one.');
        const asked = { agentId: id, files: [], processTogether: false, userMessage: String(message), traceId, idempotency: null };
        const { run } = await runs.start(caller, { ...asked, origin: untrusted ? 'untrusted_tool' : 'tool' });
        return { ...answered({ run_id: run.id, status: run.status }), own: true };
      },
    },
  ],
});
