import type { Connectors } from '../../../src/application/ports/connectors.ts';
import type { Connection } from '../../../src/domain/connection.ts';

/** What a connected system calls things: the contract has no SQL of one vendor in it. */
export interface Dialect {
  /** Whether its connections take writes: then they are held to the writing half too. */
  readonly writes: boolean;
  /** A name as it stands in SQL, whatever is in it. */
  quote(name: string): string;
  /** Whether a name is one that the system takes for a table or column: length, characters. */
  allows(name: string): boolean;
  /** What a name is compared by, where the system takes different ones for the same. */
  folded?(name: string): string;
  /** A comment with whatever in it that ends no comment; by default one within another. */
  readonly comment?: string;
  /** A text as a literal, whatever is in it. */
  literal(text: string): string;
  /** The types that stand for these kinds. `exact` is a decimal of 38 digits, 10 behind the point; `short` a text of 3 characters; `unordered` one that cannot be sorted. */
  readonly types: Readonly<
    Record<
      | 'integer'
      | 'bigint'
      | 'exact'
      | 'float'
      | 'text'
      | 'short'
      | 'boolean'
      | 'date'
      | 'timestamp'
      | 'uuid'
      | 'bytes'
      | 'unordered',
      string
    >
  >;
  /** What the catalogue calls `types.exact` and `types.text`. */
  readonly dataTypes: { readonly exact: string; readonly text: string };
  /** Types with a literal of each, and the JSON text that it must be answered as. */
  readonly values: readonly { readonly declared: string; readonly literal: string; readonly json: string }[];
  /** Types with a value that a filter compares with, and one that does not convert. */
  readonly conversions: readonly {
    readonly declared: string;
    readonly literal: string;
    readonly filter: string;
    readonly unconvertible: string;
  }[];
  /** Rows `n` = 1 … count, in this order. */
  series(count: number): string;
  /** One row after about so many seconds, and only then. */
  slow(seconds: number): string;
  /** Rows without end, so that only a cancellation stops it: each has `n` and a text `filler` of about a kilobyte. */
  endless(): string;
  /** A statement with an error in the middle, and what of it must be told. */
  readonly faulty: { readonly sql: string; readonly told: RegExp };
  /** Relations of the system itself, as they stand in SQL. */
  readonly catalogue: readonly string[];
  /** Statements that would change something, or leave something behind, if they were let; `table` is quoted and has columns `id` and `name`. */
  attacks(table: string): readonly Attack[];
  /** Queries that look like attacks and are none, with the rows they answer as JSON. */
  innocent(table: string): readonly { readonly sql: string; readonly rows: string }[];
}

export interface Attack {
  readonly name: string;
  readonly sql: string;
  /** `refused`: invalid, with words that match `told`. `harmless`: it may be answered, but nothing comes of it. */
  readonly expects: 'refused' | 'harmless';
  readonly told?: RegExp;
}

export type OpenConnectors = Connectors & { close(): Promise<void> };

export interface OpenSettings {
  readonly timeoutSeconds?: number;
  readonly poolSize?: number;
}

/** A real system that the contract may arrange things in. All it needs is made in a schema of its own. */
export interface ConnectorHarness {
  /** The schema that is the suite's own. */
  readonly schema: string;
  /** Another one, for `schemas` to leave out. */
  readonly otherSchema: string;
  /** Whose login owns both schemas: nothing but the connector's own layers keeps its queries from writing. */
  readonly connection: Connection;
  /** A login that may read the tables of `schema` and write none. */
  readonly reader: Connection;
  /** A login that may connect and read no table. */
  readonly blind: Connection;
  /** Nothing listens there. */
  readonly unreachable: Connection;
  /** Its host has no address. */
  readonly unnamed: Connection;
  readonly wrongPassword: Connection;
  /** Where the system answers. */
  readonly address: { readonly host: string; readonly port: number };
  /** `connection` by way of a port of 127.0.0.1. */
  via(port: number): Connection;
  /** Connectors of their own; by default with 60 seconds, 4 sessions and 2 for queries. The suite closes what it opened. */
  open(settings?: OpenSettings): OpenConnectors;
  /** Runs statements as the owner, each by itself, in a session that the connectors do not know. */
  execute(...statements: readonly string[]): Promise<void>;
  /** Everything in both schemas as text, and what else the attacks aim at (settings, roles, other objects): equal exactly if nothing changed. */
  fingerprint(): Promise<string>;
  /** Sessions of the connectors that run a statement or hold a transaction open. */
  busy(): Promise<number>;
  /** All sessions of the connectors. */
  sessions(): Promise<number>;
  /** Ends the sessions of the connectors on the server. */
  terminate(): Promise<void>;
  /** Keeps everybody from reading the table until it is released. */
  block(table: string): Promise<() => Promise<void>>;
}
