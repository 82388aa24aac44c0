import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HealthService } from '../../application/upkeep/health.ts';

/** A page for the operator of the server: it needs no credential, counts against no limit, and shows no secret. */
interface ManagementPage {
  readonly path: string;
  answer(): Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;
}

const json = (status: number, body: object) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});
const refusal = (status: number, code: string, detail: string) => json(status, { detail, status, code });

/** `/healthz`: this process is alive. `/readyz`: whether it wants requests, and the state of what it depends on. */
export const healthPages = (health: HealthService): readonly ManagementPage[] => [
  { path: '/healthz', answer: async () => json(200, { status: 'ok' }) },
  {
    path: '/readyz',
    async answer() {
      const readiness = await health.readiness();
      return json(readiness.status === 'ok' || readiness.status === 'degraded' ? 200 : 503, readiness);
    },
  },
];

/** `/metrics`, in the text format of Prometheus, on the management port alone: it shows how busy every workspace is. */
export const metricsPage = (metrics: { expose(): Promise<{ contentType: string; body: string }> }): ManagementPage => ({
  path: '/metrics',
  answer: async () => ({ status: 200, ...(await metrics.expose()) }),
});

const send = async ({ answer }: Pick<ManagementPage, 'answer'>, req: IncomingMessage, res: ServerResponse) => {
  const takes = req.method === 'GET' || req.method === 'HEAD';
  if (!takes) res.setHeader('Allow', 'GET, HEAD');
  const { status, contentType, body } = takes
    ? await answer().catch(() => refusal(500, 'internal', 'Something went wrong on our side.'))
    : refusal(405, 'method_not_allowed', `This path takes GET and HEAD, not ${req.method}.`);
  res.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
};

const nothingHere: RequestListener = (req, res) =>
  void send({ answer: async () => refusal(404, 'not_found', 'There is nothing at this address.') }, req, res);

/** Answers the pages, and leaves everything else to `next`. */
export const management = (pages: readonly ManagementPage[], next: RequestListener = nothingHere): RequestListener => {
  const at = new Map(pages.map((page) => [page.path, page]));
  return (req, res) => {
    const page = at.get(req.url?.split('?', 1)[0] ?? '');
    if (page) void send(page, req, res);
    else next(req, res);
  };
};
