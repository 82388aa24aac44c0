import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';

const canonical = (text: string) => canonicalJson(parseJson(text) as JsonValue);

describe('the canonical form of JSON', () => {
  it('is that of the examples of RFC 8785', () => {
    const example = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
    expect(canonicalJson(JSON.parse(example))).to.equal(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
    const order = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    expect(text).to.equal(`{${order.map((name) => `${JSON.stringify(name)}:0`).join()}}`);
  });

  it('has every digit of a number that a double does not hold, without an exponent', () => {
    for (const [written, expected] of [
      ['9007199254740993', '9007199254740993'],
      ['9.007199254740993e15', '9007199254740993'],
      ['-9007199254740993.0', '-9007199254740993'],
      ['333333333.33333329', '333333333.33333329'],
      ['1.2345678901234567890123e5', '123456.78901234567890123'],
      ['1.2345678901234567e-1', '0.12345678901234567'],
      ['1.2345678901234567e-10', '0.00000000012345678901234567'],
      ['123456789012345678901234567890', '123456789012345678901234567890'],
      ['1e400', `1${'0'.repeat(400)}`],
      ['0.1', '0.1'],
      ['1E2', '100'],
    ] as const)
      expect(canonical(written), written).to.equal(expected);
  });

  it('keeps the exponent of a number of very many zeros, which no memory has to hold', () => {
    for (const written of ['1e999999998', '-1e-999999998', '1e5000000000'])
      expect(canonical(written)).to.equal(written);
  });

  it('is one text, however the members are ordered and the numbers are written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const reversed = JSON.stringify(value, (_, member) =>
          member && typeof member === 'object' && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).reverse())
            : member,
        );
        const text = canonicalJson(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(reversed))).to.equal(text);
        expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
