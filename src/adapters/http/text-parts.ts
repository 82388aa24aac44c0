const PART_CHARACTERS = 16_384;

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
