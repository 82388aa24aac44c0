import { constants, inflateRawSync, inflateSync } from 'node:zlib';

interface Stream {
  /** How it is packed, the outermost first; empty if it is not. */
  readonly filters: readonly string[];
  readonly data: Buffer;
  /** Whether the file has the end of it. */
  readonly isWhole: boolean;
}

const BEGIN = 'stream';
const END = 'endstream';
const OBJECT = ' obj';
/** Further back than the dictionary of a stream begins. */
const MAX_DICTIONARY = 4096;
/** Of one file; what is beyond is not looked at. */
const MAX_STREAMS = 200_000;
/** A line break stands between a stream and the word that ends it, or nothing. */
const MOST_BETWEEN = 2;

const CLOSED = />>\s*$/;
const LINE_BREAK = /^[ \t]*(?:\r\n?|\n)/;
/** Around the word that begins a stream. */
const MOST_SPACE = 16;
const FILTER = /\/Filter\s*(?:\[([^\]]*)\]|(\/\w+))/;
const LENGTH = /\/Length\s+(\d+)\b(?!\s+\d+\s+R)/;
/** What no reader shows. */
const ABOUT_THE_FILE = /\/Type\s*\/Metadata\b/;

const filtersIn = (dictionary: string): readonly string[] => {
  const [, many, one] = FILTER.exec(dictionary) ?? [];
  return (many ?? one ?? '').match(/\w+/g) ?? [];
};

/** Where a stream ends: where its dictionary says so and the file agrees, or else where the file says so; -1 if it does not end. */
const endOf = (file: Buffer, from: number, dictionary: string): number => {
  const said = from + Number(LENGTH.exec(dictionary)?.[1] ?? Number.NaN);
  const isThere = file.subarray(said, said + MOST_BETWEEN + END.length).includes(END);
  return isThere ? said : file.indexOf(END, from);
};

/** The dictionary before the word that begins a stream; null if it is a word like others. */
const dictionaryBefore = (file: Buffer, at: number): string | null => {
  if (!CLOSED.test(file.toString('latin1', Math.max(0, at - MOST_SPACE), at))) return null;
  const before = file.toString('latin1', Math.max(0, at - MAX_DICTIONARY), at);
  const object = before.lastIndexOf(OBJECT);
  return object === -1 ? null : before.slice(object + OBJECT.length);
};

/** The streams of a file, also those that a later version of it replaced (ISO 32000-2, 7.3.8). */
function* streamsIn(file: Buffer): Generator<Stream> {
  let at = 0;
  for (let count = 0; count < MAX_STREAMS; count += 1) {
    at = file.indexOf(BEGIN, at);
    if (at === -1) return;
    const dictionary = dictionaryBefore(file, at);
    at += BEGIN.length;
    if (dictionary === null) continue;
    const from = at + (LINE_BREAK.exec(file.toString('latin1', at, at + MOST_SPACE))?.[0].length ?? 0);
    const end = endOf(file, from, dictionary);
    at = end === -1 ? file.length : end;
    if (!ABOUT_THE_FILE.test(dictionary))
      yield { filters: filtersIn(dictionary), data: file.subarray(from, at), isWhole: end !== -1 };
  }
}

const JPEG_BEGINS = Buffer.from([0xff, 0xd8]);
/** Of JPEG and of JPEG 2000, neither of which has it within the picture. */
const PICTURE_ENDS = Buffer.from([0xff, 0xd9]);
/** Behind the end of a JPEG, zeros aside; far before it, a small picture of it may end as well. */
const MOST_BEHIND = 1024;

const withoutZeros = (data: Buffer): Buffer => {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end -= 1;
  return data.subarray(0, end);
};

/** Whether a picture has its end, by the filter that unpacks it; true of formats that need none. */
const isWholePicture = (data: Buffer, filter: string | undefined): boolean => {
  if (filter === 'JPXDecode') return data.includes(PICTURE_ENDS);
  if (filter !== 'DCTDecode') return true;
  return data.includes(JPEG_BEGINS) && withoutZeros(data).subarray(-MOST_BEHIND).includes(PICTURE_ENDS);
};

/** Of one file, and of one stream: what is larger is not looked at, because it takes time and memory. */
const MAX_UNPACKED = 64 * 1024 * 1024;
const MAX_STREAM = 16 * 1024 * 1024;

/** The end of data that its writer sent on without a last block (RFC 1951, section 3.2.4). */
const FLUSHED = Buffer.from([0x00, 0x00, 0xff, 0xff]);
/** Two bytes stand before the data, and a checksum behind it (RFC 1950). */
const HEADER = 2;
const WRONG_CHECKSUM = 'incorrect data check';

interface Unpacked {
  readonly content: Buffer;
  /** null if there is none. */
  readonly isChecksumRight: boolean | null;
}

/** Throws for what is damaged, and for what is too large. */
const unpacked = (packed: Buffer): Unpacked => {
  const isFlushed = packed.subarray(-FLUSHED.length - 1).includes(FLUSHED);
  const finishFlush = isFlushed ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  const options = { maxOutputLength: MAX_STREAM, finishFlush };
  try {
    return { content: inflateSync(packed, options), isChecksumRight: isFlushed ? null : true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isWrong = message === WRONG_CHECKSUM;
    if (code !== 'Z_BUF_ERROR' && !isWrong) throw error;
    return { content: inflateRawSync(packed.subarray(HEADER), options), isChecksumRight: isWrong ? false : null };
  }
};

/** Looks at streams until it has unpacked enough. */
const damageFinder = () => {
  let left = MAX_UNPACKED;
  const checksums = new Set<boolean | null>();

  const isPackedWell = (packed: Buffer, then: string | undefined): boolean => {
    if (packed.length === 0 || left <= 0) return true;
    try {
      const { content, isChecksumRight } = unpacked(packed);
      left -= content.length;
      checksums.add(isChecksumRight);
      return isWholePicture(content, then);
    } catch (error) {
      left -= MAX_STREAM;
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    }
  };

  return {
    isDamaged({ filters: [first, second], data, isWhole }: Stream): boolean {
      if (!isWhole) return true;
      return first === 'FlateDecode' ? !isPackedWell(data, second) : !isWholePicture(data, first);
    },
    /** Some writers compute no checksum right: a wrong one says something where others are right. */
    isChecksumWrong: () => checksums.has(false) && checksums.has(true),
  };
};

/**
 * Whether something in a PDF is damaged or cut off: PDFium shows it as far as it goes, and says nothing of the rest. Of a file that is
 * encrypted it is not known.
 */
export const hasDamage = (data: Uint8Array): boolean => {
  const file = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (file.includes('/Encrypt')) return false;
  const finder = damageFinder();
  for (const stream of streamsIn(file)) if (finder.isDamaged(stream)) return true;
  return finder.isChecksumWrong();
};
