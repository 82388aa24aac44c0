import { ModelError } from '../../application/ports/models.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';

/** Far above any answer of a model; a server that streams without end is stopped here. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** A call as it came. */
export interface WireCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: JsonValue | undefined;
}

export const parsed = (text: unknown): JsonValue | undefined => {
  try {
    return typeof text === 'string' ? (parseJson(text) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
};

const listIn = (value: unknown, key: string): readonly unknown[] => {
  const member = isObject(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
};

/** Anthropic's blocks: arguments are JSON within the answer. */
const fromBlocks = (answer: unknown): readonly WireCall[] =>
  listIn(answer, 'content').flatMap((block) =>
    isObject(block) && block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, input: block.input as JsonValue | undefined }]
      : [],
  );

/** OpenAI's choices: arguments are JSON in a string. */
const fromChoices = (answer: unknown): readonly WireCall[] =>
  listIn(answer, 'choices')
    .slice(0, 1)
    .flatMap((choice) => listIn(isObject(choice) ? choice.message : undefined, 'tool_calls'))
    .flatMap((call) => {
      const { name, arguments: input } = isObject(call) && isObject(call.function) ? call.function : {};
      return isObject(call) ? [{ id: call.id, name, input: parsed(input) }] : [];
    });

/** Without it, `fetch` gives up after five minutes of silence, however long a step may take. */
const patient = async (): Promise<RequestInit> => {
  const { getGlobalDispatcher } = await import('undici');
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  );
  return { dispatcher } as unknown as RequestInit;
};

/** `fetch` that keeps an answer as it came, unless it is a stream: what the SDK makes of it has lost digits of long numbers. */
export const keptAnswer = () => {
  let chunks: Uint8Array[] = [];
  const keep = (isStream: boolean) => {
    let size = 0;
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (!isStream) chunks.push(chunk);
        if (size > MAX_ANSWER_BYTES)
          controller.error(new ModelError('model_error', 'The model provider sent an answer that is too large.'));
        else controller.enqueue(chunk);
      },
    });
  };
  return {
    async fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
      // A redirect would carry the key to another host.
      const { body, status, statusText, headers } = await fetch(input, {
        ...init,
        ...(await patient()),
        redirect: 'manual',
      });
      chunks = [];
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
      return new Response(body?.pipeThrough(keep(isStream)) ?? null, { status, statusText, headers });
    },
    /** The arguments of each call, in the order of the answer. */
    calls(): readonly WireCall[] {
      const answer = parsed(Buffer.concat(chunks).toString());
      return [...fromChoices(answer), ...fromBlocks(answer)];
    },
  };
};
