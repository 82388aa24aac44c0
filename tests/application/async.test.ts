import assert from 'node:assert/strict';
import { once } from 'node:events';
import { abortable, concurrently, deadline, inTime } from '../../src/application/shared/async.ts';

const never = () => new Promise<never>(() => {});
const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A signal that counts its listeners. */
const observed = () => {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  return { controller, signal, listeners };
};

describe('abortable', () => {
  it('answers what the work answers, and leaves no listener behind', async () => {
    const { signal, listeners } = observed();
    assert.equal(await abortable(Promise.resolve(1), signal), 1);
    await assert.rejects(abortable(Promise.reject(new Error('broken')), signal), { message: 'broken' });
    await turnOfTheLoop();
    assert.equal(listeners.size, 0);
  });

  it("rejects with the signal's reason at the abort, before it as well as while the work is under way", async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const waiting = abortable(never(), controller.signal);
    controller.abort(reason);
    await assert.rejects(waiting, reason);
    await assert.rejects(abortable(Promise.resolve(1), controller.signal), reason);
  });

  it('ignores what becomes of the work afterwards', async () => {
    const work = Promise.withResolvers<never>();
    const waiting = abortable(work.promise, AbortSignal.abort(new Error('stop')));
    await assert.rejects(waiting, { message: 'stop' });
    work.reject(new Error('too late to matter'));
    await turnOfTheLoop();
  });
});

describe('deadline', () => {
  it('takes parts of a millisecond, nothing, less than nothing and more than a timer takes', async () => {
    for (const seconds of [29.9970123, 0.0000001, 0, -1, 2 ** 40, Number.POSITIVE_INFINITY]) {
      const signal = deadline(seconds);
      assert.equal(signal.aborted, false, `${seconds}`);
    }
    for (const seconds of [0.0010123, 0, -1]) {
      const signal = deadline(seconds);
      await once(signal, 'abort');
      assert.equal(signal.reason.name, 'TimeoutError');
    }
    const long = deadline(Number.POSITIVE_INFINITY);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(long.aborted, false);
  });
});

describe('inTime', () => {
  const late = () => new Error('late');

  it('answers what the work answers in time, and leaves no listener behind', async () => {
    const { signal, listeners } = observed();
    assert.equal(await inTime(async () => 1, { seconds: 60, late, signal }), 1);
    assert.equal(listeners.size, 0);
  });

  it('rejects when the time is up, and aborts the work with the same error', async () => {
    let given: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      given = signal;
      return never();
    };
    const error = await inTime(work, { seconds: 0.001, late }).catch((caught: unknown) => caught);
    assert.match(String(error), /late/);
    assert.equal(given?.reason, error);
  });

  it('ends with the reason of the outer signal, and begins no work after it', async () => {
    const controller = new AbortController();
    const waiting = inTime(never, { seconds: 60, late, signal: controller.signal });
    controller.abort(new Error('stop'));
    await assert.rejects(waiting, { message: 'stop' });
    let began = false;
    const work = async () => {
      began = true;
    };
    await assert.rejects(inTime(work, { seconds: 60, late, signal: controller.signal }), { message: 'stop' });
    assert.equal(began, false);
  });

  it('does not count a stretch in which the process was busy as the whole time', async () => {
    const work = new Promise<string>((resolve) => setTimeout(() => setImmediate(resolve, 'answered'), 30));
    const waiting = inTime(() => work, { seconds: 0.08, late });
    const until = performance.now() + 120;
    while (performance.now() < until);
    assert.equal(await waiting, 'answered');
  });
});

describe('concurrently', () => {
  it('works on at most so many items at a time, and answers in their order', async () => {
    let active = 0;
    let most = 0;
    const answers = await concurrently([3, 1, 2, 5, 4], 2, async (item, index) => {
      most = Math.max(most, ++active);
      await turnOfTheLoop();
      active--;
      return `${index}:${item}`;
    });
    assert.deepEqual(answers, ['0:3', '1:1', '2:2', '3:5', '4:4']);
    assert.equal(most, 2);
  });

  it('begins nothing after an error, and rejects with it once the others have ended', async () => {
    const log: string[] = [];
    const work = async (item: string) => {
      log.push(`begin ${item}`);
      await turnOfTheLoop();
      if (item === 'b') throw new Error('broken');
      await turnOfTheLoop();
      log.push(`end ${item}`);
    };
    await assert.rejects(concurrently(['a', 'b', 'c'], 2, work), { message: 'broken' });
    assert.deepEqual(log, ['begin a', 'begin b', 'end a']);
  });
});
