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
}

interface Paragraph {
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

const TEXT = new Set(['w:t', 'm:t', 'a:t']);

/** The words of one part of a Word document, as HTML, and what of it is not shown. `noteOf`: a note or comment, in HTML. */
export const readWordPart = (
  xml: string,
  lists: WordLists,
  noteOf: (kind: string, id: string) => string = () => '',
): WordPart => {
  const flow = documentFlow();
  const names: string[] = [];
  const paragraphs: Paragraph[] = [];
  const runs: Run[] = [];
  const fields: Field[] = [];
  const spans: number[] = [];
  /** Content controls; a check box shows its mark once. */
  const controls: { mark?: string }[] = [];
  /** How much was written when each of these began. */
  const alternatives: number[] = [];
  const notes = new Map<string, string>();
  const noteIds: string[] = [];
  const margins: PageMargin[] = [];
  let [written, hidden, deleted, drawings, signs, hasFirstPage] = [0, 0, 0, 0, 0, false];
  /** The depth of the element that is passed over with all that is in it, and whether that is a deletion. */
  let [passedAt, isDeletion] = [0, false];

  const isWithin = (name: string) => names.at(-2) === name;
  const isHiddenHere = () => {
    const run = runs.at(-1);
    return run?.isHidden ?? lists.isHidden(run?.style) ?? lists.isHidden(paragraphs.at(-1)?.style) ?? false;
  };
  const isShownField = () => fields.every(({ isResult }) => isResult);
  const write = (text: string) => {
    if (!isShownField()) return;
    if (isHiddenHere()) {
      hidden += text.trim().length;
      return;
    }
    const control = controls.at(-1);
    const shown = control?.mark ?? text;
    if (control?.mark !== undefined) control.mark = '';
    written += shown.length;
    flow.text(shown);
  };
  const apart = (html: string) => {
    if (isShownField() && !isHiddenHere()) flow.apart(html);
  };
  const pass = (deletes = false) => {
    [passedAt, isDeletion] = [names.length, deletes];
  };
  const passIfWritten = () => {
    if (written > (alternatives.at(-1) ?? 0)) pass();
  };
  const note = (kind: string) => (tag: XmlTag) => apart(noteOf(kind, attribute(tag, 'id') ?? ''));
  const margin = (kind: PageMargin['kind']) => (tag: XmlTag) => {
    margins.push({ kind, pages: attribute(tag, 'type') ?? 'default', relation: attribute(tag, 'id') ?? '' });
  };
  const set = (target: object | undefined, more: object) => Object.assign(target ?? {}, more);
  const field = (kind: string | undefined) => {
    if (kind === 'begin') fields.push({ isResult: false, choices: [], choice: 0 });
    else if (kind === 'separate') set(fields.at(-1), { isResult: true });
    else if (kind === 'end') {
      const ended = fields.pop();
      write(ended?.mark ?? ended?.choices[ended.choice] ?? '');
    }
  };
  const openNote = (tag: XmlTag) => {
    noteIds.push(attribute(tag, 'id') ?? '');
    flow.open();
  };
  const closeNote = () => {
    const html = flow.take();
    const id = noteIds.pop() ?? '';
    // Documents of 2003 have a note where it is referred to.
    if (isWithin('w:r')) apart(html);
    else notes.set(id, html);
  };

  const opened: Readonly<Record<string, (tag: XmlTag) => void>> = {
    'w:p': () => {
      paragraphs.push({});
      flow.open();
    },
    'a:p': flow.open,
    'w:pStyle': (tag) => set(paragraphs.at(-1), { style: attribute(tag, 'val') }),
    'w:numId': (tag) => set(paragraphs.at(-1), { list: attribute(tag, 'val') }),
    'w:ilvl': (tag) => set(paragraphs.at(-1), { level: attribute(tag, 'val') }),
    'w:r': () => runs.push({}),
    'w:rStyle': (tag) => set(runs.at(-1), { style: attribute(tag, 'val') }),
    // A paragraph's mark may be hidden, too.
    'w:vanish': (tag) => names.at(-3) === 'w:r' && set(runs.at(-1), { isHidden: isOn(tag) }),
    'w:tab': () => isWithin('w:r') && write('\t'),
    'w:ptab': () => write('\t'),
    'w:br': flow.line,
    'w:cr': flow.line,
    'w:noBreakHyphen': () => write('-'),
    'w:sym': (tag) => {
      const code = Number.parseInt(attribute(tag, 'char') ?? '', 16);
      const sign = codePoint(attribute(tag, 'font') ?? '', code >= 0xf000 ? code - 0xf000 : code);
      if (sign === undefined) signs += 1;
      else write(sign.string);
    },
    'w:tbl': flow.open,
    'w:tr': flow.open,
    'w:tc': () => {
      spans.push(1);
      flow.open();
    },
    'w:gridSpan': (tag) => spans.splice(-1, 1, Number(attribute(tag, 'val')) || 1),
    'w:txbxContent': flow.open,
    // The words of a watermark or other word art.
    'v:textpath': (tag) => {
      flow.open();
      write(attribute(tag, 'string') ?? '');
      apart(`<p>${flow.take()}</p>`);
    },
    'w:del': () => pass(true),
    'w:moveFrom': () => pass(),
    'aml:annotation': (tag) => attribute(tag, 'type') === 'Word.Deletion' && pass(true),
    'mc:AlternateContent': () => alternatives.push(written),
    'mc:Choice': passIfWritten,
    'mc:Fallback': passIfWritten,
    'w:sdt': () => controls.push({}),
    'w14:checkbox': () => set(controls.at(-1), { mark: checkMark(false) }),
    'w14:checked': (tag) => set(controls.at(-1), { mark: checkMark(isOn(tag)) }),
    'w:fldChar': (tag) => field(attribute(tag, 'fldCharType')),
    'w:checkBox': () => set(fields.at(-1), { mark: checkMark(false) }),
    'w:checked': (tag) => set(fields.at(-1), { mark: checkMark(isOn(tag)) }),
    'w:default': (tag) => isWithin('w:checkBox') && set(fields.at(-1), { mark: checkMark(isOn(tag)) }),
    'w:result': (tag) => set(fields.at(-1), { choice: Number(attribute(tag, 'val')) }),
    'w:listEntry': (tag) => fields.at(-1)?.choices.push(attribute(tag, 'val') ?? ''),
    'w:footnoteReference': note('footnote'),
    'w:endnoteReference': note('endnote'),
    'w:commentReference': note('comment'),
    'w:footnote': openNote,
    'w:endnote': openNote,
    'w:comment': openNote,
    'w:headerReference': margin('header'),
    'w:footerReference': margin('footer'),
    'w:titlePg': (tag) => {
      hasFirstPage ||= isOn(tag);
    },
    'data:chart': () => {
      drawings += 1;
    },
    'data:relIds': () => {
      drawings += 1;
    },
  };
  const closed: Readonly<Record<string, () => void>> = {
    'w:p': () => {
      const { style, ...place } = paragraphs.pop() ?? {};
      flow.closeParagraph(lists.next(style, place));
    },
    'a:p': flow.closeParagraph,
    'w:r': () => runs.pop(),
    'w:tbl': flow.closeTable,
    'w:tr': flow.closeRow,
    'w:tc': () => flow.closeCell(spans.pop()),
    'w:txbxContent': () => flow.apart(flow.take()),
    'mc:AlternateContent': () => alternatives.pop(),
    'w:sdt': () => controls.pop(),
    'w:footnote': closeNote,
    'w:endnote': closeNote,
    'w:comment': closeNote,
  };

  const handlers = {
    open(tag: XmlTag) {
      const name = nameOf(tag);
      names.push(name);
      if (passedAt > 0) return;
      // What a tracked change of formatting keeps is how it was before.
      if (/^w:\w+Change$/.test(name)) pass();
      else opened[name]?.(tag);
    },
    text(text: string) {
      const name = names.at(-1) ?? '';
      if (passedAt === 0 && TEXT.has(name)) write(text);
      else if (isDeletion && passedAt > 0 && /^w:(?:delText|t)$/.test(name)) deleted += text.trim().length;
    },
    close() {
      const name = names.at(-1) ?? '';
      if (passedAt === 0) closed[name]?.();
      else if (passedAt === names.length) passedAt = 0;
      names.pop();
    },
  };
  parseXml(xml, handlers, MAX_DEPTH);
  return { html: flow.html(), notes, margins, hasFirstPage, hidden, deleted, drawings, signs };
};
