import { type ColumnMetadata, dataTypeOf, type RowEncoder } from './json-values.ts';

/** What the server calls the one column of FOR JSON and FOR XML, whose single value comes in pieces, each as a row. */
const JOINED = /^(?:JSON|XML)_F52E2B61-18A1-11d1-B105-00805F49916B$/i;

/** The pieces as the one value that they are; null where the answer is an ordinary one. */
export const joinedEncoder = (columns: readonly ColumnMetadata[]): RowEncoder | null => {
  const [only, ...others] = columns;
  if (!only || others.length > 0 || !JOINED.test(only.colName)) return null;
  let begun = false;
  return {
    columns: [{ name: only.colName, dataType: dataTypeOf(only) }],
    joins: true,
    encode([piece]) {
      const opening = begun ? '' : `{${JSON.stringify(only.colName)}:"`;
      begun = true;
      return opening + JSON.stringify(String(piece?.value ?? '')).slice(1, -1);
    },
    end: () => (begun ? '"}' : ''),
  };
};
