import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Options } from 'ajv/dist/core.js';
import { default as draft04 } from 'ajv-draft-04';
import { DRAFT_2020_12, isObject, type JsonSchema } from '../../domain/json.ts';

/** A compiler of schemas of one draft. */
export type Compiler = Ajv | Ajv2019 | Ajv2020 | InstanceType<typeof draft04.default>;

/** A draft of JSON Schema. */
export interface Draft {
  /** The address of its own schema, by which schemas are checked. */
  readonly address: string;
  compiler(options: Options): Compiler;
}

/** Until draft 07, what stands beside a `$ref` is ignored. */
const early = { ignoreKeywordsWithRef: true };

const draft06 = (options: Options): Ajv => {
  const compiler = new Ajv({ ...options, ...early });
  if (options.meta !== false)
    compiler.addMetaSchema(createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json'));
  return compiler;
};

/** Some compilers refuse `id`, which in their drafts is a word without a meaning. */
const withoutId = <C extends Ajv | Ajv2019 | Ajv2020>(compiler: C): C => {
  compiler.removeKeyword('id');
  return compiler;
};

/** The draft of a schema that does not name one. */
export const newest: Draft = {
  address: DRAFT_2020_12,
  compiler: (options) => withoutId(new Ajv2020(options)),
};

const drafts: readonly Draft[] = [
  {
    address: 'http://json-schema.org/draft-04/schema',
    compiler: (options) => new draft04.default({ ...options, ...early }),
  },
  { address: 'http://json-schema.org/draft-06/schema', compiler: (options) => withoutId(draft06(options)) },
  {
    address: 'http://json-schema.org/draft-07/schema',
    compiler: (options) => withoutId(new Ajv({ ...options, ...early })),
  },
  { address: 'https://json-schema.org/draft/2019-09/schema', compiler: (options) => withoutId(new Ajv2019(options)) },
  newest,
];

/** How MCP clients of the TypeScript SDK read a schema, whatever draft it names: `id` and what draft 04 alone has are errors to them. */
export const ofClients: Draft = {
  address: 'http://json-schema.org/draft-07/schema',
  compiler: (options) => new Ajv(options),
};

const isNamedPart = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && (typeof (part as JsonSchema).$id === 'string' || hasNamedPart(part));
const hasNamedPart = (schema: object): boolean => Object.values(schema).some(isNamedPart);

const plain = (part: unknown, ofWhole: string): unknown => {
  if (Array.isArray(part)) return part.map((each) => plain(each, ofWhole));
  if (!isObject(part)) return part;
  const entry = ([name, value]: [string, unknown]) => {
    const isReference = name === '$dynamicRef' && typeof value === 'string' && part.$ref === undefined;
    if (!isReference) return [name, plain(value, ofWhole)];
    return ['$ref', value === ofWhole ? '#' : value];
  };
  return Object.fromEntries(Object.entries(part).map(entry));
};

/** The same schema by `$ref`: Ajv takes a `$dynamicRef` for the whole schema, unless it has passed its anchor. Within one schema, both lead to the same part. */
export const withPlainReferences = (schema: JsonSchema): JsonSchema =>
  hasNamedPart(schema) ? schema : (plain(schema, `#${schema.$dynamicAnchor}`) as JsonSchema);

/** What makes clients refuse values that the schema takes, or the schema of another tool that names a part alike. */
const misread = (part: Readonly<Record<string, unknown>>): string | null => {
  if (part.prefixItems !== undefined && part.items !== undefined) return 'items beside prefixItems is for all items';
  if (part.minContains === 0) return 'minContains has no meaning';
  return typeof part.$id === 'string' ? 'a part with an $id is the same in every schema' : null;
};

/** Why clients, which read it by draft 07 together with the schemas of other tools, take it for another schema; null if they do not. */
export const misreadByClients = (schema: unknown): string | null => {
  const waiting = [schema];
  for (const part of waiting) {
    const why = isObject(part) ? misread(part) : null;
    if (why !== null) return why;
    if (typeof part === 'object' && part !== null) waiting.push(...Object.values(part));
  }
  return null;
};

const nameOf = (address: string) => address.replace(/^https?:/, '').replace(/#$/, '');

/** The draft that the `$schema` of a schema names; null if none of these is meant. */
export const draftOf = ($schema: unknown): Draft | null =>
  $schema === undefined ? newest : (drafts.find(({ address }) => nameOf(address) === nameOf(String($schema))) ?? null);
