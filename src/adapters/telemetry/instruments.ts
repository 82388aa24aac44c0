import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Label values are from a list, or at most so many of them: what is beyond is counted together. */
export const bounded = (most: number): ((value: string) => string) => {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most || value.length > 128) return 'other';
    known.add(value);
    return value;
  };
};

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STEP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Everything that is counted as it happens, under the name that Prometheus knows it by. */
export const instrumentsIn = (registry: Registry) => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `portico_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name: `portico_${name}`, help, buckets, labelNames, registers });
  const gauge = (name: string, help: string) => new Gauge({ name: `portico_${name}`, help, registers });

  return {
    requests: histogram(
      'http_request_duration_seconds',
      'HTTP requests, until the end of the answer.',
      REQUEST_SECONDS,
      ...(['operation', 'method', 'status'] as const),
    ),
    refusals: counter('rate_limit_refusals_total', 'Requests refused, by the limit that was spent.', 'limit'),
    runs: counter('run_transitions_total', 'Runs that this process moved to a status.', 'status'),
    takeovers: counter('run_takeovers_total', 'Runs taken over from a worker that was lost or stopped.'),
    units: counter('run_units_total', 'Units of work that ended, by their status.', 'status'),
    unitsInWork: gauge('run_units_in_work', 'Units of work that this process is working on.'),
    steps: histogram('model_step_duration_seconds', 'Answers of models, retries included.', STEP_SECONDS, 'model'),
    stepErrors: counter('model_step_errors_total', 'Models that gave no answer, by the reason.', 'model', 'error'),
    tokens: counter('model_tokens_total', 'Tokens that models read (input) and wrote (output).', 'model', 'type'),
    tools: histogram('tool_call_duration_seconds', 'Calls of tools.', TOOL_SECONDS),
    toolCalls: counter('tool_calls_total', 'Calls of tools, by how they ended.', 'tool', 'outcome'),
    documentDeliveries: counter('document_deliveries_total', 'Documents sent to their system of record, by the outcome.', 'outcome'),
    webhookDeliveries: counter('webhook_deliveries_total', 'Attempts to send an event to a webhook, by the outcome.', 'outcome'),
  };
};

export type Instruments = ReturnType<typeof instrumentsIn>;
