import type { ReadingNote } from '../../../application/ports/text.ts';
import { gifFrameEnds } from '../gif-frames.ts';
import { counted, unread } from '../notes.ts';

/** A format that consists of pieces, each with its name and its length. */
interface Pieces {
  /** Where the first piece begins. */
  readonly first: number;
  readonly nameAt: number;
  readonly lengthAt: number;
  readonly isLittleEndian: boolean;
  /** What a piece takes besides its content. */
  readonly overhead: number;
  readonly isPaddedToEven: boolean;
  /** The name of the piece that begins each frame, as a number. */
  readonly frame: number;
}

const nameOf = (name: string) => Buffer.from(name, 'latin1').readUInt32BE();

const PIECE_START = 8;
const png: Pieces = {
  first: 8,
  nameAt: 4,
  lengthAt: 0,
  isLittleEndian: false,
  overhead: 12,
  isPaddedToEven: false,
  frame: nameOf('fcTL'),
};
const webp: Pieces = {
  first: 12,
  nameAt: 0,
  lengthAt: 4,
  isLittleEndian: true,
  overhead: 8,
  isPaddedToEven: true,
  frame: nameOf('ANMF'),
};

const framesIn = (data: Uint8Array, pieces: Pieces): number => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let frames = 0;
  for (let at = pieces.first; at + PIECE_START <= data.length; ) {
    if (view.getUint32(at + pieces.nameAt) === pieces.frame) frames += 1;
    const length = view.getUint32(at + pieces.lengthAt, pieces.isLittleEndian);
    at += pieces.overhead + length + (pieces.isPaddedToEven ? length % 2 : 0);
  }
  return frames;
};

const framesOfGif = (data: Uint8Array): number => {
  let frames = 0;
  for (const _ of gifFrameEnds(data)) frames += 1;
  return frames;
};

/** How many frames a picture has that moves. The server's own process counts them, so what a file holds takes neither much time nor memory. */
const framesOf = (data: Uint8Array, contentType: string): number => {
  if (contentType === 'image/gif') return framesOfGif(data);
  if (contentType === 'image/webp') return framesIn(data, webp);
  return contentType === 'image/png' ? framesIn(data, png) : 1;
};

/** What of a picture file OCR does not see: the frames after the first. */
export const pictureNotes = (data: Uint8Array, contentType: string): readonly ReadingNote[] => {
  const more = framesOf(data, contentType) - 1;
  return more < 1 ? [] : [unread(`${counted(more, 'more frame')} of a picture that moves`)];
};
