import type { Evidence } from '../../domain/document.ts';
import { isObject, isPointer, type JsonValue, resolvePointer } from '../../domain/json.ts';
import type { FilePart } from '../ports/text.ts';

const MAX_QUOTE = 2000;

/** Line breaks and runs of blanks are layout: a quote stands in a text when it does so with blanks folded. */
const folded = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Page {
  readonly fileName: string;
  readonly number: number | null;
  readonly text: string;
}

const pagesOf = (parts: readonly FilePart[]): readonly Page[] =>
  parts.flatMap(({ fileName, pages }) => pages.map(({ number, text }) => ({ fileName, number, text: folded(text) })));

/** Where the quote really stands: the page the model named where it does, else the first that has it. */
const placeOf = (quote: string, claimed: { fileName: unknown; page: unknown }, pages: readonly Page[]): Page | undefined => {
  const holders = pages.filter((page) => page.text.includes(quote));
  return (
    holders.find((page) => page.fileName === claimed.fileName && page.number === (claimed.page ?? null)) ??
    holders.find((page) => page.fileName === claimed.fileName) ??
    holders[0]
  );
};

const isLeaf = (value: JsonValue | undefined) => value !== undefined && value !== null && !isObject(value) && !Array.isArray(value);

/** Keeps of a model's evidence what is true: the pointer names an extracted leaf, and the quote stands verbatim in a file. */
export const verifyEvidence = (claims: unknown, document: JsonValue, parts: readonly FilePart[]): Record<string, Evidence> => {
  const pages = pagesOf(parts);
  const verified: Record<string, Evidence> = Object.create(null);
  for (const claim of Array.isArray(claims) ? claims : []) {
    if (!isObject(claim) || typeof claim.pointer !== 'string' || typeof claim.quote !== 'string') continue;
    const quote = folded(claim.quote);
    if (quote === '' || quote.length > MAX_QUOTE || !isPointer(claim.pointer) || !isLeaf(resolvePointer(document, claim.pointer))) continue;
    const place = placeOf(quote, { fileName: claim.file_name, page: claim.page }, pages);
    if (place) verified[claim.pointer] = { quote, fileName: place.fileName, page: place.number };
  }
  return { ...verified };
};
