import { parseHTML } from 'linkedom';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny } from '../notes.ts';
import { checkMark, type InnerFile } from '../text.ts';
import { refuseDeep } from './html-nesting.ts';
import type { Element } from './html-styles.ts';
import { mayHoldWriting, mayHoldWritingIn } from './pictures.ts';
import { unknownSigns } from './symbols.ts';
import { removeUnseen } from './unseen-html.ts';

/** What is longer is read as it is, with what it hides and without what it shows beside text. */
const MAX_CHARACTERS = 3_000_000;
/** Whether it may show something else than its text. */
const MAY_DIFFER =
  /<(?:img|input|select|iframe|object|embed|style|font|template|noscript|dialog|datalist)\b|\sstyle\s*=|\s(?:bg)?color\s*=|\shidden[\s=>/]/i;

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
    const isList = select.getAttribute('multiple') !== null;
    const shown = chosen.length > 0 || isList ? chosen : options.slice(0, 1);
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

export interface ShownHtml {
  readonly html: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
}

/** A web page as browsers show it: without what they hide, and with what stands in its fields. */
export const shownHtml = (html: string): ShownHtml => {
  if (html.length > MAX_CHARACTERS || !MAY_DIFFER.test(html)) return { html, notes: [], pictures: [] };
  refuseDeep(html);
  const { document } = parseHTML(html) as unknown as { readonly document: Element };
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const { removed, signs } = removeUnseen(document, all);
  let count = removed;
  for (const element of all('[hidden], template, noscript, dialog:not([open]), datalist')) {
    if (!element.isConnected) continue;
    if (element.textContent.trim() !== '') count += 1;
    element.remove();
  }
  const { pictures, elsewhere, frames } = besideText(all);
  showFields(all);
  const notes = [
    ...noteIfAny('hidden', count, counted(count, 'hidden element')),
    ...unknownSigns(signs),
    ...noteIfAny('unread', elsewhere, `${counted(elsewhere, 'picture')} at other addresses`),
    ...noteIfAny('unread', frames, `${counted(frames, 'frame')} with something else in it`),
  ];
  return { html: document.toString(), notes, pictures };
};
