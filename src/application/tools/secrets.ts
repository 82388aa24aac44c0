import { isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { Sealer } from '../ports/secrets.ts';

/** Where a declaration may hold a token: the rest of it stays readable. */
const kinds = ['http', 'mcp'] as const;

const entryOf = (tool: JsonValue): { readonly kind: string; readonly entry: JsonObject } | null => {
  if (!isObject(tool)) return null;
  const kind = kinds.find((each) => isObject((tool as JsonObject)[each]));
  return kind === undefined ? null : { kind, entry: (tool as JsonObject)[kind] as JsonObject };
};

const opened = (entry: JsonObject, sealer: Sealer): string | null => {
  if (typeof entry.sealed !== 'string') return null;
  try {
    return sealer.open(entry.sealed);
  } catch {
    return null;
  }
};

/** Tools as they are stored: address, headers and body sealed; what has not changed since keeps its sealed text. */
export const sealTools = (tools: readonly JsonValue[], stored: readonly JsonValue[], sealer: Sealer): readonly JsonValue[] => {
  const known = new Map(
    stored.flatMap((tool) => {
      const found = entryOf(tool);
      const plain = found && opened(found.entry, sealer);
      return plain === null || found === null ? [] : [[plain, found.entry.sealed as string]];
    }),
  );
  return tools.map((tool) => {
    const found = entryOf(tool);
    if (!found) return tool;
    const { url, headers, body, ...shown } = found.entry;
    const plain = JSON.stringify({ url, headers, body });
    return { ...(tool as JsonObject), [found.kind]: { ...shown, sealed: known.get(plain) ?? sealer.seal(plain) } };
  });
};

/** A stored tool as it was declared. Throws where it was sealed with another key. */
export const openTool = (tool: JsonValue, sealer: Sealer): JsonValue => {
  const found = entryOf(tool);
  if (!found || typeof found.entry.sealed !== 'string') return tool;
  const { sealed, ...shown } = found.entry;
  return { ...(tool as JsonObject), [found.kind]: { ...shown, ...(parseJson(sealer.open(sealed as string)) as JsonObject) } };
};
