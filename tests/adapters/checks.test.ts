import { expect } from 'chai';
import { celChecks } from '../../src/adapters/validation/cel/checks.ts';
import type { Check } from '../../src/domain/check.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';
import { aSharer } from '../support/builders.ts';

const amount = { type: ['number', 'null'] };
const schema = {
  type: 'object',
  properties: {
    supplier: {
      type: ['object', 'null'],
      properties: { name: { type: ['string', 'null'] }, code: { type: 'string' } },
    },
    invoice_date: { type: 'string' },
    due_date: { type: ['string', 'null'] },
    net: amount,
    vat: amount,
    total: { $ref: '#/$defs/money' },
    paid: { type: 'boolean' },
    'line-count': { type: 'integer' },
    tags: { type: 'object', additionalProperties: { type: 'string' } },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
  },
  $defs: {
    money: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    line: { type: 'object', properties: { amount: { type: 'number' }, part_of: { $ref: '#/$defs/line' } } },
  },
};

const document = (extra = '') =>
  parseJson(`{"supplier":{"name":"Alder","code":"A-1"},"invoice_date":"2026-11-06","due_date":"2026-12-06","net":0.1,"vat":0.2,"total":0.3,
    "paid":false,"line-count":2,"tags":{"constructor":"x"},"lines":[{"amount":0.1},{"amount":0.2}]${extra}}`) as JsonObject;

const check = (rule: string, when: string | null = null, message: string | null = null): Check => ({
  name: 'rule',
  rule,
  when,
  message,
});

describe('checks in CEL', () => {
  const engine = celChecks();
  after(() => engine.close());

  const evaluate = async (by: typeof engine, ...evaluation: Parameters<typeof engine.evaluate>) =>
    (await by.evaluate(...evaluation)).map(({ result }) => result);

  const resultOf = async (
    rule: string,
    data = document(),
    when: string | null = null,
    message: string | null = null,
  ) => {
    const [result] = await evaluate(engine, [check(rule, when, message)], data, OWN_WORK);
    return result;
  };

  const holding = [
    '0.1 + 0.2 == 0.3',
    'document.net + document.vat == document.total',
    'sum(document.lines.map(l, l.amount)) == document.total',
    'near(document.net, 0.11, 0.01) && !near(document.net, 0.11, 0.009)',
    'size(document.lines) == document["line-count"]',
    'document.lines.all(l, l.amount > 0)',
    '2 * document.net == 0.2 && document.net * 2 == 0.2 && 1 - document.net == 0.9',
    'document.total / 3 == 0.1 && 1.0 / 3 * 3 == 0.9999999999999999999999999999999999',
    '-document.net < 0 && document.net >= 0.1 && document.net <= 1',
    'document.net in [0.1, 0.5]',
    'date(document.due_date) - date(document.invoice_date) == duration("720h")',
    'date("2026-11-06") == date("2026-11-06T00:00:00Z") && date("2026-11-06 12:30") < date("2026-11-06T12:30:00-01:00")',
    'document.supplier != null && document.supplier.name.startsWith("A")',
    'document.tags.constructor == "x" && document.supplier.code.matches("^A-[0-9]+$")',
    'has(document.vat) && document.lines.all(l, !has(l.part_of))',
    'sum([]) == 0 && 7 / 2 == 3',
  ];
  for (const rule of holding)
    it(`holds: ${rule}`, async () => {
      expect(engine.defect(rule, schema)).to.equal(null);
      expect(await resultOf(rule)).to.deep.equal({ name: 'rule', status: 'passed', message: null });
    });

  it('keeps every digit, of numbers and of what stands in the expression', async () => {
    const data = document(',"big":12345678901234567890.123456789');
    expect(await resultOf('document.big == 12345678901234567890.123456789', data)).to.include({ status: 'passed' });
    expect(await resultOf('document.big == 12345678901234567890.123456788', data)).to.include({ status: 'failed' });
    expect(await resultOf('document.big - 12345678901234567890.0 == 0.123456789', data)).to.include({
      status: 'passed',
    });
  });

  it('says that a rule is broken in the words of the file, and in its own without them', async () => {
    const wrong = 'document.total == 0.4';
    expect(await resultOf(wrong, document(), null, 'The sum is wrong.')).to.include({
      status: 'failed',
      message: 'The sum is wrong.',
    });
    expect(await resultOf(wrong)).to.include({ status: 'failed', message: 'The rule does not hold.' });
  });

  it('applies a rule where its condition holds alone', async () => {
    expect(await resultOf('document.total == 9', document(), 'document.paid')).to.deep.equal({
      name: 'rule',
      status: 'not_applicable',
      message: null,
    });
    expect(await resultOf('document.total == 9', document(), '!document.paid')).to.include({ status: 'failed' });
  });

  const EMPTY =
    ',"nothing":null,"other":null,"none":[],"nulls":[null,null],"rows":[{"a":null,"b":1},{"b":0}],"supplier":null,"years":{"2024":null},"zero":0,"off":false,"blank":""';
  const missing = {
    'document.nothing + 1 == 1': '/nothing',
    'document.nothing == document.other': '/nothing',
    'document.nothing != "A"': '/nothing',
    'document.net + document.discount == 1.0': '/discount',
    'document.supplier.name.startsWith("A")': '/supplier',
    'has(document.supplier.name)': '/supplier',
    'sum([document.nothing]) == 1': '/nothing',
    'sum(document.nulls) == 0': '/nulls/0',
    'sum(document.rows.map(r, r.a)) == 1': '/rows/0/a',
    'document.rows.all(r, r.a > 0)': '/rows/0/a',
    'document.years["2024"] > 1': '/years/2024',
    'cel.bind(x, document.nothing, x > 1)': '/nothing',
    'document.rows.all(r, r.b >= document.nothing)': '/nothing',
  };
  for (const [rule, pointer] of Object.entries(missing))
    it(`does not apply where there is no value: ${rule}`, async () => {
      const message = `It could not be applied: ${pointer} has no value.`;
      expect(await resultOf(rule, document(EMPTY))).to.deep.equal({ name: 'rule', status: 'not_applicable', message });
    });

  const coping = [
    'document.nothing == null && null == document.other',
    'document.nothing == null || document.nothing > 1',
    '!has(document.discount) || document.discount > 1',
    '!("discount" in document) && document.years["2024"] == null',
    'document.rows.filter(r, has(r.a) && r.a != null).map(r, r.a) == []',
    'document.paid || document.nothing > 1 || true',
    'sum(document.none) == 0 && document.none != null',
    'document.zero == 0 && !document.off && document.blank == ""',
  ];
  for (const rule of coping)
    it(`holds, for it asks before it reads: ${rule}`, async () => {
      expect(await resultOf(rule, document(`${EMPTY.replace('"none"', '"paid":true,"none"')}`))).to.include({
        status: 'passed',
      });
    });

  it('has failed where a rule asks for a value that is not there', async () => {
    const result = await resultOf('document.nothing != null', document(EMPTY), null, 'There is nothing.');
    expect(result).to.deep.equal({ name: 'rule', status: 'failed', message: 'There is nothing.' });
  });

  it('confirms what stands in its sums, if it has passed and none of them is only one of several ways to pass', async () => {
    const data = document(',"kind":"a","rows":[{"price":5,"count":2,"amount":10}]');
    const confirmed = async (rule: string, when: string | null = null) => {
      const [finding] = await engine.evaluate([check(rule, when)], data, OWN_WORK);
      return finding?.confirmed;
    };
    const sum = 'document.net + document.vat == document.total';
    expect(await confirmed(sum)).to.have.members(['/net', '/vat', '/total']);
    expect(await confirmed(`${sum} && document.kind == "a"`)).to.have.members(['/net', '/vat', '/total']);
    expect(await confirmed('near(sum(document.lines.map(l, l.amount)), document.total, 0.01)')).to.have.members([
      '/lines',
      '/lines/*/amount',
      '/total',
    ]);
    expect(await confirmed('document.rows.all(l, near(l.price * l.count, l.amount, 0.01))')).to.have.members([
      '/rows',
      '/rows/*/price',
      '/rows/*/count',
      '/rows/*/amount',
    ]);
    for (const rule of [
      'document.net + document.vat == document.net',
      `${sum} || document.kind == "a"`,
      `!(document.net + document.vat == document.net)`,
      'document.kind == "a"',
      'document.net + document.vat > document.net',
      'document.net + document.nothing == document.total',
    ])
      expect(await confirmed(rule), rule).to.deep.equal([]);
    expect(await confirmed(sum, 'document.kind == "b"')).to.deep.equal([]);
  });

  it('names what its rule names, unless its condition leaves the document out', async () => {
    const named = async (rule: string, when: string | null = null) => {
      const [finding] = await engine.evaluate([check(rule, when)], document(EMPTY), OWN_WORK);
      return finding?.named;
    };
    const sum = 'near(sum(document.lines.map(l, l.amount)), document["net/gross"], 0.01)';
    expect(await named(sum)).to.have.members(['/lines', '/lines/*/amount', '/net~1gross']);
    expect(await named(sum, 'document.nothing != null')).to.deep.equal([]);
    expect(await named(sum, 'document.nothing == null')).to.have.length(3);
    expect(await named('document.supplier.name == "A" || document.nothing == null')).to.have.members([
      '/supplier/name',
      '/nothing',
    ]);
    expect(await named('document.lines[0].amount > 0 && has(document.vat)')).to.have.members([
      '/lines/0/amount',
      '/vat',
    ]);
    expect(await named('document.lines[document.index].amount > 0')).to.have.members(['/lines', '/index']);
    expect(await named('document.lines.map(l, l.kind == "a", l.amount) == []')).to.have.members([
      '/lines',
      '/lines/*/kind',
    ]);
    expect(await named('cel.bind(s, document.supplier, s.name == "x")')).to.have.members([
      '/supplier',
      '/supplier/name',
    ]);
    expect(await named('document.groups.all(g, g.lines.exists(l, l.amount > g.least))')).to.have.members([
      '/groups',
      '/groups/*/lines',
      '/groups/*/lines/*/amount',
      '/groups/*/least',
    ]);
    expect(
      await named('date(document.due) > date("2026-01-01") ? document.paid : size([document.a, document.b]) == 1'),
    ).to.have.members(['/due', '/paid', '/a', '/b']);
  });

  const incomputable = {
    'document.supplier + 1 == 1': 'no such overload: dyn<map<string, string>> + int',
    'sum(document.lines.map(l, l.tax)) == 1': '/lines/1/tax has no value',
    'document.lines.all(l, l.tax < 3)': '/lines/1/tax has no value',
    'document.lines.exists_one(l, l.tax == 2)': '/lines/1/tax has no value',
    'sum(document.shares) == 1': '/shares/0 has no value',
    'document.shares.exists(s, s == 1)': '/shares/0 has no value',
    'document.total / 0 == 1.0': 'division by zero',
    'date("2026-02-30") < date("2026-03-01")': '"2026-02-30" is not a date as in "2026-11-06"',
    'document.huge > 1': 'a number has over 1000 digits',
    'document.lines[7].amount > 1': 'No such key: index out of bounds, index 7 >= size 3',
    'document.total': 'it is neither true nor false',
  };
  for (const [rule, words] of Object.entries(incomputable))
    it(`has failed where it cannot be computed: ${rule}`, async () => {
      const result = await resultOf(rule, document(PARTIAL), null, 'The sum is wrong.');
      expect(result).to.deep.equal({
        name: 'rule',
        status: 'failed',
        message: `The sum is wrong. (The check could not be computed: ${words}.)`,
      });
    });

  const PARTIAL = ',"huge":1e99999,"lines":[{"tax":2},{"tax":null},{}],"shares":[null,1]';
  it('has failed where its condition cannot be computed', async () => {
    const message = '(The check could not be computed: No such key: nope.)';
    expect(await resultOf('true', document(), 'document.nope > 1')).to.deep.equal({
      name: 'rule',
      status: 'failed',
      message,
    });
  });

  it('computes with numbers that have no end of digits only so far', async () => {
    const rule = `document.long${' * document.long'.repeat(40)} > 0`;
    expect((await resultOf(rule, document(`,"long":${'9'.repeat(200)}`)))?.message).to.contain(
      'a number has over 1000 digits',
    );
  });

  const defects = {
    'document.totl == 1.0': 'names the field totl, which the document_schema does not have (at character 10)',
    'document.supplier.nam == "x"': 'names the field nam, which the document_schema does not have (at character 19)',
    'document.lines.all(l, l.amuont > 0)':
      'names the field amuont, which the document_schema does not have (at character 25)',
    'document.lines[0].part_of.part_of.nope == 1':
      'names the field nope, which the document_schema does not have (at character 35)',
    'true &&\n document.totl == 1.0':
      'names the field totl, which the document_schema does not have (its line 2, character 11)',
    'document.total ==': 'is not a usable CEL expression: Unexpected token: EOF (at character 18)',
    'document.total + 1': 'must be true or false, not of the type decimal',
    'document.total == "84"': 'is not a usable CEL expression: no such overload: decimal == string (at character 1)',
    'documents.total == 1': 'is not a usable CEL expression: Unknown variable: documents (at character 1)',
    'near(document.total, "1", 0)':
      "is not a usable CEL expression: found no matching overload for 'near(decimal, string, int)' (at character 1)",
    'document.total.c == 1': 'names the field c, which the document_schema does not have (at character 16)',
  };
  for (const [rule, defect] of Object.entries(defects))
    it(`is refused: ${rule}`, () => expect(engine.defect(rule, schema)).to.equal(defect));

  it('refuses what is too long or too deep', () => {
    expect(engine.defect(`true${' && true'.repeat(1000)}`, schema)).to.match(/over 4000 characters/);
    expect(engine.defect(`${'('.repeat(300)}true${')'.repeat(300)}`, schema)).to.match(
      /not a usable CEL expression: .*depth/i,
    );
  });

  it('lets a rule name any field where the schema lets a document have any', () => {
    expect(engine.defect('document.tags.anything == "x"', schema)).to.equal(null);
    expect(engine.defect('document.anything == 1', { type: 'object' })).to.equal(null);
  });

  it('ends a rule that takes too long or too much memory, and goes on with the next document', async () => {
    const lines = `,"lines":[${Array.from({ length: 3000 }, (_, index) => `{"amount":${index}}`).join(',')}],"text":"${'a'.repeat(40)}!"`;
    const slow = celChecks({ computeSeconds: 0.3 });
    const data = document(lines);
    const checks = [check('true'), check('document.text.matches("^(a+)+$")'), check('true')];
    const results = await evaluate(slow, checks, data, OWN_WORK);
    expect(results.map(({ status }) => status)).to.deep.equal(['passed', 'failed', 'failed']);
    expect(results[1]?.message).to.contain('it takes too long');
    expect(results[2]?.message).to.contain('the check "rule" before it took too long or too much');
    const hungry = 'size(document.lines.map(a, document.lines.map(b, document.lines.map(c, [a, b, c])))) == 0';
    expect((await evaluate(slow, [check(hungry)], data, OWN_WORK))[0]?.message).to.match(
      /it takes too (long|much memory)/,
    );
    expect((await evaluate(slow, [check('size(document.lines) == 3000')], data, OWN_WORK))[0]?.status).to.equal(
      'passed',
    );
    await slow.close();
  });

  it('answers another user while the documents of one take all their time', async () => {
    const slow = celChecks({ computeSeconds: 0.3 });
    const order: string[] = [];
    const data = { text: `${'a'.repeat(40)}!` };
    const ada = Array.from({ length: 8 }, () =>
      evaluate(slow, [check('document.text.matches("^(a+)+$")')], data, aSharer('ada')).then(([result]) =>
        order.push(`ada ${result?.status}`),
      ),
    );
    const ben = evaluate(slow, [check('true')], data, aSharer('ben')).then(([result]) =>
      order.push(`ben ${result?.status}`),
    );
    await Promise.all([...ada, ben]);
    expect(order.slice(0, 2)).to.include('ben passed');
    expect(order.filter((each) => each === 'ada failed')).to.have.length(8);
    await slow.close();
  });

  it('answers each of many documents at once with its own results', async () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      evaluate(engine, [check(`document.number == ${index}`)], { number: index }, OWN_WORK),
    );
    expect((await Promise.all(many)).map(([result]) => result?.status)).to.deep.equal(Array(50).fill('passed'));
  });
});
