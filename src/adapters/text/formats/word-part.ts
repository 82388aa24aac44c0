import { type Fill, isUnseen } from '../contrast.ts';
import { checkMark } from '../text.ts';
import { documentFlow, type Standing } from './flow.ts';
import { Formula } from './formula.ts';
import { drawnIn } from './symbols.ts';
import type { WordLists } from './word-lists.ts';
import { attribute, nameOf } from './word-names.ts';
import { colorOf, highlightOf, isOn, isSuperscript, shadingOf, type WordStyles } from './word-styles.ts';
import { parseXml, type XmlTag } from './xml.ts';

const MAX_DEPTH = 1000;

const isSet = (tag: XmlTag) => isOn(attribute(tag, 'val'));

/** A header or footer of a section, by its relation; `pages`: `default`, `first` or `even`. */
export interface PageMargin {
  readonly kind: 'header' | 'footer';
  readonly pages: string;
  readonly relation: string;
}

export interface WordPart {
  readonly html: string;
  /** Footnotes, endnotes or comments by their ids, where the part holds these. */
  readonly notes: ReadonlyMap<string, string>;
  readonly margins: readonly PageMargin[];
  /** Whether a section has a first page with margins of its own. */
  readonly hasFirstPage: boolean;
  /** How many characters are hidden or in the colour of what lies behind them, and how many a tracked change has deleted. */
  readonly hidden: number;
  readonly deleted: number;
  /** How many there are of what is drawn from data, and of signs without a meaning: these are not read. */
  readonly drawings: number;
  readonly signs: number;
  /** How many other documents stand in it, which Word takes in when it opens it. */
  readonly chunks: number;
}

interface Paragraph {
  number?: string | undefined;
  style?: string | undefined;
  list?: string | undefined;
  level?: string | undefined;
  fill?: Fill | undefined;
}
interface Run {
  isHidden?: boolean;
  isRaised?: boolean | undefined;
  isStruck?: boolean;
  style?: string | undefined;
  font?: string | undefined;
  color?: string | undefined;
  fill?: Fill | undefined;
}
interface Field {
  /** Its instruction comes first, then what it shows. */
  isResult: boolean;
  /** What a field of a form shows, which has no result: its mark, or one of its choices. */
  mark?: string;
  readonly choices: string[];
  choice: number;
}

/** A note or comment, in HTML. */
type NoteOf = (kind: string, id: string) => string;

/** What a part is read with. */
interface Setting {
  readonly lists: WordLists;
  readonly styles: WordStyles;
  /** What lies behind the pages. */
  readonly page: Fill;
}

const set = (target: object | undefined, more: object) => Object.assign(target ?? {}, more);

const TEXT = new Set(['w:t', 'm:t', 'a:t']);

/** What is read of a part so far, and within which elements the reading is. */
class Reading {
  readonly flow = documentFlow();
  /** The elements that are open, the innermost last. */
  readonly names: string[] = [];
  readonly paragraphs: Paragraph[] = [];
  readonly runs: Run[] = [];
  readonly fields: Field[] = [];
  readonly spans: number[] = [];
  /** What tables, cells and text boxes paint behind their text. */
  readonly fills: (Fill | undefined)[] = [];
  /** Content controls; a check box shows its mark once. */
  readonly controls: { mark?: string }[] = [];
  /** How much was written when each of these began. */
  readonly alternatives: number[] = [];
  readonly notes = new Map<string, string>();
  readonly noteIds: string[] = [];
  readonly margins: PageMargin[] = [];
  written = 0;
  hidden = 0;
  deleted = 0;
  drawings = 0;
  signs = 0;
  chunks = 0;
  hasFirstPage = false;
  /** The depth of the element that is passed over with all that is in it, and whether that is a deletion. */
  passedAt = 0;
  isDeletion = false;
  readonly lists: WordLists;
  readonly styles: WordStyles;
  readonly #noteOf: NoteOf;

  constructor({ lists, styles, page }: Setting, noteOf: NoteOf) {
    this.lists = lists;
    this.styles = styles;
    this.fills.push(page);
    this.#noteOf = noteOf;
  }

  isWithin(name: string): boolean {
    return this.names.at(-2) === name;
  }

  get #style() {
    return this.styles.text(this.runs.at(-1)?.style, this.paragraphs.at(-1)?.style);
  }

  get #standing(): Standing {
    const run = this.runs.at(-1);
    const style = this.#style;
    return { isRaised: run?.isRaised ?? style.isRaised, isStruck: run?.isStruck ?? style.isStruck };
  }

  get #isHiddenHere(): boolean {
    return this.runs.at(-1)?.isHidden ?? this.#style.isHidden ?? false;
  }

  /** Whether the text has the colour of what lies behind it. */
  get #isUnseenHere(): boolean {
    const run = this.runs.at(-1);
    const paragraph = this.paragraphs.at(-1);
    const style = this.#style;
    const color = colorOf(run?.color ?? style.color);
    if (color === undefined) return false;
    const fill = run?.fill ?? paragraph?.fill ?? style.fill ?? this.fills.findLast((each) => each !== undefined);
    return isUnseen(color, fill ?? 'unknown');
  }

  get #isShownField(): boolean {
    return this.fields.every(({ isResult }) => isResult);
  }

  write(text: string): void {
    if (!this.#isShownField) return;
    if (this.#isHiddenHere || this.#isUnseenHere) {
      this.hidden += text.trim().length;
      return;
    }
    const control = this.controls.at(-1);
    const shown = control?.mark ?? text;
    if (control?.mark !== undefined) control.mark = '';
    this.written += shown.length;
    this.flow.text(shown, this.#standing);
  }

  text(text: string, font = this.runs.at(-1)?.font ?? this.#style.font): void {
    const { text: drawn, unknown } = drawnIn(font, text);
    this.signs += unknown;
    this.write(drawn);
  }

  apart(html: string): void {
    if (this.#isShownField && !this.#isHiddenHere) this.flow.apart(html);
  }

  strike(tag: XmlTag): void {
    if (this.names.at(-3) === 'w:r') set(this.runs.at(-1), { isStruck: isSet(tag) });
  }

  shade(tag: XmlTag): void {
    const fill = shadingOf(attribute(tag, 'val'), attribute(tag, 'fill'));
    if (this.isWithin('w:rPr') && this.names.at(-3) === 'w:r') set(this.runs.at(-1), { fill });
    else if (this.isWithin('w:pPr')) set(this.paragraphs.at(-1), { fill });
    else if (/^w:t(?:bl|c)Pr/.test(this.names.at(-2) ?? '')) this.paint(fill);
  }

  /** Of the table or cell that is open. */
  paint(fill: Fill | undefined): void {
    if (fill !== undefined) this.fills.splice(-1, 1, fill);
  }

  sign(tag: XmlTag): void {
    const code = Number.parseInt(attribute(tag, 'char') ?? '', 16);
    this.text(String.fromCharCode(code), attribute(tag, 'font'));
  }

  pass(isDeletion = false): void {
    this.passedAt = this.names.length;
    this.isDeletion = isDeletion;
  }

  passIfWritten(): void {
    if (this.written > (this.alternatives.at(-1) ?? 0)) this.pass();
  }

  field(kind: string | undefined): void {
    if (kind === 'begin') this.fields.push({ isResult: false, choices: [], choice: 0 });
    else if (kind === 'separate') set(this.fields.at(-1), { isResult: true });
    else if (kind === 'end') {
      const ended = this.fields.pop();
      this.write(ended?.mark ?? ended?.choices[ended.choice] ?? '');
    }
  }

  margin(kind: PageMargin['kind'], tag: XmlTag): void {
    this.margins.push({ kind, pages: attribute(tag, 'type') ?? 'default', relation: attribute(tag, 'id') ?? '' });
  }

  reference(kind: string, tag: XmlTag): void {
    this.apart(this.#noteOf(kind, attribute(tag, 'id') ?? ''));
  }

  openNote(tag: XmlTag): void {
    this.noteIds.push(attribute(tag, 'id') ?? '');
    this.flow.open();
  }

  closeNote(): void {
    const html = this.flow.take();
    const id = this.noteIds.pop() ?? '';
    // Documents of 2003 have a note where it is referred to.
    if (this.isWithin('w:r')) this.apart(html);
    else this.notes.set(id, html);
  }

  closeParagraph(): void {
    const { style, number, ...place } = this.paragraphs.pop() ?? {};
    this.flow.closeParagraph(number ?? this.lists.next(style, place));
  }
}

const opened: Readonly<Record<string, (part: Reading, tag: XmlTag) => void>> = {
  'w:p': ({ paragraphs, flow }) => {
    paragraphs.push({});
    flow.open();
  },
  'a:p': ({ flow }) => flow.open(),
  'w:pStyle': ({ paragraphs }, tag) => set(paragraphs.at(-1), { style: attribute(tag, 'val') }),
  'w:numId': ({ paragraphs }, tag) => set(paragraphs.at(-1), { list: attribute(tag, 'val') }),
  'w:ilvl': ({ paragraphs }, tag) => set(paragraphs.at(-1), { level: attribute(tag, 'val') }),
  // Documents of 2003 say which number Word shows.
  'wx:t': ({ paragraphs }, tag) => set(paragraphs.at(-1), { number: attribute(tag, 'val') }),
  'w:r': ({ runs }) => runs.push({}),
  'w:rStyle': ({ runs }, tag) => set(runs.at(-1), { style: attribute(tag, 'val') }),
  // A paragraph's mark may be hidden, too.
  'w:vanish': ({ names, runs }, tag) => names.at(-3) === 'w:r' && set(runs.at(-1), { isHidden: isSet(tag) }),
  'w:rFonts': ({ names, runs }, tag) => names.at(-3) === 'w:r' && set(runs.at(-1), { font: attribute(tag, 'ascii') }),
  'w:color': ({ names, runs }, tag) => names.at(-3) === 'w:r' && set(runs.at(-1), { color: attribute(tag, 'val') }),
  'w:vertAlign': ({ names, runs }, tag) =>
    names.at(-3) === 'w:r' && set(runs.at(-1), { isRaised: isSuperscript(attribute(tag, 'val')) }),
  'w:strike': (part, tag) => part.strike(tag),
  'w:dstrike': (part, tag) => part.strike(tag),
  'w:highlight': ({ names, runs }, tag) =>
    names.at(-3) === 'w:r' && set(runs.at(-1), { fill: highlightOf(attribute(tag, 'val')) }),
  'w:shd': (part, tag) => part.shade(tag),
  'w:tab': (part) => part.isWithin('w:r') && part.write('\t'),
  'w:ptab': (part) => part.write('\t'),
  'w:br': ({ flow }) => flow.line(),
  'w:cr': ({ flow }) => flow.line(),
  'w:noBreakHyphen': (part) => part.write('-'),
  'w:sym': (part, tag) => part.sign(tag),
  'w:tbl': ({ fills, flow }) => {
    fills.push(undefined);
    flow.open();
  },
  'w:tblStyle': (part, tag) => part.paint(part.styles.table(attribute(tag, 'val'))),
  'w:tr': ({ flow }) => flow.open(),
  'w:tc': ({ spans, fills, flow }) => {
    spans.push(1);
    fills.push(undefined);
    flow.open();
  },
  'w:gridSpan': ({ spans }, tag) => spans.splice(-1, 1, Number(attribute(tag, 'val')) || 1),
  'w:txbxContent': ({ fills, flow }) => {
    fills.push('unknown');
    flow.open();
  },
  // The words of a watermark or other word art.
  'v:textpath': (part, tag) => {
    part.flow.open();
    part.write(attribute(tag, 'string') ?? '');
    part.apart(`<p>${part.flow.take()}</p>`);
  },
  'w:del': (part) => part.pass(true),
  'w:moveFrom': (part) => part.pass(),
  'aml:annotation': (part, tag) => attribute(tag, 'type') === 'Word.Deletion' && part.pass(true),
  'mc:AlternateContent': ({ alternatives, written }) => alternatives.push(written),
  'mc:Choice': (part) => part.passIfWritten(),
  'mc:Fallback': (part) => part.passIfWritten(),
  'w:sdt': ({ controls }) => controls.push({}),
  'w14:checkbox': ({ controls }) => set(controls.at(-1), { mark: checkMark(false) }),
  'w14:checked': ({ controls }, tag) => set(controls.at(-1), { mark: checkMark(isSet(tag)) }),
  'w:fldChar': (part, tag) => part.field(attribute(tag, 'fldCharType')),
  'w:checkBox': ({ fields }) => set(fields.at(-1), { mark: checkMark(false) }),
  'w:checked': ({ fields }, tag) => set(fields.at(-1), { mark: checkMark(isSet(tag)) }),
  'w:default': (part, tag) => part.isWithin('w:checkBox') && set(part.fields.at(-1), { mark: checkMark(isSet(tag)) }),
  'w:result': ({ fields }, tag) => set(fields.at(-1), { choice: Number(attribute(tag, 'val')) }),
  'w:listEntry': ({ fields }, tag) => fields.at(-1)?.choices.push(attribute(tag, 'val') ?? ''),
  'w:footnoteReference': (part, tag) => part.reference('footnote', tag),
  'w:endnoteReference': (part, tag) => part.reference('endnote', tag),
  'w:commentReference': (part, tag) => part.reference('comment', tag),
  'w:footnote': (part, tag) => part.openNote(tag),
  'w:endnote': (part, tag) => part.openNote(tag),
  'w:comment': (part, tag) => part.openNote(tag),
  'w:headerReference': (part, tag) => part.margin('header', tag),
  'w:footerReference': (part, tag) => part.margin('footer', tag),
  'w:titlePg': (part, tag) => {
    part.hasFirstPage ||= isSet(tag);
  },
  'data:chart': (part) => {
    part.drawings += 1;
  },
  'data:relIds': (part) => {
    part.drawings += 1;
  },
  'w:altChunk': (part) => {
    part.chunks += 1;
  },
};

const closed: Readonly<Record<string, (part: Reading) => void>> = {
  'w:p': (part) => part.closeParagraph(),
  'a:p': ({ flow }) => flow.closeParagraph(),
  'w:r': ({ runs }) => runs.pop(),
  'w:tbl': ({ flow, fills }) => {
    fills.pop();
    flow.closeTable();
  },
  'w:tr': ({ flow }) => flow.closeRow(),
  'w:tc': ({ flow, fills, spans }) => {
    fills.pop();
    flow.closeCell(spans.pop());
  },
  'w:txbxContent': ({ flow, fills }) => {
    fills.pop();
    flow.apart(flow.take());
  },
  'mc:AlternateContent': ({ alternatives }) => alternatives.pop(),
  'w:sdt': ({ controls }) => controls.pop(),
  'w:footnote': (part) => part.closeNote(),
  'w:endnote': (part) => part.closeNote(),
  'w:comment': (part) => part.closeNote(),
};

/** The words of one part of a Word document, as HTML, and what of it is not shown. */
export const readWordPart = (xml: string, setting: Setting, noteOf: NoteOf = () => ''): WordPart => {
  const part = new Reading(setting, noteOf);
  const { names } = part;
  let formula: Formula | null = null;
  const write = (text: string) => {
    if (formula === null) part.text(text);
    else formula.text(text);
  };
  const closeFormula = (name: string) => {
    if (name !== 'm:oMath') formula?.close(name);
    else {
      part.write(formula?.line ?? '');
      formula = null;
    }
  };
  const handlers = {
    open(tag: XmlTag) {
      const name = nameOf(tag);
      names.push(name);
      if (part.passedAt > 0) return;
      // What a tracked change of formatting keeps is how it was before.
      if (/^w:\w+Change$/.test(name)) part.pass();
      else if (name === 'm:oMath') formula ??= new Formula();
      else if (name.startsWith('m:')) formula?.open(name, names.at(-2) ?? '', attribute(tag, 'val'));
      else opened[name]?.(part, tag);
    },
    text(text: string) {
      const name = names.at(-1) ?? '';
      if (part.passedAt === 0 && TEXT.has(name)) write(text);
      else if (part.isDeletion && part.passedAt > 0 && /^w:(?:delText|t)$/.test(name))
        part.deleted += text.trim().length;
    },
    close() {
      const name = names.at(-1) ?? '';
      if (part.passedAt === 0 && name.startsWith('m:')) closeFormula(name);
      else if (part.passedAt === 0) closed[name]?.(part);
      else if (part.passedAt === names.length) part.passedAt = 0;
      names.pop();
    },
  };
  parseXml(xml, handlers, MAX_DEPTH);
  const { flow, notes, margins, hasFirstPage, hidden, deleted, drawings, signs, chunks } = part;
  return { html: flow.html(), notes, margins, hasFirstPage, hidden, deleted, drawings, signs, chunks };
};
