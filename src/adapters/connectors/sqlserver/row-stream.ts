import type { Connection as Session } from 'tedious';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { refused } from '../errors.ts';
import { type RowCaps, RowChunks } from '../sql/row-chunks.ts';
import { isCancelled, TimeUp } from './errors.ts';
import { type Cells, type ColumnMetadata, joinedEncoder, type RowEncoder, rowEncoder } from './row-encoder.ts';
import { cancel, type Request, requestFor, type Statement } from './session.ts';

interface RowSource extends RowCaps {
  readonly session: Session;
  readonly statement: Statement;
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

/** Rows as they come from the server, turned into JSON text; they end when the session was given back. */
class JsonRows extends RowChunks {
  readonly #source: RowSource;
  readonly #request: Request;
  readonly #onAbort: () => void;
  #encoder: RowEncoder | undefined;
  #failure: Failure | null = null;

  constructor(source: RowSource) {
    super(source);
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
    await this.begun();
    if (this.#failure) throw this.#failure.error;
    if (!this.#encoder) throw refused('The statement returned no columns.');
    return { columns: this.#encoder.columns, chunks: this, end: () => this.end };
  }

  protected pause() {
    this.#request.pause();
  }

  protected resume() {
    this.#request.resume();
  }

  protected leave() {
    this.#stop();
  }

  #begin(columns: readonly ColumnMetadata[]) {
    if (this.#encoder) return this.#fail(refused('The statement returned more than one result.'));
    this.#encoder = joinedEncoder(columns) ?? rowEncoder(columns, this.#source.isJson);
  }

  #row(cells: Cells) {
    const encoder = this.#encoder;
    if (this.stopped || !encoder) return;
    if (this.isFull && !encoder.joins) return this.#full();
    try {
      if (this.add(encoder.encode(cells), encoder.joins)) return;
    } catch (error) {
      return this.#fail(error);
    }
    if (encoder.joins) this.#fail(refused('The result is too large.'));
    else this.#full();
  }

  #full() {
    this.more = true;
    this.#stop();
  }

  #stop() {
    if (this.stopped) return;
    this.stopped = true;
    cancel(this.#source.session, this.#request);
  }

  #fail(error: unknown, final = false) {
    if (this.#failure) return;
    this.#failure = { error, final };
    this.drop();
    this.#stop();
  }

  async #done(error: Error | null | undefined) {
    this.#source.signal.removeEventListener('abort', this.#onAbort);
    const broken = error && !this.stopped;
    this.stopped = true;
    if (broken) this.#fail(error);
    if (this.#failure?.error instanceof TimeUp && isCancelled(error))
      this.#failure = { error: new TimeUp(true), final: false };
    if (!this.#failure) this.append(this.#encoder?.end?.() ?? '');
    await this.#source.finish();
    this.close(this.#failure && (() => this.#reason()));
  }

  #reason(): unknown {
    return this.#failure?.final ? this.#failure.error : this.#source.explain(this.#failure?.error);
  }
}

export const streamRows = (source: RowSource): Promise<RowStream> => new JsonRows(source).start();
