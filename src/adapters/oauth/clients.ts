import { type ClientMetadata, errors } from 'oidc-provider';

const MOST_REDIRECTS = 20;
const LONGEST_URL = 2000;
/** Of all redirect URIs together: clients are kept for a week, and anyone can register one. */
const MOST_REDIRECT_CHARACTERS = 8000;
const LONGEST_NAME = 100;

/** What is kept of what a client says of itself. Everything else could only be misused, or would make us fetch something. */
const kept = new Set([
  ...['client_id', 'client_id_issued_at', 'client_secret', 'client_secret_expires_at', 'client_name', 'client_uri', 'redirect_uris'],
  ...['grant_types', 'response_types', 'token_endpoint_auth_method', 'application_type', 'id_token_signed_response_alg'],
  'subject_type',
]);

const grantTypes = ['authorization_code', 'refresh_token'];

const refuse = (what: string) => new errors.InvalidClientMetadata(what);

const checkRedirects = (uris: unknown) => {
  const list: readonly unknown[] = Array.isArray(uris) ? uris : [];
  if (list.length > MOST_REDIRECTS) throw refuse(`redirect_uris must have at most ${MOST_REDIRECTS} members`);
  const fine = list.every((uri) => typeof uri === 'string' && uri.length <= LONGEST_URL && !/[\s<>"'\\;,]/.test(uri));
  if (!fine) throw refuse(`redirect_uris must only contain uris of at most ${LONGEST_URL} characters`);
  const length = list.join('').length;
  if (length > MOST_REDIRECT_CHARACTERS) throw refuse(`redirect_uris must have at most ${MOST_REDIRECT_CHARACTERS} characters together`);
};

const only = (values: unknown, allowed: readonly string[]): string[] | undefined =>
  Array.isArray(values) ? allowed.filter((value) => values.includes(value)) : undefined;

const readable = (name: unknown): string | undefined => {
  if (typeof name !== 'string') return undefined;
  const text = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return text === '' ? undefined : [...text].slice(0, LONGEST_NAME).join('');
};

export const isDocumentAddress = (clientId: string) => clientId.startsWith('https://');

/**
 * Makes a client of whoever registers or publishes a document. Clients are taken as RFC 8252 wants native applications: they are answered at https
 * addresses, at loopback addresses with any port, and by schemes of their own, never at http addresses elsewhere.
 * Grant types and scopes that we do not have are left out (RFC 7591 section 2), not refused: many clients list all they could ever use.
 */
export const tidyClient = (metadata: ClientMetadata): void => {
  const fields = metadata as Record<string, unknown>;
  for (const name of Object.keys(fields)) if (!kept.has(name)) delete fields[name];
  checkRedirects(fields.redirect_uris);
  const documented = isDocumentAddress(metadata.client_id);
  if (documented && fields.token_endpoint_auth_method === 'client_secret_basic') fields.token_endpoint_auth_method = 'none';
  fields.application_type = 'native';
  fields.grant_types = only(fields.grant_types, grantTypes) ?? grantTypes;
  fields.response_types = only(fields.response_types, ['code']) ?? ['code'];
  fields.id_token_signed_response_alg = 'EdDSA';
  fields.client_name = readable(fields.client_name);
  if (typeof fields.client_uri !== 'string' || fields.client_uri.length > LONGEST_URL) delete fields.client_uri;
};

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether a host that was shown, or a scheme, is on the user's own machine. */
export const isLocal = (host: string) => host.endsWith(':') || LOOPBACK.test(host.replace(/:\d+$/, ''));

export interface ClientFace {
  /** Where it is: the host of its document, or else the one that the user is sent back to. */
  readonly host: string;
  /** Whether it is a program on the user's own machine. */
  readonly local: boolean;
}

/** What can be said of a client that it cannot make up: where its document is, and where the answer goes. */
export const faceOf = (clientId: string, redirectUri: string): ClientFace => {
  const back = new URL(redirectUri);
  const web = /^https?:$/.test(back.protocol);
  const answered = web ? back.host : back.protocol;
  const host = isDocumentAddress(clientId) ? new URL(clientId).host : answered;
  return { host, local: isLocal(answered) };
};
