import { documentFlow, type Standing } from './flow.ts';
import { drawnIn, isPrivate } from './symbols.ts';
import { attribute, parseXml, type XmlTag } from './xml.ts';

const MAX_DEPTH = 1000;
const SHAPE = /^(?:sp|grpSp|graphicFrame|cxnSp|pic)$/;
/** What a shape may show beside text: a chart, a diagram, an object of another program. */
const GRAPHIC = /^(?:chart|relIds|oleObj)$/;

const isOff = (value: string | undefined) => value === '0' || value === 'false';

/** The shapes of a slide, of the layout or master that stands behind it, or of a sheet. */
export class ShapeReader {
  private readonly flow = documentFlow();
  private readonly isMaster: boolean;
  isShown = true;
  showsMaster = true;
  /** How many characters stand in shapes that are not shown. */
  hidden = 0;
  graphics = 0;
  /** How many signs of symbol fonts the reader does not know. */
  signs = 0;
  private depth = 0;
  private isText = false;
  private standing: Standing = {};
  /** The fonts of the run: that of its letters, and that of a sign in it. */
  private font: string | undefined;
  private signFont: string | undefined;
  private isOfRun = false;
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
    else if (local === 'r') this.beginRun();
    else if (this.isOfRun && local === 'latin') this.font = attribute(tag, 'typeface');
    else if (this.isOfRun && local === 'sym') this.signFont = attribute(tag, 'typeface');
    else if (local === 'rPr') {
      this.isOfRun = true;
      const isRaised = Number.parseFloat(attribute(tag, 'baseline') ?? '0') > 0;
      this.standing = { isRaised, isStruck: /^(?:sng|dbl)Strike$/.test(attribute(tag, 'strike') ?? '') };
    } else if (/^(?:p|tbl|tr|tc)$/.test(local)) this.flow.open();
    // Comments of before 2021 have their words in an element of their own.
    this.isText = local === 't' || local === 'text';
  }

  private beginRun() {
    this.standing = {};
    this.font = undefined;
    this.signFont = undefined;
  }

  private text(text: string) {
    if (!this.isText || this.passedFrom > 0) return;
    // The font of a sign is also said of the letters behind it.
    const isSign = text.trim().length === 1 || text.replace(/\s+/g, '').split('').every(isPrivate);
    const { text: drawn, unknown } = drawnIn(isSign ? (this.signFont ?? this.font) : this.font, text);
    if (this.hiddenFrom > 0) this.hidden += drawn.trim().length;
    else {
      this.flow.text(drawn, this.standing);
      this.signs += unknown;
    }
  }

  private close({ local }: XmlTag) {
    this.isText = false;
    if (local === 'rPr') this.isOfRun = false;
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
