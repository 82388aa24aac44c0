import { expect } from 'chai';
import { linkedList } from '../../src/application/shared/linked-list.ts';

describe('the linked list', () => {
  const filled = () => {
    const list = linkedList<{ readonly name: string }>();
    const remove = ['a', 'b', 'c'].map((name) => list.add({ name }));
    return { list, remove, names: () => [...list].map(({ name }) => name).join('') };
  };

  it('has its members in the order in which they came', () => {
    const { list, names } = filled();
    expect([names(), list.size]).to.deep.equal(['abc', 3]);
  });

  it('removes each once, wherever it is', () => {
    const { list, remove, names } = filled();
    for (const end of [remove[1], remove[1], remove[2]]) end?.();
    expect([names(), list.size]).to.deep.equal(['a', 1]);
    list.add({ name: 'd' });
    expect(names()).to.equal('ad');
  });

  it('removes the oldest, and nothing of an empty one', () => {
    const { list, remove, names } = filled();
    list.removeOldest();
    expect(names()).to.equal('bc');
    for (let n = 0; n < 3; n += 1) list.removeOldest();
    remove[0]?.();
    expect([names(), list.size]).to.deep.equal(['', 0]);
  });

  it('goes on when the one at hand is removed', () => {
    const { list, remove } = filled();
    const seen: string[] = [];
    for (const { name } of list) {
      seen.push(name);
      remove[seen.length - 1]?.();
    }
    expect([seen.join(''), list.size]).to.deep.equal(['abc', 0]);
  });
});
