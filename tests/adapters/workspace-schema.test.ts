import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { celChecks } from '../../src/adapters/validation/cel/checks.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import { decode } from '../../src/adapters/workspace-file/codecs.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { workspaceFile, workspaceSchema } from '../../src/adapters/workspace-file/schema.ts';
import type { Models } from '../../src/application/ports/models.ts';
import { workspaceErrors } from '../../src/application/workspace/validation.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { quiet } from '../support/log.ts';
import { sealer } from '../support/sqlserver-harness.ts';

const file = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8');
const ajv = new Ajv2020({ strictSchema: true });
const isValid = ajv.compile<JsonValue>(workspaceSchema);

/** The YAML blocks of the page: the last one is a file with all there is. */
const whole = [...file('docs/workspace.md').matchAll(/^```yaml\n(.*?)^```$/gms)].at(-1)?.[1] ?? '';
const example: JsonValue = parse(whole.replaceAll(/\$\{\w+\}/g, 'a'));
const env = {
  ERP_URL: 'postgresql://u:p@localhost/erp',
  RATES_TOKEN: 'a',
  WEBHOOK_SECRET: 'whsec_c2VjcmV0',
  DEMO_LEDGER_URL: 'postgresql://h/d',
  DEMO_INBOX: '/srv/inbox',
};

interface Described {
  readonly examples?: readonly JsonValue[];
  readonly [keyword: string]: unknown;
}

/** Every schema that has examples, wherever it stands. */
const withExamples = (schema: unknown): readonly Described[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const parts = Object.entries(schema).flatMap(([key, part]) => (key === 'examples' ? [] : withExamples(part)));
  return 'examples' in schema ? [schema as Described, ...parts] : parts;
};

type Place = readonly (string | number)[];

/** Every place in a value, as the keys that lead there, and one in each mapping that holds nothing. */
const placesOf = (value: JsonValue): readonly Place[] => {
  if (Array.isArray(value))
    return [[], ...value.flatMap((item, index) => placesOf(item).map((rest) => [index, ...rest]))];
  if (!isObject(value)) return [[]];
  return [
    [],
    ['x'],
    ...Object.entries(value as JsonObject).flatMap(([key, item]) => placesOf(item).map((rest) => [key, ...rest])),
  ];
};

/** The value with another one at a place; undefined takes away what is there. */
const changed = (
  value: JsonValue | undefined,
  [key, ...rest]: Place,
  put: JsonValue | undefined,
): JsonValue | undefined => {
  if (key === undefined) return put;
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === key ? (changed(item, rest, put) ?? []) : [item]));
  if (!isObject(value)) return value;
  const { [key]: item, ...others } = value as JsonObject;
  const after = changed(item, rest, put);
  return after === undefined ? others : { ...others, [key]: after };
};

describe('the JSON Schema of the workspace file', () => {
  it('takes the file of the demo, and every example of the documentation', () => {
    for (const text of [file('demo/workspace.yaml'), whole]) {
      expect(isValid(parse(text)), JSON.stringify(isValid.errors)).to.equal(true);
      readWorkspaceFile(text, env);
    }
    const described = withExamples(workspaceSchema);
    expect(described.length).to.be.above(50);
    for (const { examples = [], ...schema } of described) {
      const validate = ajv.compile({ ...schema, $defs: workspaceSchema.$defs });
      for (const each of examples)
        expect(validate(each), JSON.stringify({ each, errors: validate.errors })).to.equal(true);
    }
  });

  it('describes and exemplifies every field', () => {
    const fields = (schema: unknown): readonly [string, Described][] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const own = 'properties' in schema ? Object.entries(schema.properties as Record<string, Described>) : [];
      return [
        ...own,
        ...Object.entries(schema).flatMap(([key, part]) =>
          key === 'examples' || key === 'default' ? [] : fields(part),
        ),
      ];
    };
    for (const [name, { description }] of fields(workspaceSchema)) expect(description, name).to.match(/\.$/);
    const [agent] = readWorkspaceFile(whole, env).agents;
    expect(agent?.tools).to.have.length(7);
  });

  it('has an example in which nothing contradicts itself', async () => {
    const systems = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 1 });
    const checks = {
      models: { defect: () => null } as unknown as Models,
      connectors: systems,
      schemas: ajvSchemas(),
      checks: celChecks(),
      signatures: standardSignatures,
    };
    expect(workspaceErrors(readWorkspaceFile(whole, env), checks)).to.deep.equal([]);
    await systems.close();
  });

  it('takes variables wherever the file does', () => {
    const variable = (name: string) => `\${${name}}`;
    const text = `workspace: ${variable('A')}\nusers:\n  - { email: "${variable('B')}", name: Ada, role: "${variable('C')}" }\n`;
    readWorkspaceFile(text, { A: 'acme', B: 'ada@example.com', C: 'admin' });
    expect(isValid(parse(text))).to.equal(true);
  });

  it('judges as the codec does, whatever is changed in a file', () => {
    const odd = fc.constantFrom<JsonValue | undefined>(
      undefined,
      null,
      true,
      7,
      '',
      ' ',
      'a\nb',
      'x',
      'allow',
      'everyone',
      'search_web',
      'documents',
      'https://h',
      'ada@example.com',
      'x'.repeat(2001),
      [],
      ['everyone'],
      ['a@b', 1],
      {},
      { x: 1 },
      { agent: 'x' },
      { documents: 'own' },
      { documents: true },
      { database: 'x', write: true },
      { connection: 'x', agent: 'y' },
    );
    const change = fc.record({ place: fc.constantFrom(...placesOf(example)), value: odd });
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const json = changes.reduce((value, each) => changed(value, each.place, each.value) ?? {}, example);
      const { errors } = decode(workspaceFile, json);
      expect(isValid(json), JSON.stringify({ json, errors, schema: isValid.errors })).to.equal(errors.length === 0);
    });
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    try {
      fc.assert(property, { seed, numRuns: 1000 });
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
});
