import type { Schemas } from '../../../../client/portico.ts';
import { api, untilAnswered } from '../api.ts';

const WAIT_SECONDS = 25;

/** The run, once it has come to its end, across lost connections. */
export const endedRun = async (id: string, signal?: AbortSignal): Promise<Schemas['RunDetail']> => {
  const params = { path: { id }, query: { wait: WAIT_SECONDS } };
  for (;;) {
    const run = await untilAnswered(() => api.get('/api/v1/runs/{id}', { params, signal }), signal);
    if (run.completed_at !== null) return run;
  }
};
