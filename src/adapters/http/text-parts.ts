const PART_CHARACTERS = 16_384;

const isHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

/** Long texts in parts, none of which ends between the two halves of a character. */
export const partsOf = function* (texts: readonly string[]) {
  for (const text of texts) {
    let from = 0;
    while (from < text.length) {
      const end = from + PART_CHARACTERS;
      const to = isHalf(text.charCodeAt(end - 1)) ? end + 1 : end;
      yield text.slice(from, to);
      from = to;
    }
  }
};

/** The lines of an answer in parts of a size that is worth sending, as they are read. */
export const inParts = async function* <T>(items: AsyncIterable<T>, header: string, line: (item: T) => string) {
  let part = header;
  for await (const item of items) {
    part += line(item);
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
};
