import type { OutputInterface } from 'ai';
import { isObject, type JsonSchema } from '../../domain/json.ts';

/**
 * Asks for JSON by the schema and hands back the text as it came: the application validates and repairs, and it needs
 * the words that did not validate. The SDK's own `Output.object` would throw them away in an exception.
 */
export const rawJson = (schema: JsonSchema): OutputInterface<string, string, never> => ({
  name: 'object',
  responseFormat: Promise.resolve({ type: 'json' as const, name: 'answer', schema: schema as Record<string, never> }),
  parseCompleteOutput: async ({ text }) => text,
  parsePartialOutput: async ({ text }) => ({ partial: text }),
  createElementStreamTransform: () => undefined,
});

const keywords = new Set([
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'definitions',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
]);
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);

const closed = (node: Record<string, unknown>): boolean => {
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (!types.includes('object') && node.properties === undefined) return true;
  const required = Array.isArray(node.required) ? node.required : [];
  return (
    isObject(node.properties) && node.additionalProperties === false && Object.keys(node.properties).every((key) => required.includes(key))
  );
};

const strictNode = (node: unknown, depth: number): boolean => {
  if (!isObject(node) || depth > 10) return false;
  if (!Object.keys(node).every((key) => keywords.has(key)) || !closed(node)) return false;
  if (node.format !== undefined && !formats.has(String(node.format))) return false;
  if (node.type === undefined && node.$ref === undefined && node.anyOf === undefined && node.enum === undefined && node.const === undefined)
    return false;
  const below = [node.properties, node.$defs, node.definitions].flatMap((map) => (isObject(map) ? Object.values(map) : []));
  const branches = Array.isArray(node.anyOf) ? node.anyOf : [];
  const items = node.items === undefined ? [] : [node.items];
  return [...below, ...branches, ...items].every((child) => strictNode(child, depth + 1));
};

/**
 * OpenAI's strict mode refuses a schema outside its subset (every property required, every object closed, few keywords) with
 * a 400, so it is asked for only where the schema qualifies; any other schema goes as non-strict `json_schema`, which guides
 * the model without binding it. Making every property required instead would change what a missing value means.
 */
export const qualifiesAsStrict = (schema: JsonSchema): boolean => schema.type === 'object' && strictNode(schema, 0);
