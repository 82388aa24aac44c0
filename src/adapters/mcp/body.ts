import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { contentError } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { codes, failure, invalidRequest, type Reply } from './messages.ts';

const MAX_BYTES = 4 * 1024 * 1024;

const TYPE = /^application\/json\s*(?:;|$)/i;

const tooLarge = failure(413, null, codes.invalidRequest, `Invalid Request: the body is over ${MAX_BYTES} bytes`);
const broken = failure(400, null, codes.parseError, 'Parse error: the body is not JSON in UTF-8');

/** Everything that was sent; null where it is too much, the rest of which is not kept. */
const bytesOf = (req: IncomingMessage) =>
  new Promise<Buffer | null>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      else resolve(null);
    });
    req.once('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)));
    req.once('error', reject);
    req.once('close', () => {
      if (!req.readableEnded) reject(new Error('the body ended before all of it had come'));
    });
  });

/** The message or messages in the body, or the reply to what are none. */
export const readBody = async (req: IncomingMessage): Promise<{ readonly value: unknown } | Reply> => {
  if (!TYPE.test(req.headers['content-type'] ?? '')) return invalidRequest(null, 'Content-Type must be application/json');
  if (Number(req.headers['content-length'] ?? 0) > MAX_BYTES) return tooLarge;
  const bytes = await bytesOf(req);
  if (bytes === null) return tooLarge;
  if (!isUtf8(bytes)) return broken;
  let value: unknown;
  try {
    value = parseJson(bytes.toString());
  } catch {
    return broken;
  }
  const error = contentError(value);
  return error === null ? { value } : invalidRequest(null, `the message ${error}`);
};
