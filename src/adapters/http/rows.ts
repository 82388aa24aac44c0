import type { RowStream, RowsEnd } from '../../application/ports/connectors.ts';
import { BodyText } from './operation.ts';

/**
 * The rows between two pieces of JSON, the second of which is known only at the end. It waits for the first rows before it yields
 * anything, so that a failure until then is an ordinary error.
 */
export const rowsBetween = ({ chunks, end }: RowStream, head: string, tail: (end: RowsEnd) => string): BodyText =>
  new BodyText(
    (async function* () {
      let before = head;
      for await (const chunk of chunks) {
        if (before !== '') yield before;
        before = '';
        yield chunk;
      }
      yield before + tail(end());
    })(),
  );
