import { expect } from 'chai';
import type { Snapshot, SnapshotRepository } from '../../src/application/ports/snapshots.ts';
import { anId } from '../support/builders.ts';

export interface SnapshotHarness {
  readonly snapshots: SnapshotRepository;
  arrange(): Promise<Omit<Snapshot, 'id' | 'sizeBytes' | 'createdAt'>>;
  /** Makes everything so many seconds older. */
  pass(seconds: number): Promise<void>;
  clear(): Promise<void>;
}

/** Every SnapshotRepository passes this, or it is not one. */
export const snapshotRepositoryContract = (harness: () => SnapshotHarness) => {
  const candidates = async (conversationId: string) => {
    const pages: Snapshot[] = [];
    for await (const page of harness().snapshots.candidates(conversationId)) pages.push(...page);
    return pages.map(({ id }) => id);
  };

  it('keeps a snapshot as it was given, with its time', async () => {
    const owner = await harness().arrange();
    const given = { ...owner, id: anId(), sizeBytes: 5 * 1024 ** 3 };
    const { createdAt, ...stored } = await harness().snapshots.insert(given);
    expect(stored).to.deep.equal(given);
    expect(Math.abs(createdAt.getTime() - Date.now())).to.be.lessThan(60_000);
  });

  it('lists a conversation’s own, newest first, however many, down to the one that is known to be there', async () => {
    const owner = await harness().arrange();
    const ids = Array.from({ length: 70 }, anId);
    for (const id of ids) await harness().snapshots.insert({ ...owner, id, sizeBytes: 0 });
    const newestFirst = ids.toReversed();
    expect(await candidates(owner.conversationId)).to.deep.equal(newestFirst);
    await harness().snapshots.markUploaded(newestFirst[40] ?? '');
    expect(await candidates(owner.conversationId)).to.deep.equal(newestFirst.slice(0, 41));
    expect(await candidates(anId())).to.deep.equal([]);
  });

  it('lists those that were not seen uploaded for so long, the oldest first, some of them', async () => {
    const { snapshots, clear, pass } = harness();
    await clear();
    const owner = await harness().arrange();
    const [there, oldest, old, young] = [anId(), anId(), anId(), anId()];
    for (const id of [there, oldest, old, young]) {
      await snapshots.insert({ ...owner, id, sizeBytes: 3 });
      await pass(20);
    }
    await snapshots.markUploaded(there);
    expect((await snapshots.awaited(30, 10)).map(({ id, sizeBytes }) => [id, sizeBytes])).to.deep.equal([
      [oldest, 3],
      [old, 3],
    ]);
    expect((await snapshots.awaited(30, 1)).map(({ id }) => id)).to.deep.equal([oldest]);
    await snapshots.remove(oldest);
    expect((await snapshots.awaited(30, 10)).map(({ id }) => id)).to.deep.equal([old]);
    expect(await candidates(owner.conversationId)).to.deep.equal([young, old, there]);
  });

  it('lists those that a newer one of their conversation replaced so long ago, never the newest that is there', async () => {
    const { snapshots, clear, pass } = harness();
    await clear();
    const [owner, other] = [await harness().arrange(), await harness().arrange()];
    const superseded = async (seconds: number, most = 10) =>
      (await snapshots.superseded(seconds, most)).map(({ id }) => id);
    const single = anId();
    await snapshots.insert({ ...other, id: single, sizeBytes: 0 });
    await snapshots.markUploaded(single);
    const [first, second, third, slot] = [anId(), anId(), anId(), anId()];
    for (const id of [first, second, third, slot]) {
      await snapshots.insert({ ...owner, id, sizeBytes: 0 });
      await pass(1);
    }
    for (const id of [first, second]) {
      await snapshots.markUploaded(id);
      await pass(100);
    }
    expect(await superseded(90)).to.deep.equal([first]);
    expect(await superseded(110), 'the second was not there then').to.deep.equal([]);
    await snapshots.markUploaded(third);
    await snapshots.markUploaded(second);
    await pass(50);
    expect(await superseded(90)).to.deep.equal([first]);
    expect(await superseded(40)).to.deep.equal([first, second]);
    expect(await superseded(40, 1)).to.deep.equal([first]);
    expect(await superseded(0))
      .to.not.include.members([third])
      .and.not.include.members([slot]);
  });

  it('takes one for replaced whose upload is seen after that of a newer one', async () => {
    const { snapshots, clear, pass } = harness();
    await clear();
    const owner = await harness().arrange();
    const [older, newer] = [anId(), anId()];
    for (const id of [older, newer]) await snapshots.insert({ ...owner, id, sizeBytes: 0 });
    await snapshots.markUploaded(newer);
    await pass(10);
    expect(await snapshots.superseded(5, 10), 'nobody knows that it is there').to.deep.equal([]);
    await snapshots.markUploaded(older);
    await pass(10);
    expect((await snapshots.superseded(5, 10)).map(({ id }) => id)).to.deep.equal([older]);
  });
};
