import { GifReader } from 'omggif';
import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, unread } from '../notes.ts';

/** How often a mark stands in a file that begins each frame. */
const marks = (data: Uint8Array, mark: string): number =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1').split(mark).length - 1;

const framesOfGif = (data: Uint8Array): number => {
  try {
    return new GifReader(data).numFrames();
  } catch {
    return 1;
  }
};

/** How many frames a picture has that moves. */
const framesOf = (data: Uint8Array, contentType: string): number => {
  if (contentType === 'image/gif') return framesOfGif(data);
  if (contentType === 'image/webp') return marks(data, 'ANMF');
  return contentType === 'image/png' ? marks(data, 'fcTL') : 1;
};

/** What of a picture file OCR does not see: the frames after the first. */
export const pictureNotes = (data: Uint8Array, contentType: string): readonly ReadingNote[] => {
  const more = framesOf(data, contentType) - 1;
  return more < 1 ? [] : [unread(`${counted(more, 'more frame')} of a picture that moves`)];
};
