import type { RowStream, RowsEnd } from '../../application/ports/connectors.ts';
import { JsonText } from './operation.ts';

/**
 * The rows between two pieces of JSON, the second of which is known only at the end. The first chunk of rows is waited for
 * before anything is answered, so that what fails until then is an ordinary error.
 */
export const rowsBetween = ({ chunks, end }: RowStream, head: string, tail: (end: RowsEnd) => string): JsonText =>
  new JsonText(
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
