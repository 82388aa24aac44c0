import { type Command, Option } from 'commander';
import type { Delivery } from '../../../application/ports/webhooks.ts';
import { isUuid } from '../../../domain/text.ts';
import { type DeliveryStatus, deliveryMachine } from '../../../domain/webhook.ts';
import { type Context, idCommand, inContext, type Json, resultCommand, wholeNumber, withOperator } from '../command.ts';
import { UsageFailure } from '../failures.ts';
import { printable, shownTime } from '../printable.ts';

interface DeliveriesOptions extends Json {
  readonly webhook?: string;
  readonly status?: DeliveryStatus;
  readonly limit: number;
}

const MAX_LISTED = 1000;

const second = (time: Date | null) => shownTime(time?.toISOString() ?? null);

const list = (context: Context, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const webhooks = await operator.webhooks.list();
    if (json) {
      const rows = webhooks.map(({ id, workspace, address, events, pending, failed, ...since }) => ({
        id,
        workspace,
        url: address,
        events,
        pending,
        failed,
        created_at: since.createdAt,
        updated_at: since.updatedAt,
        disabled_at: since.disabledAt,
        disabled_reason: since.disabledReason,
      }));
      return terminal.json({ webhooks: rows });
    }
    const rows = webhooks.map(({ id, workspace, address, events, pending, failed, disabledAt }) => [
      id,
      workspace,
      String(pending),
      String(failed),
      disabledAt === null ? '-' : second(disabledAt),
      events.join(','),
      address,
    ]);
    const header = ['ID', 'WORKSPACE', 'PENDING', 'FAILED', 'DISABLED (UTC)', 'EVENTS', 'URL'];
    terminal.table(header, rows, 'There are no webhooks: a workspace file names them under webhooks.');
    for (const { id, disabledReason } of webhooks) {
      if (disabledReason !== null)
        terminal.note(`${id} is disabled: ${printable(disabledReason)} Apply the workspace file to enable it.`);
    }
  });

const wireOf = ({
  id,
  webhookId,
  address,
  event,
  runId,
  documentId,
  status,
  attempts,
  lastAttempt,
  ...times
}: Delivery) => ({
  id,
  webhook_id: webhookId,
  url: address,
  event,
  run_id: runId,
  document_id: documentId,
  status,
  attempts,
  last_status: lastAttempt?.status ?? null,
  last_error: lastAttempt?.error ?? null,
  last_response: lastAttempt?.response ?? null,
  occurred_at: times.occurredAt,
  due_at: times.dueAt,
  ended_at: times.endedAt,
});

const deliveries = (context: Context, { webhook, status, limit, json }: DeliveriesOptions) => {
  if (webhook !== undefined && !isUuid(webhook))
    throw new UsageFailure('--webhook must be an id, as webhooks list shows it');
  return withOperator(context, async (operator, terminal) => {
    const deliveries = await operator.webhooks.deliveries({
      webhookId: webhook ?? null,
      status: status ?? null,
      limit,
    });
    if (json) return terminal.json({ deliveries: deliveries.map(wireOf) });
    const rows = deliveries.map(({ id, status: state, event, attempts, occurredAt, dueAt, endedAt, lastAttempt }) => [
      id,
      state,
      event,
      String(attempts),
      second(occurredAt),
      second(endedAt ?? dueAt),
      lastAttempt?.error ?? '',
    ]);
    const header = ['ID', 'STATUS', 'EVENT', 'ATTEMPTS', 'OCCURRED (UTC)', 'ENDED OR DUE', 'LAST ERROR'];
    terminal.table(header, rows, 'There are no such deliveries.');
  });
};

const attempts = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const made = await operator.webhooks.attempts(id);
    if (json) {
      const rows = made.map(({ number, startedAt, durationMs, status, error, response }) => ({
        number,
        started_at: startedAt,
        duration_ms: durationMs,
        status,
        error,
        response,
      }));
      return terminal.json({ attempts: rows });
    }
    const rows = made.map(({ number, startedAt, durationMs, status, error, response }) => [
      String(number),
      second(startedAt),
      `${durationMs} ms`,
      String(status ?? '-'),
      error ?? '',
      response ?? '',
    ]);
    const header = ['NUMBER', 'STARTED (UTC)', 'TOOK', 'STATUS', 'ERROR', 'RESPONSE'];
    terminal.table(header, rows, 'No attempt of this delivery is recorded.');
  });

const redeliver = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    await operator.webhooks.redeliver(id);
    if (json) return context.terminal.json({ id, status: 'pending' });
    context.terminal.out('It is sent again by the next worker that is free.');
  });

export const webhookCommands = (program: Command, context: Context) => {
  const webhooks = program.command('webhooks').description('webhooks, and what was sent to them');
  const lists = ['portico webhooks list', 'portico webhooks list --json'];
  resultCommand(webhooks, 'list', 'list the webhooks of every workspace', lists).action(inContext(context, list));
  const searches = ['portico webhooks deliveries --status failed', 'portico webhooks deliveries --limit 100 --json'];
  resultCommand(webhooks, 'deliveries', 'list what was sent and what waits, newest first', searches)
    .option('--webhook <id>', 'only to this webhook')
    .addOption(new Option('--status <status>', 'only with this status').choices(deliveryMachine.states))
    .option('--limit <n>', `how many, 1 to ${MAX_LISTED}`, wholeNumber(1, MAX_LISTED), 20)
    .action(inContext(context, deliveries));
  const id = "the delivery's id, as webhooks deliveries shows it";
  idCommand(webhooks, 'attempts', 'list what each attempt came to, newest first', id).action(
    inContext(context, attempts),
  );
  idCommand(webhooks, 'redeliver', 'send an event once more', id).action(inContext(context, redeliver));
};
