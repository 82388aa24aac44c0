import { expect } from 'chai';
import fc from 'fast-check';
import { contentError, isObject } from '../../src/domain/json.ts';
import {
  compareNumbers,
  ExactNumber,
  isInteger,
  isMultipleOf,
  isNumber,
  jsonNumber,
  parseJson,
} from '../../src/domain/json-number.ts';

/** Any number of JSON, as a client may write it. */
const written = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 38n - 1n }).map(String)),
    fc.option(fc.stringMatching(/^\d{1,38}$/), { nil: '' }),
    fc.option(fc.integer({ min: -400, max: 400 }), { nil: null }),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction && `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  );

/** Its value as a fraction, counted in another way than the code does. */
const fractionOf = (text: string): readonly [bigint, bigint] => {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return shift >= 0 ? [digits * 10n ** BigInt(shift), 1n] : [digits, 10n ** BigInt(-shift)];
};
const difference = (a: string, b: string): bigint => {
  const [[x, overX], [y, overY]] = [fractionOf(a), fractionOf(b)];
  return x * overY - y * overX;
};

describe('a JSON number', () => {
  it('is the same number after it was read and printed, whatever it is', () => {
    fc.assert(fc.property(written, (text) => difference(JSON.stringify(parseJson(text)), text) === 0n));
  });

  it('is a plain number, unless that would lose digits', () => {
    for (const text of [
      '0',
      '-0',
      '0.1',
      '1.10',
      '9007199254740992',
      '1e22',
      '1.5E+300',
      '1.0000000000000000000000',
      '100000000000000000000',
    ])
      expect(parseJson(text), text).to.equal(Number(text));
    for (const text of [
      '9007199254740993',
      '123456789012345.6789',
      '1e400',
      '-1e-400',
      '0.1000000000000000055511151231257827',
    ])
      expect(parseJson(text), text).to.be.instanceOf(ExactNumber);
  });

  it('keeps its digits beside a text of many megabytes with escapes, which may look like numbers', () => {
    const text = `1e999 ${'x\\"'.repeat(3_000_000)} 1e999`;
    const { n, q } = parseJson(`{"q":"${text}","n":12345678901234567890}`) as { n: unknown; q: string };
    expect(String(n)).to.equal('12345678901234567890');
    expect(q === text.replaceAll('\\', '')).to.equal(true);
  });

  it('is written as short as it can be', () => {
    const texts: Readonly<Record<string, string>> = {
      '9007199254740993.00': '9007199254740993',
      '9.007199254740993e15': '9007199254740993',
      '-12345678901234567890.10': '-12345678901234567890.1',
      '1234567890123456789e20': '1.234567890123456789e38',
      '0.00001234567890123456789': '0.00001234567890123456789',
      '0.00000001234567890123456789': '1.234567890123456789e-8',
    };
    for (const [text, short] of Object.entries(texts)) {
      expect(String(jsonNumber(text)), text).to.equal(short);
      expect(JSON.stringify({ a: [jsonNumber(text)] }), text).to.equal(`{"a":[${short}]}`);
    }
  });

  it('is compared as what it is, not as a double', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const order = compareNumbers(jsonNumber(a), jsonNumber(b));
        const expected = difference(a, b);
        return Math.sign(order) === (expected < 0n ? -1 : expected > 0n ? 1 : 0);
      }),
    );
    expect(compareNumbers(jsonNumber('9007199254740993'), 9007199254740992)).to.be.greaterThan(0);
  });

  it('knows whether it is an integer, and what it is a multiple of', () => {
    fc.assert(
      fc.property(written, fc.constantFrom('1', '0.01', '3', '0.7', '12345678901234567890'), (text, step) => {
        const [[x, overX], [y, overY]] = [fractionOf(text), fractionOf(step)];
        const number = jsonNumber(text);
        return (
          isInteger(number) === (x % overX === 0n) &&
          isMultipleOf(number, jsonNumber(step)) === ((x * overY) % (y * overX) === 0n)
        );
      }),
    );
  });

  it('of more digits than anybody needs is read in no time', () => {
    const digits = `1${'0'.repeat(500_000)}1`;
    expect(String(parseJson(digits))).to.equal(digits);
    expect(isMultipleOf(jsonNumber('1e999999'), 7)).to.equal(false);
    expect(String(jsonNumber('1e99999999999'))).to.equal('1e99999999999');
  });
});

describe('JSON with exact numbers', () => {
  it('is what JSON.parse reads, but for the digits', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const [read, digits] = parseJson(`[${text}, 12345678901234567890.5]`) as [unknown, unknown];
        expect(read).to.deep.equal(JSON.parse(text));
        expect(digits).to.deep.equal(new ExactNumber('12345678901234567890.5'));
      }),
    );
  });

  it('leaves strings, keys and numbers that look like its own marks alone', () => {
    const text = String.raw`{"__proto__":9007199254740993,"9007199254740993":"9007199254740995","a\"9007199254740993":[1e200,2e200,-1e200,9007199254740993,1]}`;
    expect(JSON.stringify(parseJson(text))).to.equal(text.replaceAll(/(\d)e200/g, '$1e+200'));
  });

  it('throws a SyntaxError for what is not JSON, and reads what is nested without end', () => {
    for (const text of ['', '9007199254740993x', '09007199254740993', '[9007199254740993,]', '{"a":.9007199254740993}'])
      expect(() => parseJson(text), text).to.throw(SyntaxError);
    const deep = parseJson(`${'['.repeat(100_000)}9007199254740993${']'.repeat(100_000)}`);
    expect(contentError(deep)).to.match(/nested/);
  });

  it('has numbers that are no objects', () => {
    const number = jsonNumber('9007199254740993');
    expect(isNumber(number)).to.equal(true);
    expect(isObject(number)).to.equal(false);
    let nested: unknown = number;
    for (let depth = 0; depth < 64; depth += 1) nested = [nested];
    expect(contentError(nested)).to.equal(null);
  });
});
