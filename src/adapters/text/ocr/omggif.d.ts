/** What Portico uses of the package, which comes without types. */
declare module 'omggif' {
  export class GifReader {
    constructor(data: Uint8Array);
    readonly width: number;
    readonly height: number;
    numFrames(): number;
    frameInfo(frame: number): {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void;
  }
}
