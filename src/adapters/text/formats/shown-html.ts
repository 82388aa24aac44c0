import { parseHTML } from 'linkedom';
import type { ReadingNote } from '../../../application/ports/text.ts';

/** What is longer is read with what it hides, as is what hides nothing. */
const MAX_CHARACTERS = 3_000_000;
const MAX_RULES = 200;
/** Of style sheets: the time to read them grows with its square where they are no style sheets. */
const MAX_CSS = 50_000;
const MAY_HIDE = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:|\shidden[\s=>/]|<(?:template|noscript)\b/i;
const HIDES = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
const SHOWS = /(?:^|;)\s*display\s*:\s*(?!none)/i;

interface Element {
  readonly textContent: string;
  readonly isConnected: boolean;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<Element>;
  remove(): void;
  toString(): string;
}

/** The rules of a style sheet that hide something everywhere: none for print or small screens, and none that a later one takes back. */
const hidingRules = (css: string): readonly string[] => {
  const everywhere = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '');
  const hides = new Map<string, boolean>();
  for (const [, selectors = '', declarations = ''] of everywhere.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!HIDES.test(declarations) && !SHOWS.test(declarations)) continue;
    for (const selector of selectors.split(',')) hides.set(selector.trim(), HIDES.test(declarations));
    if (hides.size > MAX_RULES) break;
  }
  return [...hides]
    .filter(([selector, isHidden]) => isHidden && /^[\w.#\s>-]+$/.test(selector))
    .map(([selector]) => selector);
};

/** A web page without what no browser shows of it. */
export const shownHtml = (html: string): { readonly html: string; readonly notes: readonly ReadingNote[] } => {
  if (html.length > MAX_CHARACTERS || !MAY_HIDE.test(html)) return { html, notes: [] };
  const { document } = parseHTML(html) as unknown as { readonly document: Element };
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const css = all('style').map((style) => style.textContent);
  const hidden = [
    ...all('[hidden], template, noscript'),
    ...all('[style]').filter((element) => HIDES.test(element.getAttribute('style') ?? '')),
    ...hidingRules(css.join('\n').slice(0, MAX_CSS))
      .flatMap(all)
      .filter((element) => !SHOWS.test(element.getAttribute('style') ?? '')),
  ];
  let count = 0;
  for (const element of hidden) {
    if (!element.isConnected) continue;
    if (element.textContent.trim() !== '') count += 1;
    element.remove();
  }
  const what = `${count.toLocaleString('en')} hidden element${count === 1 ? '' : 's'}`;
  return { html: document.toString(), notes: count === 0 ? [] : [{ kind: 'hidden', page: null, what }] };
};
