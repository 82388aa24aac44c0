import type { Agent } from '../../domain/agent.ts';
import { type Coverage, type Evidence, evidenceOf } from '../../domain/document.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { type Support, supportOf } from '../../domain/evidence-support.ts';
import {
  isObject,
  isPointer,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  resolvePointer,
} from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { DocumentPart } from '../../domain/merged-document.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import { placeQuotes } from '../../domain/quote-places.ts';
import type { Contradiction } from '../../domain/review.ts';
import { shorten } from '../../domain/text.ts';
import type { FilePart } from '../ports/text.ts';
import { inSlices } from '../shared/async.ts';
import { caution } from '../shared/fence.ts';
import type { ReadFile } from './file-reader.ts';

export interface ExtractedDocument {
  readonly data: JsonObject;
  readonly evidence: Readonly<Record<string, Evidence>>;
  readonly coverage: Coverage;
  readonly contradictions: readonly Contradiction[];
  /** SHA-256 of each of its files. */
  readonly fileHashes: readonly string[];
}

/** A document as a model answered it, with those of its quotes that stand in the files. */
export type AnsweredDocument = DocumentPart<SupportedQuote>;

/** What is wrong with an answer, or, if it is that of the last part of the files, with all parts together. */
interface Refused {
  readonly errors: readonly ValidationError[];
  readonly together?: boolean;
}

export type Checked = { readonly document: AnsweredDocument } | Refused;

/** What is wrong with the data of an answer, and the data as they fit if nothing is. */
export type Fit = (
  data: JsonObject,
) => Promise<{ readonly data: JsonObject; readonly errors: readonly ValidationError[] }>;

const parsed = (text: string): unknown => {
  const unfenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseJson(unfenced);
  } catch {
    return undefined;
  }
};

function* evidenced(data: JsonObject, given: unknown, read: readonly ReadFile[]): Generator<void, AnsweredDocument> {
  const parts = read.flatMap((file) => file.parts);
  const quotes = yield* trueQuotes(given, data, parts);
  return { data, evidence: yield* supported(data, quotes) };
}

/** The document of an extraction's answer, with the evidence that is true; or what is wrong with it. */
export const checkAnswer = async (
  text: string,
  fit: Fit,
  read: readonly ReadFile[],
  signal: AbortSignal,
): Promise<Checked> => {
  const answer = parsed(text);
  if (!isObject(answer) || !isObject(answer.document))
    return { errors: [{ path: '', message: 'must be JSON of the form {"document": {…}, "evidence": […]}' }] };
  const { data, errors } = await fit(answer.document as JsonObject);
  if (errors.length > 0) return { errors };
  return { document: await inSlices(evidenced(data, answer.evidence, read), signal) };
};

const MAX_QUOTE = 2000;
const MAX_ORIGINAL = 2 * MAX_QUOTE;
const MAX_SHOWN = 200;

/** Line breaks and runs of blanks are layout: a quote stands in a text when it does so with blanks folded. */
const folded = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Page {
  readonly fileName: string;
  readonly number: number | null;
  readonly text: string;
  readonly layout: PageLayout | null;
}

type Pages = Pick<FilePart, 'fileName' | 'pages' | 'layouts'>;

const pagesOf = (parts: readonly Pages[]): readonly Page[] =>
  parts.flatMap(({ fileName, pages, layouts }) => {
    const byNumber = new Map(layouts.map((layout) => [layout.number, layout]));
    return pages.map(({ number, text }) => {
      const layout = number === null ? null : (byNumber.get(number) ?? null);
      return { fileName, number, text: folded(text), layout };
    });
  });

/** Finds where a quote really stands: on the page that the model named if it does, else on the first that has it. */
const quoteFinder = (pages: readonly Page[]) => {
  const named = Map.groupBy(pages, ({ fileName, number }) => JSON.stringify([fileName, number]));
  return (quote: string, fileName: unknown, page: unknown): Page | undefined => {
    const hasIt = ({ text }: Page) => text.includes(quote);
    const given = named.get(JSON.stringify([fileName, page ?? null]))?.find(hasIt);
    return given ?? pages.find((each) => each.fileName === fileName && hasIt(each)) ?? pages.find(hasIt);
  };
};

const isLeaf = (value: JsonValue | undefined) =>
  value !== undefined && value !== null && !isObject(value) && !Array.isArray(value);

interface Quoted {
  readonly pointer: string;
  readonly quote: string;
  /** The quote with its tabs and line breaks: they end a number, which a blank may not. */
  readonly original: string;
  readonly page: Page;
}

/** What is true of a model's evidence: the pointer names an extracted leaf, and the quote stands verbatim in a file. */
export function* trueQuotes(
  given: unknown,
  document: JsonObject,
  parts: readonly Pages[],
): Generator<void, readonly Quoted[]> {
  const find = quoteFinder(pagesOf(parts));
  const quoted = new Map<string, Quoted>();
  for (const entry of Array.isArray(given) ? given : []) {
    yield;
    if (!isObject(entry) || typeof entry.pointer !== 'string' || typeof entry.quote !== 'string') continue;
    const { pointer } = entry;
    const quote = folded(entry.quote);
    if (quote === '' || quote.length > MAX_QUOTE || !isPointer(pointer) || !isLeaf(resolvePointer(document, pointer)))
      continue;
    const page = find(quote, entry.file_name, entry.page);
    if (page)
      quoted.set(pointer, { pointer, quote, original: entry.quote.length > MAX_ORIGINAL ? quote : entry.quote, page });
  }
  return [...quoted.values()];
}

/** A quote that stands in a file, and how it supports its value. */
export interface SupportedQuote extends Quoted {
  readonly support: Support;
}

/** Adds to each quote how it supports its value. */
export function* supported(
  document: JsonObject,
  quotes: readonly Quoted[],
): Generator<void, readonly SupportedQuote[]> {
  const support = yield* supportOf(
    document,
    quotes.map(({ pointer, original }) => ({ pointer, quote: original })),
  );
  return quotes.map((each) => ({ ...each, support: support.get(each.pointer) ?? 'none' }));
}

/** The quotes as evidence by pointer, with the places where they stand. */
export function* placed(quotes: readonly SupportedQuote[]): Generator<void, Readonly<Record<string, Evidence>>> {
  const places = yield* placeQuotes(
    quotes.flatMap(({ pointer, quote, page: { layout } }) => (layout === null ? [] : [{ pointer, quote, layout }])),
  );
  const evidence = quotes.map(({ pointer, quote, support, page: { fileName, number: page, layout } }) => {
    const source = layout?.source ?? 'text';
    return [pointer, evidenceOf({ quote, fileName, page, source, support, ...places.get(pointer) })] as const;
  });
  return Object.fromEntries(evidence);
}

/** The evidence that supports nothing, as what is wrong with an answer. */
export const unsupported = ({ data, evidence }: AnsweredDocument): readonly ValidationError[] =>
  evidence.flatMap(({ pointer: path, support, quote }) => {
    if (support !== 'none') return [];
    const value = shorten(JSON.stringify(resolvePointer(data, path)), MAX_SHOWN);
    return [
      { path, message: `is ${value}, which does not stand in its quote ${JSON.stringify(shorten(quote, MAX_SHOWN))}` },
    ];
  });

const evidenceSchema: JsonSchema = {
  type: 'array',
  description: 'For each extracted value: where it stands. The quote must be copied verbatim from the file.',
  items: {
    type: 'object',
    properties: {
      pointer: {
        type: 'string',
        description: 'JSON Pointer of the value inside `document`, such as /total or /lines/0/amount',
      },
      quote: { type: 'string' },
      file_name: { type: 'string' },
      page: { type: ['integer', 'null'] },
    },
    required: ['pointer', 'quote', 'file_name', 'page'],
    additionalProperties: false,
  },
};

/** References follow their targets: definitions move to the root, the rest of the schema to `/properties/document`. */
const moved = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(moved);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string' || !/^#(\/(?!\$defs\/)|$)/.test(value))
        return [key, moved(value)];
      return [key, `#/properties/document${value.slice(1)}`];
    }),
  );
};

/** What an extraction asks a model for: the document, and for each leaf the words it was read from. */
export const extractionSchema = ({
  $defs,
  $schema: _dialect,
  $id: _id,
  ...documentSchema
}: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { document: moved(documentSchema), evidence: evidenceSchema },
  required: ['document', 'evidence'],
  additionalProperties: false,
  ...($defs === undefined ? {} : { $defs: moved($defs) }),
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
export const repairMessage = ({ errors, together = false }: Refused): string =>
  together
    ? `Your answer is that of the last part of the files, and all parts together do not fit the schema:\n${listed(errors)}\n` +
      'Answer this part again, with the whole corrected JSON and nothing else. Leave out what does not stand in it.'
    : `Your answer does not fit the schema:\n${listed(errors)}\nAnswer again with the whole corrected JSON and nothing else.`;

const MOST_NAMED = 50;

/** Asks for evidence that supports its values. */
export const supportMessage = (errors: readonly ValidationError[]): string => {
  const more = errors.length > MOST_NAMED ? `\nThe same is wrong with ${errors.length - MOST_NAMED} more.` : '';
  return `Your answer fits the schema, but some of its evidence does not support its value:
${listed(errors.slice(0, MOST_NAMED))}${more}
Correct the value if it is wrong, else quote the words of the file that have it. Answer again with the whole corrected JSON and nothing else.`;
};
