import type { ReadingNote } from '../../../application/ports/text.ts';
import { type InnerFile, Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';
import { documentFlow } from './flow.ts';
import { htmlText } from './html.ts';
import { picturesIn } from './pictures.ts';
import { type Files, mainPart, relationsOf, xmlText } from './relations.ts';
import { parseXml, readXml, type XmlTag } from './xml.ts';

/** Tabs are kept: they set columns apart. */
const WHITESPACE = ' \r\n\f\u200b';
const MAX_DEPTH = 1000;
const SHAPE = /^(?:sp|grpSp|graphicFrame|cxnSp|pic)$/;
/** What a shape may show beside text: a chart, a diagram, an object of another program. */
const GRAPHIC = /^(?:chart|relIds|oleObj)$/;

const attribute = ({ attributes }: XmlTag, name: string) => attributes[name]?.value;
const isOff = (value: string | undefined) => value === '0' || value === 'false';

/** A slide, or the layout or master that stands behind it. */
class SlideReader {
  private readonly flow = documentFlow();
  private readonly isMaster: boolean;
  isShown = true;
  showsMaster = true;
  /** How many characters stand in shapes that are not shown. */
  hidden = 0;
  graphics = 0;
  private depth = 0;
  private isText = false;
  /** The depths of the shapes that are open. */
  private readonly shapes: number[] = [];
  /** From which depth on nothing is read, or nothing is shown; 0: it is. */
  private passedFrom = 0;
  private hiddenFrom = 0;

  constructor(xml: string, isMaster: boolean) {
    this.isMaster = isMaster;
    parseXml(
      xml,
      { open: (tag) => this.open(tag), text: (text) => this.text(text), close: (tag) => this.close(tag) },
      MAX_DEPTH,
    );
  }

  get html(): string {
    return this.flow.html();
  }

  private open(tag: XmlTag) {
    const { local } = tag;
    this.depth += 1;
    if (this.depth === 1) {
      this.isShown = !isOff(attribute(tag, 'show'));
      this.showsMaster = !isOff(attribute(tag, 'showMasterSp'));
    }
    if (SHAPE.test(local)) this.shapes.push(this.depth);
    if (this.passedFrom > 0) return;
    const shape = this.shapes.at(-1) ?? this.depth;
    // The placeholders of a master are filled by the slides; a fallback says the same again for older programs.
    if (local === 'Fallback') this.passedFrom = this.depth;
    else if (local === 'ph' && this.isMaster) this.passedFrom = shape;
    else if (local === 'cNvPr' && this.hiddenFrom === 0 && /^(?:1|true)$/.test(attribute(tag, 'hidden') ?? ''))
      this.hiddenFrom = shape;
    else if (GRAPHIC.test(local) && this.hiddenFrom === 0) this.graphics += 1;
    else if (local === 'br') this.flow.line();
    else if (/^(?:p|tbl|tr|tc)$/.test(local)) this.flow.open();
    this.isText = local === 't';
  }

  private text(text: string) {
    if (!this.isText || this.passedFrom > 0) return;
    if (this.hiddenFrom > 0) this.hidden += text.trim().length;
    else this.flow.text(text);
  }

  private close({ local }: XmlTag) {
    this.isText = false;
    if (this.passedFrom === 0) {
      if (local === 'p') this.flow.closeParagraph();
      else if (local === 'tc') this.flow.closeCell();
      else if (local === 'tr') this.flow.closeRow();
      else if (local === 'tbl') this.flow.closeTable();
    }
    if (this.shapes.at(-1) === this.depth) this.shapes.pop();
    if (this.passedFrom === this.depth) this.passedFrom = 0;
    if (this.hiddenFrom === this.depth) this.hiddenFrom = 0;
    this.depth -= 1;
  }
}

/** The names of the slides, in their order. */
const slidesOf = (files: Files): readonly string[] => {
  const main = mainPart(files, 'ppt/presentation.xml');
  const data = files[main];
  if (data === undefined) throw new Unreadable('is damaged: there is no presentation in it');
  const targets = new Map(relationsOf(files, main).map(({ id, target }) => [id, target]));
  const list = readXml(xmlText(data)).children.find(({ name }) => name.endsWith(':sldIdLst'));
  return (list?.children ?? []).flatMap(
    ({ attributes }) => targets.get([...attributes].find(([key]) => key.endsWith(':id'))?.[1] ?? '') ?? [],
  );
};

const counted = (count: number, one: string, more = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

/** The slides that are shown, one after the other, and what stands on all of them. */
export const readPptx = (
  data: Uint8Array,
): {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
} => {
  const files = unpacked(data, (name) => /\.(?:xml|rels)$/i.test(name));
  const read = (name: string, isMaster = false) => {
    const found = files[name];
    if (found === undefined) throw new Unreadable('is damaged: a slide of it is missing');
    return { name, slide: new SlideReader(xmlText(found), isMaster) };
  };
  const behind = (name: string, type: string) => relationsOf(files, name).filter((relation) => relation.type === type);
  const all = slidesOf(files).map((name) => read(name));
  const shown = all.filter(({ slide }) => slide.isShown);
  const layouts = [
    ...new Set(
      shown
        .filter(({ slide }) => slide.showsMaster)
        .flatMap(({ name }) => behind(name, 'slideLayout').map(({ target }) => target)),
    ),
  ].map((name) => read(name, true));
  const masters = [
    ...new Set(
      layouts
        .filter(({ slide }) => slide.showsMaster)
        .flatMap(({ name }) => behind(name, 'slideMaster').map(({ target }) => target)),
    ),
  ].map((name) => read(name, true));
  const parts = [...shown, ...layouts, ...masters];
  const total = (of: (slide: SlideReader) => number) => parts.reduce((sum, { slide }) => sum + of(slide), 0);
  const [hiddenSlides, hidden, graphics] = [
    all.length - shown.length,
    total((slide) => slide.hidden),
    total((slide) => slide.graphics),
  ];
  const images = parts.flatMap(({ name }) => behind(name, 'image').map(({ target }) => target));
  const { pictures, notes } = picturesIn(data, new Set(images));
  const note = (kind: ReadingNote['kind'], count: number, what: string): readonly ReadingNote[] =>
    count === 0 ? [] : [{ kind, page: null, what }];
  return {
    text: parts
      .map(({ slide }) => htmlText(slide.html, WHITESPACE).trim())
      .filter((text) => text !== '')
      .join('\n\n'),
    notes: [
      ...note('hidden', hiddenSlides, counted(hiddenSlides, 'hidden slide')),
      ...note('hidden', hidden, `${counted(hidden, 'character')} of hidden text`),
      ...note('unread', graphics, counted(graphics, 'chart, diagram or object', 'charts, diagrams or objects')),
      ...notes,
    ],
    pictures,
  };
};
