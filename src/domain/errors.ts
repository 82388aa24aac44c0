/** Why a request cannot be honoured. Adapters translate the kind; nothing in the core knows a status code. */
export type Refusal = 'invalid' | 'unauthenticated' | 'forbidden' | 'not_found' | 'conflict' | 'too_large' | 'rate_limited' | 'unavailable';

/** One thing wrong with an input: where (`body.files[0].file_name`) and what was expected, in plain words. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

interface Particulars {
  /** The stable snake_case word that clients may branch on; each kind has a general one. */
  readonly code?: string;
  /** Every fault of an invalid input at once. */
  readonly faults?: readonly Fault[];
  /** Further fields of the error body, in wire case. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const generalCode: Record<Refusal, string> = {
  invalid: 'invalid_request',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  too_large: 'payload_too_large',
  rate_limited: 'rate_limited',
  unavailable: 'upstream_unavailable',
};

/** A refusal whose message may be shown to the caller. Anything else that is thrown is a defect or an outage. */
export class DomainError extends Error {
  readonly kind: Refusal;
  readonly code: string;
  readonly faults: readonly Fault[];
  readonly extra: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;

  constructor(kind: Refusal, detail: string, particulars: Particulars = {}) {
    super(detail, particulars.cause === undefined ? undefined : { cause: particulars.cause });
    this.name = 'DomainError';
    this.kind = kind;
    this.code = particulars.code ?? generalCode[kind];
    this.faults = particulars.faults ?? [];
    this.extra = particulars.extra ?? {};
    this.retryAfterSeconds = particulars.retryAfterSeconds ?? null;
  }
}

export const notFound = (what: string) => new DomainError('not_found', `There is no such ${what}.`);

/** An invalid input, every fault at once: the detail is the faults in one sentence each. */
export const invalid = (...faults: readonly Fault[]) =>
  new DomainError('invalid', faults.map(({ path, message }) => `${path} ${message}`).join('; '), { faults });
