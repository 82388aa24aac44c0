import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.ts';

const invalid = (detail: string) => new DomainError('invalid', detail);

/** A decoder that replaced what is not UTF-8 would store other characters than the client sent. */
const mustBePercentEncodedUtf8 = (form: string) => {
  try {
    decodeURIComponent(form);
  } catch {
    throw invalid('The form holds something that is not percent-encoded UTF-8.');
  }
};

/** It does not destroy the request where reading stops early, so that a refusal can still be sent. */
const chunksOf = (req: IncomingMessage): AsyncIterable<Buffer> => req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;

const textOf = async (req: IncomingMessage, incoming: AsyncIterable<Buffer>, mostBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > mostBytes) throw new DomainError('too_large', 'The body is too large.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8.');
  const text = bytes.toString();
  if (/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) mustBePercentEncodedUtf8(text);
  return text;
};

/** A whole body in UTF-8. Rejects with DomainError: `too_large` or `invalid`. */
export const readBody = (req: IncomingMessage, mostBytes: number): Promise<string> => textOf(req, chunksOf(req), mostBytes);

/** More than any request for a token or a registration needs. */
const MOST_BYTES = 56 * 1024;

/** Makes the library, which decodes leniently, read only a body that `readBody` would accept. */
export const checkBody = (req: IncomingMessage): void => {
  const incoming = chunksOf(req);
  req.iterator = async function* checked() {
    yield Buffer.from(await textOf(req, incoming, MOST_BYTES));
    return undefined;
  };
};
