/** What Portico uses of the package: its own types leave out what it adds to libheif. */
declare module 'libheif-js/libheif-wasm/libheif.js' {
  interface Canvas {
    readonly width: number;
    readonly height: number;
    readonly data: Uint8Array;
  }
  export interface HeifImage {
    /** As the picture is shown, like the height. */
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    is_premultiplied_alpha(): boolean;
    /** Answers null for what it cannot decode. */
    display(canvas: Canvas, done: (drawn: Canvas | null) => void): void;
    free(): void;
  }
  export interface Libheif {
    /** A decoder keeps its last file in memory until it is given another one. */
    readonly HeifDecoder: new () => { decode(data: Uint8Array): readonly HeifImage[] };
  }
}
