import { expect } from 'chai';
import type { AgentDefinition } from '../../src/domain/agent.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { isMissing, missingValues, valuesAt } from '../../src/domain/missing-values.ts';

describe('a value', () => {
  it('is missing where it is null, absent or a text without a visible character', () => {
    for (const value of [
      null,
      undefined,
      '',
      ' ',
      '\t\n',
      '\u00a0\u3000',
      '\u200b',
      '\ufeff\u2060',
      '\u3164',
      '\u2800',
      '\u00ad\ufe0f',
    ])
      expect(isMissing(value), JSON.stringify(value)).to.equal(true);
    for (const value of [0, false, '0', '–', '.', ' x ', '\u200bé', [], {}, [null]])
      expect(isMissing(value), JSON.stringify(value)).to.equal(false);
  });

  it('stands at a pointer that may name every item of a list', () => {
    const data: JsonObject = {
      lines: [{ amount: 1 }, {}, { amount: null }],
      list: { '*': 2 },
      other: { a: 1 },
      'a/b': [[3], [4, 5]],
    };
    const at = (pointer: string) => [...valuesAt(data, pointer)];
    expect(at('/lines/*/amount')).to.deep.equal([
      ['/lines/0/amount', 1],
      ['/lines/1/amount', undefined],
      ['/lines/2/amount', null],
    ]);
    expect(at('/lines/1/amount')).to.deep.equal([['/lines/1/amount', undefined]]);
    expect(at('/a~1b/*/*').map(([pointer]) => pointer)).to.deep.equal(['/a~1b/0/0', '/a~1b/1/0', '/a~1b/1/1']);
    expect(at('/list/*')).to.deep.equal([['/list/*', 2]]);
    expect([at('/other/*'), at('/nope/*/a'), at('/nope/a')]).to.deep.equal([[], [], [['/nope/a', undefined]]]);
  });
});

describe('the values that a document misses', () => {
  const missing = (data: JsonObject, over: Partial<AgentDefinition> = {}, named: readonly string[] = []) =>
    missingValues(data, { requiredValues: null, systemOfRecord: null, duplicateKey: [], ...over }, named);
  const columns = (...pointers: string[]) => ({
    systemOfRecord: {
      connectionId: 'c',
      entity: 'public.t',
      documentIdColumn: 'id',
      columns: Object.fromEntries(pointers.map((pointer, index) => [`c${index}`, pointer])),
    },
  });

  it('are looked for where it is posted from, known again by and checked, each once', () => {
    const rules = { ...columns('/a', '/b', '/zero', '/off'), duplicateKey: ['/b', '/c'] };
    const data = { a: null, c: ' ', zero: 0, off: false, lines: [{ amount: null }, { amount: 1 }], e: null };
    expect(missing(data, rules, ['/a', '/lines', '/lines/*/amount', '/d'])).to.deep.equal([
      '/a',
      '/b',
      '/c',
      '/lines/0/amount',
      '/d',
    ]);
    expect(missing({ e: null })).to.deep.equal([]);
  });

  it('are those that its agent lists, and no others, if it lists any', () => {
    const rules = { ...columns('/a'), duplicateKey: ['/b'], requiredValues: ['/c', '/lines', '/c'] };
    expect(missing({}, rules, ['/d'])).to.deep.equal(['/c', '/lines']);
    expect(missing({ c: 0, lines: [{}] }, rules, ['/d'])).to.deep.equal([]);
    expect(missing({}, { ...rules, requiredValues: [] }, ['/d'])).to.deep.equal([]);
  });

  it('are an empty list only where it is listed', () => {
    expect(missing({ lines: [] }, columns('/lines'), ['/lines', '/lines/*/amount'])).to.deep.equal([]);
    expect(missing({ lines: [] }, { requiredValues: ['/lines'] })).to.deep.equal(['/lines']);
  });
});
