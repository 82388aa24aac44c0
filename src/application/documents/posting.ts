import type { Agent } from '../../domain/agent.ts';
import { actOf, type OwnDeed, system } from '../../domain/audit.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import {
  beginDelivery,
  type DeliveryOutcome,
  documentWithoutData,
  endDelivery,
  heldFor,
} from '../../domain/document.ts';
import { DomainError, mustExist, notFound } from '../../domain/errors.ts';
import type { Retry } from '../../domain/posting.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { AuditLog } from '../ports/audit.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { PostingQueue } from '../ports/posting.ts';
import type { DocumentChanges } from '../ports/queue.ts';
import type { Log } from '../ports/runtime.ts';
import type {
  AgentRepository,
  AgentVersionRepository,
  DocumentHead,
  DocumentRepository,
  ShownDocument,
} from '../ports/storage.ts';
import { pause } from '../shared/async.ts';
import { leasesOf } from '../shared/leases.ts';
import { anyRevision, type IsCurrent, mustBeCurrent } from './current.ts';
import { documentRows, type RowServices, type Target } from './document-rows.ts';
import { mustBeAsFound, type PostingRules } from './posting-rules.ts';
import { type VisibleDocuments, workspaceDocuments } from './visible-documents.ts';

/** If the server that delivers a document does not renew its lease for so long, the document may be processed again: the system of record keeps two deliveries apart. */
const LEASE_SECONDS = 15;

interface Dependencies extends RowServices {
  readonly visible: VisibleDocuments;
  readonly documents: Pick<DocumentRepository, 'find' | 'now' | 'update'>;
  readonly queue: Pick<PostingQueue, 'renewDeliveries'>;
  readonly versions: Pick<AgentVersionRepository, 'find'>;
  readonly agents: AgentRepository;
  readonly postingRules: PostingRules;
  readonly changes: DocumentChanges;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly log: Log;
}

/** What a worker delivers by. */
interface WorkerTerms {
  /** How it is tried again if the system is out of reach. */
  readonly retry: Retry;
  /** Ends the delivery before anything is written. */
  readonly signal: AbortSignal;
}

/** For whom a document is posted. */
interface Order {
  readonly sharer: Sharer;
  /** The documents that it can be about. */
  readonly among: Pick<VisibleDocuments, 'get' | 'definitionOf'>;
  /** Who delivers, for the audit log. */
  readonly deed: OwnDeed;
  /** null: a person or a program asks for it. */
  readonly worker: WorkerTerms | null;
}

const DELIVERY = { action: 'document.processed' } as const;

const byPolicy: OwnDeed = { ...system, ...DELIVERY };

/** In the words of the audit log. */
const wordOf = (outcome: DeliveryOutcome): string => {
  if (outcome.event === 'postpone') return outcome.isUncertain ? 'unknown' : 'not_written';
  return outcome.event === 'accept' ? 'written' : 'rejected';
};

const DEFECT = 'Something went wrong on our side. The log of the server has the details.';

const takenOver = () =>
  new DomainError(
    'unavailable',
    'The lease of this delivery ran out, and another one has taken the document over. Try again.',
  );

const stillUnknown = ({ message }: DomainError) =>
  new DomainError(
    'outcome_unknown',
    `${message} It is still not known whether an earlier delivery wrote the row: process the document again, which looks for it first.`,
  );

/** The delivery came to its end, which could not be stored. */
const notNoted = (outcome: DeliveryOutcome, cause: unknown) =>
  new DomainError(
    'outcome_unknown',
    outcome.event === 'accept'
      ? 'The document is in its system of record, and that could not be stored here: process it again in a while, which finds its row.'
      : 'The system of record has refused the document, and that could not be stored here: process it again in a while.',
    { cause },
  );

/** Of a delivery that failed: `postponed` is the outcome that the server stores, `told` the error that the caller gets. */
const failureOf = (error: unknown, mayBeThere: boolean, worker: WorkerTerms | null) => {
  const isStopped = worker?.signal.aborted === true && error === worker.signal.reason;
  const isKnown = isStopped || (error instanceof DomainError && error.kind !== 'outcome_unknown');
  const why = mayBeThere && error instanceof DomainError && error.kind === 'unavailable' ? stillUnknown(error) : error;
  const reason = why instanceof DomainError ? why.message : DEFECT;
  const failure = isStopped ? null : { reason, retry: worker?.retry ?? null };
  const postponed: DeliveryOutcome = { event: 'postpone', isUncertain: mayBeThere || !isKnown, failure };
  return { postponed, told: why instanceof LeaseLost ? takenOver() : why };
};

/** Writes documents to their systems of record. */
export const documentPosting = (dependencies: Dependencies) => {
  const { visible, documents, queue, agents, postingRules, changes, audit, log } = dependencies;
  const all = workspaceDocuments(dependencies);
  const rows = documentRows(dependencies);

  /** The document once no person may take its approval back any more; the clock of the database says when. */
  const unheld = async (order: Order, id: string): Promise<ShownDocument> => {
    const document = await order.among.get(order.sharer, id);
    if (document.decidedVia !== 'console') return document;
    const milliseconds = heldFor(document, await documents.now());
    if (milliseconds === 0) return document;
    await pause(milliseconds);
    return unheld(order, id);
  };

  const liveOf = async ({ agentId }: DocumentHead): Promise<Target> => {
    const agent = await agents.find(agentId);
    if (agent?.systemOfRecord) return { agent, system: agent.systemOfRecord };
    throw new DomainError('conflict', 'The agent of this document has no system of record.', {
      code: 'no_system_of_record',
    });
  };

  /** A key that became live since is given to what was posted before, among which the document is not found before it is taken. */
  const mustStillBeLive = async (document: DocumentHead, { agent }: Target) => {
    const live = await liveOf(document);
    if (live.agent.version === agent.version) return;
    throw new DomainError('conflict', 'The agent of the document has changed while it was looked at: try again.', {
      code: 'document_busy',
    });
  };

  /** Lets the document wait for a decision if the rules that are live now ask for one. */
  const heldByRules = async ({ sharer, among }: Order, document: ShownDocument, live: Agent) =>
    postingRules(
      sharer,
      document,
      document.agentVersion === live.version ? live : await among.definitionOf(sharer, document),
      live,
    );

  /** A delivery of which the document itself says nothing. */
  const recordDelivery = ({ id, workspaceId, revision }: DocumentHead, deed: OwnDeed, outcome: string) =>
    audit.record({
      ...deed,
      workspaceId,
      subject: { type: 'document', id, name: null },
      details: { revision, ...deed.details, outcome },
    });

  const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_SECONDS * 1000);

  const leases = leasesOf<DocumentHead>({
    subject: 'document',
    idOf: ({ id }) => id,
    renewal: {
      leaseSeconds: LEASE_SECONDS,
      renew: (held) => queue.renewDeliveries(held, LEASE_SECONDS),
      endsUnrenewed: true,
    },
    log,
  });

  const deliver = async (
    { sharer, worker }: Order,
    document: ShownDocument,
    target: Target,
    lost: AbortSignal,
  ): Promise<DeliveryOutcome> => {
    const { id } = document;
    const trashed = new AbortController();
    const unsubscribe = changes.subscribe(id, (status) => status === 'trashed' && trashed.abort(notFound('document')));
    const ends = [trashed.signal, lost, ...(worker ? [worker.signal] : [])];
    try {
      return await rows.deliver(sharer, document, target, AbortSignal.any(ends));
    } finally {
      unsubscribe();
    }
  };

  /** Takes the document to deliver it. `mayBeThere`: an earlier delivery may have written its row. */
  const take = async (order: Order, looked: DocumentHead) => {
    let mayBeThere = false;
    let isTakenOver = false;
    const head = await visible.update(looked.id, (current, now) => {
      mayBeThere = current.attemptedRevision !== null;
      isTakenOver = current.status === 'processing';
      // Of the same revision, its data is what was read.
      mustBeAsFound(current, looked);
      return beginDelivery(current, now, leaseEnd(now), order.worker ? 'policy' : 'client');
    });
    if (isTakenOver) await recordDelivery(head, byPolicy, 'unknown');
    return { head, mayBeThere };
  };

  const end = async ({ deed }: Order, taken: DocumentHead, outcome: DeliveryOutcome): Promise<DocumentHead | null> => {
    const ending = (current: DocumentHead, now: Date) => endDelivery(current, taken.fence, outcome, now);
    const details = { ...deed.details, outcome: wordOf(outcome) };
    const ended = await documents.update(taken.id, ending, undefined, { ...deed, details });
    // Trashed meanwhile, the document stays as it is, whatever came of the delivery.
    if (ended?.status === 'trashed') await recordDelivery(taken, deed, wordOf(outcome));
    return ended;
  };

  const post = async (order: Order, id: string, isCurrent: IsCurrent): Promise<DocumentHead> => {
    const document = await unheld(order, id);
    mustBeCurrent(document, isCurrent);
    const target = await liveOf(document);
    const looked = await heldByRules(order, document, target.agent);
    const since = performance.now();
    const { head, mayBeThere } = await take(order, looked);
    const delivered = async (lost: AbortSignal) => {
      await mustStillBeLive(document, target);
      return deliver(order, document, target, lost);
    };
    const outcome = await leases.during(head, delivered, since).catch(async (error: unknown) => {
      const { postponed, told } = failureOf(error, mayBeThere, order.worker);
      // Unstored, the lease runs out, and the next delivery looks for the row first.
      await end(order, head, postponed).catch((err) =>
        log.warn({ err, document_id: id }, 'the end of a delivery could not be stored; its lease will run out'),
      );
      throw told;
    });
    const noted = await end(order, head, outcome).catch((cause) => Promise.reject(notNoted(outcome, cause)));
    const ended = mustExist(noted, 'document');
    if (ended.status === 'trashed') throw notFound('document');
    return ended;
  };

  return {
    /** Writes the document's data to its system of record, once, and not while an approval may be taken back. A rejection is a document in `error`; unreachable is thrown. */
    async process(caller: Caller, id: string, isCurrent: IsCurrent = anyRevision) {
      mustWrite(caller);
      return post({ sharer: caller, among: visible, deed: actOf(caller, DELIVERY), worker: null }, id, isCurrent);
    },

    /** The same for a worker, because the agent says so: documents and shares are those of the workspace, and no person's. */
    processByPolicy: (workspaceId: string, id: string, worker: WorkerTerms) =>
      post({ sharer: { userId: workspaceId, workspaceId }, among: all, deed: byPolicy, worker }, id, anyRevision),

    /** What processing would come to: its statements, in a transaction that is rolled back. The document stays as it is. */
    async rehearse(caller: Caller, id: string, signal: AbortSignal) {
      mustWrite(caller);
      const document = await visible.get(caller, id);
      if (document.documentData === null) throw documentWithoutData();
      return rows.rehearse(caller, document, await liveOf(document), signal);
    },
  };
};

export type DocumentPosting = ReturnType<typeof documentPosting>;
