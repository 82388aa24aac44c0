export interface Clock {
  now(): Date;
}

/** Ids that sort by the time they were made (UUIDv7, RFC 9562 section 5.7). */
export interface Ids {
  next(): string;
  /** A W3C trace id: 32 hexadecimal digits, not all zero. */
  traceId(): string;
  /** 16 hexadecimal digits that nobody can guess. */
  nonce(): string;
}

/** Structured logging: fields first, then one sentence. Secrets and documents do not belong in either. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
