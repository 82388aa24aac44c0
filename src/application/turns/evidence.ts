import { type Evidence, evidenceOf } from '../../domain/document.ts';
import { type Support, supportOf } from '../../domain/evidence-support.ts';
import { isObject, isPointer, type JsonObject, type JsonValue, resolvePointer } from '../../domain/json.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import { placeQuotes } from '../../domain/quote-places.ts';
import { blanksFolded, quoteSearch } from '../../domain/quoted-text.ts';
import type { FilePart } from '../ports/text.ts';

const MAX_QUOTE = 2000;
const MAX_ORIGINAL = 2 * MAX_QUOTE;

interface Page {
  readonly fileName: string;
  readonly number: number | null;
  readonly text: string;
  readonly layout: PageLayout | null;
}

type Pages = Pick<FilePart, 'fileName' | 'pages' | 'layouts'>;

const pagesOf = (parts: readonly Pages[]): readonly Page[] =>
  parts.flatMap(({ fileName, pages, layouts }) => {
    const byNumber = new Map(layouts.map((layout) => [layout.number, layout]));
    return pages.map(({ number, text }) => {
      const layout = number === null ? null : (byNumber.get(number) ?? null);
      return { fileName, number, text: blanksFolded(text), layout };
    });
  });

/** Finds where a quote really stands: on the page that the model named if it does, else on the first that has it. */
const quoteFinder = (pages: readonly Page[]) => {
  const searched = pages.map((page) => {
    const search = quoteSearch(page.text);
    return { page, has: (quote: string) => search(quote) !== -1 };
  });
  const named = Map.groupBy(searched, ({ page: { fileName, number } }) => JSON.stringify([fileName, number]));
  return (quote: string, fileName: unknown, page: unknown): Page | undefined => {
    const claimed = named.get(JSON.stringify([fileName, page ?? null]))?.find(({ has }) => has(quote));
    const ofFile = () => searched.find((other) => other.page.fileName === fileName && other.has(quote));
    return (claimed ?? ofFile() ?? searched.find(({ has }) => has(quote)))?.page;
  };
};

const isLeaf = (value: JsonValue | undefined) =>
  value !== undefined && value !== null && !isObject(value) && !Array.isArray(value);

interface Quoted {
  readonly pointer: string;
  readonly quote: string;
  /** The quote with its tabs and line breaks: they end a number, which a blank may not. */
  readonly original: string;
  readonly page: Page;
}

/** What is true of a model's evidence: the pointer names an extracted leaf, and the quote stands verbatim in a file. */
export function* trueQuotes(
  claims: unknown,
  document: JsonObject,
  parts: readonly Pages[],
): Generator<void, readonly Quoted[]> {
  const find = quoteFinder(pagesOf(parts));
  const quoted = new Map<string, Quoted>();
  for (const claim of Array.isArray(claims) ? claims : []) {
    yield;
    if (!isObject(claim) || typeof claim.pointer !== 'string' || typeof claim.quote !== 'string') continue;
    const { pointer } = claim;
    const quote = blanksFolded(claim.quote);
    if (quote === '' || quote.length > MAX_QUOTE || !isPointer(pointer) || !isLeaf(resolvePointer(document, pointer)))
      continue;
    const page = find(quote, claim.file_name, claim.page);
    if (page)
      quoted.set(pointer, { pointer, quote, original: claim.quote.length > MAX_ORIGINAL ? quote : claim.quote, page });
  }
  return [...quoted.values()];
}

/** A quote that stands in a file, and how it supports its value. */
export interface SupportedQuote extends Quoted {
  readonly support: Support;
}

/** Adds to each quote how it supports its value. */
export function* supported(
  document: JsonObject,
  quotes: readonly Quoted[],
): Generator<void, readonly SupportedQuote[]> {
  const support = yield* supportOf(
    document,
    quotes.map(({ pointer, original }) => ({ pointer, quote: original })),
  );
  return quotes.map((quoted) => ({ ...quoted, support: support.get(quoted.pointer) ?? 'none' }));
}

/** The quotes as evidence by pointer, with the places where they stand. */
export function* placed(
  document: JsonObject,
  quotes: readonly SupportedQuote[],
): Generator<void, Readonly<Record<string, Evidence>>> {
  const places = yield* placeQuotes(
    quotes.flatMap(({ pointer, quote, page: { layout } }) =>
      layout === null ? [] : [{ pointer, value: resolvePointer(document, pointer) ?? null, quote, layout }],
    ),
  );
  const evidence = quotes.map(({ pointer, quote, support, page: { fileName, number: page, layout } }) => {
    const source = layout?.source ?? 'text';
    return [pointer, evidenceOf({ quote, fileName, page, source, support, ...places.get(pointer) })] as const;
  });
  return Object.fromEntries(evidence);
}
