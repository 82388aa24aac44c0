import type { Agent } from '../../domain/agent.ts';
import type { Coverage } from '../../domain/coverage.ts';
import type { DocumentEInvoice, Evidence } from '../../domain/document.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonSchema, resolvePointer } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import {
  type DocumentPart,
  type MergedDocument,
  mergeDocuments,
  withEmptyValues,
} from '../../domain/merged-document.ts';
import type { Contradiction } from '../../domain/review.ts';
import { shorten } from '../../domain/text.ts';
import { inSlices } from '../shared/async.ts';
import { caution } from '../shared/fence.ts';
import type { ContextWindow } from './context-window.ts';
import type { Conversation } from './conversation.ts';
import { type SupportedQuote, supported, trueQuotes } from './evidence.ts';
import { extractionSchema } from './extraction-schemas.ts';
import type { ReadFile } from './file-reader.ts';
import { UnitFailure } from './unit-failure.ts';

export interface ExtractedDocument {
  readonly data: JsonObject;
  readonly evidence: Readonly<Record<string, Evidence>>;
  readonly coverage: Coverage;
  readonly einvoice: DocumentEInvoice | null;
  readonly contradictions: readonly Contradiction[];
  /** SHA-256 of each of its files. */
  readonly fileHashes: readonly string[];
  /** How many of their pages OCR has read. */
  readonly pagesOcr: number;
}

/** A document as a model answered it, with those of its quotes that stand in the files. */
export type AnsweredDocument = DocumentPart<SupportedQuote>;

/** What a model is asked for. */
export interface Task {
  /** That of the agent, which all the files together are to fit. */
  readonly schema: JsonSchema;
  /** That of a part of the files; null if all of them are asked about at once. */
  readonly part: JsonSchema | null;
  /** What stands in the part. */
  readonly files: readonly ReadFile[];
  /** What the parts before gave, if this is the last one of several: together they are to fit; else null. */
  readonly before: MergedDocument<SupportedQuote> | null;
}

/** What is wrong with an answer, or, if it is that of the last part of the files, with all parts together. */
interface Refused {
  readonly errors: readonly ValidationError[];
  readonly together?: boolean;
}

type Checked = { readonly document: AnsweredDocument } | Refused;

const parsed = (text: string): unknown => {
  const unfenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseJson(unfenced);
  } catch {
    return undefined;
  }
};

function* evidenced(data: JsonObject, claims: unknown, files: readonly ReadFile[]): Generator<void, AnsweredDocument> {
  const quotes = yield* trueQuotes(
    claims,
    data,
    files.flatMap(({ parts }) => parts),
  );
  return { data, evidence: yield* supported(data, quotes) };
}

/** The document of an answer, with the evidence that is true; or what is wrong with it. */
const check = async (conversation: Conversation, task: Task, text: string): Promise<Checked> => {
  const { schema, part, files, before } = task;
  const answer = parsed(text);
  if (!isObject(answer) || !isObject(answer.document))
    return { errors: [{ path: '', message: 'must be JSON of the form {"document": {…}, "evidence": […]}' }] };
  const extracted = answer.document as JsonObject;
  const { data, errors } =
    part === null
      ? { data: extracted, errors: await conversation.errorsOf(schema, extracted) }
      : await withEmptyValues(extracted, (fitted) => conversation.errorsOf(part, fitted));
  if (errors.length > 0) return { errors };
  const document = await inSlices(evidenced(data, answer.evidence, files), conversation.signal);
  if (before === null) return { document };
  const merged = await withEmptyValues(mergeDocuments(before, document).data, (fitted) =>
    conversation.errorsOf(schema, fitted),
  );
  return merged.errors.length === 0 ? { document } : { errors: merged.errors, together: true };
};

const MAX_SHOWN = 200;

/** The evidence that supports nothing, as what is wrong with an answer. */
const unsupported = ({ data, evidence }: AnsweredDocument): readonly ValidationError[] =>
  evidence.flatMap(({ pointer: path, support, quote }) => {
    if (support !== 'none') return [];
    const value = shorten(JSON.stringify(resolvePointer(data, path)), MAX_SHOWN);
    return [
      { path, message: `is ${value}, which does not stand in its quote ${JSON.stringify(shorten(quote, MAX_SHOWN))}` },
    ];
  });

const extraction = `Extract one document from what the user gives you, as JSON by the given schema.
Take every value from the files or the message; where a value is not there, use null (or leave it out where the schema lets you). Never guess.
For each value you extract, add an entry to "evidence" whose quote is copied verbatim from the file, with its file name and page.`;

export const instructionsFor = (agent: Agent, fence: string): string =>
  [agent.instructions.trim(), agent.documentSchema === null ? '' : extraction, caution(fence)]
    .filter((part) => part !== '')
    .join('\n\n');

const listed = (errors: readonly ValidationError[]) =>
  errors.map(({ path, message }) => `- ${path === '' ? 'the answer' : path} ${message}`).join('\n');

/** Asks for a corrected answer, naming every error. */
const repairMessage = ({ errors, together = false }: Refused): string =>
  together
    ? `Your answer is that of the last part of the files, and all parts together do not fit the schema:\n${listed(errors)}\n` +
      'Answer this part again, with the whole corrected JSON and nothing else. Leave out what does not stand in it.'
    : `Your answer does not fit the schema:\n${listed(errors)}\nAnswer again with the whole corrected JSON and nothing else.`;

const MOST_NAMED = 50;

/** Asks for evidence that supports its values. */
const supportMessage = (errors: readonly ValidationError[]): string => {
  const more = errors.length > MOST_NAMED ? `\nThe same is wrong with ${errors.length - MOST_NAMED} more.` : '';
  return `Your answer fits the schema, but some of its evidence does not support its value:
${listed(errors.slice(0, MOST_NAMED))}${more}
Correct the value if it is wrong, else quote the words of the file that have it. Answer again with the whole corrected JSON and nothing else.`;
};

/** How often a model may correct an answer that does not fit the schema, or whose evidence supports nothing. */
const REPAIRS = 1;

const mayRepair = ({ messages }: ContextWindow): boolean =>
  messages.filter(({ role }) => role === 'user').length - 1 < REPAIRS;

export const misfit = (errors: readonly ValidationError[]): UnitFailure => {
  const named = errors.slice(0, 5).map(({ path, message }) => `${path || 'it'} ${message}`);
  return new UnitFailure(
    'invalid_output',
    `The model's answer does not fit the agent's document schema: ${named.join('; ')}.`,
  );
};

/** A model whose answer fits the schema is asked for better evidence alone: the newest such answer counts if no better one comes. */
export const answeredBefore = async (
  conversation: Conversation,
  window: ContextWindow,
  task: Task,
): Promise<AnsweredDocument | null> => {
  for (const { role, content, toolCalls } of window.sinceQuestion().toReversed()) {
    if (role !== 'assistant' || toolCalls.length > 0) continue;
    const checked = await check(conversation, task, content);
    if ('document' in checked) return checked.document;
  }
  return null;
};

/** The document of an answer. Throws UnitFailure if the answer does not fit the schema. */
const fittingDocument = (checked: Checked): AnsweredDocument => {
  if ('document' in checked) return checked.document;
  throw misfit(checked.errors);
};

/** `errors`: of the answer, or of the evidence of its document. */
const askForRepair = (
  conversation: Conversation,
  checked: Checked,
  errors: readonly ValidationError[],
): Promise<void> => {
  const isDocument = 'document' in checked;
  conversation.noteRetry(isDocument ? 'unsupported_evidence' : 'invalid_output');
  return conversation.instruct(isDocument ? supportMessage(errors) : repairMessage(checked));
};

/** Asks until an answer fits. */
const untilItFits = async (
  conversation: Conversation,
  window: ContextWindow,
  task: Task,
): Promise<AnsweredDocument> => {
  const { schema, part } = task;
  const outputSchema = extractionSchema(part ?? schema);
  for (;;) {
    conversation.signal.throwIfAborted();
    const { answer } = window;
    if (answer !== null) {
      const checked = await check(conversation, task, answer);
      const errors = 'document' in checked ? unsupported(checked.document) : checked.errors;
      if (errors.length === 0 || !mayRepair(window)) return fittingDocument(checked);
      conversation.mustHaveSteps(window);
      await askForRepair(conversation, checked, errors);
    }
    const calls = await conversation.ask(window, outputSchema);
    await conversation.call(window, calls);
  }
};

/** The document that the model extracts from a window of the files. Rejects with TooLong if it is to be asked about less of them. */
export const extract = async (
  conversation: Conversation,
  window: ContextWindow,
  task: Task,
): Promise<AnsweredDocument> => {
  await conversation.resume(window);
  try {
    return await untilItFits(conversation, window, task);
  } catch (error) {
    const isOver = conversation.signal.aborted || !(error instanceof UnitFailure);
    const before = isOver ? null : await answeredBefore(conversation, window, task);
    if (before === null) throw error;
    return before;
  }
};
