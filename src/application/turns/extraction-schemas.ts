import { isObject, type JsonSchema } from '../../domain/json.ts';
import { omit } from '../../domain/omit.ts';

/** What a schema says of an object or a list as a whole: a part of the files seldom has all of it. */
const OF_THE_WHOLE = new Set(
  (
    'required minProperties dependentRequired dependentSchemas minItems contains minContains maxContains ' +
    'if then else not unevaluatedProperties unevaluatedItems'
  ).split(' '),
);
const PREFIX = 'partial.';

/** Definitions are kept as they are for the elements of lists, which are whole, and beside that as their partial copies. */
const partialReference = (reference: unknown) =>
  typeof reference === 'string'
    ? reference.replace(/^#\/(\$defs|definitions)\/([^/]+)$/, `#/$1/${PREFIX}$2`)
    : reference;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const mapValues = (values: unknown, map: (value: unknown) => unknown): unknown =>
  isObject(values) ? Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)])) : values;

const partialNode = (node: unknown): unknown => {
  if (!isObject(node)) return node;
  const { oneOf, allOf, ...rest } = node;
  const kept = Object.entries(rest).filter(([key]) => !OF_THE_WHOLE.has(key));
  // A part may fit several forms of a choice of which the whole fits one.
  const all = [...listOf(allOf).map(partialNode), ...(Array.isArray(oneOf) ? [{ anyOf: oneOf.map(partialNode) }] : [])];
  const partial = Object.fromEntries(kept.map(([key, value]) => [key, within.get(key)?.(value) ?? value]));
  return all.length === 0 ? partial : { ...partial, allOf: all };
};

const copyOf = (definition: unknown): unknown => {
  const copy = partialNode(definition);
  return isObject(copy) ? omit(copy, '$id', '$anchor', '$dynamicAnchor') : copy;
};

const withCopies = (definitions: unknown): unknown =>
  isObject(definitions)
    ? {
        ...definitions,
        ...Object.fromEntries(
          Object.entries(definitions).map(([name, schema]) => [`${PREFIX}${name}`, copyOf(schema)]),
        ),
      }
    : definitions;

/** Keywords whose schemas say something of the part as well; those of the elements of lists are left as they are. */
const within: ReadonlyMap<string, (value: unknown) => unknown> = new Map<string, (value: unknown) => unknown>([
  ['properties', (value) => mapValues(value, partialNode)],
  ['patternProperties', (value) => mapValues(value, partialNode)],
  ['additionalProperties', partialNode],
  ['anyOf', (value) => listOf(value).map(partialNode)],
  ['$ref', partialReference],
]);

/**
 * What a document extracted from a part of its files fits: the agent's schema, in which nothing has to be there, down to the elements of
 * lists, which stand in one part and are whole.
 */
export const partialSchema = (schema: JsonSchema): JsonSchema => {
  const { $defs, definitions } = schema;
  const defined = {
    ...($defs === undefined ? {} : { $defs: withCopies($defs) }),
    ...(definitions === undefined ? {} : { definitions: withCopies(definitions) }),
  };
  return { ...(partialNode(schema) as JsonSchema), ...defined };
};

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
