import type { EventEmitter } from 'node:events';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import { type RowCaps, RowChunks } from '../sql/row-chunks.ts';
import { type Field, type RowEncoder, rowEncoder } from './cells.ts';
import { isLost } from './errors.ts';
import { type Ending, nearlyDone, type Session, type Statement } from './session.ts';

interface RowSource extends RowCaps {
  readonly session: Session;
  readonly statement: Statement;
  /** Ends the statement; the reader gets its reason. */
  readonly signal: AbortSignal;
  /** The error that the reader gets for one of the server, or of the way to it. */
  explain(error: unknown): unknown;
  /** Called once, when no more rows are taken. */
  finish(ending: Exclude<Ending, 'used'>): void;
}

/** Rows as they come from the server, turned into JSON text. */
class JsonRows extends RowChunks {
  readonly #source: RowSource;
  readonly #over = Promise.withResolvers<void>();
  #encoder: RowEncoder | undefined;
  /** The server has answered to the end. */
  #answered = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: RowSource) {
    super(source);
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
    await this.begun();
    if (this.#failure) throw this.#failure.reason;
    return { columns: this.#encoder?.columns ?? [], chunks: this, end: () => this.end };
  }

  protected pause() {
    this.#source.session.pause();
  }

  protected resume() {
    this.#source.session.resume();
  }

  protected leave() {
    if (!this.stopped) this.#enough();
  }

  #begin(fields: readonly Field[] | undefined) {
    if (fields) this.#encoder = rowEncoder(fields);
    else this.#fail(new DomainError('invalid', 'The statement returned no columns.'), 'clean');
  }

  #row(values: readonly unknown[]) {
    if (this.stopped || !this.#encoder) return;
    if (this.isFull) return this.#enough();
    let text: string;
    try {
      text = this.#encoder.encode(values);
    } catch (error) {
      return this.#fail(error, 'running');
    }
    if (!this.add(text)) this.#enough();
  }

  /** Rows that are on their way anyway are waited for, for a moment, so that the session can be used again. */
  #enough() {
    this.more = true;
    this.#stop();
    void nearlyDone(this.#over.promise).then(() => this.#source.finish(this.#answered ? 'clean' : 'running'));
    this.close();
  }

  #end(ending: Exclude<Ending, 'used'>) {
    if (this.stopped) return;
    this.#stop();
    this.#source.finish(ending);
    this.close(this.#failure && (() => this.#failure?.reason));
  }

  /** A failure after enough rows were taken does not concern these rows. */
  #fail(reason: unknown, ending: Exclude<Ending, 'used'>) {
    if (this.stopped) return;
    this.#failure = { reason };
    this.drop();
    this.#end(ending);
  }

  #stop() {
    const { signal, session } = this.#source;
    this.stopped = true;
    signal.removeEventListener('abort', this.#onAbort);
    session.off('error', this.#onLost);
    if (!this.#answered) session.resume();
  }
}

export const streamRows = (source: RowSource): Promise<RowStream> => new JsonRows(source).start();
