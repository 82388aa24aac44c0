import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.ts';

/** More than any request for a token or a registration needs. */
const MAX_BYTES = 56 * 1024;

const invalid = (detail: string) => new DomainError('invalid', detail);

/** Refuses what is not percent-encoded UTF-8: a lenient decoder would store other characters than the client sent. */
const checkForm = (form: string) => {
  try {
    decodeURIComponent(form);
  } catch {
    throw invalid('The form contains something that is not percent-encoded UTF-8.');
  }
};

/** Does not destroy the request when reading stops early, so that the error response can still be sent. */
const chunksOf = (req: IncomingMessage): AsyncIterable<Buffer> =>
  req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;

const textOf = async (req: IncomingMessage, incoming: AsyncIterable<Buffer>, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxBytes) throw new DomainError('too_large', 'The body is too large.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8.');
  const text = bytes.toString();
  if (/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) checkForm(text);
  return text;
};

/** Reads the whole body. Rejects with a DomainError: `too_large` or `invalid`. */
export const readBody = (req: IncomingMessage, maxBytes: number): Promise<string> =>
  textOf(req, chunksOf(req), maxBytes);

/** Makes the library, which decodes leniently, read only a body that `readBody` would accept. */
export const checkBody = (req: IncomingMessage): void => {
  const incoming = chunksOf(req);
  req.iterator = async function* checked() {
    yield Buffer.from(await textOf(req, incoming, MAX_BYTES));
    return undefined;
  };
};
