import { expect } from 'chai';
import fc from 'fast-check';
import { jsonPatches } from '../../src/adapters/system/json-patch.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { editsBetween } from '../../src/domain/json-patch.ts';

describe('the edits between two values', () => {
  it('are at the innermost places, those at the end of a list removed from its end on', () => {
    const before = { total: 1, lines: [{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }], old: null };
    const after = { total: jsonNumber('9007199254740993'), lines: [{ sku: 'x' }], new: [] };
    expect(editsBetween(before, after)).to.deep.equal([
      { op: 'replace', path: '/total', value: jsonNumber('9007199254740993') },
      { op: 'replace', path: '/lines/0/sku', value: 'x' },
      { op: 'add', path: '/new', value: [] },
      { op: 'remove', path: '/old' },
      { op: 'remove', path: '/lines/2' },
      { op: 'remove', path: '/lines/1' },
    ]);
    expect(editsBetween(null, { a: 1 })).to.deep.equal([{ op: 'replace', path: '', value: { a: 1 } }]);
    expect(editsBetween(before, before)).to.deep.equal([]);
  });

  it('make the one of the other', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const value = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', '/', '~') }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, (before, after) => {
        const made = jsonPatches.apply(before, editsBetween(before, after)).value;
        expect(made).to.deep.equal(after);
      }),
      { seed },
    );
  });
});
