import { type Colord, colord, extend } from 'colord';
import names from 'colord/plugins/names';
import { contrastOf, LEAST_CONTRAST, luminanceOf } from '../contrast.ts';
import { STRIKING, struck } from './html.ts';
import { markerType, NO_MARKER } from './html-lists.ts';
import { type Element, type Node, type Style, stylesOf } from './html-styles.ts';
import { drawnIn, symbolFont } from './symbols.ts';

extend([names]);

const ELEMENT = 1;
const TEXT = 3;

const zero = (value: string | undefined) => value !== undefined && /^0(?:\.0*)?(?:[a-z]+|%)?$/i.test(value);
const FAR = -500;
const isFar = (value: string | undefined) =>
  /^-\d+(?:px|pt|em|rem)?$/i.test(value ?? '') && Number.parseInt(value ?? '', 10) <= FAR;

/** Whether an element of this style shows nothing of what is in it. */
const hides = (style: Style): boolean => {
  const of = (property: string) => style.get(property)?.value.toLowerCase();
  if (of('display') === 'none' || of('visibility') === 'hidden' || of('mso-hide') === 'all') return true;
  if (zero(of('opacity'))) return true;
  if (of('overflow') === 'hidden' && (zero(of('max-height')) || zero(of('height')))) return true;
  const isPlaced = of('position') === 'absolute' || of('position') === 'fixed';
  return isFar(of('text-indent')) || (isPlaced && (isFar(of('left')) || isFar(of('top'))));
};

/** Of an element that is not a part of the line around it. */
const APART = /^(?:block|list-item|table|table-(?:row|cell|caption)|(?:inline-)?(?:flex|grid))$/;
/** Of an element in which everything stands apart. */
const DIVIDING = /^(?:inline-)?(?:flex|grid)$/;

const separate = (element: Element) => {
  element.before(' ');
  element.after(' ');
};

const WITHIN_LINES = /^(?:a|b|button|em|font|i|label|small|span|strong|u)$/;
/** By unit: from which length on a gap parts two words. */
const GAPS: ReadonlyMap<string, number> = new Map(Object.entries({ px: 3, pt: 2.5, em: 0.2, rem: 0.2 }));
const isGap = (length = ''): boolean => {
  const [, count, unit = ''] = /^(\d*\.?\d+)([a-z]+)$/i.exec(length) ?? [];
  return Number(count) >= (GAPS.get(unit.toLowerCase()) ?? Number.POSITIVE_INFINITY);
};

/** Whether what is within a line has a gap beside it, or a place of its own in it. */
const isSetApart = (element: Element, style: Style, display: string): boolean => {
  const of = (property: string) => style.get(property)?.value.trim();
  const isFloating = /^(?:left|right|inline-(?:start|end))$/i.test(of('float') ?? '');
  const isBox = display === 'inline-block';
  if (!isFloating && !isBox && !WITHIN_LINES.test(element.localName)) return false;
  // An initial, or a digit in a field of its own.
  if (element.textContent.trim().length <= 1) return false;
  const isWide =
    isBox && [of('width'), of('min-width')].some((width) => width !== undefined && !/^(?:auto|0\w*)$/i.test(width));
  const hasGap = ['padding', 'margin'].some((property) => {
    const [all, beside = all, , left = beside] = of(property)?.split(/\s+/) ?? [];
    return [beside, left, of(`${property}-left`), of(`${property}-right`)].some(isGap);
  });
  return isFloating || isWide || hasGap;
};

/** Keeps words apart that only the styles of their elements do, such as a label and its value at the two ends of a line. */
const separateBoxes = (element: Element, style: Style) => {
  const display = style.get('display')?.value.toLowerCase() ?? '';
  if (APART.test(display) || isSetApart(element, style, display)) separate(element);
  if (!DIVIDING.test(display)) return;
  for (const child of [...element.childNodes]) if (child.nodeType === ELEMENT) separate(child as Element);
};

/** The colour of text or of what lies behind it; null where it is not known. */
type Paint = Colord | null;

const luminance = (color: Colord) => {
  const { r, g, b } = color.toRgb();
  return luminanceOf(r, g, b);
};
const isSolid = (color: Colord) => color.isValid() && color.alpha() === 1;

const INHERITED = /^(?:inherit|unset|currentcolor)$/i;
const UNPAINTED = /^(?:none|transparent|initial|inherit|unset)$/i;

const textColor = (value: string): Paint | undefined => {
  if (INHERITED.test(value)) return undefined;
  const color = colord(value);
  return color.isValid() && (color.alpha() === 0 || color.alpha() === 1) ? color : null;
};

/** What a value of `background` or `background-color` paints; undefined if nothing. */
const ground = (value: string): Paint | undefined => {
  if (UNPAINTED.test(value)) return undefined;
  const color = colord(value);
  if (color.isValid() && color.alpha() === 0) return undefined;
  return isSolid(color) ? color : null;
};

/** How text stands on the page at a place. */
interface Place {
  readonly color: Paint;
  readonly ground: Paint;
  readonly isWithoutSize: boolean;
  /** Whether a style strikes it out; null within an element that does: that is read as such later. */
  readonly isStruck: boolean | null;
  /** The font, if a style names one. */
  readonly font: string | undefined;
  /** The link that it is in. */
  readonly link: Element | null;
  /** What styles write before the items of the list around it; undefined where they say nothing of it. */
  readonly marker: string | undefined;
}

const WHITE = colord('#ffffff');
const BLACK = colord('#000000');
/** What browsers paint themselves. */
const OWN_COLOR: ReadonlyMap<string, Paint> = new Map([
  ['a', colord('#0000ee')],
  ['button', BLACK],
  ['mark', BLACK],
]);
const OWN_GROUND: ReadonlyMap<string, Paint> = new Map([
  ['button', null],
  ['mark', colord('#ffff00')],
]);
/** Attributes that say the colour of text. */
const COLOR_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ['body', 'text'],
  ['font', 'color'],
]);

const strongest = (style: Style, ...properties: readonly string[]): string | undefined =>
  properties
    .flatMap((property) => style.get(property) ?? [])
    .reduce<{ value: string; strength: number } | undefined>(
      (best, each) => (best === undefined || each.strength > best.strength ? each : best),
      undefined,
    )?.value;

const groundOf = (element: Element, style: Style, around: Paint): Paint => {
  const image = style.get('background-image')?.value ?? 'none';
  const isPlaced = /^(?:absolute|fixed)$/i.test(style.get('position')?.value ?? '');
  // What is placed freely may stand before anything.
  if (isPlaced || !UNPAINTED.test(image) || element.getAttribute('background') !== null) return null;
  const painted = strongest(style, 'background', 'background-color') ?? element.getAttribute('bgcolor');
  const own = painted === null ? undefined : ground(painted);
  const usual = OWN_GROUND.get(element.localName);
  return [own, usual, around].find((paint) => paint !== undefined) ?? null;
};

const colorOf = (element: Element, style: Style, around: Paint): Paint => {
  const written = style.get('color')?.value ?? element.getAttribute(COLOR_ATTRIBUTE.get(element.localName) ?? '');
  const own = written === null ? undefined : textColor(written);
  const usual = OWN_COLOR.get(element.localName);
  return [own, usual, around].find((paint) => paint !== undefined) ?? null;
};

const sizeless = (style: Style): boolean | undefined => {
  const size = style.get('font-size')?.value ?? style.get('font')?.value.split(/[\s/]/)[0];
  return size === undefined ? undefined : zero(size);
};

/** What stands before the names of fonts in a value of `font`. */
const BEFORE_NAMES = /^.*?\d[\w.%]*(?:\s*\/\s*\S+)?\s+/;

const fontOf = (element: Element, style: Style, around: string | undefined): string | undefined => {
  const said = strongest(style, 'font-family', 'font');
  const names = said === style.get('font-family')?.value ? said : said?.replace(BEFORE_NAMES, '');
  const attribute = element.localName === 'font' ? element.getAttribute('face') : null;
  return (names ?? attribute ?? undefined)?.split(',', 1)[0]?.replaceAll(/["']/g, '') ?? around;
};

const isStruckBy = (style: Style): boolean =>
  /\bline-through\b/i.test(strongest(style, 'text-decoration', 'text-decoration-line') ?? '');

const isUnseen = ({ color, ground: behind, isWithoutSize }: Place): boolean => {
  if (isWithoutSize) return true;
  if (color === null || behind === null) return false;
  return color.alpha() === 0 || contrastOf(luminance(color), luminance(behind)) < LEAST_CONTRAST;
};

const NONE: Style = new Map();
/** What they hold is no text of the page. */
const SILENT = new Set(['head', 'style', 'script']);

const isEmpty = (link: Element) => link.textContent.trim() === '' && [...link.querySelectorAll('img')].length === 0;

/** How text stands within an element that shows what is in it. */
const strikes = (element: Element, style: Style, around: boolean | null): boolean | null =>
  STRIKING.has(element.localName) || around === null ? null : around || isStruckBy(style);

const LIST = /^(?:ol|ul|menu|dir)$/;
const LIST_ITEM = /\blist-item\b|^(?:inherit|initial|revert|unset)$/i;

const markerOf = (element: Element, style: Style, around: string | undefined): string | undefined => {
  const display = style.get('display')?.value ?? 'list-item';
  if (element.localName === 'li' && !LIST_ITEM.test(display)) return NO_MARKER;
  const own = strongest(style, 'list-style', 'list-style-type');
  return (own && markerType(own)) ?? (LIST.test(element.localName) ? undefined : around);
};

const placeIn = (element: Element, style: Style, around: Place): Place => ({
  color: colorOf(element, style, around.color),
  ground: groundOf(element, style, around.ground),
  isWithoutSize: sizeless(style) ?? around.isWithoutSize,
  isStruck: strikes(element, style, around.isStruck),
  font: fontOf(element, style, around.font),
  link: element.localName === 'a' ? element : around.link,
  marker: markerOf(element, style, around.marker),
});

const textsIn = (element: Element): readonly Node[] =>
  [...element.childNodes].filter((child) => child.nodeType === TEXT && child.textContent.trim() !== '');

const removeTexts = (texts: readonly Node[], { link }: Place) => {
  for (const text of texts) text.remove();
  // The text of a page has the addresses of its links.
  if (link && isEmpty(link)) link.remove();
};

const strikeOut = (texts: readonly Node[]) => {
  for (const text of texts) text.textContent = struck(text.textContent);
};

/** Replaces the letters of a symbol font by the signs that it draws; answers how many of them the reader does not know. */
const drawSymbols = (texts: readonly Node[], { font }: Place): number => {
  if (symbolFont(font) === undefined) return 0;
  let left = 0;
  for (const text of texts) {
    const { text: drawn, unknown } = drawnIn(font, text.textContent);
    text.textContent = drawn;
    left += unknown;
  }
  return left;
};

/**
 * Takes from a page what its styles do not let anybody see, and separates what they do. Answers how many elements had text that is not seen,
 * and how many signs of symbol fonts the reader does not know.
 */
export const removeUnseen = (document: Node, all: (selector: string) => readonly Element[]) => {
  const { styles, knowsColors, countsItself } = stylesOf(all);
  const page: Place = {
    color: knowsColors ? BLACK : null,
    ground: knowsColors ? WHITE : null,
    isWithoutSize: false,
    isStruck: false,
    font: undefined,
    link: null,
    marker: undefined,
  };
  let removed = 0;
  let signs = 0;
  const rest: (readonly [Element, Place])[] = [];
  const enter = (child: Node, place: Place) => {
    if (child.nodeType === ELEMENT && !SILENT.has((child as Element).localName)) rest.push([child as Element, place]);
  };
  for (const child of document.childNodes) enter(child, page);
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [element, around] = next;
    const style = styles.get(element) ?? NONE;
    if (hides(style)) {
      if (element.textContent.trim() !== '') removed += 1;
      element.remove();
      continue;
    }
    separateBoxes(element, style);
    const place = placeIn(element, style, around);
    if (element.localName === 'li' && place.marker !== undefined && !countsItself)
      element.setAttribute('type', place.marker);
    for (const child of element.childNodes) enter(child, place);
    const texts = textsIn(element);
    if (texts.length === 0) continue;
    if (isUnseen(place)) {
      removed += 1;
      removeTexts(texts, place);
      continue;
    }
    signs += drawSymbols(texts, place);
    if (place.isStruck) strikeOut(texts);
  }
  return { removed, signs };
};
