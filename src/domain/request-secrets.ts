import { HIDDEN } from './hidden-names.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Names of headers by which a server knows who calls. */
const CREDENTIALS = /auth|cookie|key|password|secret|session|signature|token/i;

/** The same of parameters and members of a body, where `author`, `keyword` and `sort_key` are none. */
const PARAMETERS =
  /^key$|(?:^|[_-])(?:authorization|passw(?:or)?d|secret|session|sig|signature|token|(?:access|api|app|auth|private|secret|service|subscription)[_-]?key)$/;

const isParameter = (name: string) => PARAMETERS.test(name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase());

/** Shorter ones stand in many texts, and protect nothing. */
const SHORTEST_SECRET = 8;

/** A request as the author of a tool wrote it, who alone knows what it sends. */
interface Written {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

type Named = readonly (readonly [name: string, value: string])[];

const parametersIn = (text: string): Named => [...new URLSearchParams(text)];

const membersIn = (body: JsonValue | undefined): Named => {
  if (typeof body === 'string') return parametersIn(body);
  if (!isObject(body)) return [];
  return Object.entries(body as JsonObject).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : membersIn(value),
  );
};

const decodedBasic = (value: string): readonly string[] => {
  const [, encoded = ''] = /^basic (\S+)$/i.exec(value.trim()) ?? [];
  const login = Buffer.from(encoded, 'base64').toString();
  return [login, login.slice(login.indexOf(':') + 1)];
};

/** A secret as it is, in an address, and in JSON. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  JSON.stringify(secret).slice(1, -1),
];

const secretsIn = ({ url, headers, body }: Written): readonly string[] =>
  [
    ...Object.entries(headers).filter(([name]) => CREDENTIALS.test(name)),
    ...[...parametersIn(new URL(url).search), ...membersIn(body)].filter(([name]) => isParameter(name)),
  ]
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/), ...decodedBasic(value)])
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .flatMap(spellings)
    .toSorted((one, other) => other.length - one.length);

/** A text without the credentials of the request that it answers: some servers repeat them, and users of the agent read the answer. */
export const withoutSecrets = (request: Written): ((text: string) => string) => {
  const secrets = secretsIn(request);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
};
