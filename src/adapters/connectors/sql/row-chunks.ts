import type { RowsEnd } from '../../../application/ports/connectors.ts';

const CHUNK_CHARACTERS = 64 * 1024;
const MOST_CHUNKS_WAITING = 2;

export interface RowCaps {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows between a server and one reader, as chunks of JSON text; while the reader does not keep up, none are taken from the network. */
export abstract class RowChunks implements AsyncIterableIterator<Uint8Array> {
  /** No more rows are taken. */
  protected stopped = false;
  /** There is a row more than is let through. */
  protected more = false;
  readonly #caps: RowCaps;
  #text = '';
  #waiting: Buffer[] = [];
  #bytes = 0;
  #rowCount = 0;
  #paused = false;
  #closed = false;
  #failure: (() => unknown) | null = null;
  #changed = Promise.withResolvers<void>();

  constructor({ maxRows, maxBytes }: RowCaps) {
    this.#caps = { maxRows, maxBytes };
  }

  protected abstract pause(): void;
  protected abstract resume(): void;
  /** The reader takes no more. */
  protected abstract leave(): void;

  get end(): RowsEnd {
    return { rowCount: this.#rowCount, more: this.more };
  }

  /** Whether a further row would be one too many. */
  protected get isFull(): boolean {
    return this.#rowCount === this.#caps.maxRows;
  }

  /** Adds a row, or a piece of the only one, unless the bytes of all of them would be too many. */
  protected add(text: string, isPiece = false): boolean {
    const added = isPiece || this.#rowCount === 0 ? text : `,${text}`;
    this.#bytes += Buffer.byteLength(added);
    if (this.#bytes > this.#caps.maxBytes) return false;
    this.#rowCount = isPiece ? 1 : this.#rowCount + 1;
    this.append(added);
    return true;
  }

  protected append(text: string) {
    this.#text += text;
    if (this.#text.length >= CHUNK_CHARACTERS) this.#flush();
  }

  /** Drops what waits for the reader. */
  protected drop() {
    this.#waiting = [];
    this.#text = '';
  }

  /** Ends the rows: the reader gets those that wait, and then the reason of a failure. */
  protected close(failure: (() => unknown) | null = null) {
    this.#failure = failure;
    this.#flush();
    this.#closed = true;
    this.#notify();
  }

  /** Resolves with the first chunk, or at the end of rows that are fewer. */
  protected async begun() {
    while (this.#waiting.length === 0 && !this.#closed) await this.#changed.promise;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk) {
        this.#flow();
        return { value: chunk, done: false };
      }
      if (this.#closed && this.#failure) throw this.#failure();
      if (this.#closed) return { value: undefined, done: true };
      await this.#changed.promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.leave();
    while (!this.#closed) await this.#changed.promise;
    this.drop();
    return { value: undefined, done: true };
  }

  #flush() {
    if (this.#text === '') return;
    this.#waiting.push(Buffer.from(this.#text));
    this.#text = '';
    this.#flow();
    this.#notify();
  }

  #flow() {
    const isBehind = this.#waiting.length >= MOST_CHUNKS_WAITING;
    if (this.stopped || isBehind === this.#paused) return;
    this.#paused = isBehind;
    if (isBehind) this.pause();
    else this.resume();
  }

  #notify() {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
