/** What a list shows of a run, as the domain has it: `r` is the runs table. */
export const summaryColumns = `
r.id, r.workspace_id as "workspaceId", r.agent_id as "agentId", r.user_id as "userId", r.origin, r.workflow_type as "workflowType",
r.status, r.status_reason as "statusReason", r.error, r.process_together as "processTogether",
r.trace_id as "traceId", r.attempt,
json_build_object('inputTokens', r.input_tokens, 'outputTokens', r.output_tokens) as usage,
r.created_at as "createdAt", r.started_at as "startedAt", r.completed_at as "completedAt"`;

/** A whole run, so that a row is the run. */
export const runColumns = `${summaryColumns}, r.user_message as "userMessage", r.files`;

/** Times inside JSON travel as milliseconds. */
export const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;
