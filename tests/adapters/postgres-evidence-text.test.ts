import { expect } from 'chai';
import fc from 'fast-check';
import { parsedEvidence, printedEvidence } from '../../src/adapters/postgres/tables/evidence-text.ts';
import { evidenceOf } from '../../src/domain/document.ts';
import { escapeToken } from '../../src/domain/json.ts';
import { someEvidence } from '../support/builders.ts';
import { countedTurns, drained } from '../support/generators.ts';

const seed = Math.floor(Math.random() * 2 ** 31);

describe(`the text of evidence (seed ${seed})`, () => {
  it('is parsed and printed in parts as it would be in one go', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('},"/', '"},"/a":{', '\\"},"/', '{}', '\\'));
    const entry = fc.oneof(
      text.map((quote) => someEvidence({ quote, fileName: quote })),
      fc.nat({ max: 20_000 }).map((length) => someEvidence({ quote: '},"/'.repeat(length / 4) })),
      text.map((quote) => evidenceOf({ quote, fileName: '', page: null, support: 'person', source: 'text' })),
    );
    const pointer = fc.array(text, { minLength: 1, maxLength: 3 });
    const isSame = fc.property(fc.array(fc.tuple(pointer, entry), { maxLength: 12 }), (entries) => {
      const evidence = Object.fromEntries(
        entries.map(([tokens, each]) => [tokens.map((token) => `/${escapeToken(token)}`).join(''), each]),
      );
      const printed = drained(printedEvidence(evidence)).toString();
      expect(printed).to.equal(JSON.stringify(evidence));
      expect(JSON.stringify(drained(parsedEvidence(printed)))).to.equal(printed);
    });
    fc.assert(isSame, { seed, numRuns: 100 });
  });

  it('is parsed as a whole where it is printed otherwise', () => {
    const evidence = Object.fromEntries(
      [1, 2].map((index) => [`/${index}`, someEvidence({ quote: 'x'.repeat(20_000) })]),
    );
    expect(drained(parsedEvidence(JSON.stringify(evidence, null, 1)))).to.deep.equal(evidence);
  });

  it('of many rows gives others their turn', () => {
    const rows = Array.from({ length: 5000 }, (_, row) => [`/rows/${row}/sku`, someEvidence()]);
    const { turns: printing, result } = countedTurns(printedEvidence(Object.fromEntries(rows)));
    const { turns: parsing } = countedTurns(parsedEvidence(result.toString()));
    expect(printing).to.be.at.least(rows.length);
    expect(parsing).to.be.greaterThan(result.length / 20_000);
  });
});
