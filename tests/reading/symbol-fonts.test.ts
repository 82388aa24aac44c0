import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { mappedPdf } from '../fixtures/text/mapped-fonts.ts';

const read = async (face: string, says: string) => {
  const plain = (sign: string) => sign;
  const lines = [
    { text: 'Paid in full', says: plain },
    { text: 'x', says: () => says, face },
    { text: 'Total', says: plain },
  ];
  const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await mappedPdf(lines) }, 10_000);
  return part?.pages[0]?.text.split('\n').filter((line) => line !== '');
};

describe('signs of a font of symbols in a PDF', () => {
  const shown: Readonly<Record<string, readonly [face: string, says: string, text: string]>> = {
    'a ticked box': ['ABCDEF+Wingdings-Regular', '\uf0fe', '🗹'],
    'an empty box': ['Wingdings', '\uf0a8', '🞎'],
    'a tick of another set': ['ABCDEF+Wingdings2', '\uf050', '🗸'],
    'a letter of Greek': ['SymbolMT', '\uf061', 'α'],
    'what the file itself gives in Unicode': ['Wingdings', '☑', '☑'],
    'what a font of its own draws': ['ABCDEF+OwnSigns', '\uf0fe', '\uf0fe'],
  };
  for (const [what, [face, says, text]] of Object.entries(shown))
    it(`are read as what they show: ${what}`, async () => {
      expect(await read(face, says)).to.deep.equal(['Paid in full', text, 'Total']);
    });
});
