/** A table of a database, as the API names it. */
interface TableAddress {
  readonly databaseId: string;
  readonly schema: string;
  readonly table: string;
}

const plain = /^[A-Za-z0-9_-]$/;

const encodePart = (text: string) =>
  [...new TextEncoder().encode(text)]
    .map((byte) =>
      plain.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** The text of a part, or null if it is not the form `encodePart` gives. */
const decodePart = (part: string): string | null => {
  if (!/^([A-Za-z0-9_-]|~[0-9A-F]{2})+$/.test(part)) return null;
  const bytes = [...part.matchAll(/~(..)|./g)].map(([character, hex]) =>
    hex ? Number.parseInt(hex, 16) : character.charCodeAt(0),
  );
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    return encodePart(text) === part ? text : null;
  } catch {
    return null;
  }
};

/** `<database id>.<schema>.<table>`; within each part a byte outside `A-Za-z0-9_-` is written `~XX`. */
export const encodeTableId = ({ databaseId, schema, table }: TableAddress): string =>
  [databaseId, schema, table].map(encodePart).join('.');

/** null if the text is no table id. Every table has exactly one. */
export const decodeTableId = (id: string): TableAddress | null => {
  const [databaseId, schema, table, ...rest] = id.split('.').map(decodePart);
  if (rest.length > 0 || databaseId == null || schema == null || table == null) return null;
  return { databaseId, schema, table };
};
