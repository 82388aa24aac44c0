import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { htmlText } from './html.ts';
import { refuseDeep } from './html-nesting.ts';

/** The time Readability takes grows with the square of the depth; no page that people write is near either bound. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 20_000;
const MAX_CHARACTERS = 3_000_000;
/** What is shorter is seldom the article: a list of links, or a page that needs its scripts. */
const SHORTEST = 200;

interface Element {
  readonly parentNode: Element | null;
  readonly innerHTML: string;
  readonly textContent: string;
  querySelectorAll(selector: string): Iterable<Element>;
  removeAttribute(name: string): void;
}

const isReasonable = (document: Element): boolean => {
  const depths = new Map<Element | null, number>();
  for (const element of document.querySelectorAll('*')) {
    const depth = (depths.get(element.parentNode) ?? 0) + 1;
    depths.set(element, depth);
    if (depth > MAX_DEPTH || depths.size > MAX_ELEMENTS) return false;
  }
  return true;
};

const articleOf = (html: string): Element | null => {
  refuseDeep(html);
  const { document } = parseHTML(html) as unknown as { readonly document: Element };
  if (!isReasonable(document)) return null;
  const article = new Readability<Element>(document, {
    serializer: (node) => node as unknown as Element,
    charThreshold: SHORTEST,
  }).parse();
  const content = article?.content ?? null;
  return content !== null && content.textContent.trim().length >= SHORTEST ? content : null;
};

/** The text of what a page is about, without the addresses of its links; the whole page if it has no article. */
export const articleText = (html: string): string => {
  const article = html.length <= MAX_CHARACTERS ? articleOf(html) : null;
  if (article === null) return htmlText(html);
  for (const link of article.querySelectorAll('a')) link.removeAttribute('href');
  return htmlText(article.innerHTML);
};
