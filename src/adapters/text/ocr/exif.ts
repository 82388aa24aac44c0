const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;
const LITTLE_ENDIAN = 0x4949;
/** Some programs write the name that EXIF has in JPEG before it in other formats too. */
const NAME = 'Exif\0\0';

const bytesOf = (view: DataView, from: number, to: number) =>
  Buffer.from(view.buffer, view.byteOffset + from, to - from).toString('latin1');

/** How EXIF's directory says that a picture is to be turned and mirrored, from 1 to 8; 1 where it says nothing that is known. */
export const exifOrientation = (segment: DataView): number => {
  if (segment.byteLength < NAME.length + 8) return 1;
  const start = bytesOf(segment, 0, NAME.length) === NAME ? NAME.length : 0;
  const little = segment.getUint16(start) === LITTLE_ENDIAN;
  const directory = start + segment.getUint32(start + 4, little);
  const end = directory + 2 + segment.getUint16(directory, little) * ENTRY_BYTES;
  for (let at = directory + 2; at < end; at += ENTRY_BYTES) {
    if (segment.getUint16(at, little) !== ORIENTATION) continue;
    const value = segment.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
};
