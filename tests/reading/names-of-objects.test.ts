import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes } from '../fixtures/text/files.ts';
import { paragraph, run, wordDocument } from '../fixtures/text/word.ts';

/** Words that every object of JavaScript has something under. */
const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];

describe('words of a file that are names in JavaScript', () => {
  for (const name of names) {
    it(`are read like others in rich text: ${name}`, async () => {
      const data = bytes(`{\\rtf1\\ansi Total: \\${name} 84.00{\\*\\${name} hidden}\\par}`);
      const [part] = await readFile({ fileName: 'a.rtf', contentType: '', data }, 10_000);
      expect(part?.unreadable).to.equal(null);
      expect(part?.pages.map(({ text }) => text).join('\n')).to.equal('Total: 84.00');
    });

    it(`are read like others as a colour of Word: ${name}`, async () => {
      const data = wordDocument(paragraph(run('Total: 84.00', `<w:highlight w:val="${name}"/>`)));
      const [part] = await readFile({ fileName: 'a.docx', contentType: '', data }, 10_000);
      expect(part?.pages.map(({ text }) => text).join('\n')).to.equal('Total: 84.00');
    });
  }
});
