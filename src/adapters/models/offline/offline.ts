import type { Draft, ModelContent, ModelTraits, Step, StepRequest } from '../../../application/ports/models.ts';
import { inSlices } from '../../../application/shared/async.ts';
import { DIVISION } from '../../../domain/routing/question.ts';
import { converse } from './converse.ts';
import { divide } from './divide.ts';
import { extract } from './extract.ts';
import { searchQuestion, summarise } from './search.ts';

/** The model reads line by line, so it takes texts of any length. */
export const offlineTraits: ModelTraits = { images: false, pdf: false, contextTokens: 10_000_000, outputTokens: 0 };

const tokens = (characters: number) => Math.ceil(characters / 4);

const textsIn = (content: ModelContent): readonly string[] => {
  if (content.type === 'file') return [];
  return content.type === 'document' ? content.pages.map(({ text }) => text) : [content.text];
};

const inputCharacters = ({ instructions, messages, tools }: StepRequest): number => {
  const texts = messages.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap(textsIn) : [message.text],
  );
  return [instructions, ...texts, ...tools.map(({ name, description }) => name + description)].reduce(
    (sum, text) => sum + text.length,
    0,
  );
};

function* answer(request: StepRequest): Generator<void, Pick<Step, 'text' | 'toolCalls'>> {
  const { outputSchema, messages } = request;
  if (outputSchema?.title === DIVISION) return { text: yield* divide(messages), toolCalls: [] };
  if (outputSchema !== null) return { text: yield* extract(outputSchema, messages), toolCalls: [] };
  const question = searchQuestion(messages);
  return question === null ? converse(request) : { text: yield* summarise(question), toolCalls: [] };
}

/** Writes line by line, between which others may run: that is how the words of a real model come. */
const writeLines = async (draft: Draft, text: string, signal: AbortSignal | undefined) => {
  draft.begin();
  for (const line of text.split(/(?<=\n)/)) {
    draft.write(line);
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
};

/**
 * The honest, deterministic stand-in for a language model. It needs no network: it fills a schema from labels and tables,
 * obeys `/tool_name {json}` and quotes the pages of a web search. It invents nothing.
 */
export const offlineStep = async (
  request: StepRequest,
  signal?: AbortSignal,
  draft: Draft | null = null,
): Promise<Step> => {
  const { text, toolCalls } = await inSlices(answer(request), signal);
  signal?.throwIfAborted();
  if (draft !== null) await writeLines(draft, text, signal);
  const written = text.length + (toolCalls.length === 0 ? 0 : JSON.stringify(toolCalls).length);
  const usage = { inputTokens: tokens(inputCharacters(request)), outputTokens: tokens(written) };
  return { text, toolCalls, finish: toolCalls.length > 0 ? 'tool_calls' : 'stop', usage };
};
