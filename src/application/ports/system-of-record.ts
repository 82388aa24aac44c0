import type { Connection } from '../../domain/connection.ts';
import type { JsonValue } from '../../domain/json.ts';

export interface RowDelivery {
  /** `schema.table` */
  readonly entity: string;
  readonly documentIdColumn: string;
  readonly documentId: string;
  /** Column → value, the document id's own column left out. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

export type DeliveryResult =
  | { readonly outcome: 'written' /** The row in the system's own words: `public.invoices document_id=…`. */; readonly reference: string }
  /** The system answered no: a constraint, a type, a missing table or column, a permission; in its own words. */
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Writes one row for a document, exactly once however often it is called: it looks for the row first, in the same transaction. */
export interface SystemsOfRecord {
  /**
   * Rejects with a DomainError `unavailable` where the system could not be reached or did not answer in time, and nothing was written;
   * with `outcome_unknown` where that cannot be told: the next call finds what was. An abort before the commit writes nothing. The sessions of the
   * connection are shared between credentials as Connectors says.
   */
  deliver(connection: Connection, row: RowDelivery, signal: AbortSignal, credential?: string): Promise<DeliveryResult>;
}
