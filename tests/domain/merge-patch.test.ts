import { expect } from 'chai';
import fc from 'fast-check';
import { jsonPatches } from '../../src/adapters/system/json-patch.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { operationsOf } from '../../src/domain/merge-patch.ts';

const merged = (value: JsonValue, merge: JsonObject): JsonValue =>
  jsonPatches.apply(value, operationsOf({ merge }, value)).value;

/** RFC 7396 section 2, as it is written there. */
const byTheBook = (target: JsonValue, patch: JsonValue): JsonValue => {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? (target as JsonObject) : {}));
  for (const [name, value] of Object.entries(patch as JsonObject)) {
    if (value === null) result.delete(name);
    else result.set(name, byTheBook(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
};

describe('a merge patch', () => {
  it('does what the examples of RFC 7396 show', () => {
    const examples: readonly (readonly [JsonValue, JsonObject, JsonValue])[] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [value, merge, expected] of examples)
      expect(merged(value, merge), JSON.stringify(merge)).to.deep.equal(expected);
  });

  it('keeps every digit, and takes no name for special', () => {
    const total = jsonNumber('9007199254740993.1');
    const merge = JSON.parse('{"__proto__":{"a":1},"a/b~c":2}') as JsonObject;
    expect(JSON.stringify(merged({ total: 1 }, { ...merge, total }))).to.equal(
      '{"total":9007199254740993.1,"__proto__":{"a":1},"a/b~c":2}',
    );
    expect(JSON.stringify(merged({ total: 1 }, merge))).to.equal('{"total":1,"__proto__":{"a":1},"a/b~c":2}');
  });

  it('comes to the same as the algorithm of the RFC', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const names = fc.constantFrom('a', 'b', '/', '~');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 0, 'x', true),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })) as { value: fc.Arbitrary<JsonValue> };
    const patch = fc.dictionary(names, value, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(value, patch, (before, merge) => {
        expect(merged(before, merge)).to.deep.equal(byTheBook(before, merge));
      }),
      { seed },
    );
  });
});
