import PostalMime, { type Address, type Email } from 'postal-mime';
import type { SourceFile } from '../../../application/ports/text.ts';
import { cleanName, Unreadable } from '../text.ts';
import { htmlText } from './html.ts';

const MAX_MIME_DEPTH = 50;

const addressText = (address: Address): string => {
  if (address.group !== undefined) return address.group.map(addressText).join(', ');
  if (address.name === '' || address.name === address.address) return address.address;
  const name = /[,;<>@]/.test(address.name) ? `"${address.name.replaceAll('"', "'")}"` : address.name;
  return `${name} <${address.address}>`;
};

const addressesText = (addresses: readonly Address[] | undefined) => (addresses ?? []).map(addressText).join(', ');

const headersText = (email: Email): string =>
  Object.entries({
    From: email.from === undefined ? '' : addressText(email.from),
    To: addressesText(email.to),
    Cc: addressesText(email.cc),
    Subject: email.subject ?? '',
    Date: email.date ?? '',
  })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ')}`)
    .join('\n');

const bodyText = ({ text, html }: Email): string =>
  text !== undefined && text.trim() !== '' ? text : htmlText(html ?? '');

const bytesOf = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);

/** The message as it is read: its headers, then its body; and what is attached to it, other messages among it. */
export const readEmail = async (data: Uint8Array): Promise<{ text: string; attachments: readonly SourceFile[] }> => {
  const email = await PostalMime.parse(data, { forceRfc822Attachments: true, maxNestingDepth: MAX_MIME_DEPTH });
  const headers = headersText(email);
  if (headers === '') throw new Unreadable('is damaged: it is named as an e-mail, but there is no e-mail in it');
  const attachments = email.attachments.map(({ filename, mimeType, content }, index) => ({
    fileName: cleanName(filename, `attachment ${index + 1}${mimeType === 'message/rfc822' ? '.eml' : ''}`),
    contentType: mimeType,
    data: bytesOf(content),
  }));
  return { text: `${headers}\n\n${bodyText(email)}`, attachments };
};
