import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { expect } from 'chai';
import { openapi } from '../../src/adapters/http/openapi.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { type OpenApiDocument, operationsIn } from '../support/http.ts';

type Json = Readonly<Record<string, unknown>>;

const limits = { requests: 100, windowSeconds: 60, runs: 30, tableReads: 5, console: 1000 };
const described = (base: string) =>
  openapi({ operations, urls: { base, auth: base, egress: null }, limits, contactEmail: 'support@example.com' });
const document = JSON.parse(JSON.stringify(described('https://portico.example.com'))) as OpenApiDocument;
const components = document.components as Readonly<Record<string, Readonly<Record<string, Json>>>>;

const patternsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(patternsIn);
  return 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern, ...below] : below;
};

/** The types that every program in TypeScript has without an import, in a browser or not. */
const globalTypes = (): ReadonlySet<string> => {
  const folder = path.dirname(createRequire(import.meta.url).resolve('typescript-5'));
  const texts = readdirSync(folder)
    .filter((name) => /^lib\.(es|dom)\w*\..*d\.ts$/.test(name))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/^(?:declare (?:var|class|type) |interface |type )(\w+)/gm)].map(([, name = '']) => name),
    ),
  );
};

// Programs that write clients turn the description into code as it is: what only JSON Schema can say breaks what they write.
describe('the OpenAPI description, for programs that generate clients', () => {
  it('has patterns that mean the same with and without the flag u', () => {
    const patterns = [...new Set(patternsIn(document))];
    expect(patterns).to.have.length.above(8);
    for (const pattern of patterns) {
      expect(pattern, 'a class of Unicode, or a slash that is escaped already').to.not.match(/\\p|\\\//i);
      expect(() => new RegExp(pattern, 'u'), pattern).to.not.throw();
      expect(() => new RegExp(pattern), pattern).to.not.throw();
    }
  });

  it('has no component with the name of a type that TypeScript has already', () => {
    const taken = globalTypes();
    expect(taken).to.include.keys('Record', 'Error', 'Event', 'Document', 'Response');
    const names = ['schemas', 'responses'].flatMap((kind) => Object.keys(components[kind] ?? {}));
    expect(names).to.have.length.above(50);
    expect(names.filter((name) => taken.has(name))).to.deep.equal([]);
  });

  it('names the public address, and none where the server has none', () => {
    expect(described('https://portico.example.com/x').servers).to.deep.equal([
      { url: 'https://portico.example.com/x' },
    ]);
    expect(described('http://localhost:3000').servers).to.deep.equal([{ url: '/' }]);
  });

  it('gives an example of every parameter', () => {
    const without = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters, responses }]) => {
        const all = (responses === undefined ? methods[method] : parameters) as unknown as readonly Json[] | undefined;
        return (all ?? []).filter((each) => !('example' in each)).map(({ name }) => `${method} ${path} ${name}`);
      }),
    );
    const shared = Object.entries(components.parameters ?? {}).filter(([, each]) => !('example' in each));
    expect([...without, ...shared.map(([name]) => name)]).to.deep.equal([]);
  });

  it('describes the lines of an export and the events of a stream by JSON Schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default.default(ajv);
    ajv.addSchema(document, 'openapi.json');
    const texts = operationsIn(document).flatMap(({ id, operation }) =>
      Object.entries(
        (operation.responses[200]?.content ?? {}) as Readonly<Record<string, { schema: Json; example?: string }>>,
      )
        .filter(([type]) => type === 'application/x-ndjson' || type === 'text/event-stream')
        .map(([type, content]) => ({ id, type, ...content })),
    );
    expect(texts.map(({ id, type }) => `${id} ${type}`)).to.deep.equal([
      'listRunEvents text/event-stream',
      'exportDocuments application/x-ndjson',
      'continueThread text/event-stream',
      'exportAudit application/x-ndjson',
    ]);
    for (const { id, type, schema, example } of texts) {
      expect(schema, id).to.include({ type: 'string', contentMediaType: type });
      const local = JSON.stringify(schema.contentSchema).replaceAll('"#/', '"openapi.json#/');
      const validate = ajv.compile(JSON.parse(local) as Json);
      expect(validate({}), id).to.equal(false);
      for (const line of type === 'application/x-ndjson' ? (example ?? '').trim().split('\n') : [])
        expect(validate(JSON.parse(line)), ajv.errorsText(validate.errors)).to.equal(true);
    }
  });
});
