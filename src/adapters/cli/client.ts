import { isRight } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { parseJson } from '../../domain/json-number.ts';
import type { Environment } from './dependencies.ts';
import { CliFailure, Refused } from './failures.ts';
import { type Attempts, type Sent, send } from './send.ts';
import { type Agent, agents, type Decoded, errorBody, unwrap } from './wire.ts';

export interface Call<A> {
  readonly method?: 'GET' | 'POST';
  /** Under `/api/v1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: t.Type<A, unknown, unknown>;
  /** For work that must outlive a restart of the server. */
  readonly patient?: boolean;
  /** For what must not be done twice: it is sent once, whatever the answer. */
  readonly once?: boolean;
  readonly timeoutSeconds?: number;
}

export interface Client {
  call<A>(call: Call<A>): Promise<Decoded<A>>;
  /** null if nothing has changed since `etag`. */
  changed<A>(call: Call<A>, etag: string | null): Promise<{ readonly decoded: Decoded<A>; readonly etag: string | null } | null>;
}

const attempts: Record<'once' | 'usual' | 'patient', Attempts> = {
  once: { times: 1, reconnect: false },
  usual: { times: 4, reconnect: false },
  patient: { times: 12, reconnect: true },
};

const baseUrl = (env: Environment): URL => {
  const text = env.PORTICO_URL || 'http://localhost:3000';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CliFailure('PORTICO_URL must be an address such as http://localhost:3000');
  if (url.username !== '' || url.password !== '') throw new CliFailure('PORTICO_URL must not contain a user name or a password');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/`;
  url.search = '';
  url.hash = '';
  return url;
};

const howToGetAKey = 'make one with: portico keys create --user EMAIL';

const apiKey = (env: Environment): string => {
  const key = env.PORTICO_API_KEY?.trim();
  if (!key) throw new CliFailure('PORTICO_API_KEY is not set: this command needs an API key', [howToGetAKey]);
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw new CliFailure('PORTICO_API_KEY contains characters that no API key has', [howToGetAKey]);
  return key;
};

const parsed = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** The error of the server, with the id by which its log can be searched. */
const refusal = ({ status, headers, text }: Sent, url: URL): Refused => {
  const decoded = errorBody.decode(parsed(text));
  const requestId = headers.get('x-request-id');
  const trailer = requestId === null ? [] : [`request id: ${requestId}`];
  if (!isRight(decoded)) {
    return new Refused(status, `${url.origin} answered ${status}, and not as Portico does: is PORTICO_URL right?`, trailer);
  }
  const { detail, code, errors = [] } = decoded.right;
  const lines = errors.map(({ path, message }) => `${path} ${message}`);
  if (status === 401) return new Refused(status, `the server refused PORTICO_API_KEY: ${detail}`, [howToGetAKey, ...trailer]);
  const kind = `(${status}${code === undefined ? '' : ` ${code}`})`;
  return new Refused(status, lines.length > 0 ? `the request was not accepted ${kind}:` : `${detail} ${kind}`, [...lines, ...trailer]);
};

export const apiClient = (env: Environment, signal: AbortSignal, note: (line: string) => void): Client => {
  const base = baseUrl(env);
  const key = apiKey(env);

  const exchange = async <A>({ method = 'GET', path, query = {}, body, headers = {}, patient, once, timeoutSeconds = 60 }: Call<A>) => {
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = await send(
      url,
      {
        ...{ method, headers: { accept: 'application/json', ...json, ...headers, 'x-api-key': key } },
        body: body === undefined ? null : JSON.stringify(body),
      },
      { attempts: attempts[once ? 'once' : patient ? 'patient' : 'usual'], timeoutSeconds, signal, note },
    );
    return { sent, url };
  };

  return {
    async call(call) {
      const { sent, url } = await exchange(call);
      if (!sent.ok) throw refusal(sent, url);
      return unwrap(call.answer, parsed(sent.text), url);
    },

    async changed(call, etag) {
      const { sent, url } = await exchange({ ...call, headers: etag === null ? {} : { 'if-none-match': etag } });
      if (sent.status === 304) return null;
      if (!sent.ok) throw refusal(sent, url);
      return { decoded: unwrap(call.answer, parsed(sent.text), url), etag: sent.headers.get('etag') };
    },
  };
};

const MAX_NAMED = 10;

/** The agent with this id or name; the case of a name matters only if two differ by nothing else. */
export const findAgent = async (client: Client, wanted: string): Promise<Agent> => {
  const { value } = await client.call({ path: 'agents', answer: agents });
  const exact = value.agents.find(({ id, name }) => name === wanted || id === wanted.toLowerCase());
  const alike = value.agents.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  const names = value.agents.slice(0, MAX_NAMED).map(({ name }) => name);
  const known =
    names.length === 0 ? 'you can see no agent' : `you can see ${names.join(', ')}${value.agents.length > MAX_NAMED ? ', …' : ''}`;
  throw new CliFailure(`there is no agent "${wanted}": ${known}`);
};
