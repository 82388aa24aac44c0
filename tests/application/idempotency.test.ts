import { expect } from 'chai';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import type { KeyedRequest } from '../../src/application/ports/idempotency.ts';
import { idempotencyService, type Worked } from '../../src/application/shared/idempotency.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { keyedRequestsHere } from '../support/keyed-requests.ts';
import { quiet } from '../support/log.ts';

const request: KeyedRequest = { credentialId: 'c', operation: 'o', key: 'k', requestHash: 'h' };
const never = new AbortController().signal;
const sealerOf = (byte: number) => aesSealer(new Uint8Array(32).fill(byte));

const setUp = (over: Partial<Parameters<typeof idempotencyService>[0]> = {}, patienceMs = 60_000) => {
  const requests = keyedRequestsHere();
  const service = idempotencyService({ requests, sealer: sealerOf(1), ids: uuidIds, log: quiet, ...over }, patienceMs);
  const ask = <T>(work: () => Promise<Worked<T>>, { again = true, signal = never } = {}) =>
    service.once(request, { again, signal }, work);
  return { requests, ask };
};

const yields = (answer: string | null) => async () => ({ result: 'done', answer });
const mustNotRun = (): Promise<Worked<string>> => Promise.reject(new Error('the work was done twice'));
const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? error.kind : String(error)),
  );

describe('work that is done once by a key', () => {
  it('is answered from what was kept, or done again if nothing was', async () => {
    const { ask } = setUp();
    expect(await ask(yields(null))).to.deep.equal({ result: 'done' });
    expect(await ask(yields('a'))).to.deep.equal({ result: 'done' });
    expect(await ask(mustNotRun)).to.deep.equal({ before: 'a' });
  });

  it('gives its result before its answer, and answers the others once it is over', async () => {
    const { ask } = setUp();
    const { promise: answer, resolve: end } = Promise.withResolvers<string>();
    expect(await ask(async () => ({ result: 'streaming', answer }))).to.deep.equal({ result: 'streaming' });
    const other = ask(mustNotRun);
    end('whole');
    expect(await other).to.deep.equal({ before: 'whole' });
  });

  it('is waited for, but not for ever and not by a client that has gone', async () => {
    const { ask } = setUp({}, 0);
    const { promise, resolve: end } = Promise.withResolvers<Worked<string>>();
    const first = ask(() => promise);
    expect(await kindOf(ask(mustNotRun))).to.equal('busy');
    const patient = setUp();
    void patient.ask(() => promise);
    const gone = new AbortController();
    const waiting = patient.ask(mustNotRun, { signal: gone.signal });
    gone.abort(new Error('gone'));
    expect(await kindOf(waiting)).to.equal('Error: gone');
    end({ result: 'done', answer: 'a' });
    expect(await first).to.deep.equal({ result: 'done' });
  });

  for (const again of [true, false])
    it(`may ${again ? '' : 'not '}be repeated once nobody knows how it ended`, async () => {
      const unknown = (): Promise<Worked<string>> => Promise.reject(new DomainError('outcome_unknown', 'Oh.'));
      for (const [work, isUnknown] of [
        [unknown, true],
        [() => Promise.reject(new Error('a defect')), true],
        [() => Promise.reject(new DomainError('unavailable', 'Nothing was done.')), false],
      ] as const) {
        const { ask } = setUp();
        expect(await kindOf(ask(work, { again }))).to.not.equal('none');
        expect(await kindOf(ask(yields('a'), { again }))).to.equal(isUnknown && !again ? 'outcome_unknown' : 'none');
      }
      const { requests, ask } = setUp();
      const { promise, resolve: end } = Promise.withResolvers<Worked<string>>();
      const first = ask(() => promise, { again });
      requests.pass(31);
      expect(await kindOf(ask(yields('a'), { again }))).to.equal(again ? 'none' : 'outcome_unknown');
      end({ result: 'late', answer: 'late' });
      expect(await first).to.deep.equal({ result: 'late' });
    });

  it('keeps its result if its answer cannot be kept, and nothing in the clear', async () => {
    const requests = keyedRequestsHere();
    const broken = { ...requests, answer: () => Promise.reject(new Error('no database')) };
    expect(await setUp({ requests: broken }).ask(yields('a'))).to.deep.equal({ result: 'done' });
    const kept: string[] = [];
    const seen = keyedRequestsHere();
    const noting = {
      ...seen,
      answer: (id: string, text: string) => {
        kept.push(text);
        return seen.answer(id, text);
      },
    };
    await setUp({ requests: noting }).ask(yields('the answer'));
    expect(kept).to.have.length(1);
    expect(kept[0]).to.not.include('answer');
    expect(await setUp({ requests: noting }).ask(mustNotRun)).to.deep.equal({ before: 'the answer' });
    expect(await kindOf(setUp({ requests: noting, sealer: sealerOf(2) }).ask(mustNotRun))).to.equal('outcome_unknown');
  });
});
