import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, email } from '../fixtures/text/files.ts';

const read = async (html: string) => {
  const [part] = await readFile({ fileName: 'a.html', contentType: '', data: bytes(html) }, 10_000);
  return { text: part?.pages[0]?.text, notes: (part?.notes ?? []).map(({ kind, what }) => `${kind}: ${what}`) };
};
const total = '<p>Total: 84.00</p>';

describe('HTML that hides something', () => {
  const hidden: readonly string[] = [
    '<div style="DISPLAY : none; max-height:0">City: Hiddenville</div>',
    '<div style="color:red;visibility:hidden">City: Hiddenville</div>',
    '<span style="mso-hide:all">City: Hiddenville</span>',
    '<p hidden>City: Hiddenville</p>',
    '<template>City: Hiddenville</template>',
    '<noscript>City: Hiddenville</noscript>',
    '<style>/* a */ .x, #y { color: red; display: none !important }</style><p class="x">City</p>',
    '<table><tr style="display:none"><td>City</td></tr></table>',
    '<div style="display:none"><p style="display:none">City</p></div>',
  ];
  for (const html of hidden) {
    it(`is read without it, and says so: ${html}`, async () => {
      expect(await read(`<!doctype html><html><body>${html}${total}</body></html>`)).to.deep.equal({
        text: 'Total: 84.00',
        notes: ['hidden: 1 hidden element'],
      });
    });
  }

  const shown: readonly string[] = [
    '<p style="backface-visibility:hidden">City</p>',
    '<style>@media print { .x { display: none } }</style><p class="x">City</p>',
    '<style>.x { display: none } .x { display: block }</style><p class="x">City</p>',
    '<style>.x { display: none }</style><p class="x" style="display: block">City</p>',
    '<style>p:hover { display: none }</style><p>City</p>',
  ];
  for (const html of shown) {
    it(`is read with what is shown all the same: ${html}`, async () => {
      const { text, notes } = await read(`<!doctype html><html><body>${html}${total}</body></html>`);
      expect(text).to.match(/^City\n+Total: 84\.00$/);
      expect(notes).to.deep.equal([]);
    });
  }

  it('is read in a mail by the same rule', async () => {
    const data = email(`<html><body><div style="display:none">Preview</div>${total}</body></html>`, [], 'text/html');
    const [part] = await readFile({ fileName: 'a.eml', contentType: '', data }, 10_000);
    expect(part?.pages[0]?.text).to.match(/\n\nTotal: 84\.00$/);
    expect(part?.notes).to.deep.equal([{ kind: 'hidden', page: null, what: '1 hidden element' }]);
  });

  it('is read however deep and long it is', async () => {
    const { text } = await read(`<body><i hidden>x</i>${'<div>'.repeat(50_000)}${total}`);
    expect(text ?? '').not.to.include('x');
    const styles = `<style>${Array.from({ length: 5000 }, (_, index) => `.c${index}{display:none}`).join('')}</style>`;
    expect((await read(`<body>${styles}${total}${'<p>a</p>'.repeat(2000)}`)).text?.slice(0, 12)).to.equal(
      'Total: 84.00',
    );
  });
});
