/** A request under its `Idempotency-Key`, which is of one credential and one operation. */
export interface KeyedRequest {
  readonly credentialId: string;
  readonly operation: string;
  readonly key: string;
  /** Distinguishes another request under the same key. */
  readonly requestHash: string;
}

export type Claim =
  | { readonly outcome: 'begun' }
  | { readonly outcome: 'answered'; readonly answer: string }
  /** The first one is being worked on. */
  | { readonly outcome: 'under way' }
  /** The first one ended without an answer: its process did, or its effect is not known. */
  | { readonly outcome: 'interrupted' }
  /** The key is that of another request. */
  | { readonly outcome: 'mismatch' };

/** The requests of the last 24 hours that came with a key. */
export interface KeyedRequests {
  /** Of requests that come at the same time exactly one begins. `again`: one that was interrupted begins anew. */
  begin(
    request: KeyedRequest,
    lease: { readonly id: string; readonly seconds: number },
    again: boolean,
  ): Promise<Claim>;
  /** Extends the leases; answers those that are still held. */
  renew(leaseIds: readonly string[], seconds: number): Promise<ReadonlySet<string>>;
  /** Ends the request with its answer, unless another process has it by now. */
  answer(leaseId: string, answer: string): Promise<void>;
  /** Ends the request without an answer. */
  interrupt(leaseId: string): Promise<void>;
  /** Ends the request as if it had never come. */
  forget(leaseId: string): Promise<void>;
  /** Removes some that are too old; how many. */
  removeOld(): Promise<number>;
}
