import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes } from '../fixtures/text/files.ts';

const read = async (text: string) => {
  const [part] = await readFile({ fileName: 'a.csv', contentType: 'text/csv', data: bytes(text) }, 10_000);
  return part?.pages[0]?.text.split('\n').map((line) => line.replaceAll('\t', '|'));
};

describe('tables as text', () => {
  const tables: Readonly<Record<string, readonly [text: string, rows: readonly string[]]>> = {
    'the delimiter that their first line names': ['sep=;\r\nItem;Amount\r\nA;1,50\r\n', ['Item|Amount', 'A|1,50']],
    'a delimiter that no other line would tell': ['SEP=^\nItem^Amount\nA^1,50\n', ['Item|Amount', 'A|1,50']],
    'numbers that are to keep their zeros': ['Item,Code\nA,="00123"\nB,=A1\n', ['Item|Code', 'A|00123', 'B|=A1']],
    'quotation marks behind backslashes': [
      'Item,Note,Amount\nA,"say \\"hi\\", ok",10\nB,"z",20\n',
      ['Item|Note|Amount', 'A|say "hi", ok|10', 'B|z|20'],
    ],
    'folders of Windows': [
      'Item;Folder;Note\nA;"C:\\in\\";"say ""hi"""\n',
      ['Item|Folder|Note', 'A|C:\\in\\|say "hi"'],
    ],
    'one column of decimal commas': ['Amount\n1,50\n1.234,00\n-2,5 €\n', ['Amount', '1,50', '1.234,00', '-2,5 €']],
    'one column of quoted texts': ['"Name"\n"Bolts"\n', ['Name', 'Bolts']],
    'a quotation mark that nothing closes': [
      'Item;Note;Amount\nA;"12 inch;10\nB;plain;20\nC;"x";30\nD;y;40\n',
      ['Item|Note|Amount', 'A|"12 inch|10', 'B|plain|20', 'C|x|30', 'D|y|40'],
    ],
    'several of them, up to the end': [
      'Item,Note,Amount\r\nA,"12 inch,10\r\nB,"13 inch,20\r\n"C,z,30\r\nD,y,40\r\n',
      ['Item|Note|Amount', 'A|"12 inch|10', 'B|"13 inch|20', '"C|z|30', 'D|y|40'],
    ],
    'quoted cells of several lines': [
      'Item,Note,Amount\nA,"one, of many,\nand ""two"", at most",10\nB,"Best" bolts,20\nC,,30\n',
      ['Item|Note|Amount', 'A|one, of many, and "two", at most|10', 'B|"Best" bolts|20', 'C||30'],
    ],
    'two columns of whole numbers': ['Item,Amount\n1,50\n2,30\n', ['Item|Amount', '1|50', '2|30']],
  };
  for (const [what, [text, rows]] of Object.entries(tables))
    it(`are read with ${what}`, async () => {
      expect(await read(text)).to.deep.equal(rows);
    });
});
