import type { JsonValue } from '../../domain/json.ts';

/** An operation of RFC 6902, as a client sent it: `value` and `from` may be missing where it needs them. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: JsonValue | undefined;
}

export interface Patched {
  readonly value: JsonValue;
  /** The place of each leaf that was there before: its JSON Pointer now → its pointer then. */
  readonly origins: ReadonlyMap<string, string>;
}

export interface JsonPatches {
  /**
   * The value after all operations; the value itself stays as it is. Numbers keep every digit, and no name of a member is special.
   * A DomainError `invalid` names the first operation that cannot be applied, as a path into `patch`.
   */
  apply(value: JsonValue, operations: readonly PatchOperation[]): Patched;
}
