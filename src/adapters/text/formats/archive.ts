import { unzipSync } from 'fflate';
import { MAX_UNPACKED_BYTES, Unreadable } from '../text.ts';

/** The files of a zipped document that are wanted, by their names. What would unpack to too much is `Unreadable`. */
export const unpacked = (
  data: Uint8Array,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, Uint8Array>> => {
  let left = MAX_UNPACKED_BYTES;
  // The package writes no more than the size that the archive states.
  return unzipSync(data, {
    filter({ name, originalSize }) {
      if (!isWanted(name)) return false;
      left -= originalSize;
      if (left < 0) throw new Unreadable('is too large to read');
      return true;
    },
  });
};
