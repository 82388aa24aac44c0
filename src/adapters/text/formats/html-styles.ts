import { type Declaration, declarationsOf, rulesOf } from './css.ts';

export interface Node {
  readonly nodeType: number;
  textContent: string;
  readonly childNodes: Iterable<Node>;
  remove(): void;
}

export interface Element extends Node {
  readonly localName: string;
  readonly isConnected: boolean;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<Element>;
  replaceWith(text: string): void;
  before(text: string): void;
  after(text: string): void;
  toString(): string;
}

/** Of style sheets together. */
const MAX_CSS = 500_000;
/** Of selectors: each is looked for in the whole page. */
const MAX_SELECTORS = 200;
const ORDINARY = /^[\w.#*\s>+~-]+$/;
/** Rules for other media than a screen, and for colours that only some readers ask for. */
const ELSEWHERE = /\bprint\b|prefers-color-scheme/i;
/** What an element becomes only by what its reader does. */
const TRANSIENT = /:(?:hover|active|focus|focus-within|focus-visible|visited)\b/i;

/** What counts of an element, by property; the strongest declaration of each. */
export type Style = Map<string, { readonly value: string; readonly strength: number }>;

/** Whether an element is seen or struck out, in which font and where, whether it stands apart from the text around it, and what stands before an item of a list. */
const SHOWING =
  /^(?:display|list-style(?:-type)?|visibility|mso-hide|opacity|overflow|(?:max-)?height|left|top|text-indent|font(?:-size|-family)?|text-decoration(?:-line)?|float|(?:min-)?width|(?:padding|margin)(?:-left|-right)?)$/;
/** The colours of its text and of what lies behind that. */
const COLORING = /^(?:color|background(?:-color|-image)?|position)$/;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
/** How specific a selector is (CSS Selectors 4, section 17), as one number. */
const specificityOf = (selector: string): number =>
  count(selector, /#/g) * 10_000 + count(selector, /\./g) * 100 + count(selector, /(?:^|[\s>+~])\w/g);
const INLINE = 1_000_000;
const IMPORTANT = 2_000_000;

/**
 * What the style sheets and attributes of a page say of its elements, whether that is all that is said of their colours, and whether the page
 * counts something by itself, such as the items of lists that have no numbers of the browser.
 */
export const stylesOf = (all: (selector: string) => readonly Element[]) => {
  const styles = new Map<Element, Style>();
  const add = (element: Element, { property, value, isImportant }: Declaration, weight: number) => {
    const style = styles.get(element) ?? new Map();
    styles.set(element, style);
    const strength = weight + (isImportant ? IMPORTANT : 0);
    if ((style.get(property)?.strength ?? -1) <= strength) style.set(property, { value, strength });
  };

  const sheet = all('style')
    .map((style) => style.textContent)
    .join('\n');
  const isWhole = sheet.length <= MAX_CSS && !/@import\b/i.test(sheet) && all('link[rel~=stylesheet]').length === 0;
  const rules = rulesOf(sheet.slice(0, MAX_CSS)).filter(
    ({ conditions }) => !conditions.some((condition) => ELSEWHERE.test(condition)),
  );
  const addTo = (selector: string, declarations: readonly Declaration[]) => {
    const weight = specificityOf(selector);
    for (const element of all(selector)) for (const declaration of declarations) add(element, declaration, weight);
  };

  let left = MAX_SELECTORS;
  /** Adds what the rules say of these properties; answers whether it is known of which elements they say it. */
  const addRules = (wanted: RegExp): boolean => {
    let isKnown = true;
    for (const { selectors, declarations, conditions } of rules) {
      const counting = declarations.filter(({ property }) => wanted.test(property));
      if (counting.length === 0) continue;
      for (const selector of selectors.filter((each) => !TRANSIENT.test(each))) {
        left -= 1;
        if (conditions.length === 0 && ORDINARY.test(selector) && left >= 0) addTo(selector, counting);
        else isKnown = false;
      }
    }
    return isKnown;
  };
  addRules(SHOWING);
  const knowsColors = addRules(COLORING) && isWhole;

  // Cells of a table have the same style by the thousand.
  const written = new Map<string, readonly Declaration[]>();
  for (const element of all('[style]')) {
    const text = element.getAttribute('style') ?? '';
    const declarations = written.get(text) ?? declarationsOf(text);
    written.set(text, declarations);
    for (const declaration of declarations)
      if (SHOWING.test(declaration.property) || COLORING.test(declaration.property)) add(element, declaration, INLINE);
  }
  return { styles, knowsColors, countsItself: /\bcounters?\(/i.test(sheet) };
};
