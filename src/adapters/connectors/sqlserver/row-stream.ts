import type { Connection as Session } from 'tedious';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { refused } from '../errors.ts';
import { isCancelled, TimeUp } from './errors.ts';
import { type Cells, type ColumnMetadata, joinedEncoder, type RowEncoder, rowEncoder } from './row-encoder.ts';
import { cancel, type Request, requestFor, type Statement } from './session.ts';

export interface RowSource {
  readonly session: Session;
  readonly statement: Statement;
  readonly maxRows: number;
  readonly maxBytes: number;
  /** Ends the statement; the reader gets its reason. */
  readonly signal: AbortSignal;
  /** Columns whose text is JSON already. */
  readonly isJson?: (column: string) => boolean;
  /** The error that the reader gets for one in the middle. */
  explain(error: unknown): unknown;
  /** The server is done with the statement; resolves when the session was given back. */
  finish(): Promise<void>;
}

interface Failure {
  readonly error: unknown;
  /** The reader gets the error as it is. */
  readonly final: boolean;
}

const CHUNK_CHARACTERS = 64 * 1024;
const MOST_CHUNKS_WAITING = 2;

/** Rows as they come from the server, turned into JSON text; while the reader does not keep up, none are taken from the network. */
class JsonRows implements AsyncIterableIterator<Uint8Array> {
  readonly #source: RowSource;
  readonly #request: Request;
  readonly #onAbort: () => void;
  #encoder: RowEncoder | undefined;
  #text = '';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #rowCount = 0;
  #more = false;
  #stopped = false;
  #left = false;
  #paused = false;
  #failure: Failure | null = null;
  #ended = false;
  #changed = Promise.withResolvers<void>();

  constructor(source: RowSource) {
    this.#source = source;
    this.#request = requestFor(source.statement, (error) => this.#done(error));
    this.#request.on('columnMetadata', (columns) => this.#begin(columns as readonly ColumnMetadata[]));
    this.#request.on('row', (cells: Cells) => this.#row(cells));
    this.#onAbort = () => this.#fail(source.signal.reason, !(source.signal.reason instanceof TimeUp));
  }

  /** Resolves with the first piece of the rows; what goes wrong before it is thrown as it is. */
  async start(): Promise<RowStream> {
    const { session, signal } = this.#source;
    if (signal.aborted) this.#onAbort();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    session.execSql(this.#request);
    while (this.#chunks.length === 0 && !this.#ended) await this.#changed.promise;
    if (this.#failure) throw this.#failure.error;
    if (!this.#encoder) throw refused('The statement returned no columns.');
    return {
      columns: this.#encoder.columns,
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
      if (this.#ended && this.#failure)
        throw this.#failure.final ? this.#failure.error : this.#source.explain(this.#failure.error);
      if (this.#ended) return { value: undefined, done: true };
      await this.#changed.promise;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#left = true;
    this.#stop();
    this.#chunks = [];
    while (!this.#ended) await this.#changed.promise;
    return { value: undefined, done: true };
  }

  #notify() {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #begin(columns: readonly ColumnMetadata[]) {
    if (this.#encoder) return this.#fail(refused('The statement returned more than one result.'));
    this.#encoder = joinedEncoder(columns) ?? rowEncoder(columns, this.#source.isJson);
  }

  #row(cells: Cells) {
    const encoder = this.#encoder;
    if (this.#stopped || !encoder) return;
    if (this.#rowCount === this.#source.maxRows && !encoder.joins) return this.#full();
    try {
      const text = (this.#rowCount === 0 || encoder.joins ? '' : ',') + encoder.encode(cells);
      this.#bytes += Buffer.byteLength(text);
      if (this.#bytes > this.#source.maxBytes)
        return encoder.joins ? this.#fail(refused('The result is too large.')) : this.#full();
      this.#rowCount = encoder.joins ? 1 : this.#rowCount + 1;
      this.#text += text;
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#text.length >= CHUNK_CHARACTERS) this.#flush();
  }

  /** There is a row more than is let through. */
  #full() {
    this.#more = true;
    this.#stop();
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
    const full = this.#chunks.length >= MOST_CHUNKS_WAITING;
    if (this.#ended || this.#stopped || full === this.#paused) return;
    this.#paused = full;
    if (full) this.#request.pause();
    else this.#request.resume();
  }

  #stop() {
    if (this.#stopped || this.#ended) return;
    this.#stopped = true;
    cancel(this.#source.session, this.#request);
  }

  #fail(error: unknown, final = false) {
    if (this.#failure || this.#ended) return;
    this.#failure = { error, final };
    this.#chunks = [];
    this.#text = '';
    this.#stop();
  }

  async #done(error: Error | null | undefined) {
    this.#source.signal.removeEventListener('abort', this.#onAbort);
    const broken = error && !this.#stopped;
    this.#stopped = true;
    if (broken) this.#fail(error);
    if (this.#failure?.error instanceof TimeUp && isCancelled(error))
      this.#failure = { error: new TimeUp(true), final: false };
    if (!this.#failure) this.#text += this.#encoder?.end?.() ?? '';
    await this.#source.finish();
    if (!this.#failure && !this.#left) this.#flush();
    this.#ended = true;
    this.#notify();
  }
}

export const streamRows = (source: RowSource): Promise<RowStream> => new JsonRows(source).start();
