import type { Address, Email } from 'postal-mime';

/** What people see of a mail before they open it. */
interface MailHead {
  readonly from: string | null;
  readonly subject: string | null;
  readonly messageId: string | null;
}

/** No mail program writes longer headers. Of a mail that has them the sender is not known: they are read in part. */
const MOST_HEADER_BYTES = 256 * 1024;
/** What is asked for: a mail whose headers have no end would end the session otherwise, and hide those behind it. */
export const HEADERS = { key: 'header', maxLength: MOST_HEADER_BYTES + 1 };

const MOST_SUBJECT = 500;
const MOST_NAME = { subject: 80, from: 60, messageId: 80 };

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The only address of the only `From` header. */
const senderOf = ({ headers }: Email, addressesIn: (header: string) => readonly Address[]): string | null => {
  const [only, ...others] = headers.filter(({ key }) => key === 'from');
  if (only === undefined || others.length > 0) return null;
  const [sender, ...more] = addressesIn(only.value);
  if (sender?.address === undefined || more.length > 0 || !ADDRESS.test(sender.address)) return null;
  return sender.address;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const shown = (text: string | undefined) => text?.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim() || null;

/** What the headers say, as far as they can be read: a mail that is broken has no sender. */
export const readHead = async (headers: Uint8Array): Promise<MailHead> => {
  // Loaded with the first mail, because few servers look at mailboxes.
  const { default: PostalMime, addressParser } = await import('postal-mime');
  const email = await PostalMime.parse(headers.subarray(0, MOST_HEADER_BYTES)).catch(() => null);
  if (email === null) return { from: null, subject: null, messageId: null };
  return {
    from: headers.byteLength > MOST_HEADER_BYTES ? null : senderOf(email, addressParser),
    subject: shown(email.subject)?.slice(0, MOST_SUBJECT).toWellFormed() ?? null,
    messageId: shown(email.messageId)?.replace(/^<(.*)>$/, '$1') ?? null,
  };
};

/** The file of its run: subject, sender and message id, as far as they make a name. */
export const fileNameOf = ({ from, subject, messageId }: MailHead): string => {
  const parts = [
    subject?.slice(0, MOST_NAME.subject) ?? 'mail',
    from?.slice(0, MOST_NAME.from),
    messageId?.slice(0, MOST_NAME.messageId),
  ];
  const name = parts.filter((part) => part !== undefined && part !== '').join(' - ');
  return `${name.replaceAll(/[/\\]/g, '_').toWellFormed()}.eml`;
};

const CR = 13;
const LF = 10;

/** Whether there is anything behind the headers but blank space, told from the chunks as they pass. */
export const bodyFinder = () => {
  let isBehindHeaders = false;
  let isLineEmpty = true;
  let isFound = false;
  const see = (byte: number) => {
    if (isBehindHeaders) isFound = byte > 32;
    else if (byte === LF) {
      isBehindHeaders = isLineEmpty;
      isLineEmpty = true;
    } else if (byte !== CR) isLineEmpty = false;
  };
  return {
    pass(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length && !isFound; at += 1) see(chunk[at] ?? 0);
    },
    isFound: () => isFound,
  };
};
