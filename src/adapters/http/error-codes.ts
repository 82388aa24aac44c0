import { type Refusal, type RefusalCode, refusalCodes } from '../../domain/errors.ts';

export const statusOf: Readonly<Record<Refusal, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  precondition_required: 428,
  too_large: 413,
  unsupported: 415,
  rate_limited: 429,
  busy: 503,
  unavailable: 500,
  outcome_unknown: 500,
};

/** The meaning of each code to the client. */
const meanings: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'A parameter, a header or the body is not as described; `errors` lists every error.',
  idempotency_key_reused: 'The `Idempotency-Key` was used with another request before.',
  unknown_table: 'The entity is not in the connected system, or not for its login to read.',
  connection_read_only: 'The type of the connection accepts no writes.',
  upload_quota_exceeded:
    'You have your share of what the workspace may still store, or of its upload URLs. `detail` says what is used, and what to do.',
  query_timeout:
    'The query, the search or the page exceeded its time limit: ask for less, for an earlier page, or by a column that has an index.',
  invalid_workspace_file: 'The workspace file is not as described; every error is listed with its line.',
  invalid_key: 'The `file_key` is not one that was issued.',
  invalid_content_type: 'The content type is not a media type, or is too long.',
  content_type_mismatch: 'The upload has another `Content-Type` than its URL was made for.',
  size_mismatch: 'The upload has another size than its URL was made for.',
  incomplete_upload: 'The upload is incomplete: send it again.',
  unauthenticated: 'The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take.',
  forbidden: 'The credential is valid, but may not do this.',
  missing_scope: 'The credential lacks the scope of the operation; `required_scope` names it if there is one.',
  viewer: 'The user is a viewer, who may read and not write.',
  admin_only: 'The user is no administrator, who alone may do this.',
  person_required:
    'It needs a person in the console, who has signed in a short while ago: `detail` says where. Rejecting a document does not.',
  own_work:
    'It is the user’s own work (they started the run of the document, or changed it since it was approved last, or asked for the call): another person has to decide.',
  invalid_signature: 'The signed URL was changed.',
  url_expired: 'The signed URL has expired: ask for a new one.',
  not_found: 'There is no such thing, or it is not visible to the caller.',
  conflict: 'The state of the resource does not allow the operation now.',
  approval_decided: 'The call is decided, or no person decided in time: `detail` says which.',
  arguments_changed: 'The call has other arguments than those that are decided on: read the approval again.',
  held: 'A document is held: nothing of it, of its run and of its conversation is deleted until an administrator lifts the hold.',
  run_completed: 'The run has completed: it cannot be cancelled any more.',
  run_failed: 'The run has failed: it cannot be cancelled any more.',
  conversation_busy:
    'The conversation, which `conversation_id` names, is responding: send the message again after the seconds in `Retry-After`.',
  document_busy:
    'The document is being extracted or processed: try again when that is done. Or it is not known whether it was written: process it again first.',
  document_processed: 'The document is in its system of record already.',
  document_without_data: 'The document has no data to process.',
  no_system_of_record: 'The agent of the document has no system of record.',
  page_unreadable:
    'The page, or the text of the file, cannot be shown: it is damaged, too large, or takes too long; `detail` says which.',
  part_processed:
    'A document of a part that would change is written to its system of record, or may be: the part stays as it is.',
  uploaded_already:
    'Another file was uploaded by the signed URL before, and stays: ask for a new URL. The same bytes may be sent again.',
  file_changed:
    'The bytes of the file in the store are others than those that the document was read from: nothing of the file is shown.',
  review_required: 'The document waits for a decision on its review before it may be processed.',
  review_rejected: 'The document was rejected: correct it, or delete it.',
  too_many_keys: 'The user has as many keys that work as a user may have: revoke one that is not needed.',
  own_account: 'Users do not change their own role, and do not disable themselves: another administrator does.',
  last_admin: 'The workspace would be left without an administrator who is enabled: make another one first.',
  email_taken: 'The address belongs to a user of this server already, in this workspace or another one.',
  revision_changed:
    'The document, or the run, is not as the `ETag` in `If-Match` says any more: read it again. `revision` is the one that a document has now.',
  precondition_required: 'The request needs an `If-Match` with the `ETag` of the document, or the run, as you read it.',
  cursor_expired: 'The log of events no longer has everything after this cursor: begin without one.',
  payload_too_large: 'The body is larger than the server accepts.',
  file_too_large: 'The file is larger than the server accepts.',
  unsupported_media_type:
    'The body is not of a media type that the operation takes, not in UTF-8, or compressed. `Accept-Patch` lists the types of a document’s patches.',
  rate_limited:
    'A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`.',
  budget_exhausted:
    'The budget of the agent, or of the workspace, is spent: `Retry-After` says when its next period begins. An administrator can raise it.',
  busy: 'The server has too much to do at the moment, or its database does not answer. Nothing was done: send the request again after the seconds in `Retry-After`.',
  upstream_unavailable: 'A connected system could not be reached. Nothing was written: try again.',
  outcome_unknown:
    'A connected system, or the database of the server, did not confirm a write: find out whether it took effect before you repeat it.',
  storage_full: 'The server has no room for the file now: try again later.',
};

/** Codes of answers that come from the HTTP server and not from a use case. */
const ofTheServer = {
  method_not_allowed: { status: 405, meaning: 'The path takes other methods: `Allow` lists them.' },
  request_timeout: {
    status: 408,
    meaning: 'The headers or the body of the request did not arrive within 30 seconds: send it again.',
  },
  internal: {
    status: 500,
    meaning: 'Something failed on the server. Try again; `request_id` finds it in the server’s log.',
  },
  stopping: {
    status: 503,
    meaning: 'The server stopped before it could answer: send the request again after the seconds in `Retry-After`.',
  },
} as const;

export type ErrorCode = RefusalCode | keyof typeof ofTheServer;

/** An error of this API, but for the id of its request. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
}

/** The media type of errors for a client that asks for it (RFC 9457). */
export const PROBLEM = 'application/problem+json';

/** Where the guide says what the code means. */
export const anchorOf = (code: ErrorCode): string => `error-${code}`;

/** The same as an address, of the server with this one. */
export const typeOf = (code: ErrorCode, base: string): string => `${base}/developers#${anchorOf(code)}`;

/** The code in words. */
export const titleOf = (code: ErrorCode): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

interface AnsweredRequest {
  readonly requestId: string;
  /** The public address of this server. */
  readonly base: string;
}

/** The body of an error, which is a problem of RFC 9457 as well. */
export const errorText = (
  { detail, status, code }: ErrorAnswer,
  { requestId, base }: AnsweredRequest,
  rest: object = {},
): string =>
  JSON.stringify({
    type: typeOf(code, base),
    title: titleOf(code),
    detail,
    status,
    code,
    request_id: requestId,
    ...rest,
  });

const entries = Object.entries(meanings) as [RefusalCode, string][];
const ofRefusals = entries.map(([code, meaning]) => [code, { status: statusOf[refusalCodes[code]], meaning }] as const);

/** Every `code` of an error, in the order of the status. The documentation lists exactly these. */
export const errorCodes = Object.fromEntries(
  [...ofRefusals, ...Object.entries(ofTheServer)].toSorted(([, one], [, other]) => one.status - other.status),
) as Readonly<Record<ErrorCode, { readonly status: number; readonly meaning: string }>>;
