import createClient from 'openapi-fetch';
import { followTurn, type TurnEvent } from './continue-thread.ts';
import { PorticoError, type RequestError } from './error.ts';
import {
  type EventPattern,
  type EventsOptions,
  type FollowOptions,
  followLog,
  followRun,
  type OpenStream,
  type PorticoEvent,
} from './events.ts';
import type { components } from './openapi.ts';
import {
  type Arguments,
  isLeftToRead,
  isRepeatable,
  type Method,
  type Operation,
  type Operations,
  type PathOf,
  takesKey,
} from './operations.ts';
import { type Attempt, type Exchange, type Retry, type SendOptions, send, unlessAborted } from './send.ts';
import { type FileToUpload, type UploadOptions, uploadFiles } from './upload.ts';
import { type PollOptions, type RunDetail, type WaitOptions, waitForEnd } from './wait-for-run.ts';

export {
  type EventPattern,
  type EventsOptions,
  type Exchange,
  type FileToUpload,
  type FollowOptions,
  PorticoError,
  type PorticoEvent,
  type RequestError,
  type Retry,
  type RunDetail,
  type SendOptions,
  type TurnEvent,
  type UploadOptions,
  type WaitOptions,
};

/** The types of the API by their names in its description, such as `Schemas['DocumentDetail']`. */
export type Schemas = components['schemas'];

export interface PorticoOptions extends SendOptions {
  /** Where the server is, such as `https://portico.example.com`, or its API, as `https://portico.example.com/api/v1`. */
  readonly baseUrl: string;
  /** This or `accessToken`. */
  readonly apiKey?: string;
  /** Asked for before each attempt, so that it may renew the token. Of a GET that is 401, once more: it is sent again with another token. */
  readonly accessToken?: () => string | Promise<string>;
  /** What the program calls itself, such as `my-program/1.0`. Browsers send a name of their own. */
  readonly userAgent?: string;
  /** Reads the JSON of answers; `JSON.parse` unless given, which rounds numbers that a double cannot hold. */
  readonly parseJson?: (text: string) => unknown;
}

export interface Portico {
  readonly get: Operation<'get'>;
  readonly post: Operation<'post'>;
  readonly put: Operation<'put'>;
  readonly patch: Operation<'patch'>;
  readonly delete: Operation<'delete'>;
  /** The answer as it came: its text with every digit, its status (304 too) and its headers. An export, the image of a page and an e-invoice are left to read from `response.body`. */
  exchange<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: Arguments<Operations[P][M]>
  ): Promise<Exchange>;
  /** Uploads files for an agent and answers the entries of `files` when a run is created. */
  upload(
    agentId: string,
    files: readonly FileToUpload[],
    options?: UploadOptions,
  ): Promise<readonly Schemas['UploadUrl'][]>;
  /** The run once it is completed, failed or cancelled. */
  waitForRun(runId: string, options?: WaitOptions): Promise<RunDetail>;
  /** Everything that happens, in one order, without a gap and without an end. */
  events(options?: EventsOptions): AsyncGenerator<PorticoEvent, void>;
  /** What happens to one run, its steps among it, until it has ended. */
  runEvents(runId: string, options?: FollowOptions): AsyncGenerator<PorticoEvent, void>;
  /** Sends a message to a thread, and shows the turn that answers it while it goes on. The turn goes on without its client. */
  continueThread(id: string, message: string, options?: SendOptions): AsyncGenerator<TurnEvent, void>;
}

const EVENT_STREAM = 'text/event-stream';

type SendAs = (method: string, path: string, init: object) => Promise<unknown>;
type Headed = { readonly params?: { readonly header?: Readonly<Record<string, unknown>> } };

/** With a key of its own, unless the caller gives one. */
const withKey = (init: Headed): Headed => ({
  ...init,
  params: { ...init.params, header: { 'Idempotency-Key': crypto.randomUUID(), ...init.params?.header } },
});

const serverOf = (baseUrl: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError('baseUrl must be an address such as http://localhost:3000');
  // The paths of operations begin with that of the API.
  return `${url.origin}${url.pathname.replace(/(\/api\/v1)?\/*$/, '')}`;
};

const unwrapped = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body;

/** Sends requests with the token that the caller has at the time; a request that waits ends with its token, which may have been renewed since. */
const fetchingWithToken =
  (accessToken: () => string | Promise<string>, origin: string) =>
  async (request: Request, name: string, init: Attempt): Promise<Response> => {
    const { signal } = init;
    const nextToken = () =>
      unlessAborted(async () => accessToken(), signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        const detail = `accessToken gave no token: ${cause instanceof Error ? cause.message : cause}`;
        throw new PorticoError({ request: name, origin, code: 'no_answer', detail, cause });
      });
    const fetchWith = (token: string) => {
      const copy = request.clone();
      copy.headers.set('authorization', `Bearer ${token}`);
      return fetch(copy, init);
    };
    const token = await nextToken();
    const answer = await fetchWith(token);
    if (answer.status !== 401 || request.method !== 'GET') return answer;
    const renewed = await nextToken();
    if (renewed === token) return answer;
    await answer.body?.cancel();
    return fetchWith(renewed);
  };

/** A client of the server at `baseUrl`. */
export const portico = ({
  baseUrl,
  apiKey,
  accessToken,
  userAgent,
  parseJson = JSON.parse,
  ...defaults
}: PorticoOptions): Portico => {
  const server = serverOf(baseUrl);
  const described = createClient<Operations>({
    baseUrl: server,
    headers: {
      accept: 'application/json',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
    },
  });

  const fetchOnce = accessToken
    ? fetchingWithToken(accessToken, server)
    : (request: Request, _name: string, init: Attempt) => fetch(request.clone(), init);

  const exchange = async (
    method: Method,
    path: string,
    { signal, timeoutSeconds, retries, reconnect, onRetry, ...init }: SendOptions & object = {},
  ) => {
    const chosen = { signal, timeoutSeconds, retries, reconnect, onRetry };
    const options = {
      ...defaults,
      ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    };
    const keyed = takesKey(method, path) ? withKey(init) : init;
    const exchanged = Promise.withResolvers<Exchange>();
    const sendIt = async (request: Request): Promise<Response> => {
      const { pathname, origin } = new URL(request.url);
      const name = `${request.method} ${pathname}`;
      const outgoing = {
        name,
        origin,
        repeatable: isRepeatable(method, path),
        streams: isLeftToRead(path) || request.headers.get('accept') === EVENT_STREAM,
        fetch: (attempt: Attempt) => fetchOnce(request, name, attempt),
      };
      exchanged.resolve(await send(outgoing, options));
      return new Response();
    };
    await (described.request as SendAs)(method, path, { ...keyed, fetch: sendIt });
    return exchanged.promise;
  };

  const parsed = (text: string, request: string, { status, headers }: Partial<Response> = {}): unknown => {
    try {
      return parseJson(text);
    } catch (cause) {
      const detail = 'the answer is not one of Portico';
      const requestId = headers?.get('x-request-id') ?? null;
      throw new PorticoError({ request, origin: server, status, code: 'not_portico', detail, requestId, cause });
    }
  };
  const read = ({ response, text }: Exchange, request: string): unknown => unwrapped(parsed(text, request, response));
  // Following events has retries of its own: it outlives a restart of the server.
  const following = { signal: defaults.signal, onRetry: defaults.onRetry, timeoutSeconds: defaults.timeoutSeconds };

  const operation =
    (method: Method) =>
    async (path: string, options: SendOptions = {}): Promise<unknown> =>
      read(await exchange(method, path, options), `${method.toUpperCase()} ${path}`);

  const client: Portico = {
    get: operation('get') as Operation<'get'>,
    post: operation('post') as Operation<'post'>,
    put: operation('put') as Operation<'put'>,
    patch: operation('patch') as Operation<'patch'>,
    delete: operation('delete') as Operation<'delete'>,
    exchange: (method, path, ...[options]) => exchange(method, path, options),

    upload: (agentId, files, { onUploaded, ...options } = {}) => {
      const urlsOf = async (named: readonly Schemas['NewFile'][]) => {
        const request = { params: { path: { agent_id: agentId } }, body: { files: named }, ...options };
        return (await client.post('/api/v1/agents/{agent_id}/upload-urls', request)).files;
      };
      return uploadFiles(files, urlsOf, { ...defaults, ...options, ...(onUploaded ? { onUploaded } : {}) });
    },

    waitForRun: (id, options = {}) => {
      const request = `GET /api/v1/runs/${id}`;
      const poll = async ({ wait, etag, ...sendOptions }: PollOptions) => {
        const params = { path: { id }, query: { wait }, header: { 'If-None-Match': etag ?? undefined } };
        const answer = await client.exchange('get', '/api/v1/runs/{id}', { params, ...sendOptions });
        return { ...answer, run: answer.response.status === 304 ? null : (read(answer, request) as RunDetail) };
      };
      const { signal = defaults.signal, timeoutSeconds = defaults.timeoutSeconds } = options;
      return waitForEnd(id, poll, { ...options, signal, timeoutSeconds });
    },

    events: (options = {}) =>
      followLog((query, sendOptions) => client.get('/api/v1/events', { params: { query }, ...sendOptions }), {
        ...following,
        ...options,
      }),

    async *runEvents(id, { after, ...options } = {}) {
      const path = '/api/v1/runs/{id}/events';
      const start = async () =>
        (await client.get(path, { params: { path: { id }, query: { after: 'now', limit: 1 } }, ...options })).next;
      const open: OpenStream = ({ lastEventId, ...query }, sendOptions) => {
        const params = { path: { id }, query, header: { 'Last-Event-ID': lastEventId } };
        const streaming = { params, headers: { accept: EVENT_STREAM } };
        return exchange('get', path, { ...streaming, ...sendOptions });
      };
      const parse = (text: string) => parsed(text, `GET ${path}`) as PorticoEvent;
      yield* followRun(open, parse, { ...following, ...options, after: after === 'now' ? await start() : after });
    },

    continueThread(id, message, options = {}) {
      const path = '/api/v1/threads/{id}/messages';
      const request = `POST ${path}`;
      const turn = { params: { path: { id } }, body: { message }, headers: { accept: EVENT_STREAM } };
      const open = (sendOptions: SendOptions) => exchange('post', path, { ...turn, ...sendOptions });
      return followTurn(
        { request, origin: server, open, parse: (text) => parsed(text, request) },
        { ...following, ...options },
      );
    },
  };
  return client;
};
