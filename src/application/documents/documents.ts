import type { Agent, SystemOfRecord } from '../../domain/agent.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import {
  beginDelivery,
  correct,
  type Decision,
  type DeliveryOutcome,
  type Document,
  decide,
  documentWithoutData,
  endDelivery,
  heldFor,
  holdsDelivery,
  mustRest,
  renewDelivery,
  reopen,
  restore,
  trash,
} from '../../domain/document.ts';
import { CREATED_AT, isSameOrder, newestFirst } from '../../domain/document-order.ts';
import { DomainError, invalid, mustExist, notFound } from '../../domain/errors.ts';
import { ofDocuments, parseFilter } from '../../domain/filter.ts';
import { type JsonObject, resolvePointer } from '../../domain/json.ts';
import { stricterPolicy } from '../../domain/review.ts';
import type { Connectors, RehearsedDelivery, RowDelivery } from '../ports/connectors.ts';
import type { JsonPatches } from '../ports/json-patch.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { DocumentChanges } from '../ports/queue.ts';
import type { Log, SchemaValidator } from '../ports/runtime.ts';
import type {
  AgentRepository,
  AgentVersionRepository,
  ConnectionRepository,
  CursorPage,
  DocumentFilter,
  DocumentRepository,
  DocumentWindow,
  RunRepository,
  ShownDocument,
  UserRepository,
} from '../ports/storage.ts';
import { inSlices, pause } from '../shared/async.ts';
import { leasesOf } from '../shared/leases.ts';
import type { Approvals } from './approvals.ts';
import { type CorrectionRequest, patchedData, prepareCorrection } from './correction.ts';
import { documentExport } from './export.ts';
import type { DocumentFindings } from './findings.ts';
import { mustBeAsFound, type PostingRules } from './posting-rules.ts';

/** If the server that delivers a document does not renew its lease for so long, the document may be processed again: the system of record keeps two deliveries apart. */
const LEASE_SECONDS = 15;

export interface DocumentQuery extends Omit<DocumentFilter, 'where'> {
  /** JSON text. */
  readonly where: string | null;
}

/** Whether the document is as the client read it. */
export type IsCurrent = (document: ShownDocument) => boolean;

interface Dependencies {
  readonly documents: DocumentRepository;
  readonly agents: AgentRepository;
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly versions: Pick<AgentVersionRepository, 'listVisible'>;
  readonly users: Pick<UserRepository, 'find'>;
  readonly findings: Pick<DocumentFindings, 'ofChanged'>;
  readonly approvals: Approvals;
  readonly postingRules: PostingRules;
  readonly connections: ConnectionRepository;
  readonly connectors: Pick<Connectors, 'open'>;
  readonly changes: DocumentChanges;
  readonly patches: JsonPatches;
  readonly schemas: SchemaValidator;
  readonly log: Log;
}

/** The row that a document becomes: absent values are null. */
const rowOf = (id: string, data: JsonObject, { entity, columns, documentIdColumn }: SystemOfRecord): RowDelivery => {
  const values = Object.entries(columns).map(
    ([column, pointer]) => [column, resolvePointer(data, pointer) ?? null] as const,
  );
  return { entity, documentIdColumn, documentId: id, values: Object.fromEntries(values) };
};

const CONNECTION_GONE = 'The connection of the system of record is no longer there.';

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

const mustBeCurrent = (document: ShownDocument, isCurrent: IsCurrent | null) => {
  if (document.status === 'trashed') throw notFound('document');
  if (isCurrent === null) {
    throw new DomainError(
      'precondition_required',
      'The request does not say which revision of the document it is about: send If-Match.',
    );
  }
  if (isCurrent(document)) return;
  const detail = 'The document is not as it was when it was read: read it again.';
  throw new DomainError('precondition_failed', detail, { extra: { revision: document.revision } });
};

export const documentService = (dependencies: Dependencies) => {
  const {
    documents,
    agents,
    runs,
    versions,
    users,
    findings,
    approvals,
    postingRules,
    connections,
    connectors,
    changes,
    log,
  } = dependencies;
  const exported = documentExport({ documents, agents, runs });

  const visible = async (caller: Caller, id: string) => mustExist(await documents.findVisible(caller, id), 'document');

  /** The document once no person may take its approval back any more; the clock of the database says when. */
  const unheld = async (caller: Caller, id: string): Promise<ShownDocument> => {
    const document = await get(caller, id);
    if (document.decidedVia !== 'console') return document;
    const milliseconds = heldFor(document, await documents.now());
    if (milliseconds === 0) return document;
    await pause(milliseconds);
    return unheld(caller, id);
  };

  const update = async (...change: Parameters<DocumentRepository['update']>) =>
    mustExist(await documents.update(...change), 'document');

  const get = async (caller: Caller, id: string) => {
    const document = await visible(caller, id);
    if (document.status === 'trashed') throw notFound('document');
    return document;
  };

  /** The live version of the document's agent, and where that posts to. */
  const liveOf = async ({
    agentId,
  }: ShownDocument): Promise<{ readonly agent: Agent; readonly system: SystemOfRecord }> => {
    const agent = await agents.find(agentId);
    if (agent?.systemOfRecord) return { agent, system: agent.systemOfRecord };
    throw new DomainError('conflict', 'The agent of this document has no system of record.', {
      code: 'no_system_of_record',
    });
  };

  /** That of the version of its agent that made the document: its data is valid against that one. */
  const definitionOf = async (caller: Caller, { agentId, agentVersion }: ShownDocument) => {
    const [definition] = (await versions.listVisible(caller, agentId, agentVersion + 1, 1)) ?? [];
    return mustExist(definition, 'document');
  };

  /** Who may approve the document, by the stricter rule of its version and the live one. */
  const approverOf = async (caller: Caller, document: ShownDocument) => {
    const [{ review }, live] = await Promise.all([definitionOf(caller, document), agents.find(document.agentId)]);
    return stricterPolicy(review, live?.review ?? review).by;
  };

  /** Lets the document wait for a decision if the rules that are live now ask for one. */
  const heldByRules = async (caller: Caller, document: ShownDocument, live: Agent) =>
    postingRules(
      caller,
      document,
      document.agentVersion === live.version ? live : await definitionOf(caller, document),
      live,
    );

  const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_SECONDS * 1000);

  const renew = async ({ id, fence }: Document) => {
    const current = await documents.update(id, (found, now) => renewDelivery(found, fence, leaseEnd(now)));
    return current && holdsDelivery(current, fence) ? [id] : [];
  };

  const leases = leasesOf<Document>({
    subject: 'document',
    idOf: ({ id }) => id,
    renewal: {
      leaseSeconds: LEASE_SECONDS,
      renew: async (held) => new Set((await Promise.all(held.map(renew))).flat()),
      endsUnrenewed: true,
    },
    log,
  });

  const deliver = async (
    caller: Caller,
    document: Document,
    system: SystemOfRecord,
    lost: AbortSignal,
  ): Promise<DeliveryOutcome> => {
    const connection = await connections.find(system.connectionId);
    if (!connection) return { event: 'reject', reason: CONNECTION_GONE };
    const trashed = new AbortController();
    const unsubscribe = changes.subscribe(
      document.id,
      (status) => status === 'trashed' && trashed.abort(notFound('document')),
    );
    const row = rowOf(document.id, document.documentData ?? {}, system);
    try {
      const result = await connectors.open(connection, caller).deliver(row, AbortSignal.any([trashed.signal, lost]));
      if (result.outcome === 'rejected') return { event: 'reject', reason: result.reason };
      return { event: 'accept', reference: result.reference };
    } finally {
      unsubscribe();
    }
  };

  const filterOf = ({ where, ...query }: DocumentQuery): DocumentFilter => ({
    ...query,
    where: where === null ? null : parseFilter(where, 'where', ofDocuments),
  });

  /** Refuses an order that the agent's documents do not have, and a cursor of another one. */
  const mustBeOrdered = async (
    caller: Caller,
    { agentId }: DocumentQuery,
    { order = newestFirst, after }: DocumentWindow,
  ) => {
    if (after !== null && !isSameOrder(after.order, order))
      throw invalid({ path: 'after', message: 'is a cursor of another order: begin again without it' });
    if (order.by === CREATED_AT) return;
    if (agentId === null)
      throw invalid({ path: 'order_by', message: 'needs agent_id: the columns are those of an agent' });
    const columns = (await agents.findVisible(caller, agentId))?.listColumns ?? [];
    if (columns.includes(order.by)) return;
    throw invalid({ path: 'order_by', message: `must be created_at or a pointer of the agent's list_columns` });
  };

  return {
    get,

    /** `rows`: a pointer to a list, for a line for each row of it. */
    export: async (caller: Caller, query: DocumentQuery, rows: string | null, signal: AbortSignal) =>
      exported(caller, filterOf(query), rows, signal),

    /** Without those in the trash; a page may have fewer than `limit` and still a `next`. */
    async list(caller: Caller, query: DocumentQuery, page: DocumentWindow, signal: AbortSignal) {
      await mustBeOrdered(caller, query, page);
      return documents.listVisible(caller, filterOf(query), page, signal);
    },

    /** The same page, each document as the JSON text by which the API lists it. */
    async print(caller: Caller, query: DocumentQuery, page: DocumentWindow, signal: AbortSignal) {
      await mustBeOrdered(caller, query, page);
      return documents.printVisible(caller, filterOf(query), page, signal);
    },

    /** Writes the document's data to its system of record, once, and not while an approval may be taken back. A rejection is a document in `error`; unreachable is thrown. */
    async process(caller: Caller, id: string) {
      mustWrite(caller);
      const document = await unheld(caller, id);
      const { agent, system } = await liveOf(document);
      const looked = await heldByRules(caller, document, agent);
      const since = performance.now();
      let mayBeThere = false;
      const taken = await update(id, (current, now) => {
        mayBeThere = current.attemptedRevision !== null;
        mustBeAsFound(current, looked);
        return beginDelivery(current, now, leaseEnd(now));
      });
      const end = (outcome: DeliveryOutcome) =>
        documents.update(id, (current, now) => endDelivery(current, taken.fence, outcome, now));
      let outcome: DeliveryOutcome;
      try {
        outcome = await leases.during(taken, (lost) => deliver(caller, taken, system, lost), since);
      } catch (error) {
        const isUncertain = mayBeThere || !(error instanceof DomainError) || error.kind === 'outcome_unknown';
        await end({ event: 'postpone', isUncertain });
        if (mayBeThere && error instanceof DomainError && error.kind === 'unavailable') throw stillUnknown(error);
        throw error instanceof LeaseLost ? takenOver() : error;
      }
      const ended = mustExist(await end(outcome), 'document');
      if (ended.status === 'trashed') throw notFound('document');
      return ended;
    },

    /** What processing would come to: its statements, in a transaction that is rolled back. The document stays as it is. */
    async rehearse(caller: Caller, id: string, signal: AbortSignal) {
      mustWrite(caller);
      const document = await get(caller, id);
      const { documentData } = document;
      if (documentData === null) throw documentWithoutData();
      const { system } = await liveOf(document);
      const row = rowOf(id, documentData, system);
      const connection = await connections.find(system.connectionId);
      const rehearsed: RehearsedDelivery = connection
        ? await connectors.open(connection, caller).rehearse(row, signal)
        : { would: 'reject', reason: CONNECTION_GONE };
      return { ...rehearsed, row: { [row.documentIdColumn]: id, ...row.values } };
    },

    /**
     * Makes the next revision of the data by a JSON Patch; a patch that changes nothing makes none. Like `decide` it is refused unless the
     * document is still as the client read it; null: the client does not say how that was.
     */
    async correct(caller: Caller, id: string, request: CorrectionRequest, isCurrent: IsCurrent | null) {
      mustWrite(caller);
      const before = await get(caller, id);
      mustBeCurrent(before, isCurrent);
      mustRest(before);
      const definition = await definitionOf(caller, before);
      const patched = await patchedData(before, request.patch, definition.documentSchema ?? {}, caller, dependencies);
      const {
        data,
        conclude,
        changes: revised,
      } = await inSlices(prepareCorrection(before, patched, request.evidence, definition));
      if (revised.length === 0) return before;
      const correction = conclude(await findings.ofChanged(definition, { documentId: id, sharer: caller }, data));
      const revise = (current: ShownDocument, now: Date) => {
        mustBeCurrent(current, isCurrent);
        return correct(current, correction, now);
      };
      return update(id, revise, { userId: caller.userId, via: caller.door, changes: revised });
    },

    /** Approves or rejects the revision that the document has. */
    async decide(
      caller: Caller,
      id: string,
      { event, note }: Pick<Decision, 'event' | 'note'>,
      isCurrent: IsCurrent | null,
    ) {
      mustWrite(caller);
      const document = await get(caller, id);
      mustBeCurrent(document, isCurrent);
      const approvedAs = event === 'approve' ? await approvals(caller, id, await approverOf(caller, document)) : null;
      const { id: userId, name, email } = mustExist(await users.find(caller.userId), 'user');
      const decision: Decision = { event, approvedAs, reviewer: { id: userId, name, email }, note, via: caller.door };
      return update(id, (current, now) => {
        mustBeCurrent(current, isCurrent);
        return decide(current, decision, now);
      });
    },

    /** Opens a review again that was decided. Every user who may reject may do this, because the document is not posted until the next approval. */
    async reopen(caller: Caller, id: string, isCurrent: IsCurrent | null) {
      mustWrite(caller);
      mustBeCurrent(await get(caller, id), isCurrent);
      return update(id, (current, now) => {
        mustBeCurrent(current, isCurrent);
        return reopen(current, now);
      });
    },

    /** Newest first, those before `after`; `next` is the `after` of the next page. */
    async revisions(caller: Caller, id: string, { limit, after }: CursorPage<number>) {
      await get(caller, id);
      const found = await documents.revisions(id, after, limit + 1);
      const revisions = found.slice(0, limit);
      return { revisions, next: found.length > limit ? (revisions.at(-1)?.revision ?? null) : null };
    },

    /** Stops what is under way and moves the document to trash; twice is once. */
    async remove(caller: Caller, id: string) {
      mustWrite(caller);
      await visible(caller, id);
      return update(id, trash);
    },

    /** Brings a trashed document back. */
    async restore(caller: Caller, id: string) {
      mustWrite(caller);
      await visible(caller, id);
      return update(id, restore);
    },

    /** The same for the operator, who sees every document. */
    restoreAny: (id: string) => update(id, restore),
  };
};

export type DocumentService = ReturnType<typeof documentService>;
