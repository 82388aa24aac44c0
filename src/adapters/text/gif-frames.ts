const HEADER = 13;
const EXTENSION = 0x21;
const FRAME = 0x2c;

/** How many bytes the palette takes that the flags of a GIF, or of one of its frames, announce. */
const paletteBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Where the content of a block ends: it is cut into pieces that begin with their length, the last of which is empty. */
const endOfPieces = (data: Uint8Array, start: number): number => {
  let at = start;
  for (let length = data[at]; length !== undefined && length > 0; length = data[at]) at += 1 + length;
  return at + 1;
};

/** Where each frame of a GIF ends. The package that decodes frames makes an object of each first, and a file may have millions. */
export function* gifFrameEnds(data: Uint8Array): Generator<number, void> {
  for (let at = HEADER + paletteBytes(data[10]); at < data.length; ) {
    if (data[at] === EXTENSION) at = endOfPieces(data, at + 2);
    else if (data[at] === FRAME) {
      at = endOfPieces(data, at + 11 + paletteBytes(data[at + 9]));
      yield at;
    } else return;
  }
}
