import { expect } from 'chai';
import fc from 'fast-check';
import { escapeToken, isPointer, type JsonValue, resolvePointer } from '../../src/domain/json.ts';

/** The document of RFC 6901 section 5. */
const example: JsonValue = JSON.parse(String.raw`{
  "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
}`);

describe('a JSON Pointer', () => {
  it('points at what RFC 6901 says', () => {
    const expected: Readonly<Record<string, unknown>> = {
      '': example,
      '/foo': ['bar', 'baz'],
      '/foo/0': 'bar',
      '/': 0,
      '/a~1b': 1,
      '/c%d': 2,
      '/e^f': 3,
      '/g|h': 4,
      '/i\\j': 5,
      '/k"l': 6,
      '/ ': 7,
      '/m~0n': 8,
    };
    for (const [pointer, value] of Object.entries(expected)) {
      expect(isPointer(pointer), pointer).to.equal(true);
      expect(resolvePointer(example, pointer), pointer).to.deep.equal(value);
    }
  });

  it('unescapes ~01 to ~1, not to a slash', () => {
    expect(resolvePointer({ '~1': 'tilde one' }, '/~01')).to.equal('tilde one');
  });

  it('points at nothing where there is nothing', () => {
    for (const pointer of [
      '/nothing',
      '/foo/2',
      '/foo/-',
      '/foo/01',
      '/foo/-1',
      '/foo/1e0',
      '/foo/length',
      '/foo/0/0',
      '//x',
      '/toString',
      '/__proto__',
    ]) {
      expect(resolvePointer(example, pointer), pointer).to.equal(undefined);
    }
    expect(resolvePointer(null, '/a')).to.equal(undefined);
  });

  it('tells null from nothing', () => expect(resolvePointer({ a: null }, '/a')).to.equal(null));

  it('is told from other text', () => {
    for (const text of ['a', 'a/b', '#/a', '/a~', '/a~2', '~0']) expect(isPointer(text), text).to.equal(false);
  });

  it('made of escaped names finds each value', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const nested = fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '') }), { minLength: 1, maxLength: 5 }),
      (names) => {
        const root = names.reduceRight<JsonValue>((inner, name) => Object.fromEntries([[name, inner]]), 'leaf');
        const pointer = names.map((name) => `/${escapeToken(name)}`).join('');
        expect(isPointer(pointer)).to.equal(true);
        expect(resolvePointer(root, pointer)).to.equal('leaf');
      },
    );
    fc.assert(nested, { seed });
  });
});
