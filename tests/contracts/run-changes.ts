import { expect } from 'chai';
import type { RunChange } from '../../src/application/ports/queue.ts';
import { aNewRun, anId, type Cast } from '../support/builders.ts';
import { only, onStage, type RunStage } from '../support/runs.ts';

/** Collects what a subscriber hears, and waits for what is to come. */
const ears = (stage: RunStage) => {
  const heard: RunChange[] = [];
  let gaps = 0;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!holds()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const stop = stage.changes.subscribe({
    change(change) {
      heard.push(change);
      wake();
    },
    gap() {
      gaps += 1;
      wake();
    },
  });
  return {
    heard,
    stop,
    gaps: () => gaps,
    untilGaps: (n: number) => until(() => gaps >= n),
    untilHeard: (runId: string, status: string) =>
      until(() => heard.some((change) => change.runId === runId && change.status === status)),
  };
};

/** Every RunChanges passes this, or it is not one. */
export const runChangesContract = (make: () => RunStage) => {
  let stage: RunStage;
  let cast: Cast;
  onStage(make, (opened) => {
    ({ stage, cast } = opened);
  });

  it('tells that a run goes on when one of its units has ended', async () => {
    const listener = ears(stage);
    await listener.untilGaps(1);
    const run = aNewRun(cast.agent, cast.user, { files: 2 });
    await stage.runs.create(run, null);
    await listener.untilHeard(run.id, 'queued');
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    await stage.queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId: anId(), documentName: null });
    await listener.untilHeard(run.id, 'running');
    const before = listener.heard.length;
    await stage.queue.finishUnit(lease, 0, { status: 'completed', document: null });
    await stage.queue.finish(lease, { event: 'complete' });
    await listener.untilHeard(run.id, 'completed');
    expect(listener.heard.slice(before).map(({ status }) => status)).to.deep.equal(['running', 'completed']);
  });

  it('tells of each status as it is committed, in order', async () => {
    const listener = ears(stage);
    await listener.untilGaps(1);
    const run = aNewRun(cast.agent, cast.user);
    await stage.runs.create(run, null);
    await listener.untilHeard(run.id, 'queued');
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    await stage.queue.renew([lease], 60);
    await stage.queue.finish(lease, { event: 'complete' });
    await listener.untilHeard(run.id, 'completed');
    expect(listener.heard.map(({ runId, status }) => [runId, status])).to.deep.equal([
      [run.id, 'queued'],
      [run.id, 'running'],
      [run.id, 'completed'],
    ]);
  });

  it('tells everybody who listens, and nobody who stopped', async () => {
    const [one, two] = [ears(stage), ears(stage)];
    await Promise.all([one.untilGaps(1), two.untilGaps(1)]);
    one.stop();
    const run = aNewRun(cast.agent, cast.user);
    await stage.runs.create(run, null);
    await two.untilHeard(run.id, 'queued');
    expect(one.heard).to.deep.equal([]);
  });

  it('goes on after the connection was cut, and says that something may have been missed', async () => {
    const listener = ears(stage);
    await listener.untilGaps(1);
    for (let round = 2; round <= 4; round += 1) {
      await stage.cutChanges();
      await listener.untilGaps(round);
      const run = aNewRun(cast.agent, cast.user);
      await stage.runs.create(run, null);
      await listener.untilHeard(run.id, 'queued');
    }
  });

  it('is not stopped by a listener that throws', async () => {
    stage.changes.subscribe({
      change() {
        throw new Error('out of order');
      },
      gap() {},
    });
    const listener = ears(stage);
    await listener.untilGaps(1);
    const run = aNewRun(cast.agent, cast.user);
    await stage.runs.create(run, null);
    await listener.untilHeard(run.id, 'queued');
  });
};
