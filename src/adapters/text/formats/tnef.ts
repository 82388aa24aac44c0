import { decode, encodingNotes } from '../decode.ts';
import { unread } from '../notes.ts';
import { type Contained, cleanName, Unreadable } from '../text.ts';
import { decodeCodePage } from './code-pages.ts';
import { addressText, headerLines } from './email.ts';
import { outlookBody } from './outlook-body.ts';

const SIGNATURE = 0x223e9f78;
const HEADER_BYTES = 6;
/** Attributes of the message and of its attachments, by their ids. */
const CODE_PAGE = 0x9007;
const FROM = 0x8000;
const SUBJECT = 0x8004;
const SENT = 0x8005;
const BODY = 0x800c;
const PROPERTIES = 0x9003;
const NEXT_ATTACHMENT = 0x9002;
const TITLE = 0x8010;
const DATA = 0x800f;
const OF_ATTACHMENT = 0x9005;
/** Properties of MAPI. */
const SUBJECT_PROPERTY = 0x0037;
const SUBMITTED = 0x0039;
const SENDER_NAME = 0x0c1a;
const SENDER_ADDRESS = 0x5d01;
const DISPLAY_CC = 0x0e03;
const DISPLAY_TO = 0x0e04;
const TEXT_BODY = 0x1000;
const HTML = 0x1013;
const RICH_TEXT = 0x1009;
const LONG_NAME = 0x3707;
const OBJECT = 0x3701;
const TEXT = 0x1e;
const UNICODE = 0x1f;
const BINARY = 0x102;
const EMBEDDED = 0x0d;
const TIME = 0x40;
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

type Properties = ReadonlyMap<number, { readonly type: number; readonly value: Buffer }>;

/** The values of the properties that have text, bytes or a time, by their ids. */
const propertiesIn = (data: Buffer): Properties => {
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
      if ([TEXT, UNICODE, BINARY, EMBEDDED, TIME].includes(type)) properties.set(id, { type, value });
    }
  }
  return properties;
};

/** In tenths of microseconds since the year 1601. */
const timeText = (value: Buffer | undefined): string => {
  if (value === undefined) return '';
  const date = new Date(Number(value.readBigUInt64LE() / 10_000n) - 11_644_473_600_000);
  return Number.isNaN(date.getTime()) ? '' : date.toUTCString();
};

/** A damaged header is left out, and the message behind it is read. */
const unlessDamaged = <T>(otherwise: T, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return otherwise;
  }
};

/** Year, month, day, hour, minute and second of where it was sent. */
const dateText = (value: Buffer): string => {
  const from = cursor(value);
  const [year, month, day, hour, minute, second] = Array.from({ length: 6 }, () =>
    String(from.uint16()).padStart(2, '0'),
  );
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
};

const ONE_OFF = 4;
/** A name, and an address with its kind before it, such as `SMTP:`, each behind its length. */
const senderIn = (
  value: Buffer,
  text: (value: Buffer) => string,
): { readonly name: string; readonly address: string } => {
  const from = cursor(value);
  if (from.uint16() !== ONE_OFF) return { name: '', address: '' };
  from.uint16();
  const nameBytes = from.uint16();
  const addressBytes = from.uint16();
  const name = text(from.bytes(nameBytes));
  return { name, address: text(from.bytes(addressBytes)).replace(/^[^:]*:/, '') };
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
  let subject = '';
  let sent = '';
  let sender = { name: '', address: '' };
  let isCut = false;
  let message: Properties = new Map();
  const text = (value: Buffer, isUnicode = false) =>
    (isUnicode ? value.toString('utf16le') : decodeCodePage(codePage, value)).replace(/\0.*$/s, '');

  const describe = (attachment: Attachment, properties: Properties) => {
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
    else if (id === SUBJECT) subject = text(value);
    else if (id === SENT) sent = unlessDamaged('', () => dateText(value));
    else if (id === FROM) sender = unlessDamaged(sender, () => senderIn(value, text));
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
  const said = (id: number): string => {
    const property = message.get(id);
    return property === undefined ? '' : text(property.value, property.type === UNICODE);
  };
  const html = message.get(HTML)?.value;
  const decoded = html === undefined ? null : decode(html, 'text/html');
  const body = await outlookBody({
    html: decoded?.text,
    richText: message.get(RICH_TEXT)?.value,
    text: plain || said(TEXT_BODY),
  });
  const headers = headerLines({
    From: addressText({
      name: said(SENDER_NAME) || sender.name,
      address: said(SENDER_ADDRESS) || sender.address,
    }),
    To: said(DISPLAY_TO),
    Cc: said(DISPLAY_CC),
    Subject: said(SUBJECT_PROPERTY) || subject,
    Date: timeText(message.get(SUBMITTED)?.value) || sent,
  });
  const files = attachments.map(({ name, data: content, isMessage }, index) => ({
    fileName: cleanName(name, `attachment ${index + 1}${isMessage ? '.tnef' : ''}`),
    contentType: '',
    data: content ?? new Uint8Array(0),
  }));
  const cut = isCut ? [unread('its end: it is cut off')] : [];
  const notes = [...body.notes, ...(decoded === null ? [] : encodingNotes(decoded)), ...cut];
  const parts = [headers, body.text].filter((part) => part !== '');
  return { text: parts.join('\n\n'), attachments: [...files, ...body.pictures], notes };
};
