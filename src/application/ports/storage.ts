import type { ApiKey, Workspace } from '../../domain/access.ts';
import type { Agent, AgentDefinition, AgentVersion } from '../../domain/agent.ts';
import type { Act, Doer, OwnDeed } from '../../domain/audit.ts';
import type { Budget, SpentBudget } from '../../domain/budget.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Author, Conversation, Message } from '../../domain/conversation.ts';
import type { Database } from '../../domain/database.ts';
import type { Document, DocumentState, DocumentStatus } from '../../domain/document.ts';
import type { DocumentOrder, DocumentPosition } from '../../domain/document-order.ts';
import type { Filter } from '../../domain/filter.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { Duplicate, ReviewStatus } from '../../domain/review.ts';
import type { Run, RunRequest, RunStatus, RunUnit } from '../../domain/run.ts';
import type { RunSource, Source } from '../../domain/source.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { FileUser } from './people.ts';
import type { Revising, RevisionPage } from './revisions.ts';
import type { DividedFile, PartsOfRuns, RunPart } from './run-parts.ts';

/** For whom rows are read: what this user does not see does not exist. */
export type Viewer = Pick<Caller, 'userId' | 'workspaceId'>;

export interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** A place in a list that is newest first: what is older follows it. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

interface Page<T> {
  readonly items: readonly T[];
  /** All that match, not only this page. */
  readonly total: number;
  /** The position of the last item; null if nothing follows it. */
  readonly next: Position | null;
}

/** Which page of a list: what follows `after`, null for the first. */
export interface CursorPage<A> {
  readonly limit: number;
  readonly after: A | null;
}

/** `posts`: whether it has a system of record now. */
export type AgentSummary = Pick<Agent, 'id' | 'name' | 'description' | 'workflowType'> & { readonly posts: boolean };

export interface AgentRepository {
  /** Ordered by name (code points), then id. */
  listVisible(viewer: Viewer): Promise<readonly AgentSummary[]>;
  findVisible(viewer: Viewer, id: string): Promise<Agent | null>;
  find(id: string): Promise<Agent | null>;
  /** Whether or not anybody sees it. */
  findNamed(workspaceId: string, name: string): Promise<Agent | null>;
}

/** A version as it is stored, with what else is shown of it. */
export interface StoredVersion extends Omit<AgentVersion, 'agentId' | 'createdBy'> {
  readonly live: boolean;
  readonly createdBy: Author | null;
  /** Of the system of record; null if it has none. */
  readonly connectionName: string | null;
}

/** What there is in a workspace for a definition to name. */
export interface Nameable {
  readonly connections: ReadonlySet<string>;
  readonly connectionIds: ReadonlySet<string>;
  /** By their ids, as workspace files name them. */
  readonly databases: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
}

export interface AgentVersionRepository {
  /** What there is in the workspace; what of it the user sees, if one is given. */
  nameable(workspaceId: string, userId?: string): Promise<Nameable>;
  /** Newest first: at most `limit` whose numbers are less than `below` (null: of all); null if the agent is not visible. */
  listVisible(
    viewer: Viewer,
    agentId: string,
    below: number | null,
    limit: number,
  ): Promise<readonly StoredVersion[] | null>;
  /** Without a viewer, for work that no caller asks for; null if there is no such version. */
  find(agentId: string, version: number): Promise<AgentDefinition | null>;
  /** Gives the agent the definition of a version that it has; the number of the version that is live then. */
  publish(agentId: string, version: number, by: Doer): Promise<number>;
}

/** What a list shows: without the message and the files, which may be long. */
export interface RunSummary extends Omit<Run, 'userMessage' | 'files'> {
  readonly agentName: string;
  /** That of its version of the agent. */
  readonly model: string;
}

export interface DocumentSummary
  extends Pick<Document, 'id' | 'name' | 'status' | 'conversationId' | 'error' | 'createdAt' | 'updatedAt'> {
  /** Of a document of a part of a file, which has those of the agent that read it; null for those of the run. */
  readonly agentVersion: number | null;
  readonly model: string | null;
}

export interface RunDetail extends RunSummary, Pick<Run, 'userMessage' | 'files'> {
  readonly units: readonly RunUnit[];
  /** In the order of their units. `fileIndexes` are positions in the run's `files`. */
  readonly conversations: readonly (Pick<Conversation, 'id' | 'status' | 'createdAt'> & {
    readonly fileIndexes: readonly number[];
  })[];
  /** In the order of their units, trashed ones left out. */
  readonly documents: readonly DocumentSummary[];
  /** Of a run that divides files: what it has divided, in the order of the files, and the parts. */
  readonly sheets: readonly DividedFile[];
  readonly parts: readonly RunPart[];
  /** Changes whenever a person changes the parts. */
  readonly partsRevision: number;
}

/** The run of a user, to whom the agent has to be visible. */
export interface NewRun
  extends RunRequest,
    Pick<Run, 'id' | 'agentId' | 'workspaceId' | 'userId' | 'origin' | 'traceId'> {
  /** null: the live one. */
  readonly agentVersion: number | null;
  readonly units: readonly (readonly number[])[];
  readonly deadlineSeconds: number;
  /** The document whose place the new one takes; one that fails goes to the trash itself. */
  readonly rereadOf?: string | undefined;
  /** Where it came from by itself. */
  readonly source?: RunSource | null | undefined;
  /** Whether its documents are only looked at: the workers post none, and `trashTried` takes them away. */
  readonly trial?: boolean | undefined;
}

/** A request that must start at most one run, however often it comes (kept 24 hours, per credential). */
export interface IdempotencyKey {
  readonly credentialId: string;
  readonly key: string;
  /** Distinguishes another body under the same key. */
  readonly requestHash: string;
}

export type Created =
  | { readonly outcome: 'created' | 'replayed'; readonly run: RunSummary }
  /** The key was used with another request. */
  | { readonly outcome: 'mismatch' }
  /** There is no such agent, or it is not visible to the user. */
  | { readonly outcome: 'no agent' }
  /** The agent has the versions from 1 to `newest`, and the asked one is not among them. */
  | { readonly outcome: 'no version'; readonly newest: number }
  /** Nothing is left of this budget. */
  | { readonly outcome: 'spent'; readonly budget: SpentBudget }
  /** These files were removed, because no run took them in time. */
  | { readonly outcome: 'expired files'; readonly fileKeys: readonly string[] };

export interface RunRepository extends PartsOfRuns {
  /** Stores the run and its units, queued, and wakes a worker, in one transaction. A replay answers the run as it was first answered. */
  create(run: NewRun, idempotency: IdempotencyKey | null): Promise<Created>;
  findVisible(viewer: Viewer, id: string): Promise<RunDetail | null>;
  /** API-originated runs of visible agents, newest first, ties by id. `after` costs the same however deep it lies; `offset` counts what it skips. */
  listVisible(
    viewer: Viewer,
    filter: { agentId?: string | undefined; status?: RunStatus | undefined },
    window: Window & { readonly after?: Position | null },
    signal?: AbortSignal,
  ): Promise<Page<RunSummary>>;
  /** Atomic read-change-write; null when there is no such run. `change` is pure and may run more than once.
   *  A run gets no other status than a terminal one, and ends its queued and running units, and its documents under extraction, the same way. */
  update(id: string, change: (run: Run, now: Date) => Run): Promise<RunSummary | null>;
}

/** A duplicate as it is at present. */
export interface FoundDuplicate extends Duplicate {
  /** Whether it waits for a decision, or was rejected: then it is not processed. */
  readonly isHeld: boolean;
}

/** A document with the version of the agent that its run has. */
export interface ShownDocument extends Document, Pick<RunSummary, 'agentVersion' | 'model'> {
  readonly duplicates: readonly FoundDuplicate[];
}

/** The same without its data and the evidence for it, which may be long. */
export type DocumentHead = Omit<ShownDocument, 'documentData' | 'evidence'>;

/** Data and evidence as the JSON text by which the API answers them. */
export interface PrintedContents {
  readonly documentData: string;
  readonly evidence: string;
}

/** null: whatever it is. */
export interface DocumentFilter {
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly status: DocumentStatus | null;
  readonly review: ReviewStatus | null;
  readonly readyToPost?: boolean;
  /** Words: a document has each of them in its name or its values, or one that begins with it. */
  readonly q: string | null;
  /** Over the data; columns are JSON Pointers. */
  readonly where: Filter | null;
}

/** What a list shows of a document; `values` by JSON Pointer, those of the columns of its agent. */
export interface ListedDocument extends DocumentHead {
  readonly values: Readonly<Record<string, JsonValue>>;
}

/** What an export has of a document. */
export type FoundDocument = Omit<ShownDocument, 'evidence'>;

export interface DocumentPage<D = ListedDocument> {
  readonly documents: readonly D[];
  /** Where to go on; null if nothing follows. */
  readonly next: DocumentPosition | null;
}

/** Which page of documents; absent, the order is newest first. */
export interface DocumentWindow extends CursorPage<DocumentPosition> {
  readonly order?: DocumentOrder;
}

export interface DocumentRepository {
  /**
   * Without those in the trash. Newest first: of a condition that no index answers, a page looks at a bounded number of documents: it
   * may have fewer than `limit`, or none, and go on. In another order a page reads every document of the agent that it asks for. What takes too long is looked for in smaller parts, or is invalid (`query_timeout`);
   * an abort ends it in the database.
   */
  listVisible(
    viewer: Viewer,
    filter: DocumentFilter,
    page: DocumentWindow,
    signal?: AbortSignal,
  ): Promise<DocumentPage>;
  /** The same page, each document as the JSON text by which the API lists it. */
  printVisible(
    viewer: Viewer,
    filter: DocumentFilter,
    page: DocumentWindow,
    signal?: AbortSignal,
  ): Promise<DocumentPage<string>>;
  /** All that a list has, with their data, some at a time. Nothing in the database waits for who reads them slowly. */
  readAll(viewer: Viewer, filter: DocumentFilter, signal?: AbortSignal): AsyncIterable<readonly FoundDocument[]>;
  /** In any status, trashed ones too. */
  findVisible(viewer: Viewer, id: string): Promise<ShownDocument | null>;
  /** The same without what may be long. */
  findVisibleHead(viewer: Viewer, id: string): Promise<DocumentHead | null>;
  /** What the document has in this revision; null if it has another one by now. */
  printContents(document: Pick<DocumentHead, 'id' | 'workspaceId' | 'revision'>): Promise<PrintedContents | null>;
  /** By their ids, what those are called that the viewer sees, in any status. */
  names(viewer: Viewer, ids: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** For the operator. */
  find(id: string): Promise<ShownDocument | null>;
  /**
   * Atomic read-change-write; null when there is no such document. `change` is pure, is given the database's clock, and may run more than
   * once. Data and evidence are neither read for it nor written where it leaves them as they are. A change of the data is recorded as the revision that it makes, and the deed if an event came of it.
   */
  update(
    id: string,
    change: (document: DocumentHead, now: Date) => DocumentState & Partial<Document>,
    revision?: Revising,
    deed?: OwnDeed,
  ): Promise<DocumentHead | null>;
  /** Newest first; a page ends earlier than at its limit where its changes are large. */
  revisions(id: string, page: CursorPage<number>): Promise<RevisionPage>;
  /** Whether the user started its run, or made a revision since the one that was approved last. */
  isWorkOf(id: string, userId: string): Promise<boolean>;
  /** Stores by what a document will be found that is about to become ready; others that are about to find it from then on. */
  claimKeys(id: string, duplicateKey: string | null, fileHashes: readonly string[]): Promise<void>;
  /** The duplicates of a document if it had this key, those that are not held first, and the newest of each reason: those that are not in the trash. */
  duplicatesOf(id: string, duplicateKey: string | null): Promise<readonly FoundDuplicate[]>;
  /** Whether it was read from files. */
  hasFiles(id: string): Promise<boolean>;
  /** The database's clock, which dates each decision. */
  now(): Promise<Date>;
  /** Brings documents whose delivery was lost (lease over) back to `ready`; how many. */
  recoverDeliveries(): Promise<number>;
  /** Moves what runs that were only a trial have left for a while to the trash; how many documents. */
  trashTried(): Promise<number>;
}

/** A message with the name of its author. */
export interface ShownMessage extends Message {
  readonly author: Author | null;
}

export interface ConversationRepository {
  /** `idle` once the lease of the process that responded has ended. */
  findVisible(viewer: Viewer, id: string): Promise<Conversation | null>;
  /** In stored order, some at a time: those that are there when the first are read. */
  messages(id: string): AsyncIterable<readonly ShownMessage[]>;
  /** Calls with side effects that were begun in it; those that have a result may be among them. */
  begunCalls(id: string): Promise<ReadonlySet<string>>;
}

export interface ConnectionRepository {
  /** For the operator: of every workspace, by workspace and name. */
  all(): Promise<readonly ConnectionOf[]>;
  /** By name (code points), then id. */
  listVisible(viewer: Viewer, window: Window): Promise<readonly Connection[]>;
  findVisible(viewer: Viewer, id: string): Promise<Connection | null>;
  /** For work whose caller was checked before: a user who may process a document need not see its connection. */
  find(id: string): Promise<Connection | null>;
}

export interface ConnectionOf extends Connection {
  readonly workspace: string;
  /** A user who sees it; null if no user does. */
  readonly viewerEmail: string | null;
  /** Whether an agent's system of record or tool writes through it. */
  readonly isWritten: boolean;
}

export interface DatabaseRepository {
  /** By name (code points), then id; each with its connection. */
  listVisible(viewer: Viewer): Promise<readonly ConnectedDatabase[]>;
  findVisible(viewer: Viewer, id: string): Promise<ConnectedDatabase | null>;
}

export interface ConnectedDatabase extends Database {
  readonly connection: Connection;
}

/** A key as it was stored, or why it was not: the key that it is made with has ended, or its user has too many that work. */
export type StoredKey =
  | { readonly outcome: 'stored'; readonly key: ApiKey }
  | { readonly outcome: 'maker ended' | 'too many' };

export interface KeyRepository {
  /** A key that is made with another one ends with that one, if not before. `most`: how many of the user's keys may work; null: any number. */
  insert(key: ApiKey, most: number | null, by: Doer): Promise<StoredKey>;
  /** The caller behind a stored key hash, unless revoked or expired. May be remembered, but never past a revocation. */
  findCaller(hash: string): Promise<Caller | null>;
  /** Newest first; of one user or of all. */
  list(userId: string | null): Promise<readonly (ApiKey & { readonly email: string })[]>;
  /** A user's keys that were not revoked, newest first. */
  listOwn(userId: string, page: CursorPage<Position>): Promise<readonly ApiKey[]>;
  /** A key of the user that was not revoked. */
  findOwn(userId: string, id: string): Promise<ApiKey | null>;
  /**
   * Stores a key in place of another one of its user, which ends then if not before, with all that was made with it. A key that is made with
   * the one that it replaces is made with what that one was made with, and ends with it while both work, unless one of these keys asks.
   * 'made with it': the new one would end as well, because the key that it is made with comes from the one that it replaces.
   */
  replace(
    id: string,
    endsAt: Date,
    key: ApiKey,
    most: number | null,
    by: Doer,
  ): Promise<StoredKey | { readonly outcome: 'no key' | 'made with it' }>;
  /** Ends a key, and all that was made with it, of this user or this workspace if one is given; false when there is no such key. */
  revoke(id: string, by: Doer, of?: { readonly userId: string } | { readonly workspaceId: string }): Promise<boolean>;
}

/** Everything a workspace file describes, as it is stored. */
export interface WorkspaceState {
  readonly workspace: Workspace;
  readonly users: readonly (FileUser & { readonly disabledAt: Date | null })[];
  readonly connections: readonly Connection[];
  readonly databases: readonly Database[];
  readonly agents: readonly Agent[];
  readonly webhooks: readonly Webhook[];
  readonly budgets: readonly Budget[];
  readonly sources: readonly Source[];
}

export interface WorkspaceChanges {
  /** Whether a user is disabled is not among it. */
  readonly save: Partial<Omit<WorkspaceState, 'workspace' | 'users'>> & { readonly users?: readonly FileUser[] };
  readonly remove: { readonly [K in keyof Omit<WorkspaceState, 'workspace'>]?: readonly string[] };
}

export interface WorkspaceRepository {
  findByName(name: string): Promise<WorkspaceState | null>;
  /** Those of the agents that a workspace had and can have again. */
  removedAgents(workspaceId: string, ids: readonly string[]): Promise<readonly Agent[]>;
  /** Emails that belong to users of another workspace, and ids that belong to its agents and connections. */
  taken(emails: readonly string[], ids: readonly string[], except: string | null): Promise<readonly string[]>;
  /**
   * All or nothing; the workspace itself is created if it is not there, else it gets these prices. Leaves it an administrator who is
   * enabled, if it has one.
   */
  apply(workspace: Workspace, changes: WorkspaceChanges, acts?: readonly Act[]): Promise<void>;
  /** Whether any workspace is there: false on a server's first start. */
  any(): Promise<boolean>;
}

/** Files that no run took yet. A run takes its files when it is stored. */
export interface UploadRepository {
  /** Expires some that were issued so many seconds ago: no run can take them any more. Their keys. */
  expire(seconds: number, most: number): Promise<readonly string[]>;
  /** Some that expired so many seconds ago. */
  expired(seconds: number, most: number): Promise<readonly string[]>;
}
