import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { approvalRepository } from '../../src/adapters/postgres/repositories/approval-repository.ts';
import { conversationTurns } from '../../src/adapters/postgres/repositories/conversation-turns.ts';
import type { UnitOutcome } from '../../src/application/ports/queue.ts';
import { runService } from '../../src/application/runs/runs.ts';
import { approvalMachine } from '../../src/domain/approval.ts';
import { operator } from '../../src/domain/audit.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { conversationMachine } from '../../src/domain/conversation.ts';
import {
  beginDelivery,
  correct,
  type DeliveryOutcome,
  decide,
  documentMachine,
  endDelivery,
  reopen,
  trash,
} from '../../src/domain/document.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { type ReviewReason, reviewMachine } from '../../src/domain/review.ts';
import { runMachine } from '../../src/domain/run.ts';
import { deliveryMachine } from '../../src/domain/webhook.ts';
import { anId, finished } from '../support/builders.ts';
import { keepHistory } from '../support/history.ts';
import { usePostgres } from '../support/postgres.ts';
import { aLeasedRun, only } from '../support/runs.ts';
import { type WebhookStage, webhookStage } from '../support/webhooks.ts';

/** A leased run with one unit that is begun, all that belongs to it, and a delivery that tells of it. */
interface Scene {
  readonly lease: { readonly runId: string; readonly attempt: number };
  readonly caller: Caller;
  readonly conversationId: string;
  readonly documentId: string;
  readonly approvalId: string;
  readonly deliveryId: string;
  readonly webhookId: string;
}

/** One way in which the program makes an event happen; `only`: the states in which this way is open, where that is not each one. */
interface Way {
  readonly name: string;
  readonly only?: readonly string[];
  act(scene: Scene): Promise<unknown>;
}

interface Subject {
  readonly name: string;
  readonly machine: {
    readonly table: Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>;
    readonly states: readonly string[];
  };
  /** Where the state stands; absent: `status`. */
  readonly column?: string;
  /** The row, by `$1`. */
  readonly row: string;
  id(scene: Scene): string;
  /** Makes the row, which no other subject has. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  /** What else a row has in a status, so that nothing but the status refuses an event. */
  readonly beside: (status: string) => string;
  readonly ways: Readonly<Record<string, readonly Way[]>>;
}

const attempt = { status: 200, error: null, response: null, durationMs: 5 };
const failure = {
  event: 'fail',
  reason: { code: 'model_error', message: 'The model failed.' },
  error: 'The model failed.',
} as const;
const extracted = { status: 'completed', document: finished({ data: { total: 1 } }) } as const;
const unreadable = { status: 'failed', error: 'It cannot be read.', code: 'unreadable_file' } as const;

describe('every transition of every machine in PostgreSQL', () => {
  const postgres = usePostgres();
  let stage: WebhookStage;
  let history: Awaited<ReturnType<typeof keepHistory>>;
  before(async () => {
    stage = webhookStage(postgres);
    history = await keepHistory(postgres);
  });
  after(() => stage.close());

  const sql = async (text: string, values: readonly unknown[] = []) =>
    (await postgres.database.pool.query(text, [...values])).rows;
  const turns = () => conversationTurns(postgres.database);

  const arrange = async (): Promise<Scene> => {
    await sql(`update runs set status = 'cancelled' where status in ('queued', 'running')`);
    const cast = await stage.cast();
    const { id: webhookId, workspaceId } = await stage.addWebhook({
      workspaceId: cast.user.workspaceId,
      events: ['run.queued'],
    });
    const { lease } = await aLeasedRun(stage, cast);
    const unit = { index: 0, conversationId: anId(), documentId: anId(), documentName: 'a.txt' };
    await stage.queue.beginUnit(lease, unit);
    await stage.webhooks.collect();
    const { id: deliveryId } = only(
      await sql('select id from webhook_deliveries where webhook_id = $1', [webhookId]),
    ) as { id: string };
    const { id: userId, email, role } = cast.user;
    const credential = { id: anId(), kind: 'api_key' } as const;
    const caller = {
      userId,
      workspaceId,
      email,
      role,
      credential,
      door: 'api_key' as const,
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    };
    return { lease, caller, ...unit, approvalId: anId(), deliveryId, webhookId };
  };

  const cancel: Way['act'] = ({ caller, lease }) =>
    runService({ runs: stage.runs } as Parameters<typeof runService>[0]).cancel(caller, lease.runId);
  const missDeadline: Way['act'] = async ({ lease }) => {
    await stage.passDeadline(lease.runId);
    await stage.queue.sweep();
  };
  const beginUnit: Way['act'] = ({ lease, conversationId, documentId }) =>
    stage.queue.beginUnit(lease, { index: 0, conversationId, documentId, documentName: 'a.txt' });
  const finishUnit =
    (outcome: UnitOutcome): Way['act'] =>
    ({ lease }) =>
      stage.queue.finishUnit(lease, 0, outcome);
  const deliver: Way['act'] = ({ documentId }) =>
    stage.documents.update(documentId, (document, now) =>
      beginDelivery(document, now, new Date(now.getTime() + 60_000)),
    );
  const end =
    (outcome: DeliveryOutcome): Way['act'] =>
    ({ documentId }) =>
      stage.documents.update(documentId, (document, now) => endDelivery(document, document.fence, outcome, now));

  const revise =
    (reasons: readonly ReviewReason[]): Way['act'] =>
    ({ documentId, caller }) => {
      const correction = {
        data: { total: 2 },
        evidence: {},
        contradictions: [],
        checks: [],
        duplicateKey: null,
        reasons,
      };
      const revising = { userId: caller.userId, via: caller.door, changes: [] };
      return stage.documents.update(documentId, (document, now) => correct(document, correction, now), revising);
    };
  const review =
    (event: 'approve' | 'reject'): Way['act'] =>
    ({ documentId, caller: { userId: id, email, door: via } }) =>
      stage.documents.update(documentId, (document, now) =>
        decide(document, { event, approvedAs: null, reviewer: { id, name: 'Ada', email }, note: null, via }, now),
      );

  const assignPages: Way['act'] = async ({ lease: { runId }, documentId, caller: { userId } }) => {
    const doubt = { code: 'unassigned_pages', message: 'Nobody reads page 2.' };
    await sql('update documents set revision = 1, coverage = $2, review_reasons = $3 where id = $1', [
      documentId,
      JSON.stringify({ doubts: [doubt] }),
      JSON.stringify([{ ...doubt, pointer: null }]),
    ]);
    await sql(
      `insert into run_parts (run_id, index, name, file_name, pages, unit_run_id, unit_index) values ($1, 0, 'bill', 'a.pdf', '{1}', $1, 0)`,
      [runId],
    );
    await history.begin();
    return stage.runs.repart(runId, {
      parts: [{ name: 'bill', fileName: 'a.pdf', pages: [1], fileIndex: 0, reader: null }],
      doubt: null,
      revision: 0,
      readingId: anId(),
      userId,
      deadlineSeconds: 60,
      deed: { ...operator, action: 'document.trashed' },
    });
  };

  const digest = '0'.repeat(64);
  const decideCall =
    (event: 'approve' | 'deny'): Way['act'] =>
    ({ approvalId, caller: { workspaceId, userId: id, email } }) =>
      approvalRepository(postgres.database).decide(
        workspaceId,
        approvalId,
        {
          event,
          by: { id, name: 'Ada', email },
          note: null,
          argumentsDigest: digest,
        },
        operator,
      );

  const subjects: readonly Subject[] = [
    {
      name: 'run',
      machine: runMachine,
      row: 'runs where id = $1',
      id: ({ lease }) => lease.runId,
      beside: () => '',
      ways: {
        start: [{ name: 'a worker leases it', act: () => stage.queue.lease('other', 1, 60) }],
        complete: [
          { name: 'its worker finishes it', act: ({ lease }) => stage.queue.finish(lease, { event: 'complete' }) },
        ],
        fail: [
          { name: 'its deadline passes', act: missDeadline },
          { name: 'its worker finishes it', only: ['running'], act: ({ lease }) => stage.queue.finish(lease, failure) },
        ],
        cancel: [{ name: 'its user cancels it', act: cancel }],
      },
    },
    {
      name: 'unit of a run',
      machine: runMachine,
      row: 'run_units where run_id = $1',
      id: ({ lease }) => lease.runId,
      beside: (status) => (status === 'queued' ? ', conversation_id = null, document_id = null' : ''),
      ways: {
        start: [
          {
            name: 'its worker begins it',
            act: ({ lease }) => beginUnit({ lease, conversationId: anId(), documentId: anId() } as Scene),
          },
        ],
        complete: [{ name: 'its worker finishes it', act: finishUnit(extracted) }],
        fail: [
          { name: 'its worker finishes it', act: finishUnit(unreadable) },
          { name: 'the deadline of its run passes', act: missDeadline },
          { name: 'its run fails', act: ({ lease }) => stage.queue.finish(lease, failure) },
        ],
        cancel: [{ name: 'its run is cancelled', act: cancel }],
      },
    },
    {
      name: 'document',
      machine: documentMachine,
      row: 'documents where id = $1',
      id: ({ documentId }) => documentId,
      beside: (status) =>
        `, document_data = '{}', revision = 1, lease_expires_at = ${status === 'processing' ? `now() + interval '1 minute'` : 'null'}`,
      ways: {
        extract: [{ name: 'its unit succeeds', act: finishUnit(extracted) }],
        fail: [
          { name: 'its unit fails', act: finishUnit(unreadable) },
          { name: 'the deadline of its run passes', act: missDeadline },
          { name: 'its run is cancelled', act: cancel },
        ],
        correct: [{ name: 'a person corrects it', act: revise([]) }],
        process: [{ name: 'a delivery begins', act: deliver }],
        accept: [{ name: 'the delivery succeeds', act: end({ event: 'accept', reference: '1' }) }],
        reject: [{ name: 'the delivery is refused', act: end({ event: 'reject', reason: 'No.' }) }],
        postpone: [
          { name: 'the delivery breaks', act: end({ event: 'postpone', isUncertain: true, failure: null }) },
          {
            name: 'the lease of the delivery is over',
            async act({ documentId }) {
              await sql(`update documents set lease_expires_at = now() - make_interval(secs => 1) where id = $1`, [
                documentId,
              ]);
              await stage.documents.recoverDeliveries();
            },
          },
        ],
        trash: [{ name: 'its user removes it', act: ({ documentId }) => stage.documents.update(documentId, trash) }],
      },
    },
    {
      name: 'review of a document',
      machine: reviewMachine,
      column: 'review_status',
      row: 'documents where id = $1',
      id: ({ documentId }) => documentId,
      beside: () => `, status = 'ready', document_data = '{}', revision = 7`,
      ways: {
        require: [
          {
            name: 'a correction is doubtful',
            act: revise([{ code: 'incomplete_coverage', pointer: null, message: 'No.' }]),
          },
          {
            name: 'what is extracted is doubtful',
            only: ['not_required'],
            async act(scene) {
              // What is under extraction has no review yet.
              await sql(`update documents set status = 'extracting' where id = $1 and review_status = 'not_required'`, [
                scene.documentId,
              ]);
              await finishUnit({ ...extracted, document: finished({ reviewStatus: 'pending' }) })(scene);
            },
          },
        ],
        change: [{ name: 'a correction has nothing doubtful', act: revise([]) }],
        clear: [{ name: 'a person puts the pages into parts that were in none', act: assignPages }],
        approve: [{ name: 'a person approves it', act: review('approve') }],
        reject: [{ name: 'a person rejects it', act: review('reject') }],
        reopen: [
          { name: 'the decision is taken back', act: ({ documentId }) => stage.documents.update(documentId, reopen) },
        ],
      },
    },
    {
      name: 'conversation',
      machine: conversationMachine,
      row: 'conversations where id = $1',
      id: ({ conversationId }) => conversationId,
      beside: () => '',
      ways: {
        begin: [
          { name: 'a message is sent', act: ({ conversationId }) => turns().begin(conversationId, 60) },
          { name: 'a worker goes on with its unit', act: beginUnit },
        ],
        end: [
          {
            name: 'its answer is complete',
            async act({ conversationId }) {
              await sql(
                `update conversations set fence = 7, lease_expires_at = now() + interval '1 minute' where id = $1`,
                [conversationId],
              );
              await turns().end({ conversationId, fence: 7 });
            },
          },
          { name: 'its unit succeeds', act: finishUnit(extracted) },
          { name: 'its run is cancelled', act: cancel },
        ],
      },
    },
    {
      name: 'approval',
      machine: approvalMachine,
      row: 'approvals where id = $1',
      id: ({ approvalId }) => approvalId,
      prepare: ({ lease, conversationId, approvalId: id }) =>
        stage.queue.requestApproval(
          lease,
          conversationId,
          {
            id,
            toolCallId: 'call_1',
            tool: 'pay',
            approver: 'person',
            arguments: {},
            argumentsDigest: digest,
            rehearsal: null,
          },
          24,
        ),
      beside: () => '',
      ways: {
        approve: [{ name: 'a person approves it', act: decideCall('approve') }],
        deny: [{ name: 'a person denies it', act: decideCall('deny') }],
        expire: [
          {
            name: 'its time is over',
            async act({ approvalId }) {
              await sql('update approvals set expires_at = now() - make_interval(secs => 1) where id = $1', [
                approvalId,
              ]);
              await approvalRepository(postgres.database).expire();
            },
          },
        ],
        cancel: [
          { name: 'its run is cancelled', act: cancel },
          { name: 'the deadline of its run passes', act: missDeadline },
          { name: 'its run fails', act: ({ lease }) => stage.queue.finish(lease, failure) },
        ],
      },
    },
    {
      name: 'delivery',
      machine: deliveryMachine,
      row: 'webhook_deliveries where id = $1',
      id: ({ deliveryId }) => deliveryId,
      beside: (status) =>
        `, claimed = true, fence = 7, due_at = ${status === 'pending' ? `now() - interval '1 second'` : 'null'}`,
      ways: {
        deliver: [
          {
            name: 'the receiver takes it',
            act: ({ deliveryId: id }) => stage.webhooks.succeed({ id, fence: 7 }, attempt),
          },
        ],
        abandon: [
          {
            name: 'it failed too often',
            act: ({ deliveryId: id }) => stage.webhooks.fail({ id, fence: 7 }, attempt, null),
          },
          {
            name: 'its webhook is removed',
            async act({ webhookId }) {
              await stage.removeWebhook(webhookId);
              await stage.webhooks.cleanUp();
            },
          },
          {
            name: 'its time is over',
            async act({ deliveryId }) {
              await sql('update webhook_deliveries set expires_at = now() - make_interval(secs => 1) where id = $1', [
                deliveryId,
              ]);
              await stage.webhooks.cleanUp();
            },
          },
        ],
        disable: [
          { name: 'its webhook is disabled', act: ({ webhookId }) => stage.webhooks.disable(webhookId, 'No.') },
          {
            name: 'its webhook was disabled',
            async act({ webhookId }) {
              await stage.disableWebhook(webhookId);
              await stage.webhooks.cleanUp();
            },
          },
        ],
        redeliver: [
          { name: 'the operator asks for it', act: ({ deliveryId }) => stage.repository.redeliver(deliveryId) },
        ],
      },
    },
  ];

  /** What the machine or a lease refuses is refused; anything else is a defect. */
  const isRefusal = (error: unknown) =>
    error instanceof DomainError || (error instanceof Error && error.name === 'LeaseLost');

  for (const { name, machine, column = 'status', row, id, prepare, beside, ways } of subjects) {
    describe(`of a ${name}`, () => {
      for (const [event, waysOf] of Object.entries(ways)) {
        for (const way of waysOf) {
          for (const state of machine.states) {
            const target = way.only && !way.only.includes(state) ? state : (machine.table[state]?.[event] ?? state);
            it(`${event}: when ${way.name}, what is ${state} ${target === state ? 'stays so' : `becomes ${target}`}`, async () => {
              const scene = await arrange();
              await prepare?.(scene);
              const [table, where] = row.split(' where ');
              await sql(`update ${table} set ${column} = $2 ${beside(state)} where ${where}`, [id(scene), state]);
              await history.begin();
              await way.act(scene).catch((error: unknown) => {
                if (!isRefusal(error) || target !== state) throw error;
              });
              expect(await sql(`select ${column} as state from ${row}`, [id(scene)])).to.deep.equal([
                { state: target },
              ]);
              const { happened, logged } = await history.compare();
              expect(logged, 'the log of events').to.deep.equal(happened);
            });
          }
        }
      }

      it('is made in a way for each event', () => {
        const events = new Set(Object.values(machine.table).flatMap((targets) => Object.keys(targets)));
        expect(Object.keys(ways)).to.have.members([...events]);
      });
    });
  }

  it('is all that the domain has', () => {
    const folder = path.resolve(import.meta.dirname, '../../src/domain');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const machines = texts.flatMap((text) => [...text.matchAll(/= machine<[^(]*\('(\w+)'/g)].map((match) => match[1]));
    expect(machines).to.have.members(['run', 'document', 'review', 'conversation', 'approval', 'delivery']);
  });
});
