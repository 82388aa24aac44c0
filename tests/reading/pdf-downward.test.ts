import { expect } from 'chai';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { downwardPdf } from '../fixtures/text/right-to-left.ts';

const textOf = async (data: Uint8Array) => (await readPdf(data, 10_000)).pages[0]?.text;

describe('columns that are written from top to bottom', () => {
  it('are read one after the other, from the right to the left, with the numbers that are turned in them', async () => {
    const columns = ['請求書の備考です。', '数量は12個、納期は三十日', '合計金額1,234円'];
    expect(await textOf(await downwardPdf(columns))).to.equal(columns.join('\n'));
  });

  it('are none where signs stand below each other as far apart as rows of a table', async () => {
    expect(await textOf(await downwardPdf(['有無有', '大中小'], 20))).to.equal('大  有\n中  無\n小  有');
  });
});
