import { isObject, type JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';

interface WireCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: JsonValue | undefined;
}

/** An answer of a provider, kept as it came: what the SDK makes of it has lost digits of long numbers. */
export interface KeptAnswer {
  readonly fetch: typeof fetch;
  /** The arguments of each call, in the order of the answer. */
  calls(): readonly WireCall[];
}

const parsed = (text: unknown): JsonValue | undefined => {
  try {
    return typeof text === 'string' ? (parseJson(text) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
};

const listIn = (value: unknown, key: string): readonly unknown[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

/** Anthropic's blocks: arguments are JSON within the answer. */
const fromBlocks = (answer: unknown): readonly WireCall[] =>
  listIn(answer, 'content').flatMap((block) =>
    isObject(block) && block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input as JsonValue | undefined }] : [],
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

export const keptAnswer = (send: typeof fetch): KeptAnswer => {
  let chunks: Uint8Array[] = [];
  const keep = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        chunks.push(chunk);
        controller.enqueue(chunk);
      },
    });
  return {
    async fetch(input, init) {
      const { body, status, statusText, headers } = await send(input, init);
      chunks = [];
      return new Response(body?.pipeThrough(keep()) ?? null, { status, statusText, headers });
    },
    calls() {
      const answer = parsed(Buffer.concat(chunks).toString());
      return [...fromChoices(answer), ...fromBlocks(answer)];
    },
  };
};
