import { expect } from 'chai';
import fc from 'fast-check';
import { listedText, shownText, summaryText } from '../../src/adapters/console/browser/form/amounts.ts';
import { inWords, parsed, textOf, understood } from '../../src/adapters/console/browser/form/entry.ts';
import { arranged, fieldsOf, placeText, valuesOf, valueText } from '../../src/adapters/console/browser/form/form.ts';
import { changeOf, placed } from '../../src/adapters/console/browser/form/form-changes.ts';
import {
  afterSaving,
  entered,
  entriesOf,
  type FormEntries,
  newName,
  noEntries,
  withStep,
} from '../../src/adapters/console/browser/form/form-entries.ts';
import { jsonPatches } from '../../src/adapters/system/json-patch.ts';
import { type JsonObject, resolvePointer } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { edited } from '../../src/domain/json-patch.ts';

const optional = (type: string) => ({ type: [type, 'null'] });
const schema = {
  type: 'object',
  properties: {
    total: optional('number'),
    count: optional('integer'),
    paid: { type: 'boolean' },
    due: { type: ['string', 'null'], format: 'date' },
    currency: { enum: ['EUR', 'USD'] },
    lines: { anyOf: [{ $ref: '#/$defs/lines' }, { type: 'null' }] },
  },
  $defs: {
    lines: {
      type: 'array',
      items: { allOf: [{ type: 'object', properties: { sku: { type: 'string' }, amount: optional('number') } }] },
    },
  },
};

const data: JsonObject = {
  total: 3,
  paid: true,
  due: '2026-01-02',
  lines: ['a', 'b', 'c'].map((sku, index) => ({ sku, amount: index })),
};
const entries = (over: Partial<FormEntries<string>> = {}): FormEntries<string> => ({ ...noEntries, ...over });
const value = (text: string, place: string | null = null) => ({ text, from: '', place });
const fieldsFor = (of: JsonObject, given: FormEntries<string>) => arranged(fieldsOf(of, schema), given.rows);
const changeFor = (given: FormEntries<string>, of = data) => changeOf(of, fieldsFor(of, given), given);
const field = (pointer: string) => {
  const found = valuesOf(fieldsOf(data, schema)).find((each) => each.pointer === pointer);
  if (!found) throw new Error(`there is no ${pointer}`);
  return found;
};

describe('a form', () => {
  it('becomes a patch: values where they were, rows removed from the end on and added in order, places where they are at last', () => {
    const given = entries({
      values: {
        '/total': value('3.50', 'there'),
        '/lines/2/sku': value('x', 'here'),
        '/lines/+1/sku': value('new', 'between'),
        '/lines/0/sku': value('gone'),
      },
      rows: { '/lines': ['1', '+1', '2'] },
    });
    expect(changeFor(given)).to.deep.equal({
      patch: [
        { op: 'add', path: '/total', value: 3.5 },
        { op: 'add', path: '/lines/2/sku', value: 'x' },
        { op: 'remove', path: '/lines/0' },
        { op: 'add', path: '/lines/1', value: { sku: 'new', amount: null } },
      ],
      places: { '/total': 'there', '/lines/1/sku': 'between', '/lines/2/sku': 'here' },
    });
    expect(changeFor(entries({ values: { '/total': value('three') } })), 'no number').to.equal(null);
    expect(changeFor(entries({ values: { '/total': value('3', 'there') } })), 'what it is already').to.deep.equal({
      patch: [],
      places: {},
    });
    const first = entries({ rows: { '/lines': ['+1'] }, values: { '/lines/+1/sku': value('a') } });
    expect(changeFor(first, { ...data, lines: null })?.patch).to.deep.equal([
      { op: 'add', path: '/lines', value: [] },
      { op: 'add', path: '/lines/0', value: { sku: 'a', amount: null } },
    ]);
  });

  it('is after its patch as it was seen, and after the inverse as it was', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const rows = fc.record({
      kept: fc.subarray(['0', '1', '2']),
      added: fc.array(fc.nat(3), { maxLength: 3 }),
      texts: fc.array(fc.constantFrom('1', '-2.50', '12345678901234567.89', '', '0'), { minLength: 8, maxLength: 8 }),
    });
    fc.assert(
      fc.property(rows, ({ kept, added, texts }) => {
        let names: readonly string[] = kept;
        for (const at of added) names = names.toSpliced(at, 0, newName(names));
        const amounts = names.map((name, index) => [`/lines/${name}/amount`, value(texts[index] ?? '')] as const);
        const given = entries({
          rows: { '/lines': names },
          values: Object.fromEntries([...amounts, ['/total', value(texts[7] ?? '')]]),
        });
        const { patch } = changeFor(given) ?? { patch: [] };
        const { after, inverse } = edited(data, patch);
        expect(jsonPatches.apply(data, patch).value).to.deep.equal(after);
        expect(jsonPatches.apply(after, inverse).value).to.deep.equal(data);
        const seen = valuesOf(fieldsFor(data, given)).filter(({ pointer }) => pointer.endsWith('/amount'));
        const shown = seen.map(({ pointer, value: old }) => given.values[pointer]?.text ?? valueText(old));
        const stored = names.map((_, index) => valueText(resolvePointer(after, `/lines/${index}/amount`)));
        expect(stored.map(Number)).to.deep.equal(shown.map(Number));
      }),
      { seed },
    );
  });

  it('brings the places of values back with the values', () => {
    const places: Readonly<Record<string, string>> = { '/lines/1/sku': 'row', '/total': 'sum' };
    const { patch } = changeFor(entries({ rows: { '/lines': ['0', '2'] }, values: { '/total': value('4') } })) ?? {
      patch: [],
    };
    const { inverse } = edited(data, patch);
    expect(placed(inverse, (pointer) => places[pointer] ?? null).places).to.deep.equal(places);
  });

  it('takes back one step after the other, typing into one value being one', () => {
    let steps = { steps: [] as readonly FormEntries<string>[], about: '' };
    const total = field('/total');
    for (const text of ['4', '45'])
      steps = withStep(steps, entered(entriesOf(steps, data, 1), total, text, null), '/total');
    steps = withStep(steps, entered(entriesOf(steps, data, 1), total, '6', 'page'), '');
    expect(steps.steps.map(({ values }) => values['/total'])).to.deep.equal(
      [value('45'), value('6', 'page')].map((each) => ({ ...each, from: '3' })),
    );
    const back = withStep(steps, entered(entriesOf(steps, data, 1), total, '3', null), '/total');
    expect(back.steps.at(-1)?.values, 'as it was').to.deep.equal({});
  });

  it('of data that another person has changed has all rows of theirs, and the new ones', () => {
    const given = {
      steps: [entries({ rows: { '/lines': ['0', '+1'] }, revision: 1, confirmed: ['/total'] })],
      about: '',
    };
    expect(entriesOf(given, data, 1).rows).to.deep.equal({ '/lines': ['0', '+1'] });
    expect(entriesOf(given, data, 2)).to.deep.include({ revision: 2, rows: { '/lines': ['0', '1', '2', '+1'] } });
    expect(afterSaving(entries({ confirmed: ['/total'] }), 3).steps).to.deep.equal([
      entries({ revision: 3, confirmed: ['/total'] }),
    ]);
    expect(afterSaving(entries({ confirmed: ['/lines/1/sku'], rows: { '/lines': ['1'] } }), 3).steps).to.deep.equal([]);
  });

  it('takes numbers and dates as they stand on paper, and says what else they may mean', () => {
    const meant = (pointer: string, entry: string) => {
      const { text = null, others = [] } = understood(field(pointer), entry) ?? {};
      return [text, ...others];
    };
    const cases: readonly (readonly [pointer: string, entry: string, ...meant: (string | null)[]])[] = [
      ['/total', '99.382,55 €', '99382.55'],
      ['/total', 'EUR 99,382.55', '99382.55'],
      ['/total', '1 234,50', '1234.50'],
      ['/total', '1\u00a0234,50', '1234.50'],
      ['/total', '1\u202f234,50 €', '1234.50'],
      ['/total', "1'234.50 CHF", '1234.50'],
      ['/total', '12,34,567.89', '1234567.89'],
      ['/total', '(1.234,00)', '-1234.00', '1234.00'],
      ['/total', '1.234,00-', '-1234.00'],
      ['/total', '-1.234,00', '-1234.00'],
      ['/total', '- 5,00', '-5.00', '5.00'],
      ['/total', '– 5,00 €', '-5.00', '5.00'],
      ['/total', '1.250,- €', '1250.00'],
      ['/total', '1.250,––', '1250.00'],
      ['/total', '1250.—', '1250.00'],
      ['/total', '1.234', '1.234', '1234'],
      ['/total', '1,234', '1234', '1.234'],
      ['/total', '0,125', '0.125'],
      ['/total', '19 %', '19', '0.19'],
      ['/total', '12345678901234567,89', '12345678901234567.89'],
      ['/total', '1e5', '1e5'],
      ['/total', '3.50', '3.50'],
      ['/total', '+5', '5'],
      ['/total', '5.', '5'],
      ['/total', '-.5', '-.5'],
      ['/total', '(-5)', '-5'],
      ['/total', '--5', null],
      ['/total', '- -5', null],
      ['/total', '-+5', null],
      ['/total', '-(5)', null],
      ['/total', '5–', null],
      ['/total', '(5', null],
      ['/total', '-,5', null],
      ['/total', '3 of 4', null],
      ['/total', '12a', null],
      ['/total', 'three', null],
      ['/count', '1.234', '1234'],
      ['/due', '3.11.2026', '2026-11-03', '2026-03-11'],
      ['/due', '03/04/2026', '2026-04-03', '2026-03-04'],
      ['/due', '23.11.2026', '2026-11-23'],
      ['/due', '3. November 2026', '2026-11-03'],
      ['/due', 'soon', null],
      ['/lines/0/sku', '1.234', null],
    ];
    for (const [pointer, entry, ...wanted] of cases)
      expect(meant(pointer, entry), `${pointer} ${entry}`).to.deep.equal(wanted);
    expect(String(parsed(field('/total'), '12.345.678.901.234.567,89 €'))).to.equal('12345678901234567.89');
    expect(parsed(field('/due'), '23.11.2026')).to.equal('2026-11-23');
    expect(parsed(field('/due'), 'soon'), 'the server says what is wrong with it').to.equal('soon');
    expect(inWords(field('/total'), '12345678901234567.80')).to.equal('12,345,678,901,234,567.80');
    expect(inWords(field('/due'), '2026-11-03')).to.equal('November 3, 2026');
  });

  it('shows amounts in lists with the digits of their currency, and other numbers as they were read', () => {
    const shown = (value: unknown, currency?: string, mayBeAmount = true) =>
      listedText({ '/total': value, ...(currency && { '/currency': currency }) }, '/total', mayBeAmount);
    expect(shown(467.4, 'EUR')).to.equal('467.40');
    expect(shown(1190, 'EUR')).to.equal('1,190.00');
    expect(shown(jsonNumber('12345678901234567.8'), 'EUR')).to.equal('12,345,678,901,234,567.80');
    expect(shown(1.2345, 'EUR')).to.equal('1.2345');
    expect(shown(1190, 'JPY')).to.equal('1,190');
    expect(shown(1.5, 'KWD')).to.equal('1.500');
    expect([shown(467.4), shown(3), shown(2026, 'EUR', false)]).to.deep.equal(['467.40', '3', '2026']);
    expect(shown(467.4, 'no currency')).to.equal('467.40');
    expect(shown(1e300, 'EUR')).to.equal('1e+300');
    expect([shown(true), shown(null), shown('7.1')]).to.deep.equal(['yes', '', '7.1']);
    expect(summaryText({ '/supplier': 'Meyer', '/number': null, '/total': 467.4 })).to.equal('Meyer · 467.40');
  });

  it('shows an amount of a document with the digits of its currency, and the other numbers of its column like it', () => {
    const shown = (of: JsonObject) =>
      Object.fromEntries(valuesOf(fieldsOf(of, schema)).map((each) => [each.pointer, shownText(each)]));
    const row = (amount: number) => ({ sku: 'a', amount });
    expect(shown({ total: 1190, count: 1190, currency: 'EUR', lines: [row(1234.5), row(3)] })).to.include({
      '/total': '1,190.00',
      '/count': '1190',
      '/lines/0/amount': '1,234.50',
      '/lines/1/amount': '3.00',
    });
    expect(shown({ total: 1190, currency: 'JPY', lines: [row(3)] })).to.include({
      '/total': '1,190',
      '/lines/0/amount': '3',
    });
    expect(shown({ total: 1.5, currency: 'KWD' })).to.include({ '/total': '1.500' });
    expect(shown({ total: 1190 })).to.include({ '/total': '1190', '/paid': '', '/due': '' });
    expect(shown({ total: jsonNumber('12345678901234567.8') })).to.include({ '/total': '12,345,678,901,234,567.80' });
  });

  it('names places by the titles of the schema, and by words where there are none', () => {
    const titled = {
      type: 'object',
      properties: {
        iban: { type: 'string', title: 'IBAN' },
        lines: {
          type: 'array',
          items: { type: 'object', properties: { vat_id: { type: 'string', title: 'VAT ID' } } },
        },
      },
    };
    expect(['/iban', '/lines/0/vat_id', '/order_number'].map((each) => placeText(each, titled))).to.deep.equal([
      'IBAN',
      'Lines › 1 › VAT ID',
      'Order number',
    ]);
    expect(['/iban', '/vat_id', '/video'].map((each) => placeText(each))).to.deep.equal(['IBAN', 'VAT ID', 'Video']);
  });

  it('takes of the words on a page what a field can have', () => {
    expect(textOf(field('/total'), 'Total: 1.234,50 EUR')).to.equal('1234.50');
    expect(textOf(field('/total'), 'Summe 1.250,– €')).to.equal('1250.00');
    expect(textOf(field('/total'), '0,125 kg')).to.equal('0.125');
    expect(textOf(field('/total'), '3 of 4')).to.equal('3 of 4');
    expect(textOf(field('/due'), 'due on 3 March 2026')).to.equal('2026-03-03');
    expect(textOf(field('/due'), '03/04/2026'), 'either day').to.equal('03/04/2026');
    expect(textOf(field('/currency'), 'eur')).to.equal('EUR');
    expect(textOf(field('/lines/0/sku'), '0012')).to.equal('0012');
  });
});
