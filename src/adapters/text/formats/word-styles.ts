import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { type Fill, WHITE } from '../contrast.ts';

/** What a style says of text; undefined where it says nothing. */
interface TextStyle {
  readonly isHidden: boolean | undefined;
  readonly color: string | undefined;
  readonly fill: Fill | undefined;
  readonly isRaised: boolean | undefined;
  readonly isStruck: boolean | undefined;
  readonly font: string | undefined;
}

const localName = ({ name }: XmlElement) => name.slice(name.indexOf(':') + 1);
export const all = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => localName(child) === name) ?? [];
export const first = (element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>((parent, name) => all(parent, name)[0], element);
export const attribute = (element: XmlElement | undefined, name: string): string | undefined => {
  for (const [key, value] of element?.attributes ?? []) if (key.slice(key.indexOf(':') + 1) === name) return value;
  return undefined;
};
export const value = (element: XmlElement | undefined, ...path: readonly string[]) =>
  attribute(first(element, ...path), 'val');

export const isOn = (value: string | undefined) => !['0', 'false', 'off'].includes(value ?? '1');

/** What `w:vertAlign` says. */
export const isSuperscript = (align: string | undefined) => (align === undefined ? undefined : align === 'superscript');

const COLOR = /^[\da-f]{6}$/i;

/** A colour of text; undefined for `auto`, which Word makes to be seen. */
export const colorOf = (color: string | undefined): string | undefined =>
  color !== undefined && COLOR.test(color) ? color : undefined;

/** What the attributes `val` and `fill` of `w:shd` paint; undefined if nothing. */
export const shadingOf = (pattern: string | undefined, fill: string | undefined): Fill | undefined => {
  if (pattern !== undefined && pattern !== 'clear') return pattern === 'nil' ? undefined : 'unknown';
  return colorOf(fill);
};

const HIGHLIGHTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    black: '000000',
    blue: '0000FF',
    cyan: '00FFFF',
    green: '00FF00',
    magenta: 'FF00FF',
    red: 'FF0000',
    yellow: 'FFFF00',
    white: WHITE,
    darkBlue: '00008B',
    darkCyan: '008B8B',
    darkGreen: '006400',
    darkMagenta: '800080',
    darkRed: '8B0000',
    darkYellow: '808000',
    darkGray: 'A9A9A9',
    lightGray: 'D3D3D3',
  }),
);
/** The colour of `w:highlight`; undefined for `none`. */
export const highlightOf = (name: string | undefined): Fill | undefined => HIGHLIGHTS.get(name ?? '');

const shadingIn = (properties: XmlElement | undefined): Fill | undefined => {
  const shading = first(properties, 'shd');
  return shadingOf(attribute(shading, 'val'), attribute(shading, 'fill'));
};

const textStyleOf = (style: XmlElement): TextStyle => {
  const text = first(style, 'rPr');
  const vanish = first(text, 'vanish');
  const strike = first(text, 'strike') ?? first(text, 'dstrike');
  return {
    isHidden: vanish && isOn(attribute(vanish, 'val')),
    color: value(text, 'color'),
    fill: shadingIn(text) ?? highlightOf(value(text, 'highlight')) ?? shadingIn(first(style, 'pPr')),
    isRaised: isSuperscript(value(text, 'vertAlign')),
    isStruck: strike && isOn(attribute(strike, 'val')),
    font: attribute(first(text, 'rFonts'), 'ascii'),
  };
};

const paintsCells = (style: XmlElement): true | undefined =>
  [style, ...all(style, 'tblStylePr')].some((part) =>
    ['tblPr', 'tcPr', 'pPr', 'rPr'].some((properties) => shadingIn(first(part, properties)) !== undefined),
  ) || undefined;

/** The styles of a Word document. */
export const wordStyles = (styles: XmlElement | undefined) => {
  const list = all(styles, 'style');
  const byId = new Map(list.map((style) => [attribute(style, 'styleId') ?? '', style]));
  const ofParagraphs = list.find(
    (style) => attribute(style, 'type') === 'paragraph' && isOn(attribute(style, 'default') ?? '0'),
  );
  const usual = first(styles, 'docDefaults', 'rPrDefault', 'rPr');
  const known = new Map<string, TextStyle>();

  /** What this style says, or else the one that it is based on. */
  const ofStyle = <T>(id: string | undefined, read: (style: XmlElement) => T | undefined): T | undefined => {
    const seen = new Set<string>();
    for (let at = id; at !== undefined && !seen.has(at); at = value(byId.get(at), 'basedOn')) {
      seen.add(at);
      const style = byId.get(at);
      const said = style === undefined ? undefined : read(style);
      if (said !== undefined) return said;
    }
    return undefined;
  };

  const textOf = (id: string): TextStyle => {
    const before = known.get(id);
    if (before) return before;
    const read = <Key extends keyof TextStyle>(key: Key) => ofStyle(id, (style) => textStyleOf(style)[key]);
    const textStyle = {
      isHidden: read('isHidden'),
      color: read('color'),
      fill: read('fill'),
      isRaised: read('isRaised'),
      isStruck: read('isStruck'),
      font: read('font'),
    };
    known.set(id, textStyle);
    return textStyle;
  };

  return {
    ofStyle,
    /** What the styles of a run and its paragraph say of its text. */
    text(run: string | undefined, paragraph = attribute(ofParagraphs, 'styleId')): TextStyle {
      const ofParagraph = paragraph === undefined ? undefined : textOf(paragraph);
      const ofRun = run === undefined ? undefined : textOf(run);
      return {
        isHidden: ofRun?.isHidden ?? ofParagraph?.isHidden,
        color: ofRun?.color ?? ofParagraph?.color ?? value(usual, 'color'),
        fill: ofRun?.fill ?? ofParagraph?.fill,
        isRaised: ofRun?.isRaised ?? ofParagraph?.isRaised,
        isStruck: ofRun?.isStruck ?? ofParagraph?.isStruck,
        font: ofRun?.font ?? ofParagraph?.font,
      };
    },
    /** What a table of this style paints behind its cells: which of them depends on their places. */
    table: (id: string | undefined): Fill | undefined => (ofStyle(id, paintsCells) ? 'unknown' : undefined),
  };
};

export type WordStyles = ReturnType<typeof wordStyles>;
