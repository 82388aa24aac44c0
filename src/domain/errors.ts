/** The `code` by which Node and the drivers name what failed; empty if the error has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One thing wrong with an input: the field as clients write it (`files[0].file_key`, empty for the whole input), and what was expected. */
export interface ValidationError {
  readonly path: string;
  readonly message: string;
}

/** One error, or none if there is no defect. */
export const errorAt = (path: string, defect: string | null): readonly ValidationError[] =>
  defect === null ? [] : [{ path, message: defect }];

/** Every code that a refusal can carry, and its kind: what is not listed here does not compile. Adapters document each of them. */
export const refusalCodes = {
  invalid_request: 'invalid',
  idempotency_key_reused: 'invalid',
  unknown_table: 'invalid',
  connection_read_only: 'invalid',
  upload_quota_exceeded: 'invalid',
  query_timeout: 'invalid',
  invalid_workspace_file: 'invalid',
  invalid_key: 'invalid',
  invalid_content_type: 'invalid',
  content_type_mismatch: 'invalid',
  size_mismatch: 'invalid',
  incomplete_upload: 'invalid',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  missing_scope: 'forbidden',
  viewer: 'forbidden',
  admin_only: 'forbidden',
  person_required: 'forbidden',
  own_work: 'forbidden',
  invalid_signature: 'forbidden',
  url_expired: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  run_completed: 'conflict',
  run_failed: 'conflict',
  conversation_busy: 'conflict',
  document_busy: 'conflict',
  document_processed: 'conflict',
  part_processed: 'conflict',
  document_without_data: 'conflict',
  no_system_of_record: 'conflict',
  page_unreadable: 'conflict',
  uploaded_already: 'conflict',
  file_changed: 'conflict',
  review_required: 'conflict',
  review_rejected: 'conflict',
  too_many_keys: 'conflict',
  own_account: 'conflict',
  last_admin: 'conflict',
  email_taken: 'conflict',
  approval_decided: 'conflict',
  held: 'conflict',
  revision_changed: 'precondition_failed',
  arguments_changed: 'precondition_failed',
  precondition_required: 'precondition_required',
  cursor_expired: 'gone',
  payload_too_large: 'too_large',
  file_too_large: 'too_large',
  unsupported_media_type: 'unsupported',
  rate_limited: 'rate_limited',
  budget_exhausted: 'rate_limited',
  busy: 'busy',
  upstream_unavailable: 'unavailable',
  outcome_unknown: 'outcome_unknown',
  storage_full: 'unavailable',
} as const;

/** The stable snake_case word that clients may branch on. */
export type RefusalCode = keyof typeof refusalCodes;

/** Why a request cannot be honoured. Adapters translate the kind; nothing in the core knows a status code. */
export type Refusal = (typeof refusalCodes)[RefusalCode];

type CodeOf<K extends Refusal> = { [C in RefusalCode]: (typeof refusalCodes)[C] extends K ? C : never }[RefusalCode];

interface Particulars<C> {
  /** Absent: the general code of the kind. */
  readonly code?: C;
  /** Every error of an invalid input at once. */
  readonly errors?: readonly ValidationError[];
  /** Further fields of the error body, in wire case. */
  readonly extra?: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

type Arguments = { [K in Refusal]: [kind: K, detail: string, particulars?: Particulars<CodeOf<K>>] }[Refusal];

const generalCode = {
  invalid: 'invalid_request',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  gone: 'cursor_expired',
  precondition_failed: 'revision_changed',
  precondition_required: 'precondition_required',
  too_large: 'payload_too_large',
  unsupported: 'unsupported_media_type',
  rate_limited: 'rate_limited',
  busy: 'busy',
  unavailable: 'upstream_unavailable',
  outcome_unknown: 'outcome_unknown',
} as const satisfies { [K in Refusal]: CodeOf<K> };

/** A refusal whose message may be shown to the caller. Anything else that is thrown is a defect or an outage. */
export class DomainError extends Error {
  readonly kind: Refusal;
  readonly code: RefusalCode;
  readonly errors: readonly ValidationError[];
  readonly extra: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds: number | null;

  constructor(...[kind, detail, particulars = {}]: Arguments) {
    super(detail, particulars.cause === undefined ? undefined : { cause: particulars.cause });
    this.name = 'DomainError';
    this.kind = kind;
    this.code = particulars.code ?? generalCode[kind];
    this.errors = particulars.errors ?? [];
    this.extra = particulars.extra ?? {};
    this.retryAfterSeconds = particulars.retryAfterSeconds ?? null;
  }
}

/** The same refusal in other words; what it was is its cause. */
export const reworded = (refusal: DomainError, message: string): DomainError => {
  const { kind, code, errors, extra, retryAfterSeconds } = refusal;
  return new DomainError(
    ...([kind, message, { code, errors, extra, retryAfterSeconds, cause: refusal }] as unknown as Arguments),
  );
};

const BUSY_SECONDS = 2;

/** What a valid request is refused with that finds no room, in time, in what all requests share. Nothing was done. */
export const busy = (what: string, cause?: unknown) =>
  new DomainError('busy', `${what}: try again in ${BUSY_SECONDS} seconds.`, { retryAfterSeconds: BUSY_SECONDS, cause });

/** What stores something is refused with where Portico's own database did not say whether it is stored. */
export class Unconfirmed extends DomainError {
  constructor(cause: unknown) {
    const detail =
      'The database did not say whether it has stored this: look whether it is there before you send it again.';
    super('outcome_unknown', detail, { cause });
  }
}

export const notFound = (what: string) => new DomainError('not_found', `There is no such ${what}.`);

/** What was looked up, or a refusal if it is not there. */
export const mustExist = <T>(thing: T | null | undefined, what: string): T => {
  if (thing == null) throw notFound(what);
  return thing;
};

/** An invalid input, every error at once: the detail is the errors in one sentence each. */
export const invalid = (...errors: readonly ValidationError[]) =>
  new DomainError(
    'invalid',
    errors.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; '),
    { errors },
  );
