/** Every `code` an error can carry: its status, and what it means to the client. The documentation lists exactly these. */
export const errorCodes = {
  invalid_request: { status: 400, meaning: 'A parameter, a header or the body is not as described; `errors` lists every fault.' },
  idempotency_key_reused: { status: 400, meaning: 'The `Idempotency-Key` was used with another request before.' },
  unknown_table: { status: 400, meaning: 'The entity is not in the connected system, or not for its login to read.' },
  connection_read_only: { status: 400, meaning: 'The type of the connection takes no writes.' },
  unauthenticated: {
    status: 401,
    meaning: 'The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take.',
  },
  forbidden: { status: 403, meaning: 'The credential is valid, but may not do this.' },
  missing_scope: { status: 403, meaning: 'The credential lacks the scope of the operation; `required_scope` names it where there is one.' },
  viewer: { status: 403, meaning: 'The user is a viewer, who may read and not write.' },
  not_found: { status: 404, meaning: 'There is no such thing, or it is not visible to the caller.' },
  method_not_allowed: { status: 405, meaning: 'The path takes other methods: `Allow` lists them.' },
  conflict: { status: 409, meaning: 'The state of the resource does not allow the operation now.' },
  run_completed: { status: 409, meaning: 'The run has completed: it cannot be cancelled any more.' },
  run_failed: { status: 409, meaning: 'The run has failed: it cannot be cancelled any more.' },
  conversation_busy: {
    status: 409,
    meaning: 'The conversation, which `conversation_id` names, is responding: send the message again after the seconds in `Retry-After`.',
  },
  document_busy: { status: 409, meaning: 'The document is being extracted or processed: try again when that is done.' },
  document_processed: { status: 409, meaning: 'The document is in its system of record already.' },
  document_without_data: { status: 409, meaning: 'The document has no data to process.' },
  no_system_of_record: { status: 409, meaning: 'The agent of the document has no system of record.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the server takes.' },
  rate_limited: { status: 429, meaning: 'A rate limit is spent: wait for the seconds in `Retry-After`.' },
  internal: {
    status: 500,
    meaning: 'Something failed that is not the client’s doing. Try again; `request_id` finds it in the server’s log.',
  },
  upstream_unavailable: { status: 500, meaning: 'A connected system could not be reached. Nothing was changed: try again.' },
  stopping: {
    status: 503,
    meaning: 'The server was told to stop before it could answer: send the request again after the seconds in `Retry-After`.',
  },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

export type ErrorCode = keyof typeof errorCodes;
