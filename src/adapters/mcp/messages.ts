import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../domain/json.ts';

export type Id = string | number;

/** An answer to one POST; null: there is nothing to say. */
export interface Reply {
  readonly status: number;
  readonly body: string | null;
}

export const codes = {
  parseError: ErrorCode.ParseError,
  invalidRequest: ErrorCode.InvalidRequest,
  methodNotFound: ErrorCode.MethodNotFound,
  invalidParams: ErrorCode.InvalidParams,
  internal: ErrorCode.InternalError,
  /** A method of HTTP that is not served; only older revisions know it. */
  notAllowed: -32000,
  /** What the headers say is not what the body says. */
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

const SHOWN = 200;

/** What a client wrote, as short as a message needs it. */
export const shown = (text: unknown): string => String(text).slice(0, SHOWN).toWellFormed();

export const accepted: Reply = { status: 202, body: null };

export const failure = (status: number, id: Id | null, code: number, message: string, data?: object): Reply => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }),
});

/** A result that is JSON already. */
export const success = (id: Id, result: string): Reply => ({
  status: 200,
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
});

export const invalidRequest = (id: Id | null, why: string): Reply => failure(400, id, codes.invalidRequest, `Invalid Request: ${why}`);
export const invalidParams = (id: Id, why: string): Reply => failure(200, id, codes.invalidParams, `Invalid params: ${why}`);

export interface Message {
  /** null: a notification, to which nothing is answered. */
  readonly id: Id | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

const nothing: Readonly<Record<string, unknown>> = {};

/** A JSON-RPC 2.0 message, or the reply to what is none. A client's own reply is nobody's here: servers that keep no state ask nothing. */
export const readMessage = (value: unknown): Message | Reply => {
  if (!isObject(value)) return invalidRequest(null, 'a message must be a JSON object');
  const { jsonrpc, id, method, params = nothing } = value;
  const readable = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return invalidRequest(readable, 'jsonrpc must be "2.0"');
  if (method === undefined && ('result' in value || 'error' in value)) return accepted;
  if (typeof method !== 'string') return invalidRequest(readable, 'method must be a string');
  if (!isObject(params)) return invalidRequest(readable, 'params must be an object');
  if ('id' in value && readable === null) return invalidRequest(null, 'id must be a string or an integer');
  return { id: readable, method, params, meta: isObject(params._meta) ? params._meta : nothing };
};
