import { OutboundFailure } from '../../application/ports/outbound.ts';

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : '';
};

const unfound = /^(ENOTFOUND|EAI_|ENODATA)/;
const certificate = /CERT|^ERR_TLS_CERT|^UNABLE_TO_|SELF_SIGNED/;
const unreadable = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/;

/** What went wrong on the way to a host, in plain words. */
export const explained = (error: unknown, hostname: string): OutboundFailure => {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const failure = (reason: OutboundFailure['reason'], words: string) => new OutboundFailure(reason, words, error);
  if (unfound.test(code)) return failure('unreachable', `The host ${hostname} cannot be found.`);
  if (code === 'ECONNREFUSED') return failure('unreachable', `The host ${hostname} refuses the connection.`);
  if (code === 'UND_ERR_INVALID_ARG') return failure('refused', 'A header or the method of the request is not valid.');
  if (certificate.test(code)) return failure('unreachable', `The TLS certificate of ${hostname} is not valid (${code}).`);
  if (unreadable.test(code)) return failure('invalid_answer', `What ${hostname} answers is not valid HTTP (${code}).`);
  return failure('unreachable', `The connection to ${hostname} failed${code === '' ? '' : ` (${code})`}.`);
};
