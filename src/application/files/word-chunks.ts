import type { PageLayout, PageWord } from '../../domain/page-words.ts';

type WordedPage = Pick<PageLayout, 'number' | 'words'>;

/** About 250 kB as text. */
const MOST_WORDS = 5000;

/** Pages in pieces that are each read and written as a whole: a page needs one of them, a file few. */
export function* chunksOf<P extends WordedPage>(pages: readonly P[]): Generator<readonly P[]> {
  let chunk: P[] = [];
  let words = 0;
  for (const page of pages) {
    if (chunk.length > 0 && words + page.words.length > MOST_WORDS) {
      yield chunk;
      chunk = [];
      words = 0;
    }
    chunk.push(page);
    words += page.words.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** Without names: they would be most of the text. */
type Kept = readonly [text: string, x: number, y: number, width: number, height: number, confidence: number | null];

export const chunkText = (pages: readonly WordedPage[]): string =>
  JSON.stringify(
    pages.map(({ number, words }) => [
      number,
      words.map(({ text, x, y, width, height, confidence }): Kept => [text, x, y, width, height, confidence]),
    ]),
  );

const isKept = (value: unknown): value is Kept =>
  Array.isArray(value) &&
  value.length === 6 &&
  typeof value[0] === 'string' &&
  value.slice(1, 5).every(Number.isFinite);

/** null if the chunk is damaged, or has not this page. */
export const wordsIn = (chunk: Uint8Array, page: number): readonly PageWord[] | null => {
  try {
    const pages: unknown = JSON.parse(new TextDecoder().decode(chunk));
    const words: unknown = Array.isArray(pages)
      ? pages.find((each) => Array.isArray(each) && each[0] === page)?.[1]
      : null;
    if (!Array.isArray(words) || !words.every(isKept)) return null;
    return words.map(([text, x, y, width, height, confidence]) => ({ text, x, y, width, height, confidence }));
  } catch {
    return null;
  }
};
