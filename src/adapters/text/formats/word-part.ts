import { codePoint } from 'dingbat-to-unicode';
import { checkMark } from '../text.ts';
import { documentFlow } from './flow.ts';
import type { WordLists } from './word-lists.ts';
import { parseXml, type XmlTag } from './xml.ts';

const MAX_DEPTH = 1000;

const prefixOf = (uri: string): string => {
  if (/wordprocessingml(?:\/2006)?\/main$|\/office\/word\/2003\/wordml$/.test(uri)) return 'w';
  if (/drawingml(?:\/2006)?\/main$/.test(uri)) return 'a';
  if (/drawingml(?:\/2006)?\/(?:chart|diagram)$/.test(uri)) return 'data';
  if (/\/officeDocument(?:\/2006)?\/math$/.test(uri)) return 'm';
  if (uri.endsWith('/office/word/2010/wordml')) return 'w14';
  if (uri.endsWith('/markup-compatibility/2006')) return 'mc';
  if (uri.endsWith('/aml/2001/core')) return 'aml';
  if (uri.endsWith('/office/word/2003/auxHint')) return 'wx';
  return uri.endsWith(':vml') ? 'v' : '';
};
const nameOf = ({ uri, local }: XmlTag) => `${prefixOf(uri)}:${local}`;
const attribute = ({ attributes }: XmlTag, name: string): string | undefined =>
  Object.values(attributes).find(({ local }) => local === name)?.value;
const isOn = (tag: XmlTag) => !['0', 'false', 'off'].includes(attribute(tag, 'val') ?? '1');
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
  /** How many characters are hidden, and how many a tracked change has deleted. */
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
}
interface Run {
  isHidden?: boolean;
  style?: string | undefined;
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
  readonly #noteOf: NoteOf;

  constructor(lists: WordLists, noteOf: NoteOf) {
    this.lists = lists;
    this.#noteOf = noteOf;
  }

  isWithin(name: string): boolean {
    return this.names.at(-2) === name;
  }

  get #isHiddenHere(): boolean {
    const { runs, paragraphs, lists } = this;
    const run = runs.at(-1);
    return run?.isHidden ?? lists.isHidden(run?.style) ?? lists.isHidden(paragraphs.at(-1)?.style) ?? false;
  }

  get #isShownField(): boolean {
    return this.fields.every(({ isResult }) => isResult);
  }

  write(text: string): void {
    if (!this.#isShownField) return;
    if (this.#isHiddenHere) {
      this.hidden += text.trim().length;
      return;
    }
    const control = this.controls.at(-1);
    const shown = control?.mark ?? text;
    if (control?.mark !== undefined) control.mark = '';
    this.written += shown.length;
    this.flow.text(shown);
  }

  apart(html: string): void {
    if (this.#isShownField && !this.#isHiddenHere) this.flow.apart(html);
  }

  sign(tag: XmlTag): void {
    const code = Number.parseInt(attribute(tag, 'char') ?? '', 16);
    const sign = codePoint(attribute(tag, 'font') ?? '', code >= 0xf000 ? code - 0xf000 : code);
    if (sign === undefined) this.signs += 1;
    else this.write(sign.string);
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
  'w:vanish': ({ names, runs }, tag) => names.at(-3) === 'w:r' && set(runs.at(-1), { isHidden: isOn(tag) }),
  'w:tab': (part) => part.isWithin('w:r') && part.write('\t'),
  'w:ptab': (part) => part.write('\t'),
  'w:br': ({ flow }) => flow.line(),
  'w:cr': ({ flow }) => flow.line(),
  'w:noBreakHyphen': (part) => part.write('-'),
  'w:sym': (part, tag) => part.sign(tag),
  'w:tbl': ({ flow }) => flow.open(),
  'w:tr': ({ flow }) => flow.open(),
  'w:tc': ({ spans, flow }) => {
    spans.push(1);
    flow.open();
  },
  'w:gridSpan': ({ spans }, tag) => spans.splice(-1, 1, Number(attribute(tag, 'val')) || 1),
  'w:txbxContent': ({ flow }) => flow.open(),
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
  'w14:checked': ({ controls }, tag) => set(controls.at(-1), { mark: checkMark(isOn(tag)) }),
  'w:fldChar': (part, tag) => part.field(attribute(tag, 'fldCharType')),
  'w:checkBox': ({ fields }) => set(fields.at(-1), { mark: checkMark(false) }),
  'w:checked': ({ fields }, tag) => set(fields.at(-1), { mark: checkMark(isOn(tag)) }),
  'w:default': (part, tag) => part.isWithin('w:checkBox') && set(part.fields.at(-1), { mark: checkMark(isOn(tag)) }),
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
    part.hasFirstPage ||= isOn(tag);
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
  'w:tbl': ({ flow }) => flow.closeTable(),
  'w:tr': ({ flow }) => flow.closeRow(),
  'w:tc': ({ flow, spans }) => flow.closeCell(spans.pop()),
  'w:txbxContent': ({ flow }) => flow.apart(flow.take()),
  'mc:AlternateContent': ({ alternatives }) => alternatives.pop(),
  'w:sdt': ({ controls }) => controls.pop(),
  'w:footnote': (part) => part.closeNote(),
  'w:endnote': (part) => part.closeNote(),
  'w:comment': (part) => part.closeNote(),
};

/** The words of one part of a Word document, as HTML, and what of it is not shown. */
export const readWordPart = (xml: string, lists: WordLists, noteOf: NoteOf = () => ''): WordPart => {
  const part = new Reading(lists, noteOf);
  const { names } = part;
  const handlers = {
    open(tag: XmlTag) {
      const name = nameOf(tag);
      names.push(name);
      if (part.passedAt > 0) return;
      // What a tracked change of formatting keeps is how it was before.
      if (/^w:\w+Change$/.test(name)) part.pass();
      else opened[name]?.(part, tag);
    },
    text(text: string) {
      const name = names.at(-1) ?? '';
      if (part.passedAt === 0 && TEXT.has(name)) part.write(text);
      else if (part.isDeletion && part.passedAt > 0 && /^w:(?:delText|t)$/.test(name))
        part.deleted += text.trim().length;
    },
    close() {
      const name = names.at(-1) ?? '';
      if (part.passedAt === 0) closed[name]?.(part);
      else if (part.passedAt === names.length) part.passedAt = 0;
      names.pop();
    },
  };
  parseXml(xml, handlers, MAX_DEPTH);
  const { flow, notes, margins, hasFirstPage, hidden, deleted, drawings, signs, chunks } = part;
  return { html: flow.html(), notes, margins, hasFirstPage, hidden, deleted, drawings, signs, chunks };
};
