import pg from 'pg';

export interface Answer {
  readonly rows: readonly object[];
}

export type Answered = (error: Error | undefined, answer: Answer) => void;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

interface Columns {
  readonly all: readonly Column[];
  /** A row of nulls. V8 keeps its copies fast to read, and no object to which more than a dozen names are added one by one. */
  readonly empty: Readonly<Record<string, unknown>>;
}

const none: Columns = { all: [], empty: {} };

/** What one connection knows of its statements. */
export interface Connected {
  /** The columns of those that it has prepared, by name. */
  readonly columnsOf: Map<string, Columns>;
  getTypeParser(typeId: number, format: 'text'): Column['parse'];
}

interface Description {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** What the driver's types leave out. */
type Wire = pg.Connection & {
  /** Texts by name: `parsed` are those that the server has answered, `submitted` those that it has not. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
};
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): unknown } }).utils;

const UNNAMED = { type: 'P', name: '' };

/**
 * A statement that a connection prepares once. The driver's own query asks with each execution which columns there are, which is a third of
 * what a row of many columns costs this process: this one asks the first time only. PostgreSQL refuses to execute a prepared statement whose
 * columns have changed, but a pooler may have prepared it anew on another session since. The driver calls `submit` and, with what the server
 * answers, the others.
 */
export class PreparedStatement implements pg.Submittable {
  readonly name: string;
  readonly text: string;
  callback: Answered;
  readonly #connected: Connected;
  readonly #values: readonly unknown[];
  readonly #rows: object[] = [];
  #columns = none;
  #unreadable: Error | undefined;

  constructor(connected: Connected, name: string, text: string, values: readonly unknown[], callback: Answered) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#connected = connected;
    this.#values = values.map((value) => prepareValue(value));
  }

  submit(connection: pg.Connection): void {
    const wire = connection as Wire;
    const { name, text } = this;
    const known = this.#connected.columnsOf.get(name);
    wire.stream.cork();
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text } as pg.QueryParse, false);
      wire.submittedNamedStatements[name] = text;
    }
    wire.bind({ statement: name, values: this.#values } as pg.BindConfig, false);
    if (known) this.#columns = known;
    else wire.describe(UNNAMED, false);
    wire.execute(null, false);
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: Description): void {
    this.#columns = {
      all: fields.map(({ name, dataTypeID }) => ({ name, parse: this.#connected.getTypeParser(dataTypeID, 'text') })),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#unreadable) return;
    const { all, empty } = this.#columns;
    const row = { ...empty };
    try {
      if (fields.length !== all.length) throw new Error('The columns of a prepared statement have changed.');
      for (const [index, { name, parse }] of all.entries()) {
        const field = fields[index] ?? null;
        if (field !== null) row[name] = parse(field);
      }
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {
    this.#connected.columnsOf.set(this.name, this.#columns);
  }

  handleError(error: Error): void {
    this.callback(error, { rows: [] });
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable, { rows: this.#rows });
  }
}
