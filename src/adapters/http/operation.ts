import type { GrantService } from '../../application/access/grants.ts';
import type { OwnKeyService } from '../../application/access/keys.ts';
import type { PeopleService } from '../../application/access/people.ts';
import type { ProfileService } from '../../application/access/profiles.ts';
import type { AgentService } from '../../application/agents/agents.ts';
import type { AgentVersionService } from '../../application/agents/versions.ts';
import type { ApprovalService } from '../../application/approvals/approvals.ts';
import type { AuditService } from '../../application/audit/audit.ts';
import type { ConnectionService } from '../../application/connections/connections.ts';
import type { ConversationService } from '../../application/conversations/conversations.ts';
import type { DatabaseService } from '../../application/databases/databases.ts';
import type { DocumentBatches } from '../../application/documents/batch.ts';
import type { DocumentFiles } from '../../application/documents/document-files.ts';
import type { DocumentService } from '../../application/documents/documents.ts';
import type { EventService } from '../../application/events/events.ts';
import type { Rereads } from '../../application/runs/reread.ts';
import type { RunFiles } from '../../application/runs/run-files.ts';
import type { RunParts } from '../../application/runs/run-parts.ts';
import type { RunService } from '../../application/runs/runs.ts';
import type { UploadService } from '../../application/runs/uploads.ts';
import type { UsageService } from '../../application/runs/usage.ts';
import type { WorkList } from '../../application/runs/work-list.ts';
import type { WebSearchService } from '../../application/search/web-search.ts';
import type { SnapshotService } from '../../application/snapshots/snapshots.ts';
import type { SourceService } from '../../application/sources/sources.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { ErasureService } from '../../application/upkeep/erasures.ts';
import type { DeliveryService } from '../../application/webhooks/webhooks.ts';
import type { Scope } from '../../domain/access.ts';
import type { Caller } from '../../domain/caller.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ApiIndex } from '../../wire/api-index.ts';
import type { AnyCodec } from '../../wire/kit/codec.ts';
import type { ErrorCode } from './error-codes.ts';
import type { ExtraLimit, LimitSettings } from './limits.ts';

/** The use cases of the operations. */
export interface UseCases {
  readonly agents: AgentService;
  readonly agentVersions: AgentVersionService;
  readonly tools: Pick<ToolService, 'toolsOf'>;
  readonly uploads: Pick<UploadService, 'createUrls'>;
  readonly runs: RunService;
  readonly rereads: Rereads;
  readonly runFiles: RunFiles;
  readonly runParts: RunParts;
  readonly work: WorkList;
  readonly usage: UsageService;
  readonly documents: DocumentService;
  readonly documentBatches: DocumentBatches;
  readonly documentFiles: DocumentFiles;
  readonly approvals: ApprovalService;
  readonly erasures: Pick<ErasureService, 'erase' | 'list'>;
  readonly events: Pick<EventService, 'list' | 'listBack' | 'follow'>;
  readonly deliveries: DeliveryService;
  readonly sources: SourceService;
  readonly connections: ConnectionService;
  readonly databases: DatabaseService;
  readonly conversations: Pick<ConversationService, 'get' | 'send'>;
  readonly snapshots: SnapshotService;
  readonly webSearch: WebSearchService;
  readonly profiles: ProfileService;
  readonly ownKeys: OwnKeyService;
  readonly grants: GrantService;
  readonly people: PeopleService;
  readonly audit: Pick<AuditService, 'list' | 'export'>;
}

/** What operations use. */
export interface Services extends UseCases {
  readonly index: ApiIndex;
  readonly urls: Urls;
  readonly limits: LimitSettings;
}

/** Public addresses, without a slash at the end. */
export interface Urls {
  readonly base: string;
  readonly auth: string;
  readonly egress: string | null;
}

/**
 * Who may call the operation. `scope`: a credential with that scope. `or`: one with either scope, because the request decides which of the
 * two it needs; then the handler checks that. `api-key`: only a credential that is not limited to scopes. `credential`: any that does not
 * belong to one agent. `public`: everybody.
 */
export type Access = { readonly scope: Scope; readonly or?: Scope } | 'api-key' | 'credential' | 'public';

export interface Input<A extends Access, P, Q, H, B, R> {
  readonly caller: A extends 'public' ? null : Caller;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
  /** Whether the client asks for a stream of events, of an operation that has one. */
  readonly streams: boolean;
  /** Whether the client has this representation already (`If-None-Match`); null without that header. */
  readonly knows: ((data: R) => boolean) | null;
  /** The `Idempotency-Key` of the request; null for none. */
  readonly idempotencyKey: string | null;
}

/** A result with response headers of its own. */
export class WithHeaders<R> {
  readonly data: R;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether what was asked for is not done yet, and goes on: 202, of an operation that has such an answer. */
  readonly isAccepted: boolean;

  constructor(data: R, headers: Readonly<Record<string, string>>, isAccepted = false) {
    this.data = data;
    this.headers = headers;
    this.isAccepted = isAccepted;
  }
}

/** A payload without some of its fields, which are JSON text already: they are read for an answer that has a body alone, and sent as they come. */
export class WithTexts<R> {
  readonly data: Partial<R>;
  /** The same payload, as it is by then, with the texts of the other fields by their names on the wire. */
  readonly read: () => Promise<{ readonly data: Partial<R>; readonly texts: Readonly<Record<string, string>> }>;

  constructor(data: WithTexts<R>['data'], read: WithTexts<R>['read']) {
    this.data = data;
    this.read = read;
  }
}

/** The whole body as text, whole or in chunks: for results that are never objects in this process. */
export class BodyText {
  readonly chunks: string | AsyncIterable<string | Uint8Array>;
  readonly type: string;

  constructor(chunks: string | AsyncIterable<string | Uint8Array>, type = 'application/json') {
    this.chunks = chunks;
    this.type = type;
  }
}

export interface EventFrame {
  /** Where a stream goes on that breaks here; null if it cannot. */
  readonly id: string | null;
  readonly type: string;
  readonly data: unknown;
}

/** Events that are sent as they happen; null: there is nothing more to come, and the answer is 204, after which no client reconnects. */
export class EventStream {
  readonly frames: AsyncIterable<EventFrame> | null;
  /** What this request does, which the events are about: it goes on without its client. null if a client follows what others do. */
  readonly work: Promise<unknown> | null;

  constructor(frames: AsyncIterable<EventFrame> | null, work: Promise<unknown> | null = null) {
    this.frames = frames;
    this.work = work;
  }
}

interface SuccessText {
  readonly example: string;
  /** What a line is, where each is JSON. */
  readonly line?: AnyCodec;
}

/** How the `ETag` of an answer is made. */
interface Tag<R> {
  /** From what changes of the payload; absent: from the bytes of the answer. */
  of?(payload: R): string;
}

interface Success<R> {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  /** What 202 means, with the same payload; null: it is never answered. */
  readonly accepted: string | null;
  readonly data: AnyCodec<R>;
  /** Whether the payload is wrapped in `data`. */
  readonly envelope: boolean;
  /** The headers that a `WithHeaders` adds: name → description. */
  readonly headers: Readonly<Record<string, string>>;
  /** A payload as the program has it. */
  readonly example: R;
  /** Where the answer is text other than JSON: media type → what it is. */
  readonly texts: Readonly<Record<string, SuccessText>> | null;
  /** The media type of an answer that is no text: its payload is bytes. */
  readonly binary: string | null;
}

/** How an `Idempotency-Key` makes the operation safe to repeat. */
export interface Idempotency {
  /** Whether a request that was interrupted is done again, because that does no more than doing it once; else it is refused. */
  readonly again: boolean;
  /** The field of the payload that is shown once: it is null for a repetition. */
  readonly shownOnce?: string;
}

/** Doing it twice does no more than doing it once. */
export const REPEATABLE: Idempotency = { again: true };
/** Doing it twice would be two. */
export const ONCE: Idempotency = { again: false };

interface OtherBodies<B> {
  readonly field: string;
  readonly types: Readonly<Record<string, { readonly codec: AnyCodec<B>; readonly example: B }>>;
}

/** One operation: the router, the checks, the OpenAPI description, the documentation and the tests all read it. */
export interface Operation<A extends Access = Access, P = unknown, Q = unknown, H = unknown, B = unknown, R = unknown> {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, with `{parameters}`. */
  readonly path: `/${string}` | '';
  /** A second address of the operation, from the root. */
  readonly alsoAt: `/${string}` | null;
  readonly tag: string;
  /** The name of the address in the index. */
  readonly resource: string;
  readonly summary: string;
  readonly description: string;
  readonly access: A;
  /** Whether viewers are refused. */
  readonly writes: boolean;
  /** Whether all but administrators are refused. */
  readonly adminOnly: boolean;
  /**
   * Whether it only reads, and may wait for another system for long: it is given up once its credential has ended. Never for what writes,
   * which must not be stopped when it is half done.
   */
  readonly longRead: boolean;
  readonly params: AnyCodec<P> | null;
  readonly query: AnyCodec<Q> | null;
  readonly headers: AnyCodec<H> | null;
  readonly body: AnyCodec<B> | null;
  /** Bodies of other media types than JSON, each of which is one field of the body alone. */
  readonly otherBodies: OtherBodies<B> | null;
  /** `own`: its use case takes the key itself; null: the operation takes none. */
  readonly idempotent: Idempotency | 'own' | null;
  /** The media types in which the resource takes patches. */
  readonly acceptPatch: string | null;
  /** Whether version 1 of the specification lists it: a body of a media type that it does not take is 400 then, and else 415. */
  readonly specified: boolean;
  /** A request that succeeds, as the program has it. */
  readonly example: { readonly params?: P; readonly query?: Partial<Q>; readonly body?: B };
  readonly success: Success<R>;
  /** The events of a stream by their names, if the client may ask for one. */
  readonly stream: Readonly<Record<string, AnyCodec>> | null;
  /** The events by which the payload of an answer that is over is streamed again, if the operation has a stream and takes a key. */
  readonly streamedAgain: ((data: JsonObject) => readonly EventFrame[]) | null;
  readonly limits: readonly ExtraLimit[];
  /** The error codes that are not those of every operation of its kind. */
  readonly refuses: readonly ErrorCode[];
  /** Answers carry a strong `ETag`; a GET is answered 304 if its `If-None-Match` names it. */
  readonly etag: Tag<NoInfer<R>> | null;
  readonly deprecation: { readonly since: Date; readonly sunset: Date } | null;
  handle(
    services: Services,
    input: Input<A, P, Q, H, B, R>,
  ): Promise<R | WithHeaders<R> | WithTexts<R> | BodyText | EventStream>;
}

/** What an operation, and its answer, have unless it declares something else. */
const noInput = { params: null, query: null, headers: null, body: null, otherBodies: null, acceptPatch: null } as const;
const absent = {
  ...noInput,
  alsoAt: null,
  idempotent: null,
  stream: null,
  streamedAgain: null,
  deprecation: null,
} as const;
const defaults = {
  ...absent,
  adminOnly: false,
  longRead: false,
  etag: null,
  specified: false,
  example: {},
  limits: [],
  refuses: [],
} as const;
const usualSuccess = { status: 200, accepted: null, envelope: true, headers: {}, texts: null, binary: null } as const;

/** `T`, of which these fields may be left out. */
type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

type Declared<A extends Access, P, Q, H, B, R> = Omit<
  Optional<Operation<A, P, Q, H, B, R>, keyof typeof defaults | 'writes'>,
  'success' | 'handle'
> & {
  readonly success: Optional<Success<R>, keyof typeof usualSuccess>;
  readonly handle: Operation<A, P, Q, H, B, R>['handle'];
};

const isWrite = (access: Access) => typeof access === 'object' && !access.scope.endsWith(':read');

/** Declares an operation; the types of its handler follow from its codecs. */
export const operation = <const A extends Access, R, P = undefined, Q = undefined, H = undefined, B = undefined>(
  declared: Declared<A, P, Q, H, B, R>,
): Operation<A, P, Q, H, B, R> => ({
  ...defaults,
  writes: isWrite(declared.access),
  ...declared,
  success: { ...usualSuccess, ...declared.success },
});

/** Every error code of an operation, its own and those of its kind. */
export const refusalsOf = (op: Operation): readonly ErrorCode[] => {
  const takesInput = [op.params, op.query, op.headers, op.body, op.idempotent].some((input) => input !== null);
  const codes: readonly (ErrorCode | false)[] = [
    takesInput && 'invalid_request',
    op.access !== 'public' && 'unauthenticated',
    op.access !== 'public' && op.access !== 'credential' && 'missing_scope',
    op.writes && 'viewer',
    op.adminOnly && 'admin_only',
    op.idempotent !== null && 'idempotency_key_reused',
    op.writes && !op.refuses.includes('outcome_unknown') && 'outcome_unknown',
    ...op.refuses,
    op.body !== null && 'request_timeout',
    op.body !== null && 'payload_too_large',
    op.body !== null && !op.specified && 'unsupported_media_type',
    'rate_limited',
    'internal',
    'stopping',
    'busy',
  ];
  return codes.filter((code) => code !== false);
};

/** The payload as JSON text. */
export const represent = ({ success: { data, envelope } }: Operation, value: unknown): string => {
  const payload = data.encode(value);
  return JSON.stringify(envelope ? { data: payload } : payload);
};

/** The same in pieces, with fields that are text already as the last of the payload. */
export const representWith = (
  op: Operation,
  value: unknown,
  texts: Readonly<Record<string, string>>,
): readonly string[] => {
  const text = represent(op, value);
  const end = op.success.envelope ? '}}' : '}';
  const fields = Object.entries(texts).flatMap(([name, fieldText]) => [`,${JSON.stringify(name)}:`, fieldText]);
  return [text.slice(0, -end.length), ...fields, end];
};

/** The credential that an operation needs, in words. */
export const accessOf = ({ access, adminOnly }: Operation): string => {
  if (access === 'public') return 'no credential';
  if (access === 'credential') return 'any credential';
  if (access !== 'api-key') return `scope ${access.scope}${access.or ? ` or ${access.or}` : ''}`;
  return adminOnly ? 'API key of an administrator' : 'API key';
};

export const API = '/api/v1';
/** The tool endpoint of an agent, below `/api/v1`. */
export const MCP_PATH = '/agents/{agent_id}/mcp';
