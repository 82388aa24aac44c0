import { expect } from 'chai';
import { concludeRun, unitsOf } from '../../src/domain/run.ts';

describe('the units of a run', () => {
  it('are one a file', () => expect(unitsOf(3, false)).to.deep.equal([[0], [1], [2]]));
  it('are one for all files together', () => expect(unitsOf(3, true)).to.deep.equal([[0, 1, 2]]));
  it('are one for a single file either way', () => {
    expect(unitsOf(1, false)).to.deep.equal([[0]]);
    expect(unitsOf(1, true)).to.deep.equal([[0]]);
  });
  it('are one without files for a message alone', () => {
    expect(unitsOf(0, false)).to.deep.equal([[]]);
    expect(unitsOf(0, true)).to.deep.equal([[]]);
  });
});

describe('concluding a run', () => {
  const fine = { name: 'a.pdf', error: null, code: null };
  const bad = { name: 'b.pdf', error: 'The file is damaged.', code: 'unreadable_file' };

  it('completes it when every unit succeeded', () => {
    expect(concludeRun([fine, { ...fine, name: 'c.pdf' }])).to.deep.equal({ event: 'complete' });
  });

  it('fails it when any failed, saying how many, which and why', () => {
    const error = '1 of 2 failed. b.pdf: The file is damaged.';
    expect(concludeRun([fine, bad])).to.deep.equal({
      event: 'fail',
      reason: { code: 'unit_failed', message: error },
      error,
    });
  });

  it('tells of a hundred failures, and that there are more', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ ...bad, name: `${index}.pdf` }));
    const ended = concludeRun([fine, ...many]);
    const told = ended.event === 'fail' ? ended.error : '';
    expect(told).to.match(
      /^3000 of 3001 failed\. 0\.pdf: .*99\.pdf: The file is damaged\. The others are not named here\.$/,
    );
    expect(told).not.to.include('100.pdf');
  });

  it('takes the code of the units when all failed for the same', () => {
    expect(concludeRun([bad, { ...bad, name: 'c.pdf' }])).to.deep.include({ event: 'fail' });
    expect(concludeRun([bad, { ...bad, name: 'c.pdf' }])).to.have.nested.property('reason.code', 'unreadable_file');
    expect(concludeRun([bad, { ...bad, code: 'model_error' }])).to.have.nested.property('reason.code', 'unit_failed');
    expect(concludeRun([{ ...bad, code: null }])).to.have.nested.property('reason.code', 'unit_failed');
  });

  it('says of a single unit just why, with its name where it has one', () => {
    expect(concludeRun([bad])).to.have.property('error', 'b.pdf: The file is damaged.');
    expect(concludeRun([{ ...bad, name: '' }])).to.have.property('error', 'The file is damaged.');
  });
});
