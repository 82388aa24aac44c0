import { expect } from 'chai';
import fc from 'fast-check';
import { isPointer, type JsonValue, resolvePointer } from '../../src/domain/json.ts';
import { differences } from '../../src/domain/json-difference.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';

describe('the differences of two JSON values', () => {
  it('are the innermost pointers at which they differ', () => {
    const before = { a: 1, list: [1, { x: 'y' }], gone: null, 'a/b~': { c: [] } };
    const after = { a: 1, list: [1, { x: 'z' }, 3], 'a/b~': { c: {} }, new: undefined };
    expect(differences(before, after)).to.deep.equal(['/list/1/x', '/list/2', '/gone', '/a~1b~0/c', '/new']);
  });

  it('are the whole where only the order of members differs, or the kind', () => {
    expect(differences({ in: { a: 1, b: 2 } }, { in: { b: 2, a: 1 } })).to.deep.equal(['/in']);
    expect(differences([], {})).to.deep.equal(['']);
    expect(differences(null, {})).to.deep.equal(['']);
  });

  it('are not looked for within what is the same object', () => {
    const kept = {
      get looked(): never {
        throw new Error('It was looked at.');
      },
    };
    expect(differences([1, kept], [2, kept])).to.deep.equal(['/0']);
  });

  it('tell numbers apart that a double does not', () => {
    expect(differences([jsonNumber('9007199254740993')], [jsonNumber('9007199254740992')])).to.deep.equal(['/0']);
    expect(differences([jsonNumber('9007199254740993')], [jsonNumber('9007199254740993.0')])).to.deep.equal([]);
  });

  it('are none exactly where the text is the same, and differ at every pointer', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const small = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', '/', '~') });
    const compared = fc.property(small, small, (one, other) => {
      const found = differences(one, other);
      expect(found.length === 0).to.equal(JSON.stringify(one) === JSON.stringify(other));
      for (const pointer of found) {
        expect(isPointer(pointer)).to.equal(true);
        const [at, there] = [one, other].map((root) => JSON.stringify(resolvePointer(root as JsonValue, pointer)));
        expect(at).to.not.equal(there);
      }
    });
    fc.assert(compared, { seed });
  });
});
