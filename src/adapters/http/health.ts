import type { HealthService } from '../../application/health.ts';
import type { ManagementPage } from './management.ts';

const contentType = 'application/json';

/** `/healthz`: this process is alive. `/readyz`: whether it wants requests, and the state of what it depends on. */
export const healthPages = (health: HealthService): readonly ManagementPage[] => [
  { path: '/healthz', answer: async () => ({ status: 200, contentType, body: '{"status":"ok"}' }) },
  {
    path: '/readyz',
    async answer() {
      const readiness = await health.readiness();
      const wanted = readiness.status === 'ok' || readiness.status === 'degraded';
      return { status: wanted ? 200 : 503, contentType, body: JSON.stringify(readiness) };
    },
  },
];
