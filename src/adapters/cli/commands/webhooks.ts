import { type Command, Option } from 'commander';
import type { Delivery } from '../../../application/ports/webhooks.ts';
import { isUuid } from '../../../domain/text.ts';
import { type DeliveryStatus, deliveryMachine } from '../../../domain/webhook.ts';
import { type Context, EXAMPLE_ID, examples, idArgument, type Json, wholeNumber, withJson, withOperator } from '../command.ts';
import { UsageFailure } from '../failures.ts';
import { shownTime } from '../printable.ts';

interface DeliveriesOptions extends Json {
  readonly webhook?: string;
  readonly status?: DeliveryStatus;
  readonly limit: number;
}

const MAX_LISTED = 1000;

const second = (time: Date | null) => shownTime(time?.toISOString() ?? null);

const list = (context: Context, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { terminal } = context;
    const webhooks = await operator.webhooks.list();
    if (json) {
      const rows = webhooks.map(({ id, workspace, address, events, pending, failed, createdAt, updatedAt }) => ({
        ...{ id, workspace, url: address, events, pending, failed, created_at: createdAt, updated_at: updatedAt },
      }));
      return terminal.json({ webhooks: rows });
    }
    if (webhooks.length === 0) return terminal.out('There are no webhooks: a workspace file names them under webhooks.');
    const rows = webhooks.map(({ id, workspace, address, events, pending, failed }) => [
      ...[id, workspace, String(pending), String(failed), events.join(','), address],
    ]);
    terminal.table(['ID', 'WORKSPACE', 'PENDING', 'FAILED', 'EVENTS', 'URL'], rows);
  });

const wireOf = ({ id, webhookId, address, event, runId, documentId, status, attempts, lastAttempt, ...times }: Delivery) => ({
  ...{ id, webhook_id: webhookId, url: address, event, run_id: runId, document_id: documentId, status, attempts },
  ...{ last_status: lastAttempt?.status ?? null, last_error: lastAttempt?.error ?? null, last_response: lastAttempt?.response ?? null },
  ...{ occurred_at: times.occurredAt, due_at: times.dueAt, ended_at: times.endedAt },
});

const deliveries = (context: Context, { webhook, status, limit, json }: DeliveriesOptions) => {
  if (webhook !== undefined && !isUuid(webhook)) throw new UsageFailure('--webhook must be an id, as webhooks list shows it');
  return withOperator(context, async (operator) => {
    const { terminal } = context;
    const found = await operator.webhooks.deliveries({ webhookId: webhook ?? null, status: status ?? null, limit });
    if (json) return terminal.json({ deliveries: found.map(wireOf) });
    if (found.length === 0) return terminal.out('There are no such deliveries.');
    const rows = found.map(({ id, status: state, event, attempts, occurredAt, dueAt, endedAt, lastAttempt }) => [
      ...[id, state, event, String(attempts), second(occurredAt), second(endedAt ?? dueAt), lastAttempt?.error ?? ''],
    ]);
    terminal.table(['ID', 'STATUS', 'EVENT', 'ATTEMPTS', 'OCCURRED (UTC)', 'ENDED OR DUE', 'LAST ERROR'], rows);
  });
};

const attempts = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { terminal } = context;
    const found = await operator.webhooks.attempts(id);
    if (json) {
      const rows = found.map(({ number, startedAt, durationMs, status, error, response }) => ({
        ...{ number, started_at: startedAt, duration_ms: durationMs, status, error, response },
      }));
      return terminal.json({ attempts: rows });
    }
    if (found.length === 0) return terminal.out('No attempt of this delivery is recorded.');
    const rows = found.map(({ number, startedAt, durationMs, status, error, response }) => [
      ...[String(number), second(startedAt), `${durationMs} ms`, String(status ?? '-'), error ?? '', response ?? ''],
    ]);
    terminal.table(['NUMBER', 'STARTED (UTC)', 'TOOK', 'STATUS', 'ERROR', 'RESPONSE'], rows);
  });

const redeliver = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    await operator.webhooks.redeliver(id);
    if (json) return context.terminal.json({ id, status: 'pending' });
    context.terminal.out('It is sent again by the next worker that is free.');
  });

export const webhookCommands = (program: Command, context: Context) => {
  const webhooks = program.command('webhooks').description('webhooks, and what was sent to them');
  const listed = withJson(webhooks.command('list').description('list the webhooks of every workspace')).action((options: Json) =>
    list(context, options),
  );
  examples(listed, 'portico webhooks list', 'portico webhooks list --json');
  const sent = withJson(webhooks.command('deliveries').description('list what was sent and what waits, newest first'))
    .option('--webhook <id>', 'only to this webhook')
    .addOption(new Option('--status <status>', 'only with this status').choices(deliveryMachine.states))
    .option('--limit <n>', `how many, 1 to ${MAX_LISTED}`, wholeNumber(1, MAX_LISTED), 20)
    .action((options: DeliveriesOptions) => deliveries(context, options));
  examples(sent, 'portico webhooks deliveries --status failed', 'portico webhooks deliveries --limit 100 --json');
  const id = idArgument("the delivery's id, as webhooks deliveries shows it");
  const history = withJson(webhooks.command('attempts').description('list what each attempt came to, newest first').addArgument(id)).action(
    (given: string, options: Json) => attempts(context, given, options),
  );
  examples(history, `portico webhooks attempts ${EXAMPLE_ID}`);
  const again = withJson(webhooks.command('redeliver').description('send an event once more').addArgument(id)).action(
    (given: string, options: Json) => redeliver(context, given, options),
  );
  examples(again, `portico webhooks redeliver ${EXAMPLE_ID}`);
};
