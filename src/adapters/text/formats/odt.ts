import type { ReadingNote } from '../../../application/ports/text.ts';
import { type Fill, isUnseen } from '../contrast.ts';
import { decode } from '../decode.ts';
import { counted, noteIfAny } from '../notes.ts';
import { checkMark, type InnerFile, Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';
import { documentFlow, type Standing } from './flow.ts';
import { htmlText } from './html.ts';
import { openTextLists } from './open-text-lists.ts';
import { OpenTextStyles } from './open-text-styles.ts';
import { picturesIn } from './pictures.ts';
import { drawnIn, unknownSigns } from './symbols.ts';
import { attribute, parseXml, type XmlTag } from './xml.ts';

const MAX_DEPTH = 1000;
const MAX_SPACES = 100;
/** Tabs are kept: they set columns apart. */
const WHITESPACE = ' \r\n\f\u200b';

/** Shapes, which hold paragraphs of their own. */
const SHAPE = /^draw:(?:text-box|custom-shape|rect|ellipse|circle|line|polygon|path|connector|caption)$/;
/** What says something of the words beside it, and is none of them. */
const PASSED = /^(?:text:note-citation|presentation:notes|dc:.+|meta:.+|svg:.+|office:(?:scripts|meta|binary-data))$/;
const MARGIN = /^style:(header|footer)(?:-first|-left)?$/;
/** What begins anew on the ground of the page, as margins do. */
const ON_PAGE = /^(?:office:text|text:note-body)$/;
/** The attribute that names the style of an element. */
const STYLE_OF: Readonly<Record<string, string>> = {
  'text:p': 'text:style-name',
  'text:h': 'text:style-name',
  'text:span': 'text:style-name',
  'text:section': 'text:style-name',
  'table:table': 'table:style-name',
  'table:table-row': 'table:style-name',
  'table:table-cell': 'table:style-name',
};

/** How words stand in their line, their colour and font, and what lies behind them. */
interface Place extends Standing {
  /** null: one that is made to be seen. */
  readonly color: string | null;
  readonly fill: Fill;
  readonly font?: string | undefined;
}

const nowhere: Place = { color: null, fill: 'unknown' };

class OpenTextReader {
  readonly body: string[] = [];
  readonly margins: { readonly kind: string; readonly html: string }[] = [];
  /** The names of the pictures that are shown. */
  readonly pictures = new Set<string>();
  hidden = 0;
  deleted = 0;
  /** How many characters speakers alone see. */
  spoken = 0;
  /** How many charts and objects of other programs there are, and pictures that are not in a file of their own. */
  graphics = 0;
  flatPictures = 0;
  /** How many signs of symbol fonts the reader does not know. */
  signs = 0;
  private readonly styles = new OpenTextStyles();
  /** What the controls of a form show, by their ids. */
  private readonly controls = new Map<string, string>();
  private flow = documentFlow();
  private readonly lists = openTextLists();
  /** The numbers of the paragraphs that are open. */
  private readonly numbers: string[] = [];
  private readonly names: string[] = [];
  /** Of each element that is open. */
  private readonly places: Place[] = [];
  /** For each element that is open: whether its words are shown. */
  private readonly shown: ('yes' | 'hidden' | 'deleted' | 'passed')[] = [];
  private masterIsUsed = false;
  private paragraphs = 0;
  private readonly masters: ReadonlySet<string>;

  constructor(masters: ReadonlySet<string>) {
    this.masters = masters;
  }

  read(xml: string): void {
    this.flow = documentFlow();
    parseXml(
      xml,
      { open: (tag) => this.open(tag), text: (text) => this.text(text), close: () => this.close() },
      MAX_DEPTH,
    );
  }

  private visibilityOf(tag: XmlTag): 'yes' | 'hidden' | 'deleted' | 'passed' {
    const { name } = tag;
    const around = this.shown.at(-1) ?? 'yes';
    if (around === 'deleted' || around === 'passed') return around;
    if (PASSED.test(name)) return 'passed';
    if (name === 'text:tracked-changes') return 'deleted';
    if (MARGIN.test(name) && (!this.masterIsUsed || attribute(tag, 'style:display') === 'false')) return 'passed';
    const isHidden =
      attribute(tag, 'text:is-hidden') === 'true' ||
      (name === 'text:section' && attribute(tag, 'text:display') === 'none') ||
      (/^text:(?:p|h|span)$/.test(name) && this.styles.says(attribute(tag, 'text:style-name'), 'isHidden') === true) ||
      (name === 'draw:page' && this.styles.says(attribute(tag, 'draw:style-name'), 'isHidden') === true);
    return isHidden ? 'hidden' : around;
  }

  private write(text: string) {
    const shown = this.shown.at(-1);
    const place = this.places.at(-1);
    const isUnseenHere = typeof place?.color === 'string' && isUnseen(place.color, place.fill);
    if (shown === 'hidden' || (shown === 'yes' && isUnseenHere)) this.hidden += text.trim().length;
    else if (shown === 'deleted') this.deleted += text.trim().length;
    else if (shown === 'yes') this.flow.text(text, place);
    else if (this.names.includes('presentation:notes')) this.spoken += text.trim().length;
  }

  private text(text: string) {
    if (this.paragraphs === 0) return;
    const { text: drawn, unknown } = drawnIn(this.places.at(-1)?.font, text);
    this.signs += unknown;
    this.write(drawn);
  }

  private open(tag: XmlTag) {
    const { name } = tag;
    this.names.push(name);
    this.shown.push(this.visibilityOf(tag));
    this.places.push(this.placeOf(tag));
    this.lists.open(tag);
    if (name.startsWith('style:')) this.define(tag);
    else if (name.startsWith('form:')) this.control(tag);
    else if (name.startsWith('draw:')) this.draw(tag);
    else if (name.startsWith('text:')) this.sign(tag);
    if (/^text:[ph]$/.test(name)) {
      this.paragraphs += 1;
      this.numbers.push(this.shown.at(-1) === 'yes' ? this.lists.numberOf(tag) : '');
      this.flow.open();
    } else if (this.isBlock(name)) this.flow.open();
  }

  private placeOf(tag: XmlTag): Place {
    const { name } = tag;
    const { styles } = this;
    const around = this.places.at(-1) ?? nowhere;
    if (ON_PAGE.test(name) || MARGIN.test(name)) return { color: styles.color, fill: styles.page };
    if (SHAPE.test(name) || name === 'office:annotation') return { ...around, fill: 'unknown' };
    const style = attribute(tag, STYLE_OF[name] ?? '');
    if (style === undefined) return around;
    const color = styles.says(style, 'color');
    return {
      isRaised: styles.says(style, 'isRaised') ?? around.isRaised,
      isStruck: styles.says(style, 'isStruck') ?? around.isStruck,
      color: color === undefined ? around.color : color,
      font: styles.says(style, 'font') ?? around.font,
      fill: styles.says(style, 'textFill') ?? styles.says(style, 'fill') ?? around.fill,
    };
  }

  private define(tag: XmlTag) {
    this.styles.define(tag);
    if (tag.name === 'style:master-page') this.masterIsUsed = this.masters.has(attribute(tag, 'style:name') ?? '');
  }

  private draw(tag: XmlTag) {
    const { name } = tag;
    if (name === 'draw:control') this.write(this.controls.get(attribute(tag, 'draw:control') ?? '') ?? '');
    else if (this.shown.at(-1) !== 'yes') return;
    else if (name === 'draw:image') this.picture(tag);
    else if (/^draw:(?:object|object-ole|floating-frame)$/.test(name)) this.graphics += 1;
  }

  /** Elements that stand for what they write. */
  private sign(tag: XmlTag) {
    if (tag.name === 'text:tab') this.write('\t');
    else if (tag.name === 'text:line-break') this.flow.line();
    else if (tag.name === 'text:s') this.write(' '.repeat(Math.min(MAX_SPACES, Number(attribute(tag, 'text:c')) || 1)));
  }

  private picture(tag: XmlTag) {
    const href = attribute(tag, 'xlink:href') ?? '';
    if (href === '') this.flatPictures += 1;
    // What stands for an object was drawn when that was last changed.
    else if (!/ObjectReplacements\//.test(href)) this.pictures.add(href.replace(/^\.\//, ''));
  }

  private isBlock(name: string): boolean {
    return (
      /^table:(?:table|table-row|table-cell|covered-table-cell)$/.test(name) ||
      /^(?:office:annotation|text:note-body)$/.test(name) ||
      SHAPE.test(name) ||
      MARGIN.test(name)
    );
  }

  private control(tag: XmlTag) {
    const id = attribute(tag, 'xml:id') ?? attribute(tag, 'form:id') ?? '';
    const state = attribute(tag, 'form:current-state') ?? attribute(tag, 'form:state');
    const isBox = /^form:(?:checkbox|radio)$/.test(tag.name);
    const isChecked =
      state === 'checked' || (attribute(tag, 'form:current-selected') ?? attribute(tag, 'form:selected')) === 'true';
    const value = attribute(tag, 'form:current-value') ?? attribute(tag, 'form:value') ?? '';
    const label = attribute(tag, 'form:label') ?? '';
    if (id !== '') this.controls.set(id, isBox ? `${checkMark(isChecked)} ${label}` : value);
  }

  private close() {
    const name = this.names.pop() ?? '';
    const margin = MARGIN.exec(name);
    this.lists.close(name);
    this.styles.close(name);
    if (/^text:[ph]$/.test(name)) {
      this.paragraphs -= 1;
      this.flow.closeParagraph(this.numbers.pop());
    } else if (name === 'table:table') this.flow.closeTable();
    else if (name === 'table:table-row') this.flow.closeRow();
    else if (/^table:(?:covered-)?table-cell$/.test(name)) this.flow.closeCell();
    else if (/^office:(?:text|presentation)$/.test(name)) this.body.push(this.flow.html());
    else if (name === 'office:annotation') this.apart('Comment');
    else if (name === 'text:note-body') this.apart('Footnote');
    else if (margin !== null) this.margins.push({ kind: margin[1] ?? '', html: this.flow.take() });
    else if (SHAPE.test(name)) this.flow.apart(this.flow.take());
    this.shown.pop();
    this.places.pop();
  }

  private apart(label: string) {
    const html = this.flow.take();
    if (this.shown.at(-1) === 'yes') this.flow.apart(`<p>${label}:</p>${html}`);
  }
}

/** The names of the master pages that a document uses, which the first page need not name, and that follow on them. */
const mastersOf = (content: string, styles: string): ReadonlySet<string> => {
  const used = new Set(['Standard']);
  const stylesInUse = new Set<string>();
  for (const [, what, name = ''] of content.matchAll(/\b(master-page|style)-name="([^"]{1,200})"/g))
    (what === 'style' ? stylesInUse : used).add(name);
  const following = new Map<string, string>();
  const open = (tag: XmlTag) => {
    const name = attribute(tag, 'style:name') ?? '';
    const master = attribute(tag, 'style:master-page-name');
    const next = attribute(tag, 'style:next-style-name');
    if (tag.name === 'style:master-page' && next !== undefined) following.set(name, next);
    if (tag.name === 'style:style' && master !== undefined && stylesInUse.has(name)) used.add(master);
  };
  parseXml(styles || content, { open, text: () => {}, close: () => {} }, MAX_DEPTH);
  for (const name of used) used.add(following.get(name) ?? name);
  return used;
};

/** The words of an OpenDocument text or presentation, zipped or flat: headers, the body with its tables as rows of cells, footers. */
export const readOdt = (
  data: Uint8Array,
): {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
} => {
  const isZipped = data[0] === 0x50;
  const files = isZipped ? unpacked(data, (name) => /^(?:content|styles)\.xml$/.test(name)) : { 'content.xml': data };
  const content = files['content.xml'];
  if (content === undefined) throw new Unreadable('is damaged: there is no document in it');
  const [xml, styles] = [content, files['styles.xml']].map((file) =>
    file === undefined ? '' : decode(file, 'application/xml').text,
  ) as [string, string];
  const reader = new OpenTextReader(mastersOf(xml, styles));
  if (styles !== '') reader.read(styles);
  reader.read(xml);
  const { body, margins, hidden, deleted, spoken, graphics, flatPictures, signs } = reader;
  const { pictures, notes } = isZipped ? picturesIn(data, reader.pictures) : { pictures: [], notes: [] };
  const margin = (wanted: string) => [
    ...new Set(margins.filter(({ kind }) => kind === wanted).map(({ html }) => html)),
  ];
  return {
    text: htmlText([...margin('header'), ...body, ...margin('footer')].join(''), WHITESPACE),
    notes: [
      ...noteIfAny('hidden', hidden, `${counted(hidden, 'character')} of hidden text`),
      ...noteIfAny('hidden', deleted, `${counted(deleted, 'character')} that a tracked change deleted`),
      ...noteIfAny('hidden', spoken, `${counted(spoken, 'character')} of speaker notes`),
      ...unknownSigns(signs),
      ...noteIfAny('unread', graphics, counted(graphics, 'chart or object', 'charts or objects')),
      ...noteIfAny('unread', flatPictures, counted(flatPictures, 'picture')),
      ...notes,
    ],
    pictures,
  };
};
