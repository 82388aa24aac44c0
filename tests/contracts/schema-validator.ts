import { expect } from 'chai';
import type { SchemaValidator } from '../../src/application/ports/runtime.ts';
import type { JsonSchema, JsonValue } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';

const invoice: JsonSchema = {
  type: 'object',
  properties: {
    number: { type: 'string', minLength: 3, pattern: '^INV-' },
    date: { type: 'string', format: 'date' },
    total: { type: 'number', minimum: 0, multipleOf: 0.01 },
    currency: { enum: ['EUR', 'USD'] },
    paid: { type: ['boolean', 'null'] },
    lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
  },
  required: ['number', 'total'],
  additionalProperties: false,
  $defs: { line: { type: 'object', properties: { 'unit/price': { type: 'number' } }, required: ['unit/price'] } },
};

/** Every SchemaValidator passes this, or it is not one. */
export const schemaValidatorContract = (make: () => SchemaValidator) =>
  describe('SchemaValidator', () => {
    const schemas = make();
    const said = (schema: JsonSchema, value: unknown) =>
      schemas.errors(schema, value).map(({ path, message }) => `${path} ${message}`);

    const saidAside = async (schema: JsonSchema, value: JsonValue) =>
      (await schemas.check(schema, value, OWN_WORK)).map(({ path, message }) => `${path} ${message}`);

    it('finds nothing wrong with a valid value', () => {
      const value = {
        number: 'INV-1',
        date: '2026-11-20',
        total: 1.15,
        currency: 'EUR',
        paid: null,
        lines: [{ 'unit/price': 1 }],
      };
      expect(said(invoice, value)).to.deep.equal([]);
    });

    it('names every error at once, by JSON Pointer, and what was expected', () => {
      const value = {
        number: 7,
        date: 'yesterday',
        total: '12',
        currency: 'GBP',
        paid: 'no',
        lines: [{ 'unit/price': '1' }, {}],
        'a~b': 1,
      };
      expect(said(invoice, value)).to.have.members([
        '/number must be a string, not a number',
        '/date must be a date, such as 2026-11-20',
        '/total must be a number, not a string',
        '/currency must be one of "EUR", "USD"',
        '/paid must be true or false or null, not a string',
        '/lines/0/unit~1price must be a number, not a string',
        '/lines/1/unit~1price is required',
        '/a~0b is not a property this schema knows',
      ]);
    });

    it('names what is missing at its own place', () => {
      expect(said(invoice, {})).to.deep.equal(['/number is required', '/total is required']);
    });

    it('speaks of the whole value with an empty pointer', () => {
      expect(schemas.errors(invoice, [])).to.deep.equal([{ path: '', message: 'must be an object, not an array' }]);
    });

    it('says bounds in words', () => {
      expect(said(invoice, { number: 'x', total: -1, lines: [] })).to.have.members([
        '/number must be at least 3 characters long',
        '/number must match the pattern ^INV-',
        '/total must be at least 0',
        '/lines must have at least 1 item',
      ]);
    });

    it('is not misled by names that every object has', () => {
      expect(said({ type: 'object', required: ['toString', '__proto__'] }, {})).to.have.length(2);
      expect(
        said({ type: 'object', additionalProperties: false }, JSON.parse('{"__proto__": 1, "constructor": 2}')),
      ).to.have.length(2);
    });

    it('says of a choice what the form that was meant still lacks, or which types it takes', () => {
      const amount: JsonSchema = {
        properties: {
          total: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          net: { oneOf: [{ type: 'null' }, { type: 'object', required: ['value', 'currency'] }] },
        },
      };
      expect(said(amount, { total: 'x', net: { value: 1 } })).to.have.members([
        '/total must be a number or null, not a string',
        '/net/currency is required',
      ]);
    });

    it('knows draft 2020-12', () => {
      const tuple: JsonSchema = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        prefixItems: [{ type: 'string' }],
        items: false,
      };
      expect(said(tuple, ['a'])).to.deep.equal([]);
      expect(said(tuple, ['a', 2])).to.have.length(1);
      const closed: JsonSchema = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
      expect(said(closed, { a: 1, b: 2 })).to.deep.equal(['/b is not a property this schema knows']);
    });

    const older = (draft: string, schema: JsonSchema): JsonSchema => ({
      $schema: `http://json-schema.org/draft-${draft}/schema#`,
      ...schema,
    });
    const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false };

    it('knows the drafts before it by the address in `$schema`, however that is written', () => {
      const addresses = [
        ...['04', '06', '07'].flatMap((draft) => [
          `http://json-schema.org/draft-${draft}/schema`,
          `https://json-schema.org/draft-${draft}/schema#`,
        ]),
        ...['2019-09', '2020-12'].flatMap((draft) => [
          `https://json-schema.org/draft/${draft}/schema#`,
          `http://json-schema.org/draft/${draft}/schema`,
        ]),
      ];
      for (const $schema of addresses) {
        const schema: JsonSchema = {
          $schema,
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
        };
        expect(schemas.defect(schema), $schema).to.equal(null);
        expect(said(schema, { id: 1 }), $schema).to.deep.equal(['/id must be a string, not a number']);
      }
    });

    it('checks by the keywords of the draft: 04', () => {
      const schema = older('04', {
        id: 'x',
        properties: { a: { maximum: 5, exclusiveMaximum: true, minimum: 1, exclusiveMinimum: false }, b: pair },
      });
      expect(said(schema, { a: 1, b: ['x', 1] })).to.deep.equal([]);
      expect(said(schema, { a: 5, b: ['x', 'y', 'z'] })).to.have.members([
        '/a must be less than 5',
        '/b/1 must be a number, not a string',
        '/b must have at most 2 items',
      ]);
      expect(said(schema, { a: 0 })).to.deep.equal(['/a must be at least 1']);
      const exact = parseJson('{"a":4.99999999999999999999}');
      expect(said(schema, exact)).to.deep.equal([]);
      expect(said(schema, parseJson('{"a":5.00000000000000000001}'))).to.deep.equal(['/a must be less than 5']);
      expect(said(schema, parseJson('{"a":5, "c":12345678901234567890}'))).to.deep.equal(['/a must be less than 5']);
    });

    it('checks by the keywords of the draft: 06 and 07', () => {
      for (const draft of ['06', '07']) {
        const schema = older(draft, {
          properties: { a: { exclusiveMaximum: 5 }, b: pair },
          dependencies: { a: ['b'] },
        });
        expect(said(schema, { a: 4, b: ['x', 1] })).to.deep.equal([]);
        expect(said(schema, { a: 5, b: ['x', 'y'] })).to.have.members([
          '/a must be less than 5',
          '/b/1 must be a number, not a string',
        ]);
        expect(said(schema, { a: 4 })).to.deep.equal(['/b is required if a is given']);
        const beside = older(draft, {
          definitions: { n: { type: 'number' } },
          properties: { a: { $ref: '#/definitions/n', maximum: 1 } },
        });
        expect(said(beside, { a: 2 }), 'what stands beside a $ref is ignored').to.deep.equal([]);
      }
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      const choice = older('07', { if: { required: ['a'] }, then: { required: ['b'] } });
      expect(said(choice, { a: 1 })).to.deep.equal(['/b is required']);
    });

    it('checks by the keywords of the draft: 2019-09', () => {
      const schema: JsonSchema = {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        properties: { a: pair, inner: { $recursiveRef: '#' } },
        unevaluatedProperties: false,
      };
      expect(said(schema, { inner: { a: ['x', 1] } })).to.deep.equal([]);
      expect(said(schema, { inner: { a: [1, 1], b: 2 } })).to.have.members([
        '/inner/a/0 must be a string, not a number',
        '/inner/b is not a property this schema knows',
      ]);
    });

    it('ignores a name that only an older draft gives', () => {
      expect(said({ id: 'https://example.com/x', type: 'string' }, 1)).to.deep.equal([
        ' must be a string, not a number',
      ]);
    });

    it('checks numbers that no double can hold as what they are', () => {
      const int = { type: 'integer', minimum: 0, maximum: 9007199254740992 };
      const schema = (a: JsonSchema): JsonSchema => ({ type: 'object', properties: { a } });
      const toldOf = (a: JsonSchema, json: string) => said(schema(a), parseJson(`{"a":${json}}`));
      const above = '9007199254740993';
      expect(toldOf(int, above)).to.deep.equal(['/a must be at most 9007199254740992']);
      expect(toldOf(int, `-${above}`)).to.deep.equal(['/a must be at least 0']);
      expect(toldOf({ type: 'integer' }, above)).to.deep.equal([]);
      expect(toldOf({ type: 'integer' }, '1e400')).to.deep.equal([]);
      expect(toldOf({ type: 'integer' }, '5.00000000000000000001')).to.deep.equal([
        '/a must be an integer, not a number',
      ]);
      expect(toldOf({ type: 'number', exclusiveMinimum: 5 }, '5.00000000000000000001')).to.deep.equal([]);
      expect(toldOf({ type: 'string' }, above)).to.deep.equal(['/a must be a string, not a number']);
      expect(toldOf({ type: ['object', 'string'] }, above)).to.deep.equal([
        '/a must be an object or a string, not a number',
      ]);
      expect(toldOf({ type: 'number', multipleOf: 0.01 }, '123456789012345678.91')).to.deep.equal([]);
      expect(toldOf({ multipleOf: 0.01 }, '123456789012345678.915')).to.deep.equal(['/a must be a multiple of 0.01']);
      expect(toldOf({ enum: [9007199254740992] }, above)).to.deep.equal(['/a must be one of 9007199254740992']);
      expect(toldOf({ uniqueItems: true }, `[${above}, 9007199254740992]`)).to.deep.equal([]);
      expect(toldOf({ uniqueItems: true }, `[${above}, 1, ${above}.0]`)).to.deep.equal([
        '/a must not repeat itself: items 0 and 2 are the same',
      ]);
      expect(toldOf({ anyOf: [{ type: 'null' }, int] }, above)).to.deep.equal(['/a must be at most 9007199254740992']);
    });

    it('takes numbers that no double can hold in a schema, too', () => {
      const schema = parseJson(
        '{"properties":{"a":{"type":"integer","maximum":9007199254740993},"b":{"const":9007199254740993},"c":{"enum":["x",9007199254740993]}}}',
      ) as JsonSchema;
      expect(schemas.defect(schema)).to.equal(null);
      expect(said(schema, parseJson('{"a":9007199254740993,"b":9007199254740993,"c":9007199254740993}'))).to.deep.equal(
        [],
      );
      expect(
        said(schema, parseJson('{"a":9007199254740994,"b":9007199254740992,"c":1,"d":12345678901234567890}')),
      ).to.deep.equal([
        '/a must be at most 9007199254740993',
        '/b must be 9007199254740993',
        '/c must be one of "x", 9007199254740993',
      ]);
      expect(said(schema, { a: 9007199254740994 })).to.deep.equal(['/a must be at most 9007199254740993']);
    });

    it('finds usable schemas usable', () => {
      for (const schema of [
        {},
        invoice,
        { $id: 'https://example.com/a', $defs: { b: { $anchor: 'b' } }, $ref: '#b' },
        { 'x-own': 1, format: 'own' },
      ]) {
        expect(schemas.defect(schema), JSON.stringify(schema)).to.equal(null);
      }
    });

    it('says why a schema cannot be used', () => {
      const defects: readonly (readonly [JsonSchema, RegExp])[] = [
        [{ type: 'text' }, /type/],
        [{ properties: [] }, /properties/],
        [{ required: 'number' }, /required/],
        [{ pattern: '(' }, /pattern|regex/i],
        [{ $ref: '#/$defs/nothing' }, /#\/\$defs\/nothing/],
        [{ $schema: 'http://json-schema.org/draft-03/schema#' }, /draft-03.*04, 06, 07, 2019-09.*2020-12/],
        [{ $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: 1 }, /exclusiveMinimum/],
        [{ $schema: 'http://json-schema.org/draft-07/schema#', exclusiveMinimum: true }, /exclusiveMinimum/],
        [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'text' }, /type/],
        [{ items: [{ type: 'string' }] }, /items/],
        [{ $ref: '#' }, /deep|itself/],
        [{ anyOf: [{ type: 'null' }, { $ref: '#' }] }, /deep|itself/],
      ];
      for (const [schema, reason] of defects) expect(schemas.defect(schema), JSON.stringify(schema)).to.match(reason);
    });

    it('takes a pattern that is a regular expression only without the u flag in the schema of another server', async () => {
      for (const pattern of [String.raw`^[\w-.]+$`, String.raw`^\w+\-\w+$`, String.raw`^\_?a\@?b`]) {
        const schema: JsonSchema = { properties: { code: { pattern } }, patternProperties: { [pattern]: true } };
        expect(schemas.foreignDefect(schema), pattern).to.equal(null);
        expect(schemas.defect(schema), pattern).to.match(/pattern is not a regular expression/);
        expect(await saidAside(schema, { code: 'no fit' })).to.deep.equal([`/code must match the pattern ${pattern}`]);
      }
      expect(await saidAside({ pattern: String.raw`^[\w-.]+$` }, 'a-b.c')).to.deep.equal([]);
      expect(schemas.foreignDefect({ pattern: '(' })).to.match(/pattern is not a regular expression/);
      expect(await saidAside({ pattern: '^.$' }, '𝒳'), 'with the flag where it can be').to.deep.equal([]);
    });

    it('knows which schemas clients that read each by draft 07 cannot compile, or take for another schema', () => {
      const draft04 = 'http://json-schema.org/draft-04/schema#';
      for (const [schema, reason] of [
        [{ $schema: draft04, minimum: 0, exclusiveMinimum: true }, /exclusiveMinimum/],
        [{ $schema: draft04, id: 'https://example.com/answer' }, /keyword "id"/],
        [{ pattern: String.raw`^[\w-.]+$` }, /pattern is not a regular expression/],
        [{ properties: { pair: { prefixItems: [{ type: 'string' }], items: false } } }, /items beside prefixItems/],
        [{ contains: { type: 'string' }, minContains: 0 }, /minContains/],
        [{ $defs: { part: { $id: 'https://example.com/part' } } }, /\$id/],
      ] as const) {
        expect(schemas.foreignDefect(schema), JSON.stringify(schema)).to.equal(null);
        expect(schemas.clientDefect(schema), JSON.stringify(schema)).to.match(reason);
      }
      for (const schema of [{ $schema: draft04, minimum: 0 }, { prefixItems: [{ type: 'string' }] }])
        expect(schemas.clientDefect(schema), JSON.stringify(schema)).to.equal(null);
    });

    it('follows a $dynamicRef within a schema, to an anchor, a part or itself', () => {
      const $defs = { name: { $dynamicAnchor: 'name', type: 'string' } };
      for (const $dynamicRef of ['#name', '#/$defs/name']) {
        const schema: JsonSchema = { properties: { name: { $dynamicRef } }, $defs };
        expect(schemas.errors(schema, { name: 'Ada' }), $dynamicRef).to.deep.equal([]);
        expect(schemas.errors(schema, { name: 1 }), $dynamicRef).to.have.length(1);
      }
      const node = { $dynamicAnchor: 'node', required: ['n'], properties: { next: { $dynamicRef: '#node' } } };
      expect(schemas.errors(node, { n: 1, next: { n: 2 } })).to.deep.equal([]);
      expect(schemas.errors(node, { n: 1, next: {} })).to.have.length(1);
    });

    it('never reaches outside a schema', () => {
      for (const $ref of [
        'https://example.com/other.json',
        'http://127.0.0.1:1/x',
        'file:///etc/passwd',
        'other.json#/a',
      ]) {
        expect(schemas.defect({ $ref }), $ref).to.match(/outside itself/);
      }
    });

    it('keeps schemas apart that give themselves the same name', () => {
      const named = (type: string): JsonSchema => ({
        $id: 'https://example.com/x',
        $defs: { v: { $id: 'v', type } },
        $ref: 'v',
      });
      expect(said(named('string'), 'a')).to.deep.equal([]);
      expect(said(named('number'), 'a')).to.have.length(1);
      expect(schemas.defect({ $ref: 'https://example.com/v' }), 'a name another schema gave').to.match(
        /outside itself/,
      );
    });

    it('refuses to check by a schema that cannot be used', () => {
      expect(() => schemas.errors({ type: 'text' }, 1)).to.throw(Error, /cannot be used/);
    });

    it('comes back from a pattern that backtracks without end', async () => {
      const schema: JsonSchema = { type: 'string', pattern: '^(a+)+$' };
      expect(schemas.defect(schema)).to.equal(null);
      expect(await saidAside(schema, `${'a'.repeat(60)}!`)).to.deep.equal([
        ' cannot be checked: it takes too long against this schema',
      ]);
      expect(await saidAside(schema, 'aaa'), 'and goes on afterwards').to.deep.equal([]);
    });

    it('comes back from a value that is nested without end', () => {
      const schema: JsonSchema = { type: 'array', items: { $ref: '#' } };
      let deep: unknown = [];
      for (let level = 0; level < 200_000; level++) deep = [deep];
      expect(said(schema, deep)).to.deep.equal([' cannot be checked: it is nested too deeply']);
    });

    it('names no more errors than anybody would read', () => {
      const value = Array.from({ length: 20_000 }, (_, index) => index);
      expect(said({ type: 'array', items: { type: 'string' } }, value)).to.have.length.within(1, 100);
      const [error] = said({ enum: Array.from({ length: 5000 }, (_, index) => `choice ${index}`) }, 'none');
      expect(error).to.have.length.below(400);
    });
  });
