import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import type { ReadingNote, SourceFile } from '../../../application/ports/text.ts';
import { decode, encodingNotes } from '../decode.ts';
import { unread } from '../notes.ts';
import { type Contained, cleanName, MAX_UNPACKED_BYTES, Unreadable } from '../text.ts';
import { addressText, headerLines } from './email.ts';
import { outlookBody } from './outlook-body.ts';

const { default: MsgReader } = msgReader;

/** Exchange has addresses of its own, which say nothing outside of it. */
const address = (name = '', ...candidates: readonly (string | undefined)[]): string => {
  const address = candidates.find((each) => each?.includes('@')) ?? '';
  return address === '' ? name : addressText({ name, address });
};

const recipients = (message: FieldsData, type: 'to' | 'cc'): string =>
  (message.recipients ?? [])
    .filter(({ recipType = 'to' }) => recipType === type)
    .map(({ name, smtpAddress, email }) => address(name, smtpAddress, email))
    .join(', ');

const contentOf = (reader: InstanceType<typeof MsgReader>, attachment: FieldsData): Uint8Array | null => {
  try {
    return reader.getAttachment(attachment).content;
  } catch {
    return null;
  }
};

/** What is attached to a message, other messages among it, and what of it is not read. */
const attachedTo = (reader: InstanceType<typeof MsgReader>, message: FieldsData): Contained => {
  const attachments: SourceFile[] = [];
  const notes: ReadingNote[] = [];
  let left = MAX_UNPACKED_BYTES;
  for (const [index, attachment] of (message.attachments ?? []).entries()) {
    const ending = attachment.innerMsgContent ? '.msg' : '';
    const name = attachment.fileName ?? attachment.name ?? attachment.fileNameShort;
    const fileName = cleanName(name, `attachment ${index + 1}${ending}`);
    const isTooLarge = (attachment.contentLength ?? 0) > left;
    const data = isTooLarge ? null : contentOf(reader, attachment);
    if (data === null) {
      const why = isTooLarge ? 'is too large beside the others' : 'is damaged, or lies elsewhere';
      notes.push(unread(`the attached file ${fileName}: it ${why}`));
      continue;
    }
    left -= data.length;
    const named = /\.msg$/i.test(fileName) ? fileName : `${fileName}${ending}`;
    attachments.push({ fileName: named, contentType: attachment.attachMimeTag ?? '', data });
  }
  return { attachments, notes };
};

/** A message of Outlook as it is read: its headers, then its body; and what is attached to it, other messages among it. */
export const readMsg = async (data: Uint8Array): Promise<Contained & { readonly text: string }> => {
  const reader = new MsgReader(new DataView(data.buffer, data.byteOffset, data.byteLength));
  const message = reader.getFileData();
  if (message.error !== undefined) throw new Unreadable('is damaged: there is no message in it');
  const headers = headerLines({
    From: address(message.senderName, message.senderSmtpAddress, message.creatorSMTPAddress, message.senderEmail),
    To: recipients(message, 'to'),
    Cc: recipients(message, 'cc'),
    Subject: message.subject ?? '',
    Date: message.clientSubmitTime ?? message.messageDeliveryTime ?? '',
  });
  const { body: text, bodyHtml, html: htmlBytes, compressedRtf } = message;
  const decoded = htmlBytes === undefined ? null : decode(htmlBytes, 'text/html');
  const html = decoded?.text ?? bodyHtml;
  const body = await outlookBody({ html, richText: compressedRtf, text });
  const attached = attachedTo(reader, message);
  const notes = [...body.notes, ...(decoded === null ? [] : encodingNotes(decoded)), ...attached.notes];
  return { text: `${headers}\n\n${body.text}`, attachments: [...attached.attachments, ...body.pictures], notes };
};
