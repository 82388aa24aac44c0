import type { DeliveryResult, RehearsedDelivery, RowDelivery } from '../../application/ports/connectors.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type Settling, settled } from './unanswered.ts';

export const rejected = (reason: string): RehearsedDelivery => ({ would: 'reject', reason });

/** Every column that is written with its value, the document's id first. */
export const entriesOf = ({
  documentIdColumn,
  documentId,
  values,
}: RowDelivery): readonly (readonly [string, JsonValue])[] => [
  [documentIdColumn, documentId],
  ...Object.entries(values).filter(([name]) => name !== documentIdColumn),
];

/** Runs the work, which writes the row. If the session is lost during the commit, the row is looked for, here and in the next delivery. */
export const delivering = (
  settling: Omit<Settling<RehearsedDelivery>, 'done' | 'advice'>,
): Promise<RehearsedDelivery> =>
  settled({
    ...settling,
    done: () => ({ would: 'already_there', reason: null }),
    advice: 'Process the document again: the row is looked for first.',
  });

/** What came of a delivery that was made. */
export const deliveryResult = ({ would, reason }: RehearsedDelivery, row: RowDelivery): DeliveryResult => {
  if (would === 'reject') return { outcome: 'rejected', reason };
  return { outcome: 'written', reference: `${row.entity} ${row.documentIdColumn}=${row.documentId}` };
};
