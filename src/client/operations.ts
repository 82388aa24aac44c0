import type { ParamsOption } from 'openapi-fetch';
import type { paths } from './openapi.ts';
import type { SendOptions } from './send.ts';

/** The tools of an agent are for clients of the Model Context Protocol. */
export type Operations = Omit<paths, '/api/v1/agents/{agent_id}/mcp'>;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathOf<M extends Method> = {
  [P in keyof Operations]: Operations[P] extends Record<M, object> ? P : never;
}[keyof Operations];
type Json<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;
type Success<O> = O extends { readonly responses: infer R } ? Json<R[Extract<keyof R, 200 | 201 | 202>]> : never;
type Answer<O> = Success<O> extends { readonly data: infer Data } ? Data : Success<O>;
type BodyOption<O> = O extends { readonly requestBody: infer R } ? { readonly body: Json<R> } : unknown;
type Options<O> = ParamsOption<O> & BodyOption<O> & SendOptions;
export type Arguments<O> = Record<never, never> extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

/** Answers what stands under `data`, or the whole body where there is no such envelope. Throws a PorticoError. */
export type Operation<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: Arguments<Operations[P][M]>
) => Promise<Answer<Operations[P][M]>>;

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

/** Whether a request is sent with an `Idempotency-Key`. */
export const takesKey = (method: Method, path: string) =>
  (method === 'post' || method === 'patch') && Object.hasOwn(keyed[method], path);

/** An answer that may be longer than the memory has room for, and one that is no text. */
const leftToRead: ReadonlySet<string> = new Set<PathOf<'get'>>([
  '/api/v1/documents/export',
  '/api/v1/audit/export',
  '/api/v1/documents/{id}/files/{index}/pages/{page}',
  '/api/v1/runs/{id}/files/{index}/pages/{page}',
  // XML says itself in which encoding it is.
  '/api/v1/documents/{id}/files/{index}/einvoice',
]);

/** Whether the answer is left for its caller to read as it comes. */
export const isLeftToRead = (path: string) => leftToRead.has(path);

const repeatableMethods: ReadonlySet<Method> = new Set(['get', 'put', 'delete']);

/** Whether a request that is sent twice does no more than one that is sent once. */
export const isRepeatable = (method: Method, path: string) =>
  takesKey(method, path) || repeatableMethods.has(method) || (method === 'post' && repeatablePosts.has(path));
