import { expect } from 'chai';
import type { KeyedRequest, KeyedRequests } from '../../src/application/ports/idempotency.ts';
import { anId } from '../support/builders.ts';

export interface KeyedRequestsHarness {
  readonly requests: KeyedRequests;
  /** Makes everything so many seconds older. */
  pass(seconds: number): Promise<void> | void;
}

const aRequest = (over: Partial<KeyedRequest> = {}): KeyedRequest => ({
  credentialId: anId(),
  operation: 'cancelRun',
  key: 'k',
  requestHash: 'h',
  ...over,
});

const DAY = 24 * 3600;

/** Every KeyedRequests passes this, or it is not one. */
export const keyedRequestsContract = (harness: () => KeyedRequestsHarness) => {
  const begin = (request: KeyedRequest, { id = anId(), again = true } = {}) =>
    harness().requests.begin(request, { id, seconds: 30 }, again);

  it('begins one of those that come at the same time', async () => {
    const request = aRequest();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => begin(request)));
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal(['begun', ...Array(9).fill('under way')]);
  });

  it('knows the answer from then on, and a key by its credential, its operation and its request', async () => {
    const { requests } = harness();
    const [request, id] = [aRequest(), anId()];
    await begin(request, { id });
    await requests.answer(id, 'the answer');
    expect(await begin(request)).to.deep.equal({ outcome: 'answered', answer: 'the answer' });
    expect(await begin({ ...request, requestHash: 'another' })).to.deep.equal({ outcome: 'mismatch' });
    for (const other of [{ credentialId: anId() }, { operation: 'createKey' }, { key: 'K' }])
      expect(await begin({ ...request, ...other })).to.deep.equal({ outcome: 'begun' });
  });

  it('forgets a request that had no answer, and nothing else', async () => {
    const { requests } = harness();
    const [request, id, answered] = [aRequest(), anId(), anId()];
    await begin(request, { id });
    await requests.forget(id);
    expect(await begin({ ...request, requestHash: 'another' }, { id: answered })).to.deep.equal({ outcome: 'begun' });
    await requests.answer(answered, 'a');
    await requests.forget(answered);
    expect(await begin(request)).to.deep.equal({ outcome: 'mismatch' });
  });

  it('holds a request while its lease is renewed; then it is interrupted, and may begin again', async () => {
    const { requests, pass } = harness();
    const [request, id, next] = [aRequest(), anId(), anId()];
    await begin(request, { id });
    await pass(20);
    expect(await requests.renew([id, anId()], 30)).to.deep.equal(new Set([id]));
    await pass(20);
    expect(await begin(request)).to.deep.equal({ outcome: 'under way' });
    await pass(11);
    expect(await begin(request, { again: false })).to.deep.equal({ outcome: 'interrupted' });
    expect(await begin({ ...request, requestHash: 'another' })).to.deep.equal({ outcome: 'mismatch' });
    expect(await begin(request, { id: next })).to.deep.equal({ outcome: 'begun' });
    expect(await requests.renew([id], 30), 'the lease of before').to.deep.equal(new Set());
    await requests.answer(id, 'late');
    expect(await begin(request)).to.deep.equal({ outcome: 'under way' });
    await requests.answer(next, 'a');
    expect(await requests.renew([next], 30), 'what has its answer').to.deep.equal(new Set());
  });

  it('holds nothing that was interrupted', async () => {
    const { requests } = harness();
    const [request, id] = [aRequest(), anId()];
    await begin(request, { id });
    await requests.interrupt(id);
    expect(await begin(request, { again: false })).to.deep.equal({ outcome: 'interrupted' });
    expect(await begin(request)).to.deep.equal({ outcome: 'begun' });
  });

  it('keeps a key for 24 hours', async () => {
    const { requests, pass } = harness();
    await pass(DAY);
    while ((await requests.removeOld()) > 0);
    const [kept, used, id] = [aRequest(), aRequest(), anId()];
    await begin(used, { id });
    await requests.answer(id, 'a');
    await begin(kept);
    await pass(DAY - 60);
    expect(await begin(used)).to.deep.equal({ outcome: 'answered', answer: 'a' });
    expect(await requests.removeOld()).to.equal(0);
    await pass(61);
    expect(await begin({ ...used, requestHash: 'another' }), 'before the cleanup').to.deep.equal({ outcome: 'begun' });
    expect(await requests.removeOld()).to.equal(1);
    expect(await begin({ ...kept, requestHash: 'another' })).to.deep.equal({ outcome: 'begun' });
  });
};
