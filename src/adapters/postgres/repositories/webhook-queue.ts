import type {
  DeliveryLease,
  DeliveryWork,
  EndedAttempt,
  LostEvents,
  WebhookQueue,
} from '../../../application/ports/webhooks.ts';
import { eventIdOf } from '../../../domain/event.ts';
import { omit } from '../../../domain/omit.ts';
import type { Database, Statement } from '../connection/database.ts';
import * as sql from '../statements/webhook-queue-statements.ts';
import { type EventData, eventHorizon, type RecordedVersion, subjectOf } from './event-log.ts';

/** A webhook without a new event has a row without its place. */
interface Collected {
  readonly workspaces: readonly string[];
  readonly id: string | null;
  readonly position: number | null;
  readonly hasMore: boolean | null;
}

interface Expired extends LostEvents {
  readonly position: number;
  readonly until: number;
}

interface Leased
  extends Pick<DeliveryWork, 'event' | 'occurredAt' | 'attempts' | 'sequence'>,
    DeliveryLease,
    RecordedVersion {
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly address: string;
  readonly sealedUrl: string;
  readonly sealedSecret: string;
  readonly documentId: string | null;
  readonly data: EventData;
}

/** `$3` to `$6` of the statements that end an attempt. */
const outcomeOf = ({ status, error, response, durationMs }: EndedAttempt) => [status, error, response, durationMs];

const workOf = (row: Leased): DeliveryWork => ({
  lease: { id: row.id, fence: row.fence },
  webhook: { id: row.webhookId, address: row.address, sealedUrl: row.sealedUrl, sealedSecret: row.sealedSecret },
  event: row.event,
  occurredAt: row.occurredAt,
  sequence: row.sequence,
  eventId: eventIdOf({ sequence: row.sequence, createdAt: row.occurredAt, workspaceId: row.workspaceId }),
  subject: subjectOf({ ...row, type: row.event }),
  attempts: row.attempts,
});

export const webhookQueue = ({ query, atomically }: Pick<Database, 'query' | 'atomically'>): WebhookQueue => {
  const horizon = eventHorizon(query);
  const isChanged = async (statement: Statement, { id, fence }: DeliveryLease, values: readonly unknown[] = []) =>
    (await query(statement, [id, fence, ...values])).length > 0;

  return {
    async collect() {
      const { settled } = await horizon();
      const rows = await atomically(async (run) => {
        const locked = await run<{ id: string }>(sql.lockBehind, [settled]);
        const collected = await run<Collected>(sql.collect, [settled, locked.map(({ id }) => id)]);
        const read = collected.filter(({ id }) => id !== null);
        if (read.length > 0) await run(sql.advance, [read.map(({ id }) => id), read.map(({ position }) => position)]);
        return collected;
      });
      return { workspaces: new Set(rows[0]?.workspaces), hasMore: rows.some(({ hasMore }) => hasMore === true) };
    },

    lease: async (most, perWebhook, leaseSeconds) =>
      (await query<Leased>(sql.lease, [most, perWebhook, leaseSeconds])).map(workOf),
    succeed: (lease, attempt) => isChanged(sql.succeed, lease, outcomeOf(attempt)),
    fail: (lease, attempt, retryInSeconds) => isChanged(sql.fail, lease, [...outcomeOf(attempt), retryInSeconds]),
    release: (lease) => isChanged(sql.release, lease),

    async disable(webhookId, reason) {
      if ((await query(sql.disable, [webhookId, reason])).length === 0) return null;
      let total = 0;
      for (let ended = sql.BATCH; ended >= sql.BATCH; total += ended)
        ended = (await query(sql.endDisabled, [webhookId])).length;
      return total;
    },

    async passExpired(keptDays) {
      const expired = await query<Expired>(sql.findExpired, [keptDays]);
      if (expired.length === 0) return [];
      const lists = [
        expired.map(({ webhookId }) => webhookId),
        expired.map(({ position }) => position),
        expired.map(({ until }) => until),
      ];
      const passed = new Set((await query<{ id: string }>(sql.passExpired, lists)).map(({ id }) => id));
      return expired.filter(({ webhookId }) => passed.has(webhookId)).map((lost) => omit(lost, 'position', 'until'));
    },

    async cleanUp() {
      let total = (await query(sql.endDisabled, [null])).length;
      for (const statement of sql.cleanup) total += (await query(statement, [])).length;
      return total;
    },
  };
};
