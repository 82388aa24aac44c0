import { Readable } from 'node:stream';
import { Tokenize } from 'rtf-stream-parser';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny } from '../notes.ts';
import { Unreadable } from '../text.ts';
import { decodeCodePage } from './code-pages.ts';
import { htmlText } from './html.ts';
import { type Colored, coloredBy, plainParagraph, plainText, RtfColors } from './rtf-colors.ts';
import { type RtfSink, rtfSink } from './rtf-sink.ts';
import { drawnIn, unknownSigns } from './symbols.ts';

const WHITESPACE = ' \r\n\f\u200b';
const CHUNK_BYTES = 16_384;
const MAX_DEPTH = 1000;

/** As the package numbers its tokens. */
const GROUP_START = 0;
const GROUP_END = 1;
const CONTROL = 2;

interface Token {
  readonly type: number;
  readonly word?: string;
  readonly param?: number;
  readonly data?: Uint8Array;
}

/** Of groups that a reader passes over unless it knows them (`\*`): these have words that are shown. */
const SHOWN = new Set(
  'shpinst shptxt ud nesttableprops do dptxbxtext moMath moMathPara mmath footnote annotation formfield'.split(' '),
);
/** Groups that hold no words of the document. */
const PASSED = new Set([
  ...'stylesheet info pict nonshppict sp xe tc rxe txe nonesttables private fldinst'.split(' '),
  ...'ffname ffdeftext ffformat ffhelptext ffstattext ffentrymcr ffexitmcr'.split(' '),
  ...'atnid atnauthor atndate annotationref atrfstart atrfend'.split(' '),
]);
const APART: ReadonlyMap<string, string> = new Map(Object.entries({ footnote: 'Footnote:', annotation: 'Comment:' }));
const BOX = /^(?:shptxt|dptxbxtext)$/;
const MARGIN = /^(header|footer)([lrf]?)$/;

const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    nestcell: '\t',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    endash: '–',
    emdash: '—',
    enspace: ' ',
    emspace: ' ',
    qmspace: ' ',
    '{': '{',
    '}': '}',
    '\\': '\\',
    '~': ' ',
    _: '-',
  }),
);

/** By `\fcharset`; of no other the letters are known. */
const CODE_PAGES: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};
const SYMBOLS = 2;
const CHARACTER_SETS: ReadonlyMap<string, number> = new Map(Object.entries({ mac: 10000, pc: 437, pca: 850 }));
const CHECK_BOX = 1;
const UNANSWERED = 25;

/** How the text is that follows a word. */
const TEXT_PROPERTIES = new Map<string, (param: number) => Partial<Group>>([
  ...coloredBy,
  ['uc', (param) => ({ skips: Math.max(0, Math.min(10, param)) })],
  ['v', (param) => ({ hidden: param !== 0 })],
  ['deleted', (param) => ({ deleted: param !== 0 })],
  ['strike', (param) => ({ struck: param !== 0 })],
  ['striked', (param) => ({ struck: param !== 0 })],
  ['super', (param) => ({ raised: param !== 0 })],
  ['sub', () => ({ raised: false })],
  ['nosupersub', () => ({ raised: false })],
  ['pard', () => ({ inTable: false, ...plainParagraph })],
  ['intbl', (param) => ({ inTable: param !== 0 })],
]);

interface Font {
  name: string;
  charset: number;
}

interface Group extends Colored {
  readonly passed: boolean;
  /** Whether it says again, for older programs, what was said before. */
  readonly isRepeated: boolean;
  readonly font: string;
  /** How many characters a program without Unicode shows for each that has it. */
  readonly skips: number;
  readonly hidden: boolean;
  readonly raised: boolean;
  readonly struck: boolean;
  readonly deleted: boolean;
  readonly inTable: boolean;
  readonly inBox: boolean;
  readonly inFontTable: boolean;
  readonly inColorTable: boolean;
  readonly sink: RtfSink;
  /** What becomes of the words of this group's own sink. */
  readonly ends: ((html: string) => void) | null;
}

function* chunks(data: Uint8Array) {
  for (let at = 0; at < data.length; at += CHUNK_BYTES) yield data.subarray(at, at + CHUNK_BYTES);
}

class RtfReader {
  readonly body = rtfSink();
  hidden = 0;
  deleted = 0;
  signs = 0;
  pictures = 0;
  private readonly colors = new RtfColors();
  private group: Group = {
    ...plainText,
    ...plainParagraph,
    passed: false,
    isRepeated: false,
    font: '',
    skips: 1,
    hidden: false,
    raised: false,
    struck: false,
    deleted: false,
    inTable: false,
    inBox: false,
    inFontTable: false,
    inColorTable: false,
    sink: this.body,
    ends: null,
  };
  private readonly margins: { readonly kind: string; readonly pages: string; readonly html: string }[] = [];
  private readonly groups: Group[] = [];
  /** What the field of a form says of itself. */
  private form: Record<string, number> = {};
  private readonly fonts = new Map<string, Font>();
  /** Words of the whole document that say which margins its pages have. */
  private readonly words = new Set<string>();
  private defaultFont = '';
  private codePage = 1252;
  private bytes: number[] = [];
  private isStart = false;
  private isStarred = false;
  private left = 0;

  /** The headers or footers that pages show. */
  shownMargins(wanted: string): readonly string[] {
    const isShown = (pages: string) => pages === '' || this.words.has(pages === 'f' ? 'titlepg' : 'facingp');
    const shown = this.margins.filter(({ kind, pages }) => kind === wanted && isShown(pages));
    return [...new Set(shown.map(({ html }) => html))];
  }

  read({ type, word = '', param, data }: Token): void {
    const isByte = type === CONTROL && word === "'";
    if (!isByte && type <= CONTROL) this.flush();
    if (type === GROUP_START) this.open();
    else if (type === GROUP_END) this.close();
    else if (type === CONTROL && !isByte) this.control(word, param);
    else for (const byte of data ?? []) this.byte(byte);
    if (type !== GROUP_START && word !== '*') this.isStart = false;
  }

  private open() {
    if (this.groups.length >= MAX_DEPTH) throw new Unreadable('has too many groups in each other');
    this.groups.push(this.group);
    this.group = { ...this.group, ends: null };
    this.isStart = true;
    this.isStarred = false;
    this.left = 0;
  }

  private close() {
    const { ends, sink } = this.group;
    this.group = this.groups.pop() ?? this.group;
    ends?.(sink.html());
    this.left = 0;
  }

  private set(more: Partial<Group>) {
    this.group = { ...this.group, ...more };
  }

  private byte(byte: number) {
    if (this.left > 0) this.left -= 1;
    else this.bytes.push(byte);
  }

  private flush() {
    if (this.bytes.length === 0) return;
    const data = Uint8Array.from(this.bytes);
    this.bytes = [];
    const font = this.fonts.get(this.group.font);
    if (this.group.inFontTable) {
      if (font !== undefined) font.name += Buffer.from(data).toString('latin1').replace(/;.*/s, '');
    } else if (this.group.inColorTable) this.colors.end(Buffer.from(data).toString('latin1'));
    else if (font?.charset === SYMBOLS) for (const byte of data) this.symbol(font.name, byte);
    else {
      const page = CODE_PAGES[font?.charset ?? 0] ?? this.codePage;
      this.write(decodeCodePage(page, data));
    }
  }

  private symbol(font: string, byte: number) {
    const { text, unknown } = drawnIn(font, String.fromCharCode(0xf000 + byte));
    this.signs += unknown;
    this.write(text);
  }

  private write(text: string) {
    const { passed, hidden, deleted, raised, struck, sink } = this.group;
    if (passed) return;
    if (deleted) this.deleted += text.trim().length;
    else if (hidden || this.colors.isUnseen(this.group, this.group)) this.hidden += text.trim().length;
    else sink.text(text, { isRaised: raised, isStruck: struck });
  }

  /** A group of its own, of which the words stand apart. */
  private aside(ends: (html: string) => void) {
    this.set({ sink: rtfSink(), ends, inTable: false });
  }

  private destination(word: string) {
    const around = this.group.sink;
    const margin = MARGIN.exec(word);
    const label = APART.get(word);
    if (word === 'pict' && !this.group.isRepeated) this.pictures += 1;
    if (word === 'nonshppict') this.set({ isRepeated: true });
    if (PASSED.has(word) || (this.isStarred && !SHOWN.has(word))) this.set({ passed: true });
    else if (word === 'fonttbl') this.set({ inFontTable: true });
    else if (word === 'colortbl') this.set({ inColorTable: true, passed: true });
    else if (margin !== null)
      this.aside((html) => this.margins.push({ kind: margin[1] ?? '', pages: margin[2] ?? '', html }));
    else if (label !== undefined) this.aside((html) => around.apart(`<p>${label}</p>${html}`));
    else if (BOX.test(word)) {
      this.aside((html) => around.apart(html));
      this.set({ inBox: true });
    } else if (word === 'formfield') {
      this.aside(() => around.text(this.mark()));
      this.set({ passed: true });
    }
    // Of two forms of the same words, the second is in Unicode.
    else if (word === 'upr') this.set({ passed: true });
    else if (word === 'ud') this.set({ passed: this.groups.at(-2)?.passed ?? false });
  }

  /** What a check box of a form shows; its default counts where it has no answer. */
  private mark(): string {
    const { fftype, ffres = UNANSWERED, ffdefres = 0 } = this.form;
    this.form = {};
    if (fftype !== CHECK_BOX) return '';
    return (ffres === UNANSWERED ? ffdefres : ffres) === 1 ? '[x]' : '[ ]';
  }

  private control(word: string, param = 1) {
    if (word === '*') {
      this.isStarred = this.isStart;
      return;
    }
    if (this.isStart) this.destination(word);
    if (this.left > 0 && word !== 'u') {
      this.left -= 1;
      return;
    }
    const sign = SIGNS.get(word);
    if (sign !== undefined) this.write(sign);
    else if (word === 'u') this.unicode(param);
    else if (!this.property(word, param) && !this.group.passed) this.layout(word);
  }

  private unicode(param: number) {
    const code = param & 0xffff;
    const font = this.fonts.get(this.group.font);
    if (font?.charset === SYMBOLS && code >= 0xf000 && code < 0xf100) this.symbol(font.name, code - 0xf000);
    else this.write(String.fromCharCode(code));
    this.left = this.group.skips;
  }

  /** Whether it is one that changes how what follows is read. */
  private property(word: string, param: number): boolean {
    const ofText = TEXT_PROPERTIES.get(word);
    if (ofText !== undefined) this.set(ofText(param));
    else if (word === 'ansicpg') this.codePage = param;
    else if (CHARACTER_SETS.has(word)) this.codePage = CHARACTER_SETS.get(word) ?? this.codePage;
    else if (word === 'deff') this.defaultFont = String(param);
    else if (word === 'f') {
      this.set({ font: String(param) });
      if (this.group.inFontTable) this.fonts.set(String(param), { name: '', charset: 0 });
    } else if (word === 'fcharset') Object.assign(this.fonts.get(this.group.font) ?? {}, { charset: param });
    else if (word === 'plain')
      this.set({ ...plainText, hidden: false, raised: false, struck: false, font: this.defaultFont });
    else if (/^ff(?:type|res|defres)$/.test(word)) this.form[word] = param;
    else if (word === 'titlepg' || word === 'facingp') this.words.add(word);
    else if (this.group.inColorTable) this.colors.define(word, param);
    else {
      this.colors.pass(word);
      return false;
    }
    return true;
  }

  private layout(word: string) {
    const { sink, inTable } = this.group;
    if (['par', 'sect', '\n', '\r'].includes(word)) sink.endParagraph(inTable);
    else if (['line', 'page', 'column', 'nestrow'].includes(word)) sink.line();
    else if (word === 'cell') sink.endCell();
    else if (word === 'row') sink.endRow();
  }
}

/** The words of a rich text file as Word shows them: headers, the body with its tables as rows of cells, footers. */
export const readRtf = async (
  data: Uint8Array,
): Promise<{ readonly text: string; readonly notes: readonly ReadingNote[] }> => {
  const reader = new RtfReader();
  for await (const token of Readable.from(chunks(data)).pipe(new Tokenize())) reader.read(token as Token);
  const { hidden, deleted, signs, pictures } = reader;
  return {
    text: htmlText(
      [...reader.shownMargins('header'), reader.body.html(), ...reader.shownMargins('footer')].join(''),
      WHITESPACE,
    ),
    notes: [
      ...noteIfAny('hidden', hidden, `${counted(hidden, 'character')} of hidden text`),
      ...noteIfAny('hidden', deleted, `${counted(deleted, 'character')} that a tracked change deleted`),
      ...unknownSigns(signs),
      ...noteIfAny('unread', pictures, counted(pictures, 'picture')),
    ],
  };
};
