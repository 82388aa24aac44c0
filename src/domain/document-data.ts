import { escapeToken, isObject, type JsonObject, type JsonValue, jsonBytes } from './json.ts';

/** The data of a document is at most so long as JSON text: what reads, checks or corrects it holds all of it in memory. */
export const MOST_DATA_BYTES = 4 * 1024 * 1024;
export const TOO_LONG = 'is longer than 4 MiB as JSON text';

/** Each value may have evidence, which is larger than most values. */
export const MOST_VALUES = 200_000;
/** Of all values together: what stands below a long name has it in its pointer. */
const MOST_POINTER_CHARACTERS = 32 * 1024 * 1024;

/** How many values there are, and how long their JSON Pointers are together. */
const extentOf = (value: JsonValue, above: number): { readonly values: number; readonly characters: number } => {
  if (!isObject(value) && !Array.isArray(value)) return { values: 1, characters: above };
  let values = 1;
  let characters = above;
  for (const [name, item] of Object.entries(value as JsonObject)) {
    const below = extentOf(item, above + 1 + escapeToken(name).length);
    values += below.values;
    characters += below.characters;
  }
  return { values, characters };
};

/** Why this is too much for the data of a document, in words that follow "a document that"; null if it is not. */
export const sizeDefect = (data: JsonValue): string | null => {
  if (jsonBytes(data) > MOST_DATA_BYTES) return TOO_LONG;
  const { values, characters } = extentOf(data, 0);
  if (values > MOST_VALUES) return 'has more than 200,000 values';
  return characters > MOST_POINTER_CHARACTERS
    ? 'has names so long that the pointers to its values come to more than 32 MiB'
    : null;
};
