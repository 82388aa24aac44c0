/** Writes one value, the bytes from `start` to `end`, as JSON. */
export type Codec = (out: JsonWriter, from: Buffer, start: number, end: number) => void;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How JSON writes each byte up to the backslash. */
const escapes = Array.from({ length: BACKSLASH + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
);

/** `\u001f` */
const LONGEST_ESCAPE = 6;

/** Shorter runs are copied faster by a loop than by a call. */
const SHORT = 32;

/** Writes ASCII and returns where it ends; for a few characters a loop is faster than Buffer's own method. */
const put = (text: string, bytes: Buffer, start: number): number => {
  if (text.length > SHORT) return start + bytes.write(text, start, 'latin1');
  for (let index = 0; index < text.length; index += 1) bytes[start + index] = text.charCodeAt(index);
  return start + text.length;
};

/** Most answers are small, and memory for a whole piece would cost more than all the rest of such an answer. */
const FIRST_CAPACITY = 1024;
const NOTHING = Buffer.alloc(0);

/** A growing piece of JSON text. */
export class JsonWriter {
  readonly #capacity: number;
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  /** `capacity`: the memory of each piece after the first. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length() {
    return this.#length;
  }

  #reserve(more: number) {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 4));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  byte(value: number) {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  raw(from: Buffer, start: number, end: number) {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let at = this.#length;
    if (end - start < SHORT) for (let index = start; index < end; index += 1) bytes[at++] = from[index] as number;
    else at += from.copy(bytes, at, start, end);
    this.#length = at;
  }

  ascii(text: string) {
    this.#reserve(text.length);
    this.#length = put(text, this.#bytes, this.#length);
  }

  /** A JSON string of UTF-8 bytes. */
  string(from: Buffer, start: number, end: number) {
    this.#reserve((end - start) * LONGEST_ESCAPE + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let index = start; index < end; index += 1) {
      const byte = from[index] as number;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) bytes[at++] = byte;
      else at = put(escapes[byte] as string, bytes, at);
    }
    bytes[at++] = QUOTE;
    this.#length = at;
  }

  /** Removes all that was written since the length was this. */
  rewind(length: number) {
    this.#length = length;
  }

  /** Returns what was written and begins a new piece; `last`: no more will be written. */
  take(last: boolean): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = last ? NOTHING : Buffer.allocUnsafeSlow(this.#capacity);
    this.#length = 0;
    return taken;
  }
}
