import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { contentError, isObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';

export type Id = string | number;

/** The answer to one POST. */
export interface Reply {
  readonly status: number;
  /** null for an answer without a body. */
  readonly body: string | null;
}

/** The first five are those of JSON-RPC. A test holds them against the SDK: to import them here would load a hundred modules for five numbers. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** An HTTP method without an answer here; only older revisions have this code. */
  notAllowed: -32000,
  /** The headers differ from the body. */
  headerMismatch: -32020,
  /** The client does not declare what the request needs. */
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

const SHOWN = 200;

/** Text of the client, shortened for a message. */
export const shown = (text: unknown): string => String(text).slice(0, SHOWN).toWellFormed();

export const accepted: Reply = { status: 202, body: null };

export const failure = (status: number, id: Id | null, code: number, message: string, data?: object): Reply => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }),
});

/** A reply with a result that is JSON text. */
export const success = (id: Id, result: string): Reply => ({
  status: 200,
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
});

export const invalidRequest = (id: Id | null, reason: string): Reply =>
  failure(400, id, codes.invalidRequest, `Invalid Request: ${reason}`);
export const invalidParams = (id: Id, reason: string): Reply =>
  failure(200, id, codes.invalidParams, `Invalid params: ${reason}`);

export interface Message {
  /** null for a notification, which has no reply. */
  readonly id: Id | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

const nothing: Readonly<Record<string, unknown>> = {};

/** A JSON-RPC 2.0 message, or the reply to an invalid one. A reply of the client is accepted and ignored: this server sends no requests. */
export const readMessage = (value: unknown): Message | Reply => {
  if (!isObject(value)) return invalidRequest(null, 'a message must be a JSON object');
  const { jsonrpc, id, method } = value;
  const params = value.params ?? nothing;
  const readable = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return invalidRequest(readable, 'jsonrpc must be "2.0"');
  if (method === undefined && ('result' in value || 'error' in value)) return accepted;
  if (typeof method !== 'string') return invalidRequest(readable, 'method must be a string');
  if (!isObject(params)) return invalidRequest(readable, 'params must be an object');
  if ('id' in value && readable === null) return invalidRequest(null, 'id must be a string or an integer');
  return { id: readable, method, params, meta: isObject(params._meta) ? params._meta : nothing };
};

const MAX_BYTES = 4 * 1024 * 1024;

const TYPE = /^application\/json\s*(?:;|$)/i;

const tooLarge = failure(413, null, codes.invalidRequest, `Invalid Request: the body is over ${MAX_BYTES} bytes`);
const broken = failure(400, null, codes.parseError, 'Parse error: the body is not JSON in UTF-8');

/** The whole body; null if it is too large. */
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
      if (!req.readableEnded) reject(new Error('the body is incomplete'));
    });
  });

/** The message or messages in the body, or the reply to an invalid body. */
export const readBody = async (req: IncomingMessage): Promise<{ readonly value: unknown } | Reply> => {
  if (!TYPE.test(req.headers['content-type'] ?? ''))
    return invalidRequest(null, 'Content-Type must be application/json');
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
