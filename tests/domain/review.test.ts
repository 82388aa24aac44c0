import { expect } from 'chai';
import fc from 'fast-check';
import {
  approvers,
  type Findings,
  isAsStrict,
  LOW_CONFIDENCE,
  reasonsFor as reasonsInTurns,
  reviewOf,
  reviewTimes,
  stricterPolicy,
} from '../../src/domain/review.ts';
import { countedTurns, drained } from '../support/generators.ts';

const reasonsFor = (...given: Parameters<typeof reasonsInTurns>) => drained(reasonsInTurns(...given));

const findings = (over: Partial<Findings> = {}): Findings => ({
  data: { total: 12 },
  schema: null,
  hasFiles: true,
  evidence: { '/total': { support: 'exact', confidence: null, quote: 'Total: 12' } },
  coverage: { complete: true, unread: [], doubts: [] },
  contradictions: [],
  einvoice: null,
  checks: [],
  missing: [],
  confirmed: [],
  duplicates: [],
  ...over,
});
const flagsOf = (over: Partial<Findings>) =>
  reasonsFor('when_flagged', findings(over)).map(({ code, pointer }) => [code, pointer]);

describe('the reasons for a review', () => {
  it('are none where every value is supported, nothing was left out and nothing failed', () => {
    expect(flagsOf({})).to.deep.equal([]);
  });

  it('are a value that its quote does not have, and one that no quote of a file has', () => {
    expect(flagsOf({ evidence: { '/total': { support: 'none', confidence: null, quote: '' } } })).to.deep.equal([
      ['unsupported_value', '/total'],
    ]);
    expect(flagsOf({ data: { total: 12, lines: [{ sku: 'a/b', more: null }], 'x/y': true } })).to.deep.equal([
      ['unsupported_value', '/lines/0/sku'],
      ['unsupported_value', '/x~1y'],
    ]);
  });

  it('are no value that a message gave, or a person', () => {
    expect(flagsOf({ hasFiles: false, evidence: {} })).to.deep.equal([]);
    expect(flagsOf({ evidence: { '/total': { support: 'person', confidence: 0.1, quote: '' } } })).to.deep.equal([]);
  });

  it('are words that OCR is less sure of than the threshold', () => {
    const read = (confidence: number) =>
      flagsOf({ evidence: { '/total': { support: 'exact', confidence, quote: '' } } });
    expect(read(LOW_CONFIDENCE)).to.deep.equal([]);
    expect(read(LOW_CONFIDENCE - 0.01)).to.deep.equal([['low_confidence', '/total']]);
    const unsure = { '/total': { support: 'exact', confidence: LOW_CONFIDENCE - 0.01, quote: '' } } as const;
    expect(flagsOf({ evidence: unsure, confirmed: ['/total'] }), 'confirmed by a sum').to.deep.equal([]);
  });

  it('are files that were not read as a whole, contradictions, failed checks and duplicates', () => {
    const checks = [
      { name: 'sum', status: 'failed', message: 'The lines do not add up.' },
      { name: 'due', status: 'passed', message: null },
      { name: 'vat', status: 'not_applicable', message: null },
    ] as const;
    const reasons = reasonsFor(
      'when_flagged',
      findings({
        coverage: {
          complete: false,
          unread: [{ what: 'an attachment' }],
          doubts: [{ code: 'hidden_text', message: 'a.xlsx has a hidden sheet: that was not read.' }],
        },
        contradictions: [{ pointer: '/total', message: 'Page 1 says 12, page 60 says 13.' }],
        checks,
        duplicates: [{ documentId: 'd2', reason: 'key' }],
      }),
    );
    expect(reasons.map(({ code, pointer }) => [code, pointer])).to.deep.equal([
      ['check_failed', null],
      ['duplicate', null],
      ['incomplete_coverage', null],
      ['unread_content', null],
      ['hidden_text', null],
      ['contradiction', '/total'],
    ]);
    expect(reasons.map(({ message }) => message)).to.include.members([
      'The lines do not add up.',
      'Page 1 says 12, page 60 says 13.',
    ]);
    expect(flagsOf({ coverage: null })).to.deep.equal([]);
  });

  it('are values that are missing, and checks that could not be applied for want of one', () => {
    const checks = [
      { name: 'due', status: 'not_applicable', message: null },
      { name: 'vat', status: 'not_applicable', message: 'It could not be applied: /vat has no value.' },
    ] as const;
    const reasons = reasonsFor('when_flagged', findings({ checks, missing: ['/vat'] }));
    expect(reasons).to.deep.equal([
      { code: 'missing_value', pointer: '/vat', message: 'The value is missing.' },
      {
        code: 'check_not_applicable',
        pointer: null,
        message: 'The check vat: It could not be applied: /vat has no value.',
      },
    ]);
  });

  it('are bounded for a document of many values, and say how many more there are', () => {
    const data = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`v${index}`, index]));
    const reasons = reasonsFor('when_flagged', findings({ data, evidence: {} }));
    expect(reasons).to.have.length(101);
    expect(reasons.at(-1)).to.deep.equal({
      code: 'unsupported_value',
      pointer: null,
      message: 'The same is so of 4900 more values.',
    });
  });

  it('of any values are those of each value, by kind and then in the order of the document', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    const text = fc.constantFrom('Net', 'TOTAL :', 'Order no.', 'Zinc');
    const entry = fc.record({
      support: fc.constantFrom('exact', 'none', 'person'),
      confidence: fc.constantFrom(null, 0.5, 0.9),
      quote: fc.constantFrom('Order No.: 12', 'Zinc'),
    });
    const row = fc.record({ sku: fc.tuple(text, fc.option(entry)), net: fc.tuple(text, fc.option(entry)) });
    const schema = { properties: { rows: { items: { properties: { sku: {}, net: {} } } }, total: {} } };
    const isFound = fc.property(fc.array(row, { maxLength: 6 }), fc.boolean(), (rows, hasFiles) => {
      const values = rows.flatMap((each, index) =>
        (['sku', 'net'] as const).map((name) => {
          const [value, read] = each[name];
          return { pointer: `/rows/${index}/${name}`, name, value, read };
        }),
      );
      const evidence = Object.fromEntries(values.flatMap(({ pointer, read }) => (read ? [[pointer, read]] : [])));
      const hasLabel = values.some(({ read }) => read?.quote.startsWith('Order'));
      const isImplausible = ({ name, value, read }: (typeof values)[number]) =>
        read?.support !== 'person' &&
        (value === 'TOTAL :' || (value === 'Net' && name !== 'net') || (value === 'Order no.' && hasLabel));
      const isUnsupported = ({ read }: (typeof values)[number]) => (read ? read.support === 'none' : hasFiles);
      const isUncertain = ({ read }: (typeof values)[number]) => read?.confidence === 0.5 && read.support !== 'person';
      const data = { rows: rows.map(({ sku, net }) => ({ sku: sku[0], net: net[0] })) };
      expect(flagsOf({ data, schema, hasFiles, evidence })).to.deep.equal([
        ...values.filter(isImplausible).map(({ pointer }) => ['implausible_value', pointer]),
        ...values.filter(isUnsupported).map(({ pointer }) => ['unsupported_value', pointer]),
        ...values.filter(isUncertain).map(({ pointer }) => ['low_confidence', pointer]),
      ]);
    });
    fc.assert(isFound, { seed, numRuns: 300 });
  });

  it('give others their turn at each value of a document of many rows', () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ sku: `S-${index}` }));
    const read = rows.map((_, index) => [`/rows/${index}/sku`, { support: 'exact', confidence: null, quote: 'S' }]);
    const evidence: Findings['evidence'] = Object.fromEntries(read);
    const { turns, result } = countedTurns(reasonsInTurns('when_flagged', findings({ data: { rows }, evidence })));
    expect(result).to.deep.equal([]);
    expect(turns).to.be.at.least(3 * rows.length);
  });

  it('are none for an agent that asks for no reviews, and one more for one that always does', () => {
    const doubtful = findings({ evidence: {} });
    expect(reasonsFor('never', doubtful)).to.deep.equal([]);
    expect(reasonsFor('always', doubtful).map(({ code }) => code)).to.deep.equal(['unsupported_value', 'always']);
    expect(reasonsFor('always', findings()).map(({ code }) => code)).to.deep.equal(['always']);
  });
});

describe('the review of data', () => {
  const reasons = reasonsFor('always', findings());

  it('is required where there are reasons', () => {
    expect(reviewOf('not_required', []).reviewStatus).to.equal('not_required');
    expect(reviewOf('not_required', reasons)).to.deep.include({ reviewStatus: 'pending', reviewReasons: reasons });
  });

  it('takes a decision back where the data changed, and waits on where it waited', () => {
    for (const before of ['approved', 'rejected', 'pending'] as const) {
      for (const why of [[], reasons]) {
        expect(reviewOf(before, why)).to.deep.equal({
          reviewStatus: 'pending',
          reviewReasons: why,
          reviewer: null,
          reviewNote: null,
          decidedAt: null,
          decidedVia: null,
        });
      }
    }
  });
});

describe('the stricter of two policies', () => {
  it('asks for every review that either asks for, by who both let approve, whichever comes first', () => {
    const policies = reviewTimes.flatMap((when) => approvers.map((by) => ({ when, by })));
    for (const a of policies) {
      for (const b of policies) {
        const both = stricterPolicy(a, b);
        expect(both).to.deep.equal(stricterPolicy(b, a));
        for (const each of [a, b]) {
          expect(isAsStrict(both.by, each.by)).to.equal(true);
          expect(reviewTimes.indexOf(both.when)).to.be.at.least(reviewTimes.indexOf(each.when));
        }
        expect([a.when, b.when]).to.include(both.when);
        expect([a.by, b.by]).to.include(both.by);
      }
    }
  });
});
