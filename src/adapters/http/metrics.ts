import type { ManagementPage } from './management.ts';

/** `/metrics`, in the text format of Prometheus. It is served on the management port alone: it tells how busy everybody is. */
export const metricsPage = (metrics: { expose(): Promise<{ contentType: string; body: string }> }): ManagementPage => ({
  path: '/metrics',
  answer: async () => ({ status: 200, ...(await metrics.expose()) }),
});
