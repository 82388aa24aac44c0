import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';

const FRESH_MS = 60_000;

/** Who is signed in; null until it is known. */
export const useWho = () => {
  const { data } = useLoaded('whoami', (signal) => api.get('/api/v1/whoami', { signal }), { freshMs: FRESH_MS });
  return data;
};
