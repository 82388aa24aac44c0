interface Problem {
  readonly status: number;
  readonly code: string;
  readonly headers?: Record<string, string>;
}

/** An error as the server answers it, for a route of the browser that stands in for it. */
const problem = ({ status, code, headers = {} }: Problem) => ({
  status,
  headers,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status, code, title: code, detail: 'Try again.', errors: [] }),
});

export const busyFor = (seconds: number) =>
  problem({ status: 503, code: 'busy', headers: { 'Retry-After': String(seconds) } });

export const refusedToken = problem({ status: 401, code: 'unauthorized' });
