import type { JsonValue } from '../../domain/json.ts';

/** An operation of RFC 6902, as a client sent it: `value` and `from` may be missing where it needs them. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: JsonValue | undefined;
}

/** A value that has no parts. */
export interface PatchedLeaf {
  readonly pointer: string;
  readonly value: JsonValue;
  /** Its JSON Pointer before; null of one that the patch brings. */
  readonly origin: string | null;
}

export interface Patched {
  /** What no operation leads into is the same object as before. */
  readonly value: JsonValue;
  /** One after the other: a document may have many thousands of them. */
  leaves(): Iterable<PatchedLeaf>;
}

export interface JsonPatches {
  /**
   * The value after all operations; the value itself stays as it is. Numbers keep every digit, and no name of a member is special.
   * A DomainError `invalid` names the first operation that cannot be applied, as a path into `patch`.
   */
  apply(value: JsonValue, operations: readonly PatchOperation[]): Patched;
}
