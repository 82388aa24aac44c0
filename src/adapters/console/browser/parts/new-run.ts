import type { Schemas } from '../../../../client/portico.ts';
import { api, untilAnswered } from '../api.ts';

type Asked = {
  readonly files?: readonly Schemas['UploadedFile'][];
  readonly process_together?: boolean;
  readonly user_message?: string | null;
  readonly trial?: boolean;
};

/** Starts a run, by one key, so that it is one run however many answers are lost with the connection. */
export const newRun = (agentId: string, body: Asked, signal?: AbortSignal): Promise<Schemas['Run']> => {
  const header = { 'Idempotency-Key': crypto.randomUUID() };
  const request = { params: { path: { agent_id: agentId }, header }, body, signal };
  return untilAnswered(() => api.post('/api/v1/agents/{agent_id}/run', request), signal);
};
