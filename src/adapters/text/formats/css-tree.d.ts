/** The package has no types. What is asked of it: style sheets and declarations whose selectors and values stay text. */
declare module 'css-tree/parser' {
  interface Raw {
    readonly value: string;
  }
  interface CssNode {
    readonly type: string;
    readonly name?: string;
    readonly property?: string;
    readonly important?: boolean | string;
    readonly prelude?: Raw | null;
    readonly value?: Raw;
    readonly block?: { readonly children: Iterable<CssNode> } | null;
    readonly children?: Iterable<CssNode>;
  }
  interface Options {
    readonly context?: 'declarationList';
    readonly parseValue: false;
    readonly parseRulePrelude: false;
    readonly parseAtrulePrelude: false;
  }

  export type { CssNode };
  export default function parse(css: string, options: Options): CssNode;
}
