import type { ModelContent, ModelTraits, Step, StepRequest } from '../../../application/ports/models.ts';
import { converse } from './converse.ts';
import { extract } from './extract.ts';
import { type Pace, pacer } from './pace.ts';
import { searchQuestion, summarise } from './search.ts';

/** It reads line by line, so that length does not matter to it. */
export const offlineTraits: ModelTraits = { images: false, pdf: false, contextTokens: 10_000_000 };

const tokens = (characters: number) => Math.ceil(characters / 4);

const textsIn = (content: ModelContent): readonly string[] => {
  if (content.type === 'file') return [];
  return content.type === 'document' ? content.pages.map(({ text }) => text) : [content.text];
};

const inputCharacters = ({ instructions, messages, tools }: StepRequest): number => {
  const texts = messages.flatMap((message) => (message.role === 'user' ? message.content.flatMap(textsIn) : [message.text]));
  return [instructions, ...texts, ...tools.map(({ name, description }) => name + description)].reduce((sum, text) => sum + text.length, 0);
};

const answer = async (request: StepRequest, pace: Pace): Promise<Pick<Step, 'text' | 'toolCalls'>> => {
  const { outputSchema, messages } = request;
  if (outputSchema !== null) return { text: await extract(outputSchema, messages, pace), toolCalls: [] };
  const question = searchQuestion(messages);
  return question === null ? converse(request, pace) : { text: await summarise(question, pace), toolCalls: [] };
};

/**
 * The honest, deterministic stand-in for a language model. It needs no network: it fills a schema from labels and tables,
 * obeys `/tool_name {json}` and quotes the pages of a web search. It invents nothing.
 */
export const offlineStep = async (request: StepRequest, signal?: AbortSignal): Promise<Step> => {
  const { text, toolCalls } = await answer(request, pacer(signal));
  signal?.throwIfAborted();
  const said = text.length + (toolCalls.length === 0 ? 0 : JSON.stringify(toolCalls).length);
  const usage = { inputTokens: tokens(inputCharacters(request)), outputTokens: tokens(said) };
  return { text, toolCalls, finish: toolCalls.length > 0 ? 'tool_calls' : 'stop', usage };
};
