import type { EventEmitter } from 'node:events';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import { type Field, type RowEncoder, rowEncoder } from './cells.ts';
import { isLost } from './errors.ts';
import { type Ending, nearlyDone, type Session, type Statement } from './session.ts';

export interface RowSource {
  readonly session: Session;
  readonly statement: Statement;
  readonly maxRows: number;
  readonly maxBytes: number;
  /** Ends the statement; the reader gets its reason. */
  readonly signal: AbortSignal;
  /** The error that the reader gets for one of the server, or of the way to it. */
  explain(error: unknown): unknown;
  /** Called once, when no more rows are taken. */
  finish(ending: Exclude<Ending, 'used'>): void;
}

const CHUNK_CHARACTERS = 64 * 1024;
const MOST_CHUNKS_WAITING = 2;

/** Rows as they come from the server, turned into JSON text; while the reader does not keep up, none are taken from the network. */
class JsonRows implements AsyncIterableIterator<Uint8Array> {
  readonly #source: RowSource;
  readonly #over = Promise.withResolvers<void>();
  #encoder: RowEncoder | undefined;
  #text = '';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #rowCount = 0;
  #more = false;
  /** No more rows are taken. */
  #ended = false;
  /** The server has answered to the end. */
  #answered = false;
  #paused = false;
  #failure: { readonly reason: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(source: RowSource) {
    this.#source = source;
  }

  readonly #onAbort = () => this.#fail(this.#source.signal.reason, 'running');
  readonly #onLost = (error: unknown) => this.#fail(this.#source.explain(error), 'lost');

  /** Resolves with the first piece of the rows; what goes wrong before it is thrown. */
  async start(): Promise<RowStream> {
    const { session, statement, signal } = this.#source;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
    session.on('error', this.#onLost);
    if (signal.aborted) throw signal.reason;
    const command = session.execute({
      sql: statement.text,
      values: [...statement.parameters],
      rowsAsArray: true,
    }) as unknown as EventEmitter;
    command.on('fields', (fields?: readonly Field[]) => this.#begin(fields));
    command.on('result', (values: readonly unknown[]) => this.#row(values));
    command.on('error', (error: unknown) => {
      this.#answered = true;
      this.#fail(this.#source.explain(error), isLost(error) ? 'lost' : 'clean');
    });
    command.on('end', () => {
      this.#answered = true;
      this.#over.resolve();
      this.#end('clean');
    });
    while (this.#chunks.length === 0 && !this.#ended) await this.#changed.promise;
    if (this.#failure) throw this.#failure.reason;
    return {
      columns: this.#encoder?.columns ?? [],
      chunks: this,
      end: () => ({ rowCount: this.#rowCount, more: this.#more }),
    };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#flow();
        return { value: chunk, done: false };
      }
      if (this.#failure) throw this.#failure.reason;
      if (this.#ended) return { value: undefined, done: true };
      await this.#changed.promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#more ||= !this.#ended;
    this.#enough();
    this.#chunks = [];
    return { value: undefined, done: true };
  }

  #begin(fields: readonly Field[] | undefined) {
    if (fields) this.#encoder = rowEncoder(fields);
    else this.#fail(new DomainError('invalid', 'The statement returned no columns.'), 'clean');
  }

  #row(values: readonly unknown[]) {
    if (this.#ended || !this.#encoder) return;
    if (this.#rowCount === this.#source.maxRows) return this.#full();
    let text = this.#rowCount === 0 ? '' : ',';
    try {
      text += this.#encoder.encode(values);
    } catch (error) {
      return this.#fail(error, 'running');
    }
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#source.maxBytes) return this.#full();
    this.#rowCount += 1;
    this.#text += text;
    if (this.#text.length >= CHUNK_CHARACTERS) this.#flush();
  }

  /** There is a row more than is let through. */
  #full() {
    this.#more = true;
    this.#enough();
  }

  #flush() {
    if (this.#text === '') return;
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
    this.#flow();
    this.#notify();
  }

  /** Takes rows from the network only while few pieces wait for the reader. */
  #flow() {
    const full = !this.#ended && this.#chunks.length >= MOST_CHUNKS_WAITING;
    if (full === this.#paused || this.#answered) return;
    this.#paused = full;
    if (full) this.#source.session.pause();
    else this.#source.session.resume();
  }

  #notify() {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Rows that are on their way anyway are waited for, for a moment, so that the session can be used again. */
  #enough() {
    if (this.#ended) return;
    this.#stop();
    this.#flush();
    void nearlyDone(this.#over.promise).then(() => this.#source.finish(this.#answered ? 'clean' : 'running'));
    this.#notify();
  }

  #end(ending: Exclude<Ending, 'used'>) {
    if (this.#ended) return;
    this.#stop();
    this.#flush();
    this.#source.finish(ending);
    this.#notify();
  }

  /** Drops what waits for the reader, who gets the reason. */
  #fail(reason: unknown, ending: Exclude<Ending, 'used'>) {
    if (this.#ended && this.#chunks.length === 0) return;
    this.#failure ??= { reason };
    this.#chunks = [];
    this.#text = '';
    this.#end(ending);
    this.#notify();
  }

  #stop() {
    const { signal, session } = this.#source;
    this.#ended = true;
    signal.removeEventListener('abort', this.#onAbort);
    session.off('error', this.#onLost);
    if (this.#paused) this.#flow();
  }
}

export const streamRows = (source: RowSource): Promise<RowStream> => new JsonRows(source).start();
