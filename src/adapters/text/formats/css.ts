import parse, { type CssNode } from 'css-tree/parser';

/** A declaration of CSS, as it is written but for the capitals of its property. */
export interface Declaration {
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
}

export interface Rule {
  readonly selectors: readonly string[];
  readonly declarations: readonly Declaration[];
  /** Of the at-rules around it, such as `print`. */
  readonly conditions: readonly string[];
}

const asText = { parseValue: false, parseRulePrelude: false, parseAtrulePrelude: false } as const;

const declarationsIn = (nodes: Iterable<CssNode>): readonly Declaration[] =>
  [...nodes].flatMap(({ type, property = '', value, important }) =>
    type === 'Declaration' && value
      ? [{ property: property.toLowerCase(), value: value.value.trim(), isImportant: important !== false }]
      : [],
  );

/** Of a `style` attribute. */
export const declarationsOf = (style: string): readonly Declaration[] =>
  declarationsIn(parse(style, { ...asText, context: 'declarationList' }).children ?? []);

const MAX_DEPTH = 8;

/** The rules of a style sheet, also those within at-rules. */
export const rulesOf = (css: string): readonly Rule[] => {
  const ofNode = ({ type, prelude, block }: CssNode, conditions: readonly string[]): readonly Rule[] => {
    const children = [...(block?.children ?? [])];
    if (type === 'Atrule' && conditions.length < MAX_DEPTH)
      return children.flatMap((child) => ofNode(child, [...conditions, prelude?.value.trim() ?? '']));
    if (type !== 'Rule') return [];
    const selectors = (prelude?.value ?? '').split(',').map((selector) => selector.trim());
    return [{ selectors, declarations: declarationsIn(children), conditions }];
  };
  return [...(parse(css, asText).children ?? [])].flatMap((node) => ofNode(node, []));
};
