import type { Agent } from '../../domain/agent.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { caution } from './fence.ts';

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
