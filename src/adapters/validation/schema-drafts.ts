import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Options } from 'ajv/dist/core.js';
import { default as draft04 } from 'ajv-draft-04';
import { DRAFT_2020_12 } from '../../domain/json.ts';

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

const nameOf = (address: string) => address.replace(/^https?:/, '').replace(/#$/, '');

/** The draft that the `$schema` of a schema names; null if none of these is meant. */
export const draftOf = ($schema: unknown): Draft | null =>
  $schema === undefined ? newest : (drafts.find(({ address }) => nameOf(address) === nameOf(String($schema))) ?? null);
