import { parseHTML } from 'linkedom';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { checkMark, type InnerFile } from '../text.ts';
import { mayHoldWriting, mayHoldWritingIn } from './pictures.ts';

/** What is longer is read as it is, with what it hides and without what it shows beside text. */
const MAX_CHARACTERS = 3_000_000;
const MAX_RULES = 200;
/** Of style sheets: the time to read them grows with its square where they are no style sheets. */
const MAX_CSS = 50_000;
/** Whether it may show something else than its text. */
const MAY_DIFFER =
  /<(?:img|input|select|iframe|object|embed)\b|display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:|\shidden[\s=>/]|<(?:template|noscript)\b/i;
const HIDES = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
const SHOWS = /(?:^|;)\s*display\s*:\s*(?!none)/i;

interface Element {
  readonly textContent: string;
  readonly isConnected: boolean;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<Element>;
  remove(): void;
  replaceWith(text: string): void;
  toString(): string;
}

type FindAll = (selector: string) => readonly Element[];

const fieldText = (input: Element): string => {
  const type = input.getAttribute('type')?.toLowerCase() ?? 'text';
  if (type === 'checkbox' || type === 'radio') return ` ${checkMark(input.getAttribute('checked') !== null)} `;
  return /^(?:hidden|password|file|image|reset)$/.test(type) ? '' : ` ${input.getAttribute('value') ?? ''} `;
};

/** Puts what the fields of forms show in their places. */
const showFields = (all: FindAll): void => {
  for (const input of all('input')) input.replaceWith(fieldText(input));
  for (const select of all('select')) {
    const options = [...select.querySelectorAll('option')];
    const chosen = options.filter((option) => option.getAttribute('selected') !== null);
    const shown = chosen.length > 0 ? chosen : options.slice(0, 1);
    select.replaceWith(` ${shown.map((option) => option.textContent.trim()).join(', ')} `);
  }
};

const DATA = /^data:image\/[\w.+-]+;base64,/i;
/** Where a picture of a mail stands in the mail itself. */
const ATTACHED = /^cid:/i;

const pictureOf = (source: string, index: number): InnerFile | null => {
  const data = new Uint8Array(Buffer.from(source.replace(DATA, ''), 'base64'));
  if (!mayHoldWriting(data)) return null;
  return { fileName: `picture ${index + 1}`, contentType: '', data, isIllustration: true };
};

/** Whether a picture at another address is said to be no larger than a sign. */
const isSmall = (image: Element): boolean => {
  const [width, height] = ['width', 'height'].map((name) => Number.parseFloat(image.getAttribute(name) ?? '') || null);
  return !mayHoldWritingIn(width ?? Number.POSITIVE_INFINITY, height ?? Number.POSITIVE_INFINITY);
};

/** What it shows beside text: pictures that it holds, and how many it has of those that stand elsewhere, and of other pages within it. */
const besideText = (all: FindAll) => {
  const images = all('img').map((image) => ({ image, source: image.getAttribute('src')?.trim() ?? '' }));
  const held = images.filter(({ source }) => DATA.test(source));
  const elsewhere = images.filter(
    ({ image, source }) => source !== '' && !/^data:/i.test(source) && !ATTACHED.test(source) && !isSmall(image),
  );
  const frames = all('iframe, embed, object').filter((frame) =>
    ['src', 'srcdoc', 'data'].some((name) => frame.getAttribute(name) !== null),
  );
  const pictures = held.flatMap(({ source }, index) => pictureOf(source, index) ?? []);
  return { pictures, elsewhere: elsewhere.length, frames: frames.length };
};

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

const note = (kind: ReadingNote['kind'], count: number, what: string, behind = ''): readonly ReadingNote[] =>
  count === 0
    ? []
    : [{ kind, page: null, what: `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}${behind}` }];

export interface ShownHtml {
  readonly html: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
}

/** A web page as browsers show it: without what they hide, and with what stands in its fields. */
export const shownHtml = (html: string): ShownHtml => {
  if (html.length > MAX_CHARACTERS || !MAY_DIFFER.test(html)) return { html, notes: [], pictures: [] };
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
  const { pictures, elsewhere, frames } = besideText(all);
  showFields(all);
  const notes = [
    ...note('hidden', count, 'hidden element'),
    ...note('unread', elsewhere, 'picture', ' at other addresses'),
    ...note('unread', frames, 'frame', ' with something else in it'),
  ];
  return { html: document.toString(), notes, pictures };
};
