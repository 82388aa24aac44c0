import { expect } from 'chai';
import { MOST_DATA_BYTES, sizeDefect } from '../../src/domain/document-data.ts';

const text = (bytes: number) => 'x'.repeat(bytes);

describe('the data of a document', () => {
  it('is at most 4 MiB of JSON text, in UTF-8 and with every escape', () => {
    const around = '{"a":""}'.length;
    expect(sizeDefect({ a: text(MOST_DATA_BYTES - around) })).to.equal(null);
    for (const long of [
      text(MOST_DATA_BYTES - around + 1),
      'é'.repeat(MOST_DATA_BYTES / 2 - 3),
      '\n'.repeat(MOST_DATA_BYTES / 2),
    ]) {
      expect(sizeDefect({ a: long })).to.equal('is longer than 4 MiB as JSON text');
    }
  });

  it('has a bounded number of values, and of characters in the pointers to them', () => {
    const zeros = (count: number) => Array.from({ length: count }, () => 0);
    expect(sizeDefect({ a: zeros(199_998) })).to.equal(null);
    expect(sizeDefect({ a: zeros(199_999) })).to.equal('has more than 200,000 values');
    expect(sizeDefect({ [text(1000)]: zeros(30_000) })).to.equal(null);
    expect(sizeDefect({ [text(1000)]: zeros(40_000) })).to.match(/^has names so long/);
  });
});
