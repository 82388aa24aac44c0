interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request to the API with this key: a POST if there is a body, else a GET. */
export const sendToApi = (
  baseUrl: string,
  key: string,
  path: string,
  { body, headers, method = body === undefined ? 'GET' : 'POST', signal }: Sent = {},
): Promise<Response> =>
  fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });

/** The same with what was answered, as text and as JSON. */
export const callApi = async <Body>(...request: Parameters<typeof sendToApi>) => {
  const answer = await sendToApi(...request);
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Body };
};
