import type { ClientMetadata } from 'oidc-provider';
import { CONSOLE } from './authorization-request.ts';
import { errors } from './oidc-provider.ts';

const MAX_REDIRECTS = 20;
const MAX_URL_CHARACTERS = 2000;
/** Of all redirect URIs together: anyone can register a client, and it is stored for a week. */
const MAX_REDIRECT_CHARACTERS = 8000;
const MAX_NAME_CHARACTERS = 100;

/** The metadata that we keep. Other fields could only be misused, or would make the server fetch something. */
const keptFields = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
  'id_token_signed_response_alg',
  'subject_type',
]);

const grantTypes = ['authorization_code', 'refresh_token'];

/** A browser would be sent to the address as it stands, but a policy of ours that names `*.example` stands for every host there. */
const hasWildcard = (uri: string) => URL.parse(uri)?.host.includes('*') ?? false;

const checkRedirects = (uris: unknown) => {
  const refuse = (what: string) => new errors.InvalidClientMetadata(`redirect_uris must ${what}`);
  const list: readonly unknown[] = Array.isArray(uris) ? uris : [];
  if (list.length > MAX_REDIRECTS) throw refuse(`have at most ${MAX_REDIRECTS} members`);
  const valid = list.every(
    (uri) =>
      typeof uri === 'string' && uri.length <= MAX_URL_CHARACTERS && !/[\s<>"'\\;,]/.test(uri) && !hasWildcard(uri),
  );
  if (!valid) throw refuse(`only contain uris of at most ${MAX_URL_CHARACTERS} characters, each of one host`);
  if (list.join('').length > MAX_REDIRECT_CHARACTERS)
    throw refuse(`have at most ${MAX_REDIRECT_CHARACTERS} characters together`);
};

const only = (values: unknown, allowed: readonly string[]): string[] | undefined =>
  Array.isArray(values) ? allowed.filter((value) => values.includes(value)) : undefined;

/** Some clients write null, an empty text or an empty list for what they leave out. */
const saysNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

const displayName = (name: unknown): string | undefined => {
  if (typeof name !== 'string') return undefined;
  const text = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return text === '' ? undefined : [...text].slice(0, MAX_NAME_CHARACTERS).join('');
};

/** Whether a client id is the address of a client id metadata document. */
export const isDocumentAddress = (clientId: string) => clientId.startsWith('https://');

/**
 * Brings the metadata of a registration or of a document to the form that Portico supports. Clients are native applications
 * (RFC 8252): their redirect URIs have https, a loopback address with any port, or a scheme of their own, never http elsewhere.
 * Unsupported grant types and scopes are left out (RFC 7591 section 2), not refused: many clients list all that they could ever use.
 */
export const normaliseClient = (metadata: ClientMetadata): void => {
  if (metadata.client_id === CONSOLE) return;
  const fields = metadata as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields))
    if (!keptFields.has(name) || saysNothing(value)) delete fields[name];
  checkRedirects(fields.redirect_uris);
  const documented = isDocumentAddress(metadata.client_id);
  if (documented && fields.token_endpoint_auth_method === 'client_secret_basic')
    fields.token_endpoint_auth_method = 'none';
  fields.application_type = 'native';
  fields.grant_types = only(fields.grant_types, grantTypes) ?? grantTypes;
  fields.response_types = only(fields.response_types, ['code']) ?? ['code'];
  fields.id_token_signed_response_alg = 'EdDSA';
  fields.client_name = displayName(fields.client_name);
  if (typeof fields.client_uri !== 'string' || fields.client_uri.length > MAX_URL_CHARACTERS) delete fields.client_uri;
};

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether a host, or a scheme with its colon, is on the user's own computer. */
export const isLocal = (host: string) => host.endsWith(':') || LOOPBACK.test(host.replace(/:\d+$/, ''));

/**
 * What the user is shown of a client, and the client cannot make up: the host of its document, or else the one that the user is sent back
 * to; and whether that is a program on their own computer.
 */
export const originOf = (clientId: string, redirectUri: string) => {
  const target = new URL(redirectUri);
  const destination = /^https?:$/.test(target.protocol) ? target.host : target.protocol;
  return { host: isDocumentAddress(clientId) ? new URL(clientId).host : destination, local: isLocal(destination) };
};
