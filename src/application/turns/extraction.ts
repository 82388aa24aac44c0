import type { Agent } from '../../domain/agent.ts';
import type { Evidence } from '../../domain/document.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, isPointer, type JsonObject, type JsonSchema, type JsonValue, resolvePointer } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { FilePart } from '../ports/text.ts';
import { caution } from './fence.ts';
import type { ReadFile } from './file-reader.ts';

export interface ExtractedDocument {
  readonly data: JsonObject;
  readonly evidence: Readonly<Record<string, Evidence>>;
}

type Checked = { readonly document: ExtractedDocument } | { readonly errors: readonly ValidationError[] };

const parsed = (text: string): unknown => {
  const unfenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseJson(unfenced);
  } catch {
    return undefined;
  }
};

/** The document of an extraction's answer, with the evidence that is true; or what is wrong with it. */
export const checkAnswer = (text: string, schema: JsonSchema, read: readonly ReadFile[], schemas: SchemaValidator): Checked => {
  const answer = parsed(text);
  if (!isObject(answer) || !isObject(answer.document))
    return { errors: [{ path: '', message: 'must be JSON of the form {"document": {…}, "evidence": […]}' }] };
  const errors = schemas.errors(schema, answer.document);
  if (errors.length > 0) return { errors };
  const data = answer.document as JsonObject;
  const parts = read.flatMap((file) => file.parts);
  return { document: { data, evidence: verifyEvidence(answer.evidence, data, parts) } };
};

const MAX_QUOTE = 2000;

/** Line breaks and runs of blanks are layout: a quote stands in a text when it does so with blanks folded. */
const folded = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Page {
  readonly fileName: string;
  readonly number: number | null;
  readonly text: string;
}

const pagesOf = (parts: readonly FilePart[]): readonly Page[] =>
  parts.flatMap(({ fileName, pages }) => pages.map(({ number, text }) => ({ fileName, number, text: folded(text) })));

/** Where the quote really stands: the page the model named if it does, else the first that has it. */
const placeOf = (quote: string, named: { fileName: unknown; page: unknown }, pages: readonly Page[]): Page | undefined => {
  const matching = pages.filter((page) => page.text.includes(quote));
  return (
    matching.find((page) => page.fileName === named.fileName && page.number === (named.page ?? null)) ??
    matching.find((page) => page.fileName === named.fileName) ??
    matching[0]
  );
};

const isLeaf = (value: JsonValue | undefined) => value !== undefined && value !== null && !isObject(value) && !Array.isArray(value);

/** Keeps of a model's evidence what is true: the pointer names an extracted leaf, and the quote stands verbatim in a file. */
export const verifyEvidence = (given: unknown, document: JsonValue, parts: readonly FilePart[]): Record<string, Evidence> => {
  const pages = pagesOf(parts);
  const verified: Record<string, Evidence> = Object.create(null);
  for (const entry of Array.isArray(given) ? given : []) {
    if (!isObject(entry) || typeof entry.pointer !== 'string' || typeof entry.quote !== 'string') continue;
    const quote = folded(entry.quote);
    if (quote === '' || quote.length > MAX_QUOTE || !isPointer(entry.pointer) || !isLeaf(resolvePointer(document, entry.pointer))) continue;
    const place = placeOf(quote, { fileName: entry.file_name, page: entry.page }, pages);
    if (place) verified[entry.pointer] = { quote, fileName: place.fileName, page: place.number };
  }
  return { ...verified };
};

const evidenceSchema: JsonSchema = {
  type: 'array',
  description: 'For each extracted value: where it stands. The quote must be copied verbatim from the file.',
  items: {
    type: 'object',
    properties: {
      pointer: { type: 'string', description: 'JSON Pointer of the value inside `document`, such as /total or /lines/0/amount' },
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
      if (key !== '$ref' || typeof value !== 'string' || !/^#(\/(?!\$defs\/)|$)/.test(value)) return [key, moved(value)];
      return [key, `#/properties/document${value.slice(1)}`];
    }),
  );
};

/** What an extraction asks a model for: the document, and for each leaf the words it was read from. */
export const extractionSchema = ({ $defs, $schema: _dialect, $id: _id, ...documentSchema }: JsonSchema): JsonSchema => ({
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
  [agent.instructions.trim(), agent.documentSchema === null ? '' : extraction, caution(fence)].filter((part) => part !== '').join('\n\n');

/** Asks for a corrected answer, naming every error. */
export const repairMessage = (errors: readonly ValidationError[]): string => {
  const list = errors.map(({ path, message }) => `- ${path === '' ? 'the answer' : path} ${message}`).join('\n');
  return `Your answer does not fit the schema:\n${list}\nAnswer again with the whole corrected JSON and nothing else.`;
};
