import type { Limited } from '../../../application/ports/budgets.ts';
import { LeaseLost } from '../../../application/ports/leases.ts';
import {
  type FinishedDocument,
  PartGone,
  PartsChanged,
  type Routed,
  type RunLease,
  type RunQueue,
} from '../../../application/ports/queue.ts';
import { inSlices } from '../../../application/shared/async.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { Message } from '../../../domain/conversation.ts';
import { documentMachine } from '../../../domain/document.ts';
import type { Step } from '../../../domain/event.ts';
import { reviewMachine } from '../../../domain/review.ts';
import { runMachine } from '../../../domain/run.ts';
import { storable } from '../../../domain/text.ts';
import { eventsBetween } from '../../../domain/webhook.ts';
import { batched } from '../connection/batched.ts';
import type { Database, Statement } from '../connection/database.ts';
import * as approvals from '../statements/approval-statements.ts';
import { messageValues } from '../statements/message-statements.ts';
import * as routing from '../statements/routing-statements.ts';
import * as sql from '../statements/run-work-statements.ts';
import { printedEvidence } from '../tables/evidence-text.ts';
import { type Reserved, reservationOf } from './budget-repository.ts';
import { partRows } from './run-parts.ts';

/** Of a document that a unit has ended. Before that, it had no data and no review. */
const eventsOf = (document: FinishedDocument | null) => {
  const before = { status: documentMachine.initial, revision: 0, reviewStatus: reviewMachine.initial };
  if (document === null) return eventsBetween(before, { ...before, status: documentMachine.stateAfter('fail') });
  const { reviewStatus } = document;
  return eventsBetween(before, { status: documentMachine.stateAfter('extract'), revision: 1, reviewStatus });
};

const stepsOf = (steps: readonly Step[]) => JSON.stringify(steps.map(({ type, ...data }) => ({ type, data })));

const MOST_ANNOUNCED = 100;

interface Stored {
  readonly known: boolean;
  readonly workspaceId: string;
}

interface Begun extends Stored {
  readonly isLimited: boolean;
  readonly fresh: boolean;
  readonly conversationId: string | null;
  readonly documentId: string | null;
}

type Work = Pick<
  RunQueue,
  | 'release'
  | 'beginUnit'
  | 'append'
  | 'reserve'
  | 'intend'
  | 'approvalOf'
  | 'requestApproval'
  | 'park'
  | 'finishUnit'
  | 'divide'
  | 'routed'
  | 'finish'
>;

/** What a worker writes under its lease: each statement checks the lease and writes, or does neither. */
export const runWork = ({ query }: Pick<Database, 'query'>): Work => {
  const underLease = async <Row extends object>(
    { runId, attempt }: RunLease,
    statement: Statement,
    values: readonly unknown[],
  ) => {
    const [row] = await query<Row>(statement, [runId, attempt, ...values]);
    if (!row) throw new LeaseLost('run', runId);
    return row;
  };

  const approvalOf = async (conversationId: string, toolCallId: string) => {
    const [approval] = await query<Approval>(approvals.ofCall, [conversationId, toolCallId]);
    return approval ?? null;
  };

  const notify = batched(
    { most: MOST_ANNOUNCED },
    async (changed: readonly { runId: string; workspaceId: string }[]) => {
      const runs = new Map(changed.map(({ runId, workspaceId }) => [runId, workspaceId]));
      await query(sql.announce, [[...runs.keys()], [...runs.values()]]).catch(() => {});
      return changed;
    },
  );

  return {
    async release(lease) {
      await underLease(lease, sql.release, []);
    },

    async beginUnit(lease, { index, conversationId, documentId, documentName }) {
      const unit = await underLease<Begun>(lease, sql.beginUnit, [
        index,
        conversationId,
        documentId,
        documentName && storable(documentName),
      ]);
      if (!unit.known) throw new Error(`Run ${lease.runId} has no unit ${index}.`);
      if (unit.conversationId === null) throw new PartGone();
      void notify({ runId: lease.runId, workspaceId: unit.workspaceId });
      const stored = unit.fresh ? [] : await query<Message>(sql.messages, [unit.conversationId]);
      const { conversationId: known, documentId: document, isLimited } = unit;
      return { conversationId: known, documentId: document, messages: stored, isLimited };
    },

    async append(lease, conversationId, list, usage, steps = []) {
      const values = [conversationId, usage.inputTokens, usage.outputTokens, stepsOf(steps), ...messageValues(list)];
      const { known, workspaceId, isLimited } = await underLease<Stored & Limited>(lease, sql.append, values);
      if (!known) throw new Error(`Run ${lease.runId} has no conversation ${conversationId}.`);
      if (steps.length > 0) void notify({ runId: lease.runId, workspaceId });
      return { isLimited };
    },

    async reserve(lease, conversationId, { inputTokens, outputTokens, pagesOcr }) {
      const values = [conversationId, inputTokens, outputTokens, pagesOcr];
      return reservationOf(await underLease<Reserved>(lease, sql.reserve, values));
    },

    async intend(lease, conversationId, toolCallIds) {
      const { known } = await underLease<{ known: boolean }>(lease, sql.intend, [conversationId, toolCallIds]);
      if (!known) throw new Error(`Run ${lease.runId} has no conversation ${conversationId}.`);
    },

    approvalOf,

    async requestApproval(lease, conversationId, { id, ...request }, hours) {
      await underLease(lease, approvals.request, [id, conversationId, ...approvals.approvalValues(request, hours)]);
      return (await approvalOf(conversationId, request.toolCallId)) as Approval;
    },

    async park(lease, approvalIds) {
      await underLease(lease, sql.park, [approvalIds]);
    },

    async finishUnit(lease, index, outcome, steps = [], partsRevision = null) {
      const { error, code } = outcome.status === 'failed' ? outcome : { error: null, code: null };
      const document = outcome.status === 'completed' ? outcome.document : null;
      const ended = [index, outcome.status, error && storable(error), code];
      const partOf = (name: keyof FinishedDocument) => document?.[name] && JSON.stringify(document[name]);
      const parts = [
        partOf('coverage'),
        partOf('contradictions'),
        partOf('checks'),
        partOf('reviewReasons'),
        document?.reviewStatus,
      ];
      const evidence = document && (await inSlices(printedEvidence(document.evidence)));
      const keys = [document?.duplicateKey, document?.fileHashes ?? []];
      const { known } = await underLease<{ known: boolean }>(lease, sql.finishUnit, [
        ...ended,
        partOf('data'),
        evidence,
        stepsOf(steps),
        ...parts,
        ...keys,
        partOf('einvoice'),
        eventsOf(document),
        document?.coverage?.pagesRead ?? 0,
        document?.pagesOcr ?? 0,
        partsRevision,
      ]);
      if (!known) throw new PartsChanged();
    },

    async divide(lease, index, { files, parts }, steps = []) {
      const sheets = files.map(({ fileName, fileIndex, pages, blank }, place) => ({
        file_name: fileName,
        file_index: fileIndex,
        place,
        pages,
        blank,
      }));
      await underLease(lease, routing.divide, [
        index,
        JSON.stringify(sheets),
        JSON.stringify(partRows(parts)),
        stepsOf(steps),
      ]);
    },

    async routed({ runId }) {
      const [routed] = await query<{ [K in keyof Routed]: Routed[K] | null }>(routing.routed, [runId]);
      const { units, files, parts, revision } = routed ?? {};
      return { units: units ?? [], files: files ?? [], parts: parts ?? [], revision: revision ?? 0 };
    },

    async finish(lease, end) {
      const { reason, error } = end.event === 'fail' ? end : { reason: null, error: null };
      await underLease(lease, sql.finish, [
        runMachine.stateAfter(end.event),
        reason && JSON.stringify(reason),
        error && storable(error),
        reason?.code ?? null,
      ]);
    },
  };
};
