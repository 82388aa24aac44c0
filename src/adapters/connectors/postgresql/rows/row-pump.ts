import type { RowsEnd } from '../../../../application/ports/connectors.ts';
import { DomainError } from '../../../../domain/errors.ts';
import { type Codec, JsonWriter } from './json-writer.ts';
import type { OutputColumn } from './types.ts';
import { type Flow, int32, type RowSink } from './wire.ts';

const CHUNK_BYTES = 128 * 1024;
/** What waits for a reader that is slower than the server before the server has to wait. */
const MOST_WAITING_BYTES = 256 * 1024;
/** A socket may have megabytes for one turn of the event loop, and other requests wait meanwhile. */
const MOST_OF_A_TURN = 256 * 1024;
/** A row is kept as a whole; one that is larger than this is not worth the memory. */
const LARGEST_ROW_BYTES = 64 * 1024 * 1024;

const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const NULL = Buffer.from('null');

export interface Caps {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Why no more rows are taken: the server has sent all, the caps are reached or the reader stopped, or an error; `lost`: of the session. */
export type Stop = 'end' | 'enough' | 'failed' | 'lost';

interface PumpTerms {
  readonly caps: Caps;
  readonly explain: (error: unknown) => unknown;
  readonly onStop: (stop: Stop) => void;
}

/** Takes rows from the server and gives chunks of JSON to one reader; it stops the server while the reader or the event loop do not keep up. */
export class RowPump implements RowSink, AsyncIterableIterator<Uint8Array> {
  readonly columns: readonly OutputColumn[];
  readonly #fields: readonly { readonly key: Buffer; readonly codec: Codec }[];
  readonly #caps: Caps;
  readonly #terms: PumpTerms;
  readonly #out = new JsonWriter(CHUNK_BYTES + CHUNK_BYTES / 4);
  readonly #chunks: Buffer[] = [];
  #flow: Flow | undefined;
  #waiting = 0;
  #written = 0;
  #rows = 0;
  #more = false;
  #stopped = false;
  /** Bytes written in this turn of the event loop. */
  #ofTurn = 0;
  #failure: { readonly reason: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(columns: readonly OutputColumn[], terms: PumpTerms) {
    this.columns = columns;
    this.#fields = columns.map(({ name, codec }, index) => ({
      key: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      codec,
    }));
    this.#caps = terms.caps;
    this.#terms = terms;
  }

  start(flow: Flow) {
    this.#flow = flow;
  }

  /** Whether the server has answered to the end. */
  get over(): boolean {
    return this.#flow?.isOver() ?? false;
  }

  /** Whether the session is as it was before. */
  get restored(): boolean {
    return this.#flow?.isRestored() ?? false;
  }

  row(bytes: Buffer, start: number, end: number) {
    if (this.#stopped) return;
    const out = this.#out;
    const before = out.length;
    try {
      if (this.#rows > 0) out.byte(COMMA);
      this.#write(bytes, start, end);
    } catch (error) {
      return this.#break(error, 'failed');
    }
    if (this.#rows >= this.#caps.maxRows || this.#written + out.length > this.#caps.maxBytes) {
      out.rewind(before);
      this.#more = true;
      return this.#stop('enough');
    }
    this.#rows += 1;
    if (out.length >= CHUNK_BYTES) this.#cut();
  }

  #write(bytes: Buffer, start: number, end: number) {
    const out = this.#out;
    let at = start;
    for (const { key, codec } of this.#fields) {
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

  /** Ends a chunk, which then waits for the reader. */
  #cut() {
    if (this.#out.length === 0) return;
    const chunk = this.#out.take(this.#stopped);
    this.#chunks.push(chunk);
    this.#written += chunk.length;
    this.#waiting += chunk.length;
    this.#ofTurn += chunk.length;
    if (this.#ofTurn === chunk.length) setImmediate(() => this.#newTurn());
    if (this.#isBusy()) this.#flow?.pause();
    this.#changed.resolve();
  }

  #newTurn() {
    this.#ofTurn = 0;
    this.#goOn();
  }

  #isBusy() {
    return !this.#stopped && (this.#waiting >= MOST_WAITING_BYTES || this.#ofTurn >= MOST_OF_A_TURN);
  }

  #goOn() {
    if (!this.#isBusy()) this.#flow?.resume();
  }

  wants(length: number) {
    if (length <= LARGEST_ROW_BYTES) return true;
    if (!this.#stopped) this.#break(new DomainError('invalid', 'A row is larger than 64 MiB.'), 'lost');
    return false;
  }

  ended(error: Error | null, lost: boolean) {
    if (this.#stopped) return;
    if (error) this.#break(error, lost ? 'lost' : 'failed');
    else this.#stop('end');
  }

  #stop(stop: Stop) {
    this.#stopped = true;
    this.#cut();
    this.#flow?.resume();
    this.#terms.onStop(stop);
    this.#changed.resolve();
  }

  #break(error: unknown, stop: 'failed' | 'lost') {
    this.fail(this.#terms.explain(error));
    this.#terms.onStop(stop);
  }

  /** Drops the chunks that wait; the reader gets the reason. */
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

  /** Resolves when all rows are here, or so many that the server has to wait; rejects with a failure until then. */
  async ready() {
    while (!this.#stopped && this.#waiting < MOST_WAITING_BYTES) await this.#change();
    if (this.#failure) throw this.#failure.reason;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (!this.#stopped && this.#chunks.length === 0) await this.#change();
    if (this.#failure) throw this.#failure.reason;
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return { done: true, value: undefined };
    this.#waiting -= chunk.length;
    this.#goOn();
    return { done: false, value: chunk };
  }

  /** The reader takes no more rows; those that still come are dropped. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks.length = 0;
    if (!this.#stopped) {
      this.#more = true;
      this.#stop('enough');
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async #change() {
    await this.#changed.promise;
    this.#changed = Promise.withResolvers<void>();
  }
}
