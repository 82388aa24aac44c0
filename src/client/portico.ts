import createClient, { type ParamsOption } from 'openapi-fetch';
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
import type { components, paths } from './openapi.ts';
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

/** The tools of an agent are for clients of the Model Context Protocol. */
type Operations = Omit<paths, '/api/v1/agents/{agent_id}/mcp'>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathOf<M extends Method> = {
  [P in keyof Operations]: Operations[P] extends Record<M, object> ? P : never;
}[keyof Operations];
type Json<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;
type Success<O> = O extends { readonly responses: infer R } ? Json<R[Extract<keyof R, 200 | 201 | 202>]> : never;
type Answer<O> = Success<O> extends { readonly data: infer Data } ? Data : Success<O>;
type BodyOption<O> = O extends { readonly requestBody: infer R } ? { readonly body: Json<R> } : unknown;
type Options<O> = ParamsOption<O> & BodyOption<O> & SendOptions;
type Arguments<O> = Record<never, never> extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

/** Answers what stands under `data`, or the whole body where there is no such envelope. Throws a PorticoError. */
type Operation<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: Arguments<Operations[P][M]>
) => Promise<Answer<Operations[P][M]>>;

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

type HeadersOf<O> = O extends { readonly parameters: { readonly header?: infer H } } ? NonNullable<H> : never;
type TakesKey<O> = [HeadersOf<O>] extends [never] ? false : 'Idempotency-Key' extends keyof HeadersOf<O> ? true : false;
type KeyedPath<M extends Method> = {
  [P in PathOf<M>]: TakesKey<Operations[P][M & keyof Operations[P]]> extends true ? P : never;
}[PathOf<M>];

/** Requests that are sent with an `Idempotency-Key`, and do no more when they are sent twice because of it. */
const keyed: { readonly post: Record<KeyedPath<'post'>, true>; readonly patch: Record<KeyedPath<'patch'>, true> } = {
  post: {
    '/api/v1/agents/{agent_id}/run': true,
    '/api/v1/agents/{agent_id}/upload-urls': true,
    '/api/v1/runs/{id}/cancel': true,
    '/api/v1/runs/{id}/dismiss': true,
    '/api/v1/documents/batch': true,
    '/api/v1/documents/{id}': true,
    '/api/v1/documents/{id}/rehearsal': true,
    '/api/v1/documents/{id}/reread': true,
    '/api/v1/documents/{id}/restore': true,
    '/api/v1/documents/{id}/review': true,
    '/api/v1/approvals/{id}': true,
    '/api/v1/connections/{connection_id}/records': true,
    '/api/v1/connections/{connection_id}/records/rehearsal': true,
    '/api/v1/threads/{id}/messages': true,
    '/api/v1/sandbox-snapshots': true,
    '/api/v1/keys': true,
    '/api/v1/keys/{id}/rotate': true,
  },
  patch: { '/api/v1/connections/{connection_id}/records': true },
};

/** Others that do no more when they are sent twice. */
const repeatablePosts: ReadonlySet<string> = new Set<PathOf<'post'>>([
  '/api/v1/agents/{agent_id}/versions/{version}/publish',
  '/api/v1/query',
  '/api/v1/search-web',
]);

const takesKey = (method: Method, path: string) =>
  (method === 'post' || method === 'patch') && Object.hasOwn(keyed[method], path);

/** An answer that may be longer than the memory has room for, and one that is no text. */
const LEFT_TO_READ: ReadonlySet<string> = new Set<PathOf<'get'>>([
  '/api/v1/documents/export',
  '/api/v1/audit/export',
  '/api/v1/documents/{id}/files/{index}/pages/{page}',
  '/api/v1/runs/{id}/files/{index}/pages/{page}',
  // XML says itself in which encoding it is.
  '/api/v1/documents/{id}/files/{index}/einvoice',
]);
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

  const authorizedFetch = async (request: Request, name: string, init: Attempt): Promise<Response> => {
    if (!accessToken) return fetch(request.clone(), init);
    const { signal } = init;
    const nextToken = () =>
      unlessAborted(async () => accessToken(), signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        const detail = `accessToken gave no token: ${cause instanceof Error ? cause.message : cause}`;
        throw new PorticoError({ request: name, origin: server, code: 'no_answer', detail, cause });
      });
    const fetchWith = (token: string) => {
      const copy = request.clone();
      copy.headers.set('authorization', `Bearer ${token}`);
      return fetch(copy, init);
    };
    const token = await nextToken();
    const answer = await fetchWith(token);
    if (answer.status !== 401 || request.method !== 'GET') return answer;
    // A request that waits ends with its token, which may have been renewed since.
    const renewed = await nextToken();
    if (renewed === token) return answer;
    await answer.body?.cancel();
    return fetchWith(renewed);
  };

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
    const hasKey = takesKey(method, path);
    const repeatable =
      hasKey ||
      method === 'get' ||
      method === 'put' ||
      method === 'delete' ||
      (method === 'post' && repeatablePosts.has(path));
    let answer: Exchange | null = null;
    const over = async (request: Request): Promise<Response> => {
      const { pathname, origin } = new URL(request.url);
      const name = `${request.method} ${pathname}`;
      const streams = LEFT_TO_READ.has(path) || request.headers.get('accept') === EVENT_STREAM;
      answer = await send(
        {
          name,
          origin,
          repeatable,
          streams,
          fetch: (init) => authorizedFetch(request, name, init),
        },
        options,
      );
      return new Response();
    };
    await (described.request as SendAs)(method, path, { ...(hasKey ? withKey(init) : init), fetch: over });
    return answer as Exchange | null as Exchange;
  };
  const parsed = (text: string, request: string, { status, headers }: Partial<Response> = {}): unknown => {
    try {
      return parseJson(text);
    } catch (cause) {
      const failure = {
        request,
        origin: server,
        code: 'not_portico',
        detail: 'the answer is not one of Portico',
        cause,
      };
      throw new PorticoError({
        ...failure,
        ...(status && { status }),
        requestId: headers?.get('x-request-id') ?? null,
      });
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
