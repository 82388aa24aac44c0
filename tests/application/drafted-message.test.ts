import { expect } from 'chai';
import fc from 'fast-check';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { draftedMessage } from '../../src/application/turns/drafted-message.ts';
import { storable } from '../../src/domain/text.ts';
import { anyCharacter } from '../support/arbitraries.ts';

/** Ids that are counted. */
const counted = () => {
  let count = 0;
  return { ...uuidIds, next: () => `m${++count}` };
};

describe('a message that is being written', () => {
  it('grows into its text as it is stored, wherever the pieces are cut', () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('\ud83d', '\ude00', '\0', '', 'a\ud83d', '\ude00b'),
    );
    const seed = Date.now();
    console.log(`      seed ${seed}`);
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const deltas: string[] = [];
        const draft = draftedMessage(counted(), ({ text }) => deltas.push(text));
        draft.begin();
        for (const each of pieces) draft.write(each);
        const text = pieces.join('');
        // The first half of a pair at the very end still waits for the other one.
        const written = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
        expect(deltas.join('')).to.equal(storable(written));
        for (const delta of deltas) expect(delta.isWellFormed() && delta !== '').to.equal(true);
      }),
      { seed },
    );
  });

  it('begins anew under another id, without what waited', () => {
    const deltas: object[] = [];
    const draft = draftedMessage(counted(), (delta) => deltas.push(delta));
    draft.begin();
    draft.write('One\ud83d');
    const first = draft.id;
    draft.begin();
    draft.write('\ude00two');
    expect(draft.id).not.to.equal(first);
    expect(deltas).to.deep.equal([
      { id: first, text: 'One' },
      { id: draft.id, text: '\ufffdtwo' },
    ]);
  });
});
