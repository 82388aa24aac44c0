import { expect } from 'chai';
import type { Snapshot, SnapshotRepository } from '../../src/application/ports/snapshots.ts';
import { anId } from '../support/builders.ts';

export interface SnapshotHarness {
  readonly snapshots: SnapshotRepository;
  arrange(): Promise<Omit<Snapshot, 'id' | 'sizeBytes' | 'createdAt'>>;
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
};
