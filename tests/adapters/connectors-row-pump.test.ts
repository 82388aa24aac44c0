import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { RowPump } from '../../src/adapters/connectors/postgresql/rows/row-pump.ts';

const KIB = 1024;
const value = Buffer.alloc(32 * KIB, '1');
const row = Buffer.concat([Buffer.from([0, 0, 0x80, 0]), value]);

describe('the row pump', () => {
  it('takes some chunks in a turn of the event loop, however fast server and reader are', async () => {
    const calls: string[] = [];
    const column = {
      name: 'n',
      dataType: 'text',
      codec: (out: { raw(from: Buffer, start: number, end: number): void }) => out.raw(value, 0, value.length),
    };
    const caps = { maxRows: 1_000, maxBytes: 100 * KIB * KIB };
    const pump = new RowPump([column], { caps, explain: (error) => error, onStop: () => {} });
    pump.start({
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      isOver: () => false,
      isRestored: () => false,
    });

    const taken: number[] = [];
    const reading = (async () => {
      for await (const chunk of pump) taken.push(chunk.length);
    })();
    for (let rows = 0; rows < 8; rows += 1) {
      pump.row(row, 0, row.length);
      // The reader takes what there is.
      for (let n = 0; n < 10; n += 1) await Promise.resolve();
    }
    expect([taken.length, calls.at(-1)]).to.deep.equal([2, 'pause']);
    await nextTurn();
    expect(calls.at(-1)).to.equal('resume');
    pump.ended(null, false);
    await reading;
  });
});
