import type { SystemOfRecord } from '../../domain/agent.ts';
import {
  beginDelivery,
  correct,
  type Decision,
  type DeliveryOutcome,
  type Document,
  decide,
  documentWithoutData,
  endDelivery,
  holdsDelivery,
  mustRest,
  renewDelivery,
  requireReview,
  restore,
  trash,
} from '../../domain/document.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { parseFilter, pointersOnly } from '../../domain/filter.ts';
import { type JsonObject, type JsonValue, resolvePointer } from '../../domain/json.ts';
import { duplicateReasons } from '../../domain/review.ts';
import { type Caller, mustWrite, shareOf } from '../access/caller.ts';
import { inSlices } from '../async.ts';
import { leasesOf } from '../leases.ts';
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
  DocumentPage,
  DocumentRepository,
  Position,
  ShownDocument,
  StoredRevision,
  UserRepository,
} from '../ports/storage.ts';
import { type CorrectionRequest, prepareCorrection } from './correction.ts';
import { type DocumentExport, documentExport } from './export.ts';
import type { DocumentFindings } from './findings.ts';

/** If the server that delivers a document does not renew its lease for so long, the document may be processed again: the system of record keeps two deliveries apart. */
const LEASE_SECONDS = 15;

export interface DocumentQuery extends Omit<DocumentFilter, 'where'> {
  /** JSON text. */
  readonly where: string | null;
}

/** Whether the document is as the client read it. */
export type IsCurrent = (document: ShownDocument) => boolean;

export interface DocumentService {
  /** `rows`: a pointer to a list, for a line for each row of it. */
  export(caller: Caller, query: DocumentQuery, rows: string | null): Promise<DocumentExport>;
  /** Newest first, without those in the trash; a page may have fewer than `limit` and still a `next`. */
  list(caller: Caller, query: DocumentQuery, page: CursorPage<Position>): Promise<DocumentPage>;
  /** The same page, each document as the JSON text by which the API lists it. */
  print(caller: Caller, query: DocumentQuery, page: CursorPage<Position>): Promise<DocumentPage<string>>;
  get(caller: Caller, id: string): Promise<ShownDocument>;
  /** Writes the document's data to its system of record, once. A rejection is a document in `error`; unreachable is thrown. */
  process(caller: Caller, id: string): Promise<ShownDocument>;
  /** What processing would come to: its statements, in a transaction that is rolled back. The document stays as it is. */
  rehearse(caller: Caller, id: string, signal: AbortSignal): Promise<RehearsedDocument>;
  /**
   * Makes the next revision of the data by a JSON Patch; a patch that changes nothing makes none. Like `decide` it is refused unless the
   * document is still as the client read it; null: the client does not say how that was.
   */
  correct(caller: Caller, id: string, request: CorrectionRequest, isCurrent: IsCurrent | null): Promise<ShownDocument>;
  /** Approves or rejects the revision that the document has. */
  decide(caller: Caller, id: string, decision: Pick<Decision, 'event' | 'note'>, isCurrent: IsCurrent | null): Promise<ShownDocument>;
  /** Newest first, those before `after`; `next` is the `after` of the next page. */
  revisions(
    caller: Caller,
    id: string,
    page: CursorPage<number>,
  ): Promise<{ readonly revisions: readonly StoredRevision[]; readonly next: number | null }>;
  /** Stops what is under way and moves the document to trash; twice is once. */
  remove(caller: Caller, id: string): Promise<ShownDocument>;
  /** For the operator: brings a trashed document back. */
  restore(id: string): Promise<ShownDocument>;
}

export type RehearsedDocument = RehearsedDelivery & {
  /** Column → value. */
  readonly row: Readonly<Record<string, JsonValue>>;
};

interface Dependencies {
  readonly documents: DocumentRepository;
  readonly agents: AgentRepository;
  readonly versions: Pick<AgentVersionRepository, 'listVisible'>;
  readonly users: Pick<UserRepository, 'find'>;
  readonly findings: Pick<DocumentFindings, 'ofChanged'>;
  readonly connections: ConnectionRepository;
  readonly connectors: Pick<Connectors, 'open'>;
  readonly changes: DocumentChanges;
  readonly patches: JsonPatches;
  readonly schemas: SchemaValidator;
  readonly log: Log;
}

/** The row that a document becomes: absent values are null. */
const rowOf = (id: string, data: JsonObject, { entity, columns, documentIdColumn }: SystemOfRecord): RowDelivery => {
  const values = Object.entries(columns).map(([column, pointer]) => [column, resolvePointer(data, pointer) ?? null] as const);
  return { entity, documentIdColumn, documentId: id, values: Object.fromEntries(values) };
};

const CONNECTION_GONE = 'The connection of the system of record is no longer there.';

const takenOver = () =>
  new DomainError('unavailable', 'The lease of this delivery ran out, and another one has taken the document over. Try again.');

const mustBeCurrent = (document: ShownDocument, isCurrent: IsCurrent | null) => {
  if (document.status === 'trashed') throw notFound('document');
  if (isCurrent === null) {
    throw new DomainError('precondition_required', 'The request does not say which revision of the document it is about: send If-Match.');
  }
  if (isCurrent(document)) return;
  const detail = 'The document is not as it was when it was read: read it again.';
  throw new DomainError('precondition_failed', detail, { extra: { revision: document.revision } });
};

export const documentService = (dependencies: Dependencies): DocumentService => {
  const { documents, agents, versions, users, findings, connections, connectors, changes, log } = dependencies;
  const exported = documentExport({ documents, agents });

  const visible = async (caller: Caller, id: string) => {
    const document = await documents.findVisible(caller, id);
    if (!document) throw notFound('document');
    return document;
  };

  const get = async (caller: Caller, id: string) => {
    const document = await visible(caller, id);
    if (document.status === 'trashed') throw notFound('document');
    return document;
  };

  const mustExist = (document: ShownDocument | null) => {
    if (!document) throw notFound('document');
    return document;
  };

  const systemOf = async (agentId: string): Promise<SystemOfRecord> => {
    const system = (await agents.find(agentId))?.systemOfRecord;
    if (system) return system;
    throw new DomainError('conflict', 'The agent of this document has no system of record.', { code: 'no_system_of_record' });
  };

  /** That of the version of its agent that made the document: its data is valid against that one. */
  const definitionOf = async (caller: Caller, { agentId, agentVersion }: ShownDocument) => {
    const [definition] = (await versions.listVisible(caller, agentId, agentVersion + 1, 1)) ?? [];
    if (definition === undefined) throw notFound('document');
    return definition;
  };

  /** A copy may have come since the document became ready, or at the same moment: one of the two waits for a decision. */
  const holdCopy = async (caller: Caller, document: ShownDocument) => {
    const copies = document.duplicates.filter(({ isHeld }) => !isHeld);
    if (document.reviewStatus !== 'not_required' || copies.length === 0) return;
    if ((await definitionOf(caller, document)).review === 'never') return;
    await documents.update(document.id, (current, now) => requireReview(current, duplicateReasons(copies), now));
  };

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

  const deliver = async (caller: Caller, document: Document, system: SystemOfRecord, lost: AbortSignal): Promise<DeliveryOutcome> => {
    const connection = await connections.find(system.connectionId);
    if (!connection) return { event: 'reject', reason: CONNECTION_GONE };
    const trashed = new AbortController();
    const unsubscribe = changes.subscribe(document.id, (status) => status === 'trashed' && trashed.abort(notFound('document')));
    const row = rowOf(document.id, document.documentData ?? {}, system);
    try {
      const result = await connectors.open(connection, shareOf(caller)).deliver(row, AbortSignal.any([trashed.signal, lost]));
      if (result.outcome === 'rejected') return { event: 'reject', reason: result.reason };
      return { event: 'accept', reference: result.reference };
    } finally {
      unsubscribe();
    }
  };

  const filterOf = ({ where, ...query }: DocumentQuery): DocumentFilter => ({
    ...query,
    where: where === null ? null : parseFilter(where, 'where', pointersOnly),
  });

  return {
    get,

    export: async (caller, query, rows) => exported(caller, filterOf(query), rows),

    list: async (caller, query, page) => documents.listVisible(caller, filterOf(query), page),
    print: async (caller, query, page) => documents.printVisible(caller, filterOf(query), page),

    async process(caller, id) {
      mustWrite(caller);
      const document = await get(caller, id);
      const system = await systemOf(document.agentId);
      await holdCopy(caller, document);
      const since = performance.now();
      const taken = mustExist(await documents.update(id, (current, now) => beginDelivery(current, now, leaseEnd(now))));
      const end = (outcome: DeliveryOutcome) => documents.update(id, (current, now) => endDelivery(current, taken.fence, outcome, now));
      let outcome: DeliveryOutcome;
      try {
        outcome = await leases.during(taken, (lost) => deliver(caller, taken, system, lost), since);
      } catch (error) {
        await end({ event: 'postpone', isUncertain: !(error instanceof DomainError) || error.kind === 'outcome_unknown' });
        throw error instanceof LeaseLost ? takenOver() : error;
      }
      const ended = mustExist(await end(outcome));
      if (ended.status === 'trashed') throw notFound('document');
      return ended;
    },

    async rehearse(caller, id, signal) {
      mustWrite(caller);
      const { documentData, agentId } = await get(caller, id);
      if (documentData === null) throw documentWithoutData();
      const system = await systemOf(agentId);
      const row = rowOf(id, documentData, system);
      const connection = await connections.find(system.connectionId);
      const rehearsed = connection
        ? await connectors.open(connection, shareOf(caller)).rehearse(row, signal)
        : { would: 'reject' as const, reason: CONNECTION_GONE };
      return { ...rehearsed, row: { [row.documentIdColumn]: id, ...row.values } };
    },

    async correct(caller, id, request, isCurrent) {
      mustWrite(caller);
      const before = await get(caller, id);
      mustBeCurrent(before, isCurrent);
      mustRest(before);
      const definition = await definitionOf(caller, before);
      const { data, conclude, changes: revised } = await inSlices(prepareCorrection(before, request, definition, dependencies));
      if (revised.length === 0) return before;
      const correction = conclude(await findings.ofChanged(definition, id, data));
      const revise = (current: ShownDocument, now: Date) => {
        mustBeCurrent(current, isCurrent);
        return correct(current, correction, now);
      };
      return mustExist(await documents.update(id, revise, { userId: caller.userId, changes: revised }));
    },

    async decide(caller, id, { event, note }, isCurrent) {
      mustWrite(caller);
      mustBeCurrent(await get(caller, id), isCurrent);
      const user = await users.find(caller.userId);
      if (user === null) throw notFound('user');
      const reviewer = { id: user.id, name: user.name, email: user.email };
      const change = (current: ShownDocument, now: Date) => {
        mustBeCurrent(current, isCurrent);
        return decide(current, { event, reviewer, note }, now);
      };
      return mustExist(await documents.update(id, change));
    },

    async revisions(caller, id, { limit, after }) {
      await get(caller, id);
      const found = await documents.revisions(id, after, limit + 1);
      const revisions = found.slice(0, limit);
      return { revisions, next: found.length > limit ? (revisions.at(-1)?.revision ?? null) : null };
    },

    async remove(caller, id) {
      mustWrite(caller);
      await visible(caller, id);
      return mustExist(await documents.update(id, trash));
    },

    restore: async (id) => mustExist(await documents.update(id, restore)),
  };
};
