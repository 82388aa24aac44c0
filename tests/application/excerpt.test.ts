import { expect } from 'chai';
import fc from 'fast-check';
import { excerptOf, sizeOf } from '../../src/application/tools/excerpt.ts';
import { isSameJson, type JsonObject, type JsonValue, resolvePointer } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';

const ROOM = 2500;

/** The value again, from excerpts alone: each goes on at the `next` of the one before, and what was left out is read by its pointer. */
const readWhole = (root: JsonValue, pointer = ''): JsonValue => {
  const value = resolvePointer(root, pointer) as JsonValue;
  const parts: JsonValue[] = [];
  const leftOut: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const found = excerptOf(value, { pointer, after, room: ROOM });
    expect(sizeOf(found.value) + sizeOf(found.leftOut), 'bytes of an excerpt').to.be.at.most(ROOM + 2);
    expect(found.next ?? Number.POSITIVE_INFINITY, 'gets further').to.be.greaterThan(after);
    parts.push(found.value);
    leftOut.push(...found.leftOut.map((each) => each.pointer));
    after = found.next;
  }
  if (typeof parts[0] === 'string') return parts.join('');
  if (parts.length === 1 && (typeof parts[0] !== 'object' || parts[0] === null)) return parts[0] as JsonValue;
  const absent = new Map(leftOut.map((each) => [each, readWhole(root, each)]));
  const at = (key: string) => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (Array.isArray(value))
    return (parts.flat() as JsonValue[]).map((item, index) => absent.get(at(String(index))) ?? item);
  // A member may be called __proto__, which `Object.assign` would not copy.
  const members: JsonObject = Object.fromEntries((parts as JsonObject[]).flatMap((part) => Object.entries(part)));
  return Object.fromEntries(
    Object.keys(value as JsonObject).map((key) => [key, absent.get(at(key)) ?? members[key] ?? null]),
  );
};

describe('an excerpt of a JSON value', () => {
  it('has so many bytes at most, and excerpts together are the value', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 0, max: 4 }).map((times) => 'é\u0001"😀'.repeat(times * 300)),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf as fc.Arbitrary<JsonValue>,
        fc.array(tie('value'), { maxLength: 60 }),
        fc.dictionary(fc.string({ maxLength: 12 }), tie('value'), {
          maxKeys: 30,
          noNullPrototype: true,
        }) as fc.Arbitrary<JsonValue>,
      ),
    }));
    fc.assert(
      fc.property(value, (root) => isSameJson(readWhole(root), root)),
      { numRuns: 200, examples: [[JSON.parse(`[{"a":"${'é'.repeat(1500)}","b":1,"__proto__":""}]`)]] },
    );
  });

  it('keeps every digit, pages a number that is longer than an answer as text, and ends with names that are too long', () => {
    const digits = parseJson('{"total":12345678901234567890.12}') as JsonObject;
    expect(JSON.stringify(excerptOf(digits, { pointer: '', after: 0, room: ROOM }).value)).to.equal(
      '{"total":12345678901234567890.12}',
    );
    const long = `1${'2'.repeat(6000)}`;
    expect(readWhole(parseJson(long) as JsonValue)).to.equal(long);
    const named = excerptOf({ ['n'.repeat(9000)]: 1, b: 2 }, { pointer: '', after: 0, room: ROOM });
    expect(named.value).to.deep.equal({ b: 2 });
    expect(named.leftOut).to.have.length(1);
    expect(named.next).to.equal(null);
  });
});
