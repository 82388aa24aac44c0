import { expect } from 'chai';
import { openPages } from '../../src/adapters/text/pages/open-pages.ts';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { checkBox, choiceField, drawAnew, formOf, listBox, radioButtons, textField } from '../fixtures/text/forms.ts';

const partOf = async (draw: Parameters<typeof formOf>[0]) => {
  const [part] = await readFile({ fileName: 'form.pdf', contentType: '', data: await formOf(draw) }, 100_000);
  if (part === undefined) throw new Error('there is no part');
  return part;
};
const textOf = async (draw: Parameters<typeof formOf>[0]) => (await partOf(draw)).pages[0]?.text;

describe('fields of a PDF form', () => {
  it('say what their widgets show, not what is stored', async () => {
    const text = await textOf((form) => {
      textField(form, 'Total', 700, { drawn: '84.00', stored: '99.00' });
      textField(form, 'Never', 670, { drawn: 'Hiddenville', stored: 'Hiddenville', flags: 2 });
      textField(form, 'Paper', 640, { drawn: 'Printville', stored: 'Printville', flags: 4 | 32 });
      textField(form, 'Screen', 610, { drawn: 'Seen', stored: 'Seen', flags: 0 });
    });
    expect(text).to.equal('Total: 84.00\nNever:\nPaper:\nScreen: Seen');
  });

  it('are read where no appearance is stored, because viewers draw them', async () => {
    const part = await partOf((form) => {
      textField(form, 'Total', 700, { drawn: null, stored: '84.00' });
      textField(form, 'Customer', 670, { drawn: null, stored: 'Łódź Bakery 汉' });
      textField(form, 'Right to left', 640, { drawn: null, stored: 'מאפיית רחוב האלון' });
      textField(form, 'Empty', 610, { drawn: null, stored: '' });
    });
    const expected = 'Total: 84.00\nCustomer: Łódź Bakery 汉\nRight to left: מאפיית רחוב האלון\nEmpty:';
    expect(part.pages[0]?.text).to.equal(expected);
    const total = part.layouts[0]?.words.find(({ text }) => text === '84.00');
    expect((total?.x ?? 0) * 595, 'where its widget stands').to.be.within(149, 165);
    expect((total?.y ?? 0) * 842).to.be.within(842 - 720, 842 - 700);
  });

  it('have also the letters that the font of their form does not have', async () => {
    const text = await textOf((form) => {
      textField(form, 'Note', 700, { drawn: null, stored: 'Zażółć gęślą 12,50' });
      textField(form, 'Name', 670, { drawn: null, stored: 'Bakery „Ruß“' });
      textField(form, 'Other', 640, { drawn: 'Sweden', stored: 'Śweden' });
    });
    expect(text).to.equal('Note: Zażółć gęślą 12,50\nName: Bakery „Ruß“\nOther: Sweden');
  });

  it('are drawn anew where the form says so', async () => {
    const text = await textOf((form) => {
      drawAnew(form);
      textField(form, 'Total', 700, { drawn: '80.00', stored: '84.00' });
    });
    expect(text).to.equal('Total: 84.00');
  });

  it('are on the picture of the page where they are read', async () => {
    const draw = (stored: string) => formOf((form) => textField(form, 'Total', 700, { drawn: null, stored }));
    const inkOf = async (data: Uint8Array) => {
      const pages = await openPages(data, 'application/pdf');
      const { samples } = await pages.draw(1, 400);
      pages.close();
      return samples.filter((sample) => sample < 128).length;
    };
    expect(await inkOf(await draw('84.00'))).to.be.above(await inkOf(await draw('')));
  });

  it('have the spaces of their value where each letter has a place of its own', async () => {
    const text = await textOf((form) =>
      textField(form, 'IBAN', 700, { drawn: 'DE02 1203 00', stored: 'DE02 1203 00', comb: 12 }),
    );
    expect(text).to.equal('IBAN: DE02 1203 00');
  });

  it('say the label of what was chosen, not its code, but never what the widget does not show', async () => {
    const countries = { IS: 'Iceland', NO: 'Norway' };
    const text = await textOf((form) => {
      choiceField(form, 'Label', 700, { drawn: 'Iceland', stored: 'IS' }, countries);
      choiceField(form, 'Code', 670, { drawn: 'IS', stored: 'IS' }, countries);
      choiceField(form, 'Undrawn', 640, { drawn: null, stored: 'NO' }, countries);
      choiceField(form, 'Other', 610, { drawn: 'Sweden', stored: 'IS' }, countries);
    });
    expect(text).to.equal('Label: Iceland\nCode: Iceland\nUndrawn: Norway\nOther: Sweden');
  });

  it('say of each box, button and line of a list whether it is on', async () => {
    const part = await partOf((form) => {
      radioButtons(form, 'Payment', 700, ['Cash', 'Card', 'Transfer'], 'Card');
      checkBox(form, 'Approved', 670, true);
      checkBox(form, 'Rejected', 640, false);
      checkBox(form, 'Undrawn', 610, true, { tick: 'none' });
      checkBox(form, 'Letter', 580, true, { tick: 'letter' });
      listBox(form, 'Colour', 500, ['Red', 'Dark green', 'Blue'], 'Dark green');
    });
    const lines = part.pages[0]?.text.split('\n') ?? [];
    expect(lines.slice(0, 5)).to.deep.equal([
      'Payment: [ ] Cash  [x] Card  [ ] Transfer',
      'Approved: [x]',
      'Rejected: [ ]',
      'Undrawn: [x]',
      'Letter: [x]',
    ]);
    expect(lines.slice(5).join('\n')).to.match(/\[ \] Red\n.*\[x\] Dark green\n.*\[ \] Blue/s);
    const marks = part.layouts[0]?.words.filter(({ text }) => text === '[x]') ?? [];
    expect(marks, 'each with its place').to.have.length(5);
  });
});
