import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny, unread } from '../notes.ts';
import { pictureHeader } from '../ocr/picture-header.ts';
import { cleanName, type InnerFile, Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';

/** What is smaller, in pixels, is a logo or a sign: a line of writing takes more. */
const SMALLEST_SIDE = 40;
const SMALLEST_AREA = 20_000;
/** Drawings in formats of Windows, which no decoder here draws. */
const DRAWING = /\.(?:emf|wmf)$/i;

/** Whether so many pixels may be those of writing. */
export const mayHoldWritingIn = (width: number, height: number): boolean =>
  Math.min(width, height) >= SMALLEST_SIDE && width * height >= SMALLEST_AREA;

/** Whether writing may stand on a picture. Of a format without a header that is known, it may. */
export const mayHoldWriting = (data: Uint8Array): boolean => {
  const header = pictureHeader(data);
  return header === null || mayHoldWritingIn(header.width, header.height);
};

/** The pictures among the words of a zipped document, by the names that they have in it. */
export const picturesIn = (
  data: Uint8Array,
  names: ReadonlySet<string>,
): { readonly pictures: readonly InnerFile[]; readonly notes: readonly ReadingNote[] } => {
  if (names.size === 0) return { pictures: [], notes: [] };
  const drawings = [...names].filter((name) => DRAWING.test(name)).length;
  const notes = noteIfAny('unread', drawings, `${counted(drawings, 'drawing')} (EMF, WMF)`);
  try {
    const files = unpacked(data, (name) => names.has(name) && !DRAWING.test(name));
    const away = names.size - drawings - Object.keys(files).length;
    const pictures = Object.entries(files)
      .filter(([, content]) => mayHoldWriting(content))
      .map(([name, content]) => ({
        fileName: cleanName(name, 'picture'),
        contentType: '',
        data: content,
        isIllustration: true,
      }));
    return {
      pictures,
      notes: [...notes, ...noteIfAny('unread', away, `${counted(away, 'picture')} at other addresses`)],
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { pictures: [], notes: [...notes, unread('its pictures: they are too large')] };
  }
};
