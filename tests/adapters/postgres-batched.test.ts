import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { batched } from '../../src/adapters/postgres/connection/batched.ts';

describe('batched work', () => {
  const held = () => {
    const batches: { items: readonly number[]; release(): void }[] = [];
    const work = (items: readonly number[]) =>
      new Promise<readonly string[]>((resolve) => {
        batches.push({ items, release: () => resolve(items.map((item) => `done ${item}`)) });
      });
    return { batches, work };
  };
  const turns = async () => {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  };

  it('has as many batches under way as there are lanes, and what comes meanwhile waits for the next one', async () => {
    const { batches, work } = held();
    const ask = batched({ most: 3, lanes: 2 }, work);
    const asked = [ask(1), ask(2)];
    await turns();
    asked.push(ask(3));
    await turns();
    for (const item of [4, 5, 6, 7]) asked.push(ask(item));
    await turns();
    expect(batches.map(({ items }) => items)).to.deep.equal([[1, 2], [3]]);
    batches[1]?.release();
    await turns();
    expect(batches[2]?.items).to.deep.equal([4, 5, 6]);
    batches[0]?.release();
    await turns();
    expect(batches[3]?.items).to.deep.equal([7]);
    for (const { release } of batches) release();
    expect(await Promise.all(asked)).to.deep.equal([1, 2, 3, 4, 5, 6, 7].map((item) => `done ${item}`));
  });

  it('has one batch under way without lanes', async () => {
    const { batches, work } = held();
    const ask = batched({ most: 10 }, work);
    const asked = [ask(1)];
    await turns();
    asked.push(ask(2), ask(3));
    await turns();
    expect(batches).to.have.length(1);
    batches[0]?.release();
    await turns();
    expect(batches[1]?.items).to.deep.equal([2, 3]);
    batches[1]?.release();
    expect(await Promise.all(asked)).to.deep.equal(['done 1', 'done 2', 'done 3']);
  });

  it('begins the next batch before it hands out the results of the last', async () => {
    const { batches, work } = held();
    const order: string[] = [];
    const ask = batched({ most: 10 }, (items: readonly number[]) => {
      order.push(`begun ${items}`);
      return work(items);
    });
    const first = ask(1).then(() => order.push('handed out 1'));
    await turns();
    const second = ask(2).then(() => order.push('handed out 2'));
    batches[0]?.release();
    await turns();
    batches[1]?.release();
    await Promise.all([first, second]);
    expect(order).to.deep.equal(['begun 1', 'begun 2', 'handed out 1', 'handed out 2']);
  });
});
