import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Something that whoever runs the server asks of it: needs no credential, is counted by no limit, and tells no secret. */
export interface ManagementPage {
  readonly path: string;
  answer(): Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;
}

const refusal = (status: number, code: string, detail: string) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ detail, status, code }),
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
