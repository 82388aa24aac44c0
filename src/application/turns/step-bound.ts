import type { StepBound } from '../ports/budgets.ts';
import type { ModelContent, ModelMessage, ModelTraits, StepRequest } from '../ports/models.ts';

/** A token seldom has fewer, whatever the language. */
const BYTES_PER_TOKEN = 2;
/** What a provider adds around a message or a tool. */
const TOKENS_AROUND = 20;
/** A picture takes no more; a page of a PDF that has no text has at least so many bytes for each token that it takes. */
const TOKENS_OF_PICTURE = 5000;
const BYTES_PER_NATIVE_TOKEN = 20;

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);

const sum = <T>(items: readonly T[], tokens: (item: T) => number): number =>
  items.reduce((total, item) => total + tokens(item) + TOKENS_AROUND, 0);

const contentTokens = (content: ModelContent): number => {
  if (content.type === 'file')
    return Math.max(TOKENS_OF_PICTURE, Math.ceil(content.data.length / BYTES_PER_NATIVE_TOKEN));
  return content.type === 'document' ? sum(content.pages, ({ text }) => tokensOf(text)) : tokensOf(content.text);
};

const messageTokens = (message: ModelMessage): number => {
  if (message.role === 'user') return sum(message.content, contentTokens);
  const calls = message.role === 'assistant' ? sum(message.toolCalls, (call) => tokensOf(JSON.stringify(call))) : 0;
  return tokensOf(message.text) + calls;
};

/** How much of the model a step takes at most: what it reads is counted, what it writes is what the request allows. */
export const stepBound = (
  { instructions, messages, tools, outputSchema }: StepRequest,
  { contextTokens, outputTokens }: ModelTraits,
): Omit<StepBound, 'pagesOcr'> => {
  const promptTokens =
    tokensOf(instructions) + sum(messages, messageTokens) + sum(tools, (tool) => tokensOf(JSON.stringify(tool)));
  const form = outputSchema === null ? 0 : tokensOf(JSON.stringify(outputSchema));
  const inputTokens = Math.min(contextTokens, promptTokens + form);
  // An answer without a bound of its own is made of what was read.
  return { inputTokens, outputTokens: outputTokens === 0 ? inputTokens : outputTokens };
};
