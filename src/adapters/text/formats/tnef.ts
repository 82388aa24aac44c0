import { decode } from '../decode.ts';
import { unread } from '../notes.ts';
import { type Contained, cleanName, Unreadable } from '../text.ts';
import { decodeCodePage } from './code-pages.ts';
import { outlookBody } from './outlook-body.ts';

const SIGNATURE = 0x223e9f78;
const HEADER_BYTES = 6;
/** Attributes of the message and of its attachments, by their ids. */
const CODE_PAGE = 0x9007;
const BODY = 0x800c;
const PROPERTIES = 0x9003;
const NEXT_ATTACHMENT = 0x9002;
const TITLE = 0x8010;
const DATA = 0x800f;
const OF_ATTACHMENT = 0x9005;
/** Properties of MAPI. */
const HTML = 0x1013;
const RICH_TEXT = 0x1009;
const LONG_NAME = 0x3707;
const OBJECT = 0x3701;
const TEXT = 0x1e;
const UNICODE = 0x1f;
const BINARY = 0x102;
const EMBEDDED = 0x0d;
const SIZES: Readonly<Record<number, number>> = {
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
};
const SEVERAL = 0x1000;
/** An embedded object begins with the identifier of what it is. */
const IDENTIFIER_BYTES = 16;
const MAX_VALUES = 100_000;

/** Reads numbers and stretches one after the other; beyond the end it throws. */
const cursor = (data: Buffer) => {
  let at = 0;
  const bytes = (length: number): Buffer => {
    if (length > data.length - at) throw new RangeError('it is cut off');
    at += length;
    return data.subarray(at - length, at);
  };
  return {
    get left() {
      return data.length - at;
    },
    bytes,
    uint16: () => bytes(2).readUInt16LE(),
    uint32: () => bytes(4).readUInt32LE(),
    /** To the next multiple of four. */
    align() {
      at += (4 - (at % 4)) % 4;
    },
  };
};

/** The values of the properties that have text or bytes, by their ids. */
const propertiesIn = (data: Buffer): ReadonlyMap<number, { readonly type: number; readonly value: Buffer }> => {
  const properties = new Map<number, { type: number; value: Buffer }>();
  const from = cursor(data);
  let values = from.uint32();
  for (; values > 0 && from.left > 0; values -= 1) {
    const tag = from.uint16();
    const id = from.uint16();
    if (id >= 0x8000) {
      from.bytes(IDENTIFIER_BYTES);
      const isNamed = from.uint32() === 1;
      const name = from.uint32();
      if (isNamed) from.bytes(name);
      from.align();
    }
    const type = tag % SEVERAL;
    const size = SIZES[type];
    const count = size === undefined || tag >= SEVERAL ? from.uint32() : 1;
    if (count > MAX_VALUES) throw new RangeError('it has too many values');
    for (let index = 0; index < count; index += 1) {
      const value = from.bytes(size ?? from.uint32());
      from.align();
      if ([TEXT, UNICODE, BINARY, EMBEDDED].includes(type)) properties.set(id, { type, value });
    }
  }
  return properties;
};

interface Attachment {
  name: string;
  data: Buffer | null;
  isMessage: boolean;
}

/** A message as Outlook packs it into `winmail.dat`: its body, and what is attached to it. */
export const readTnef = async (bytes: Uint8Array): Promise<Contained & { readonly text: string }> => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.readUInt32LE(0) !== SIGNATURE) throw new Unreadable('is damaged: there is no message in it');
  const from = cursor(data.subarray(HEADER_BYTES));
  const attachments: Attachment[] = [];
  let codePage = 1252;
  let plain = '';
  let isCut = false;
  let message: ReturnType<typeof propertiesIn> = new Map();
  const text = (value: Buffer, isUnicode = false) =>
    (isUnicode ? value.toString('utf16le') : decodeCodePage(codePage, value)).replace(/\0.*$/s, '');

  const describe = (attachment: Attachment, properties: ReturnType<typeof propertiesIn>) => {
    const name = properties.get(LONG_NAME);
    if (name !== undefined) attachment.name = text(name.value, name.type === UNICODE);
    const object = properties.get(OBJECT);
    attachment.isMessage = object?.type === EMBEDDED;
    if (object !== undefined) attachment.data = object.value.subarray(attachment.isMessage ? IDENTIFIER_BYTES : 0);
  };

  const take = (id: number, value: Buffer) => {
    const attachment = attachments.at(-1);
    if (id === CODE_PAGE) codePage = value.readUInt32LE(0);
    else if (id === BODY) plain = text(value);
    else if (id === PROPERTIES) message = propertiesIn(value);
    else if (id === NEXT_ATTACHMENT) attachments.push({ name: '', data: null, isMessage: false });
    else if (attachment === undefined) return;
    else if (id === TITLE) attachment.name ||= text(value);
    else if (id === DATA) attachment.data ??= value;
    else if (id === OF_ATTACHMENT) describe(attachment, propertiesIn(value));
  };
  try {
    while (from.left > 0) {
      from.bytes(1);
      const id = from.uint16();
      from.uint16();
      take(id, from.bytes(from.uint32()));
      from.uint16();
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    isCut = true;
  }
  if (isCut && attachments.length === 0 && plain === '' && message.size === 0)
    throw new Unreadable('is damaged: it is cut off');
  const html = message.get(HTML)?.value;
  const body = await outlookBody({
    html: html === undefined ? undefined : decode(html, 'text/html').text,
    richText: message.get(RICH_TEXT)?.value,
    text: plain,
  });
  const files = attachments.map(({ name, data: content, isMessage }, index) => ({
    fileName: cleanName(name, `attachment ${index + 1}${isMessage ? '.tnef' : ''}`),
    contentType: '',
    data: content ?? new Uint8Array(0),
  }));
  const cut = isCut ? [unread('its end: it is cut off')] : [];
  return { text: body.text, attachments: [...files, ...body.pictures], notes: [...body.notes, ...cut] };
};
