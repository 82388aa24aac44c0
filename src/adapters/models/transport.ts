/** Far above any answer of a model; a server that streams without end is stopped here. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const limited = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
  let size = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER_BYTES) controller.error(new Error('the answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(count);
};

/** `fetch` that follows no redirect (it would carry the key to another host) and bounds the answer. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  return new Response(limited(response.body), { status: response.status, statusText: response.statusText, headers: response.headers });
};
