import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../domain/json.ts';
import { decoded, headerOf } from './header-values.ts';
import { codes, failure, type Id, invalidRequest, type Message, type Reply, shown } from './messages.ts';

/** Revisions that begin with a handshake: those of the SDK, as a test checks. */
export const newestLegacy = '2025-11-25';
export const legacyVersions: readonly string[] = [newestLegacy, '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Revisions without a handshake: each request names its revision, and the server keeps nothing between two requests. */
const newestModern = '2026-07-28';
const modernVersions: readonly string[] = [newestModern];

export const allVersions: readonly string[] = [...modernVersions, ...legacyVersions];

/** The only revision with batches; its clients do not name it. */
export const batchVersion = '2025-03-26';

/** The protocol's own fields of `_meta`. */
export const meta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** A request, which unlike a notification has a reply. */
export interface Request extends Message {
  readonly id: Id;
  readonly headers: IncomingHttpHeaders;
  /** The revision that the request names in its body; null for revisions with a handshake. */
  readonly modern: string | null;
}

export const versionHeader = (headers: IncomingHttpHeaders) => headerOf(headers, 'mcp-protocol-version');

/** The first revision with `outputSchema` and `structuredContent`: its clients name it, those of the ones before name none. */
const STRUCTURED_SINCE = '2025-06-18';

export const knowsStructure = ({ modern, headers }: Request): boolean =>
  modern !== null || (versionHeader(headers) ?? batchVersion) >= STRUCTURED_SINCE;

const DATE = /^\d{4}-\d\d-\d\d$/;

/** A handshake negotiates the revision by what it asks for, whatever the header says. */
const isModern = ({ method, meta: named }: Message, header: string | undefined) =>
  named[meta.version] !== undefined ||
  (method !== 'initialize' && header !== undefined && header > newestLegacy && DATE.test(header));

const unsupported = (id: Id, revision: string) =>
  failure(400, id, codes.unsupportedVersion, 'Unsupported protocol version', {
    supported: allVersions,
    requested: shown(revision),
  });

const missing = (id: Id, key: string) =>
  failure(400, id, codes.invalidParams, `Invalid params: _meta["${key}"] is required`);
const mismatch = (id: Id, header: string, value: string | undefined, body: string) =>
  failure(
    400,
    id,
    codes.headerMismatch,
    `Header mismatch: ${header} is ${value === undefined ? 'missing' : shown(value)}, the body has ${shown(body)}`,
  );

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Why a request without a handshake is invalid; proxies act on its headers, so that they must agree with the body. */
const modernError = ({ method, params, meta: sent }: Message, id: Id, headers: IncomingHttpHeaders): Reply | null => {
  const version = versionHeader(headers);
  const revision = sent[meta.version];
  // A newer revision may call its fields otherwise, so that it is refused before they are missed.
  const claimed = revision ?? version;
  if (typeof claimed === 'string' && claimed > newestModern && DATE.test(claimed)) return unsupported(id, claimed);
  if (typeof revision !== 'string') return missing(id, meta.version);
  if (!isObject(sent[meta.capabilities])) return missing(id, meta.capabilities);
  if (version !== undefined && version !== revision) return mismatch(id, 'MCP-Protocol-Version', version, revision);
  if (!modernVersions.includes(revision)) return unsupported(id, revision);
  if (version === undefined) return mismatch(id, 'MCP-Protocol-Version', version, revision);
  const inHeader = headerOf(headers, 'mcp-method');
  if (inHeader !== method) return mismatch(id, 'Mcp-Method', inHeader, method);
  const named = params[NAMED_BY[method] ?? ''];
  if (typeof named !== 'string') return null;
  const header = headerOf(headers, 'mcp-name');
  return header !== undefined && decoded(header) === named ? null : mismatch(id, 'Mcp-Name', header, named);
};

const unknownVersion = (id: Id | null, version: string) =>
  invalidRequest(id, `unsupported protocol version ${shown(version)} (supported: ${allVersions.join(', ')})`);

/** The request in a message, with its revision; or the reply to an invalid one; null for a notification. */
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
