import type { ClaimedPart } from './question.ts';

/** A part as far as the windows before have shown it. */
export interface OpenPart {
  readonly name: string;
  readonly pages: Set<number>;
  readonly quote: string | null;
  readonly quotePage: number | null;
  readonly confidence: number;
}

const UNSURE = 0.5;

/** How sure a model is, as a fraction; of one that does not say so, a half. */
export const sure = (confidence: number | null) => Math.min(1, Math.max(0, confidence ?? UNSURE));

/** Which part before a claim goes on with: the one that it names, or the one that has the last of its pages that were shown before. */
const continued = (
  open: readonly OpenPart[],
  { name, pages, continues }: ClaimedPart,
  from: number,
): OpenPart | undefined => {
  const named = continues === null ? undefined : open[continues];
  if (named?.name === name) return named;
  const shared = pages.filter((page) => page < from).sort((a, b) => b - a);
  return shared.map((page) => open.find((part) => part.pages.has(page))).find((part) => part !== undefined);
};

/**
 * Adds what is claimed of a window to the parts before. Pages below `from` were shown before and are decided; a page that two claims
 * have is the first one's; of names that there are not, and pages that are not in the window, nothing is taken.
 */
export const addClaims = (
  open: OpenPart[],
  claims: readonly ClaimedPart[],
  { from, to, names }: { readonly from: number; readonly to: number; readonly names: ReadonlySet<string> },
): void => {
  const taken = new Set<number>();
  for (const claim of claims) {
    if (!names.has(claim.name)) continue;
    const pages = claim.pages.filter(
      (page) => Number.isInteger(page) && page >= from && page <= to && !taken.has(page),
    );
    if (pages.length === 0) continue;
    for (const page of pages) taken.add(page);
    const before = continued(open, claim, from);
    if (before === undefined) {
      const { name, quote, page: quotePage, confidence } = claim;
      open.push({ name, pages: new Set(pages), quote, quotePage, confidence: sure(confidence) });
    } else for (const page of pages) before.pages.add(page);
  }
};

/** The part that most pages of a stretch are claimed for; undefined if none is. */
export const mostClaimed = (open: readonly OpenPart[], stretch: readonly number[]): OpenPart | undefined => {
  const counts = new Map<string, number>();
  for (const page of stretch) {
    const name = open.find((part) => part.pages.has(page))?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined) return undefined;
  const has = (part: OpenPart) => part.name === most[0] && stretch.some((page) => part.pages.has(page));
  return open.find(has);
};
