import type { ValidationError } from '../../domain/errors.ts';
import type { JsonSchema, JsonValue } from '../../domain/json.ts';
import type { Sharer } from '../../domain/sharer.ts';

export interface Clock {
  now(): Date;
}

/** Ids that sort by the time they were made (UUIDv7, RFC 9562 section 5.7). */
export interface Ids {
  next(): string;
  /** A W3C trace id: 32 hexadecimal digits, not all zero. */
  traceId(): string;
  /** 16 hexadecimal digits that cannot be guessed. */
  nonce(): string;
}

/** Structured logging: fields first, then one sentence. Secrets and documents do not belong in either. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Something outside this process that it needs, and how to find out whether it can be used. */
export interface Probe {
  /** A name without its address: `database`, `files`. */
  readonly name: string;
  /** Whether nothing can be answered without it; else the process goes on, with less than it could do. */
  readonly required: boolean;
  /** Rejects if it cannot be used. The reason goes to the log alone. */
  check(signal: AbortSignal): Promise<void>;
}

/** JSON Schema, of the draft that `$schema` names: 04, 06, 07, 2019-09 or 2020-12, which is meant where it names none. */
export interface SchemaValidator {
  /**
   * Every error of the value, by JSON Pointer, in words a person or a model can act on; none if it is valid. Nothing else is done until it is
   * known: for schemas of our own, whose check takes no more than linear time.
   */
  errors(schema: JsonSchema, value: unknown): readonly ValidationError[];
  /** The same by a schema of others. What may take long keeps no request waiting, has its share by user and workspace, and is ended at last. `busy` if too much waits. */
  check(schema: JsonSchema, value: JsonValue, sharer: Sharer): Promise<readonly ValidationError[]>;
  /** Why this is not a usable schema, or null. Schemas never reach outside themselves: a `$ref` to another document is refused. */
  defect(schema: JsonSchema): string | null;
  /** The same of a schema that another server wrote: its patterns need not be regular expressions with the `u` flag, only with it or without. */
  foreignDefect(schema: JsonSchema): string | null;
  /** The same of a schema that clients compile by draft 07, each in one place with others: one that means something else to them is refused as well. */
  clientDefect(schema: JsonSchema): string | null;
}
