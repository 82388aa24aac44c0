import { type Fill, WHITE } from '../contrast.ts';
import { colorOf } from './word-styles.ts';
import { attribute, type XmlTag } from './xml.ts';

/** What a style says; undefined where it says nothing. */
interface Style {
  readonly parent: string;
  isHidden?: boolean;
  isRaised?: boolean;
  isStruck?: boolean;
  font?: string;
  /** null: one that is made to be seen. */
  color?: string | null;
  /** What is painted behind the words themselves, and behind the paragraph, cell or table around them; null: nothing. */
  textFill?: Fill | null;
  fill?: Fill | null;
}

const hex = (color: string) => colorOf(color.replace('#', ''));

/** undefined if nothing is said. */
const paintOf = (tag: XmlTag): Fill | null | undefined => {
  if (/^(?:gradient|hatch|bitmap)$/.test(attribute(tag, 'draw:fill') ?? '')) return 'unknown';
  const color = attribute(tag, 'fo:background-color');
  if (color === undefined) return undefined;
  return color === 'transparent' ? null : (hex(color) ?? 'unknown');
};

const textOf = (tag: XmlTag): Partial<Style> => {
  const display = attribute(tag, 'text:display');
  const position = attribute(tag, 'style:text-position');
  const line = attribute(tag, 'style:text-line-through-style') ?? attribute(tag, 'style:text-line-through-type');
  const color = attribute(tag, 'fo:color');
  const isAutomatic = attribute(tag, 'style:use-window-font-color') === 'true';
  const textFill = paintOf(tag);
  const font = attribute(tag, 'style:font-name') ?? attribute(tag, 'fo:font-family');
  return {
    ...(display !== undefined && { isHidden: display === 'none' }),
    ...(position !== undefined && { isRaised: /^(?:super|[1-9])/.test(position) }),
    ...(line !== undefined && { isStruck: line !== 'none' }),
    ...(color !== undefined && { color: hex(color) ?? null }),
    ...(isAutomatic && { color: null }),
    ...(textFill !== undefined && { textFill }),
    ...(font !== undefined && { font: font.replaceAll("'", '') }),
  };
};

const PAINTED = /^style:(?:paragraph|table|table-row|table-cell|section)-properties$/;
const OF_PAGES = /^style:(?:page-layout|header-footer)-properties$/;

/** The styles of an OpenDocument text, while it is parsed. */
export class OpenTextStyles {
  readonly #styles = new Map<string, Style>();
  #open: Style | null = null;
  #usual: Style = { parent: '' };
  #arePagesPainted = false;
  #isPage = false;

  /** What lies behind all that a page shows. */
  get page(): Fill {
    return this.#arePagesPainted ? 'unknown' : WHITE;
  }

  /** The colour of words of which no style says it. */
  get color(): string | null {
    return this.#usual.color ?? null;
  }

  define(tag: XmlTag): void {
    const { name } = tag;
    if (name === 'style:style') this.#begin(tag);
    else if (name === 'style:default-style') this.#beginUsual(tag);
    else if (name === 'style:page-layout') this.#isPage = true;
    else if (OF_PAGES.test(name)) this.#paintPages(tag);
    else if (name === 'style:text-properties') this.#says(textOf(tag));
    else if (name === 'style:drawing-page-properties')
      this.#says({ isHidden: attribute(tag, 'presentation:visibility') === 'hidden' });
    else if (PAINTED.test(name)) this.#paint(paintOf(tag));
    // An empty one says that there is none.
    else if (name === 'style:background-image' && Object.keys(tag.attributes).length > 0) this.#paint('unknown');
  }

  close(name: string): void {
    if (/^style:(?:default-)?style$/.test(name)) this.#open = null;
    else if (name === 'style:page-layout') this.#isPage = false;
  }

  /** What a style says, or else the one that it is based on. */
  says<Key extends keyof Style>(name: string | undefined, what: Key): Style[Key] | undefined {
    const seen = new Set<string>();
    for (let at = name ?? ''; at !== '' && !seen.has(at); at = this.#styles.get(at)?.parent ?? '') {
      seen.add(at);
      const said = this.#styles.get(at)?.[what];
      if (said !== undefined) return said;
    }
    return undefined;
  }

  #begin(tag: XmlTag) {
    this.#open = { parent: attribute(tag, 'style:parent-style-name') ?? '' };
    this.#styles.set(attribute(tag, 'style:name') ?? '', this.#open);
  }

  #beginUsual(tag: XmlTag) {
    if (attribute(tag, 'style:family') === 'paragraph') this.#open = this.#usual;
  }

  #paintPages(tag: XmlTag) {
    if ((paintOf(tag) ?? null) !== null) this.#arePagesPainted = true;
  }

  #paint(fill: Fill | null | undefined) {
    if (fill === undefined) return;
    if (this.#isPage) this.#arePagesPainted = true;
    else this.#says({ fill });
  }

  #says(said: Partial<Style>) {
    if (this.#open) Object.assign(this.#open, said);
  }
}
