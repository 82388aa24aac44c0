import { type Fill, isUnseen, WHITE } from '../contrast.ts';

/** The colours of text and of what lies behind it, by their numbers in the colour table; 0 is for Word to choose. */
export interface Colored {
  readonly color: number;
  readonly highlight: number;
  readonly shading: number;
  readonly paragraphShading: number;
  /** Whether a pattern is painted behind the text. */
  readonly isPatterned: boolean;
  readonly isParagraphPatterned: boolean;
}

/** What `\plain` says. */
export const plainText = { color: 0, highlight: 0, shading: 0, isPatterned: false };
/** What `\pard` says. */
export const plainParagraph = { paragraphShading: 0, isParagraphPatterned: false };

const patterns = ['horiz', 'vert', 'fdiag', 'bdiag', 'cross', 'dcross'].flatMap((lines) => [lines, `dk${lines}`]);

/** What the words of text and paragraphs say of their colours. */
export const coloredBy: readonly (readonly [word: string, says: (param: number) => Partial<Colored>])[] = [
  ['cf', (param) => ({ color: param })],
  ['highlight', (param) => ({ highlight: param })],
  ['chcbpat', (param) => ({ shading: param })],
  ['cb', (param) => ({ shading: param })],
  ['chshdng', (param) => ({ isPatterned: param !== 0 })],
  ['cbpat', (param) => ({ paragraphShading: param })],
  ['shading', (param) => ({ isParagraphPatterned: param !== 0 })],
  ...patterns.map((lines) => [`chbg${lines}`, () => ({ isPatterned: true })] as const),
  ...patterns.map((lines) => [`bg${lines}`, () => ({ isParagraphPatterned: true })] as const),
];

const PAINTS_CELLS = /^(?:(?:cl|tr)(?:cbpat|cfpat|shdng|bg[a-z]+)(?:raw)?|tscellc[bf]pat|tscellpct)$/;

interface Place {
  readonly inTable: boolean;
  /** In a box, whose ground is its own. */
  readonly inBox: boolean;
}

const PARTS = ['red', 'green', 'blue'];

/** The colour table of a document, and what the document paints behind its words. */
export class RtfColors {
  readonly #table: (string | null)[] = [];
  #next: Record<string, number> = {};
  #paintsCells = false;
  #paintsPages = false;

  /** A word of the document. */
  pass(word: string): void {
    if (PAINTS_CELLS.test(word)) this.#paintsCells = true;
    else if (word === 'background') this.#paintsPages = true;
  }

  /** A word of the colour table. */
  define(word: string, param: number): void {
    if (PARTS.includes(word)) this.#next[word] = Math.max(0, Math.min(255, param));
  }

  /** Words of the colour table: a semicolon ends each colour. */
  end(words: string): void {
    for (const _ of words.matchAll(/;/g)) {
      const isNamed = PARTS.some((part) => this.#next[part] !== undefined);
      const digits = PARTS.map((part) => (this.#next[part] ?? 0).toString(16).padStart(2, '0'));
      this.#table.push(isNamed ? digits.join('') : null);
      this.#next = {};
    }
  }

  /** Whether text of these colours is invisible at this place. */
  isUnseen(colored: Colored, place: Place): boolean {
    const color = colored.color === 0 ? null : this.#table[colored.color];
    return typeof color === 'string' && isUnseen(color, this.#behind(colored, place));
  }

  #behind(colored: Colored, { inTable, inBox }: Place): Fill {
    if (colored.highlight > 0) return this.#fill(colored.highlight);
    if (colored.isPatterned) return 'unknown';
    if (colored.shading > 0) return this.#fill(colored.shading);
    if (colored.isParagraphPatterned) return 'unknown';
    if (colored.paragraphShading > 0) return this.#fill(colored.paragraphShading);
    const isPainted = inBox || this.#paintsPages || (inTable && this.#paintsCells);
    return isPainted ? 'unknown' : WHITE;
  }

  #fill(index: number): Fill {
    return this.#table[index] ?? 'unknown';
  }
}
