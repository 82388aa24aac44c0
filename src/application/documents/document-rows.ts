import type { Agent, SystemOfRecord } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import type { DeliveryOutcome, Document } from '../../domain/document.ts';
import { DomainError, reworded } from '../../domain/errors.ts';
import { type JsonObject, resolvePointer } from '../../domain/json.ts';
import { titleAt } from '../../domain/schema-parts.ts';
import type { Sharer } from '../../domain/sharer.ts';
import { isSeenBy, isSeenByAll, type Words, wordsFor } from '../connections/unseen-names.ts';
import type { Connectors, Refusal, RowDelivery } from '../ports/connectors.ts';
import type { ConnectionRepository } from '../ports/storage.ts';

export interface RowServices {
  readonly connections: ConnectionRepository;
  readonly connectors: Pick<Connectors, 'open'>;
}

type Content = Pick<Document, 'id' | 'documentData'>;

/** The live version of a document's agent, and where that posts to. */
export interface Target {
  readonly agent: Agent;
  readonly system: SystemOfRecord;
}

/** The row that a document becomes: absent values are null. */
const rowOf = (id: string, data: JsonObject, { entity, columns, documentIdColumn }: SystemOfRecord): RowDelivery => {
  const values = Object.entries(columns).map(
    ([column, pointer]) => [column, resolvePointer(data, pointer) ?? null] as const,
  );
  return { entity, documentIdColumn, documentId: id, values: Object.fromEntries(values) };
};

/** Why a row is refused, for people: in the words that the workspace has for the constraint, or with the titles of the fields. */
const refusalOf = (
  { documentSchema: schema }: Agent,
  system: SystemOfRecord,
  refusal: Refusal,
  words: Words,
): string => {
  const { constraint, columns } = refusal;
  const reason = words(refusal.reason);
  const { columns: pointers, constraintMessages = {} } = system;
  if (constraint !== null && Object.hasOwn(constraintMessages, constraint))
    return `${constraintMessages[constraint]} (${reason})`;
  const titles = columns.flatMap((column) => {
    const pointer = Object.hasOwn(pointers, column) ? pointers[column] : undefined;
    return schema !== null && pointer !== undefined ? (titleAt(schema, pointer) ?? []) : [];
  });
  return titles.length === 0 ? reason : `${titles.join(', ')}: ${reason}`;
};

/** The work at a system of record, what it is refused with in these words. */
const inWords = async <T>(words: Words, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DomainError ? reworded(error, words(error.message)) : error;
  }
};

const CONNECTION_GONE = 'The connection of the system of record is no longer there.';

/** The rows that documents become in their systems of record. */
export const documentRows = ({ connections, connectors }: RowServices) => ({
  async deliver(
    sharer: Sharer,
    { id, documentData }: Content,
    { agent, system }: Target,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const connection = await connections.find(system.connectionId);
    if (!connection) return { event: 'reject', reason: CONNECTION_GONE };
    const row = rowOf(id, documentData ?? {}, system);
    const words = wordsFor(isSeenByAll(connection, agent), connection, system.entity);
    const result = await inWords(words, () => connectors.open(connection, sharer).deliver(row, signal));
    if (result.outcome === 'rejected') return { event: 'reject', reason: refusalOf(agent, system, result, words) };
    return { event: 'accept', reference: words(result.reference) };
  },

  /** What a delivery would come to; nothing is written. */
  async rehearse(caller: Caller, { id, documentData }: Content, { agent, system }: Target, signal: AbortSignal) {
    const row = rowOf(id, documentData ?? {}, system);
    const shown = { [row.documentIdColumn]: id, ...row.values };
    const connection = await connections.find(system.connectionId);
    if (!connection) return { would: 'reject' as const, reason: CONNECTION_GONE, row: shown };
    const words = wordsFor(isSeenBy(connection, caller.userId), connection, system.entity);
    const rehearsed = await inWords(words, () => connectors.open(connection, caller).rehearse(row, signal));
    const reason = rehearsed.would === 'reject' ? refusalOf(agent, system, rehearsed, words) : null;
    return { would: rehearsed.would, reason, row: shown };
  },
});
