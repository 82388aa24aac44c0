import type { RowStream, RowsEnd } from '../../application/ports/connectors.ts';
import { BodyText } from './operation.ts';

type Tail = (end: RowsEnd) => string;

async function* between({ chunks, end }: RowStream, head: string, tail: Tail) {
  let before = head;
  for await (const chunk of chunks) {
    if (before !== '') yield before;
    before = '';
    yield chunk;
  }
  yield before + tail(end());
}

/**
 * The rows between two pieces of JSON, the second of which is known only at the end. It waits for the first rows before it yields
 * anything, so that a failure until then is an ordinary error.
 */
export const rowsBetween = (rows: RowStream, head: string, tail: Tail): BodyText =>
  new BodyText(between(rows, head, tail));
