/** What Portico uses of the package, which comes without types. */
declare module 'utif2' {
  /** A page: its tags by number (`t256`: width, `t257`: height) and, once decoded, its pixels. */
  export type Directory = Record<`t${number}`, readonly number[] | undefined>;
  const UTIF: {
    decode(file: ArrayBuffer): Directory[];
    decodeImage(file: ArrayBuffer, page: Directory, pages: readonly Directory[]): void;
    toRGBA8(page: Directory): Uint8Array;
  };
  export default UTIF;
}
