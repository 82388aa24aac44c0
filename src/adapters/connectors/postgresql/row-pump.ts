import type { RowsEnd } from '../../../application/ports/connectors.ts';
import { JsonWriter } from './json-writer.ts';
import type { OutputColumn } from './types.ts';
import { type Flow, int32, type RowSink } from './wire.ts';

/** What is handed on at a time. */
const CHUNK_BYTES = 128 * 1024;
/** What is kept for a reader that is slower than the server before the server has to wait. */
const MOST_KEPT_BYTES = 256 * 1024;
/** A row is held as a whole; one that is larger than this is not worth the memory. */
const LARGEST_ROW_BYTES = 64 * 1024 * 1024;

const [COMMA, CLOSE_BRACE] = [0x2c, 0x7d];
const NULL = Buffer.from('null');

export interface PumpCaps {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Why rows stopped coming: all were sent, enough were taken, one was too large to be held, or what went wrong. */
export type Stop =
  | { readonly kind: 'end' }
  | { readonly kind: 'enough' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'failed'; readonly error: Error; readonly lost: boolean };

/** Rows of the server on one side, chunks of JSON on the other; it stops the server where nobody takes them. */
export class RowPump implements RowSink {
  readonly #columns: readonly { readonly key: Buffer; readonly codec: OutputColumn['codec'] }[];
  readonly #caps: PumpCaps;
  readonly #onStop: (stop: Stop) => void;
  readonly #out = new JsonWriter(CHUNK_BYTES + CHUNK_BYTES / 4);
  readonly #chunks: Buffer[] = [];
  #flow: Flow | undefined;
  #kept = 0;
  #written = 0;
  #rows = 0;
  #more = false;
  #stopped = false;
  #failure: { readonly reason: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(columns: readonly OutputColumn[], caps: PumpCaps, onStop: (stop: Stop) => void) {
    this.#columns = columns.map(({ name, codec }, index) => ({
      key: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      codec,
    }));
    this.#caps = caps;
    this.#onStop = onStop;
  }

  start(flow: Flow) {
    this.#flow = flow;
  }

  row(bytes: Buffer, start: number, end: number) {
    if (this.#stopped) return;
    const out = this.#out;
    const before = out.length;
    try {
      if (this.#rows > 0) out.byte(COMMA);
      this.#write(bytes, start, end);
    } catch (error) {
      return this.#stop({ kind: 'failed', error: error as Error, lost: false });
    }
    if (this.#rows >= this.#caps.maxRows || this.#written + out.length > this.#caps.maxBytes) {
      out.rewind(before);
      this.#more = true;
      return this.#stop({ kind: 'enough' });
    }
    this.#rows += 1;
    if (out.length >= CHUNK_BYTES) this.#keep();
  }

  #write(bytes: Buffer, start: number, end: number) {
    const out = this.#out;
    let at = start;
    for (const { key, codec } of this.#columns) {
      out.raw(key, 0, key.length);
      const length = int32(bytes, at);
      at += 4;
      if (length < 0) out.raw(NULL, 0, NULL.length);
      else {
        codec(out, bytes, at, at + length);
        at += length;
      }
    }
    out.byte(CLOSE_BRACE);
    if (at !== end) throw new TypeError('The server sent a row of another shape than it announced.');
  }

  #keep() {
    if (this.#out.length === 0) return;
    const chunk = this.#out.take(this.#stopped);
    this.#chunks.push(chunk);
    this.#written += chunk.length;
    this.#kept += chunk.length;
    if (this.#kept >= MOST_KEPT_BYTES && !this.#stopped) this.#flow?.pause();
    this.#changed.resolve();
  }

  wants(length: number) {
    if (length <= LARGEST_ROW_BYTES) return true;
    if (!this.#stopped) this.#stop({ kind: 'too large' });
    return false;
  }

  ended(error: Error | null, lost: boolean) {
    if (this.#stopped) return;
    this.#stop(error ? { kind: 'failed', error, lost } : { kind: 'end' });
  }

  #stop(stop: Stop) {
    this.#stopped = true;
    this.#keep();
    this.#flow?.resume();
    this.#onStop(stop);
    this.#changed.resolve();
  }

  /** Takes no more rows; those that still come are dropped. */
  stop() {
    this.#chunks.length = 0;
    if (this.#stopped) return;
    this.#more = true;
    this.#stop({ kind: 'enough' });
  }

  /** What was not taken yet is dropped, and whoever takes is told why. */
  fail(reason: unknown) {
    this.#failure ??= { reason };
    this.#chunks.length = 0;
    this.#stopped = true;
    this.#flow?.resume();
    this.#changed.resolve();
  }

  get end(): RowsEnd {
    return { rowCount: this.#rows, more: this.#more };
  }

  /** Resolves when all rows are here, or so many that the server has to wait: a failure until then is told instead of an answer. */
  async ready() {
    while (!this.#stopped && this.#kept < MOST_KEPT_BYTES) await this.#change();
    if (this.#failure) throw this.#failure.reason;
  }

  /** The next chunk, or null at the end. */
  async next(): Promise<Buffer | null> {
    while (!this.#stopped && this.#chunks.length === 0) await this.#change();
    if (this.#failure) throw this.#failure.reason;
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return null;
    this.#kept -= chunk.length;
    if (!this.#stopped && this.#kept < MOST_KEPT_BYTES) this.#flow?.resume();
    return chunk;
  }

  async #change() {
    await this.#changed.promise;
    this.#changed = Promise.withResolvers<void>();
  }
}
