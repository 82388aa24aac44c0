import type { Exchange, Schemas } from '../../../../../client/portico.ts';
import { parseJson } from '../../../../../domain/json-number.ts';
import { api } from '../../api.ts';
import { askedOf, type Division } from '../../division/division.ts';
import { reading } from '../../queries.ts';

export type Detail = Schemas['RunDetail'];

/** A run, and the tag by which a change of its parts names what it was made from. */
export interface TaggedRun {
  readonly run: Detail;
  readonly etag: string;
}

const tagged = ({ response, text }: Exchange): TaggedRun => ({
  run: (parseJson(text) as { data: Detail }).data,
  etag: response.headers.get('etag') ?? '""',
});

export const readRun = async (id: string, signal?: AbortSignal): Promise<TaggedRun> =>
  tagged(await api.exchange('get', '/api/v1/runs/{id}', { params: { path: { id } }, ...(signal && { signal }) }));

export const runOf = (id: string) => reading(['run', id], (_, signal) => readRun(id, signal));

export const sendParts = async (id: string, etag: string, division: Division): Promise<TaggedRun> =>
  tagged(
    await api.exchange('patch', '/api/v1/runs/{id}/parts', {
      params: { path: { id }, header: { 'if-match': etag } },
      body: { parts: askedOf(division) },
    }),
  );

/** Files of a run do not change once they are divided. */
const FRESH_MS = 600_000;

/** The pages of all files, in one request. */
export const pagesOf = (id: string, isOver: boolean) =>
  reading(
    ['run files', id],
    (get) => get('/api/v1/runs/{id}/files', { params: { path: { id } } }),
    isOver ? FRESH_MS : 0,
  );

export const runPage = (
  path: { readonly id: string; readonly index: number; readonly page: number },
  width: number,
  signal: AbortSignal,
) =>
  api.exchange('get', '/api/v1/runs/{id}/files/{index}/pages/{page}', { params: { path, query: { width } }, signal });
