import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../domain/json.ts';
import { decoded, headerOf } from './header-values.ts';
import { codes, failure, type Id, invalidRequest, type Message, type Reply, shown } from './messages.ts';
import { allVersions, meta, modernVersions, newestLegacy } from './versions.ts';

/** A request, which unlike a notification is answered. */
export interface Request extends Message {
  readonly id: Id;
  readonly headers: IncomingHttpHeaders;
  /** The revision of a request that names one in its body; null in the years of the handshake. */
  readonly modern: string | null;
}

export const versionHeader = (headers: IncomingHttpHeaders) => headerOf(headers, 'mcp-protocol-version');

const DATE = /^\d{4}-\d\d-\d\d$/;

const isModern = (message: Message, header: string | undefined) =>
  message.meta[meta.version] !== undefined || (header !== undefined && header > newestLegacy && DATE.test(header));

const missing = (id: Id, key: string) => failure(400, id, codes.invalidParams, `Invalid params: _meta["${key}"] is required`);
const mismatch = (id: Id, header: string, said: string | undefined, body: string) =>
  failure(
    400,
    id,
    codes.headerMismatch,
    `Header mismatch: ${header} is ${said === undefined ? 'missing' : shown(said)}, the body says ${shown(body)}`,
  );

/** Why a request of the newest kind is refused; proxies act on its headers, so they have to say what the body says. */
const modernError = ({ method, params, meta: said }: Message, id: Id, headers: IncomingHttpHeaders): Reply | null => {
  const version = versionHeader(headers);
  const claim = said[meta.version];
  if (typeof claim !== 'string') return missing(id, meta.version);
  if (!isObject(said[meta.capabilities])) return missing(id, meta.capabilities);
  if (version !== undefined && version !== claim) return mismatch(id, 'MCP-Protocol-Version', version, claim);
  if (!modernVersions.includes(claim)) {
    const data = { supported: allVersions, requested: shown(claim) };
    return failure(400, id, codes.unsupportedVersion, 'Unsupported protocol version', data);
  }
  if (version === undefined) return mismatch(id, 'MCP-Protocol-Version', version, claim);
  const named = headerOf(headers, 'mcp-method');
  if (named !== method) return mismatch(id, 'Mcp-Method', named, method);
  const { name } = params;
  if (method !== 'tools/call' || typeof name !== 'string') return null;
  const tool = headerOf(headers, 'mcp-name');
  return tool !== undefined && decoded(tool) === name ? null : mismatch(id, 'Mcp-Name', tool, name);
};

const unknownVersion = (id: Id | null, version: string) =>
  invalidRequest(id, `unsupported protocol version ${shown(version)} (supported: ${allVersions.join(', ')})`);

/** The request that a message is, with its revision settled; or the reply to what cannot be one. */
export const requestOf = (message: Message, headers: IncomingHttpHeaders): Request | Reply | null => {
  const { id } = message;
  const header = versionHeader(headers);
  const isKnown = header === undefined || allVersions.includes(header);
  if (id === null) return isKnown ? null : unknownVersion(null, header);
  if (isModern(message, header)) {
    const error = modernError(message, id, headers);
    return error ?? { ...message, id, headers, modern: header ?? null };
  }
  if (!isKnown && message.method !== 'initialize') return unknownVersion(id, header);
  return { ...message, id, headers, modern: null };
};
