import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import type { SourceFile } from '../../../application/ports/text.ts';
import { decode, encodingNotes } from '../decode.ts';
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
  const attachments: SourceFile[] = [];
  const notes = [...body.notes, ...(decoded === null ? [] : encodingNotes(decoded))];
  let left = MAX_UNPACKED_BYTES;
  for (const [index, attachment] of (message.attachments ?? []).entries()) {
    const fallback = `attachment ${index + 1}${attachment.innerMsgContent ? '.msg' : ''}`;
    const fileName = cleanName(attachment.fileName ?? attachment.name ?? attachment.fileNameShort, fallback);
    const isTooLarge = (attachment.contentLength ?? 0) > left;
    const content = isTooLarge ? null : contentOf(reader, attachment);
    if (content === null) {
      const why = isTooLarge ? 'is too large beside the others' : 'is damaged, or lies elsewhere';
      notes.push({ kind: 'unread', page: null, what: `the attached file ${fileName}: it ${why}` });
      continue;
    }
    left -= content.length;
    const named = attachment.innerMsgContent && !/\.msg$/i.test(fileName) ? `${fileName}.msg` : fileName;
    attachments.push({ fileName: named, contentType: attachment.attachMimeTag ?? '', data: content });
  }
  return { text: `${headers}\n\n${body.text}`, attachments: [...attachments, ...body.pictures], notes };
};
