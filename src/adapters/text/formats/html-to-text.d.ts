declare module 'html-to-text' {
  export interface Node {
    readonly type: string;
    readonly name?: string;
    /** Of a text. */
    readonly data?: string;
    readonly attribs?: Readonly<Record<string, string>>;
    readonly children?: readonly Node[];
    readonly prev?: Node | null;
    readonly parent?: Node | null;
  }

  export interface Cell {
    readonly text: string;
    readonly colspan: number;
    readonly rowspan: number;
  }

  export interface Builder {
    openTable(): void;
    openTableRow(): void;
    openTableCell(): void;
    closeTableCell(cell: { colspan: number; rowspan: number }): void;
    closeTableRow(): void;
    openList(list: { leadingLineBreaks: number; maxPrefixLength: number }): void;
    openListItem(item: { prefix: string }): void;
    closeListItem(): void;
    closeList(list: { trailingLineBreaks: number }): void;
    addLiteral(text: string): void;
    pushWordTransform(transform: (word: string) => string): void;
    popWordTransform(): void;
    closeTable(table: {
      tableToString(rows: readonly (readonly Cell[])[]): string;
      leadingLineBreaks: number;
      trailingLineBreaks: number;
    }): void;
  }

  export type Formatter = (
    element: Node,
    walk: (nodes: readonly Node[], builder: Builder) => void,
    builder: Builder,
  ) => void;

  export interface Options {
    readonly wordwrap: false;
    readonly baseElements?: { readonly selectors: readonly string[] };
    readonly whitespaceCharacters?: string;
    readonly limits?: { readonly maxDepth?: number; readonly maxInputLength?: number };
    readonly formatters?: Readonly<Record<string, Formatter>>;
    readonly selectors?: readonly {
      readonly selector: string;
      readonly format?: string;
      readonly options?: Readonly<Record<string, unknown>>;
    }[];
  }

  export function convert(html: string, options: Options): string;
}
