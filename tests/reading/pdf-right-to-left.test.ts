import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { directedPdf } from '../fixtures/text/right-to-left.ts';

const linesOf = async (data: Uint8Array): Promise<readonly string[]> => {
  const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data }, 100_000);
  return part?.pages[0]?.text.split('\n') ?? [];
};

describe('pages that are read from right to left', () => {
  it('have their words, numbers and brackets in the order in which they are read', async () => {
    const lines = [
      'לקוח: מאפיית רחוב האלון',
      'סה"כ: 84.00',
      '(לקוח) מספר [12]',
      'סכום (כולל מע"מ): 1,234.50 ₪',
      'לקוח ABC Ltd בתל אביב',
      'דוא"ל: a@example.com',
      '-5.00 זיכוי, 10% הנחה',
      'טלפון: 03-1234567',
      'العميل: Alder Street Bakery (فرع 2)',
      'المبلغ الإجمالي: ١٢٣٫٤٥',
      'فاتورة رقم 4711 بتاريخ 31.10.2026',
    ];
    expect(await linesOf(await directedPdf(lines, 'rtl'))).to.deep.equal(lines);
  });

  it('keep a page that is read from left to right as it is, with the words on it that are not', async () => {
    const lines = [
      'Invoice number: 17 (copy)',
      'Invoice no. 17 of לקוח טוב dated 2026-01-02',
      'Customer: العميل الجيد',
      'Total [EUR]: 84.00',
    ];
    expect(await linesOf(await directedPdf(lines, 'ltr'))).to.deep.equal(lines);
  });

  it('have letters in place of the forms that these have within words', async () => {
    const shaped = '\ufedf\ufed0\ufea9 \ufefb';
    expect(await linesOf(await directedPdf([shaped, 'رقم العميل'], 'rtl'))).to.deep.equal(['لغد لا', 'رقم العميل']);
  });

  it('say any words and numbers in the order in which they were written', async () => {
    const seed = Number(process.env.RTL_SEED ?? randomInt(2 ** 31));
    console.log(`      seed ${seed}`);
    const scripts = [
      ['לקוח', 'חשבונית', 'סה"כ', 'העיר'],
      ['المبلغ', 'رقم', 'فاتورة', 'مدينة'],
    ].map((words) => fc.constantFrom(...words));
    const between = fc.constantFrom(
      '84.00',
      '1,234.50',
      '2026',
      'ABC',
      'Ltd',
      'A-17',
      '(12)',
      '[ABC]',
      '31.10.2026',
      '25%',
    );
    // Between a number and a word from left to right, even a person cannot tell which comes first.
    const line = fc.oneof(
      ...scripts.map((word) =>
        fc
          .tuple(word, fc.array(fc.tuple(between, word), { minLength: 1, maxLength: 3 }))
          .map(([first, others]) => [first, ...others.flat()].join(' ')),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 20 }), async (lines) => {
        expect(await linesOf(await directedPdf(lines, 'rtl'))).to.deep.equal(lines);
      }),
      { seed, numRuns: Number(process.env.RTL_RUNS ?? 20) },
    );
  });
});
