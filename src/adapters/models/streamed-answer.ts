import type { LanguageModelMiddleware } from 'ai';
import type { Draft } from '../../application/ports/models.ts';
import { NoStream, StreamedError } from './provider-errors.ts';
import { parsed, type WireCall } from './transport.ts';

type Generate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type Streaming = Awaited<ReturnType<Parameters<Generate>[0]['doStream']>>;
type Part = Streaming['stream'] extends ReadableStream<infer P> ? P : never;
type Only<T extends Part['type']> = Extract<Part, { readonly type: T }>;

/** What has arrived of an answer. */
interface Arrived {
  text: string;
  readonly calls: Only<'tool-call'>[];
  metadata: Only<'response-metadata'> | null;
  end: Only<'finish'> | null;
}

/** Both providers end an answer with the reason of its end. Without it, the connection broke, or there was no stream at all. */
const incomplete = ({ metadata }: Arrived): Error =>
  metadata === null ? new NoStream() : Object.assign(new Error('the answer broke off'), { code: 'ECONNRESET' });

const failure = (arrived: Arrived, error: unknown): Error => {
  if (!(error instanceof Error)) return new StreamedError(error);
  return error.name === 'AI_InvalidResponseDataError' ? incomplete(arrived) : error;
};

const read = async (stream: Streaming['stream'], draft: Draft): Promise<Arrived> => {
  const arrived: Arrived = { text: '', calls: [], metadata: null, end: null };
  for await (const part of stream) {
    if (part.type === 'error') throw failure(arrived, part.error);
    if (part.type === 'text-delta') {
      arrived.text += part.delta;
      draft.write(part.delta);
    }
    if (part.type === 'tool-call') arrived.calls.push(part);
    if (part.type === 'response-metadata') arrived.metadata = part;
    if (part.type === 'finish') arrived.end = part;
  }
  return arrived;
};

/** An answer that is read from a stream. */
export const streamedAnswer = (draft: Draft) => {
  let calls: readonly WireCall[] = [];
  const wrapGenerate: Generate = async ({ doStream }) => {
    const { stream } = await doStream();
    const arrived = await read(stream, draft);
    const { text, metadata, end } = arrived;
    if (end === null || end.finishReason.unified === 'interrupted') throw incomplete(arrived);
    calls = arrived.calls.map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input: parsed(input) }));
    const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...arrived.calls];
    const response = metadata?.modelId === undefined ? {} : { modelId: metadata.modelId };
    return { content, finishReason: end.finishReason, usage: end.usage, warnings: [], response };
  };
  return {
    /** Lets `generateText` have its answer from a stream: whatever is made of the answer is the same then as without one. */
    middleware: { wrapGenerate },
    /** The arguments of each call with every digit, in the order of the answer. */
    calls: () => calls,
  };
};
