import { OutboundFailure } from '../../../application/ports/outbound.ts';
import { ItemGone, NotTaken } from '../../../application/ports/sources.ts';
import { codeOf, DomainError, messageOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import type { MailboxAddress } from './address.ts';

/** The only parts of an error of the client that are read: others may hold what was sent. */
interface Refusal {
  readonly responseText?: unknown;
  readonly response?: unknown;
  readonly authenticationFailed?: unknown;
  readonly mailboxMissing?: unknown;
}

const MOST_WORDS = 200;

/** What the server said, which anybody may have written. */
const said = (text: unknown): string => {
  if (typeof text !== 'string') return '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, MOST_WORDS)}`;
};

const timeouts = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT'];
const closings = [
  'NoConnection',
  'EConnectionClosed',
  'StateLogout',
  'ClosedAfterConnectText',
  'ClosedAfterConnectTLS',
];
const nonsense =
  /^(?:ParserError|InvalidResponse|ResponseProcessing|LineToo|LiteralToo|ResponseToo|TooMany|UnexpectedTag|MissingTag)/;
const badCertificate = /CERT|^ERR_TLS_CERT|^UNABLE_TO_|SELF_SIGNED/;
const noTls = /STARTTLS/;

const wordsOf = (error: Error & Refusal, { host, user, mailbox }: MailboxAddress): string => {
  const code = codeOf(error);
  const text = said(error.responseText);
  if (error.authenticationFailed === true) return `The mail server ${host} refuses the login of ${user}${text}`;
  if (error.mailboxMissing === true) return `There is no mailbox "${mailbox}" on ${host}${text}`;
  if (timeouts.includes(code)) return `The mail server ${host} did not answer in time`;
  if (badCertificate.test(code)) return `The TLS certificate of ${host} is not valid (${code})`;
  if (code === 'ECONNREFUSED') return `The mail server ${host} refuses the connection`;
  if (/^(?:ERR_SSL|EPROTO)/.test(code)) return `The mail server ${host} does not speak TLS at this port`;
  if (noTls.test(code) || noTls.test(messageOf(error)))
    return `The mail server ${host} does not offer TLS, without which nothing is sent to it`;
  if (closings.includes(code) || code === 'ECONNRESET') return `The connection to the mail server ${host} was closed`;
  if (nonsense.test(code)) return `What the mail server ${host} answers is not valid IMAP (${code})`;
  if (text !== '') return `The mail server ${host} refuses what it was asked for${text}`;
  return `The mail server ${host} could not be asked${code === '' ? '' : ` (${code})`}`;
};

/** The failure in a sentence for people. The error of the client is not passed on, because it knows what was sent. */
export const mailFailure = (error: unknown, address: MailboxAddress): unknown => {
  if (error instanceof DomainError || error instanceof ItemGone || error instanceof NotTaken) return error;
  if (error instanceof OutboundFailure) return new DomainError('unavailable', error.message, { cause: error });
  if (!(error instanceof Error)) return error;
  const cause = new Error(`IMAP: ${codeOf(error) || error.name}`);
  return new DomainError('unavailable', sentence(wordsOf(error, address)), { cause });
};
