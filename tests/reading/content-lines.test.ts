import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';

const textOf = async (fileName: string, lines: readonly string[]) => {
  const data = Buffer.from(lines.join('\r\n'), 'latin1');
  const [part] = await readFile({ fileName, contentType: '', data }, 10_000);
  return part?.pages[0]?.text.split('\n');
};

describe('calendars and business cards', () => {
  it('are read with their folded lines as one, and without the backslashes of their values', async () => {
    const lines = [
      'BEGIN:VCALENDAR',
      'SUMMARY:Total 12',
      ' 34.50\\, to be pa',
      '\tid',
      'DESCRIPTION:One\\nTwo',
      'END:VCALENDAR',
    ];
    expect(await textOf('a.ics', lines)).to.deep.equal([
      'BEGIN:VCALENDAR',
      'SUMMARY:Total 1234.50, to be paid',
      'DESCRIPTION:One',
      'Two',
      'END:VCALENDAR',
    ]);
  });

  it('of which older ones have the bytes of letters are read with the letters', async () => {
    const lines = [
      'BEGIN:VCARD',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Ann',
      'NOTE;ENCODING=QUOTED-PRINTABLE:one =',
      'two',
      'END:VCARD',
    ];
    expect(await textOf('a.vcf', lines)).to.deep.equal([
      'BEGIN:VCARD',
      'N;CHARSET=UTF-8:Müller;Ann',
      'NOTE:one two',
      'END:VCARD',
    ]);
  });

  it('leave other texts as they are', async () => {
    expect(await textOf('a.txt', ['Path:', ' C:\\new\\,x'])).to.deep.equal(['Path:', ' C:\\new\\,x']);
  });
});
