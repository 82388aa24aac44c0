import { expect } from 'chai';
import type { Busy, PostingQueue } from '../../src/application/ports/posting.ts';
import type { Document } from '../../src/domain/document.ts';

export interface PostingHarness {
  readonly queue: PostingQueue;
  /** An agent of this workspace, or of a new one. */
  agent(workspaceId?: string): Promise<{ readonly id: string; readonly workspaceId: string }>;
  /** A ready document of an agent, due so many seconds ago; its id. */
  document(agentId: string, dueSecondsAgo: number, over?: Partial<Document>): Promise<string>;
  /** When workers try it next. */
  dueAt(id: string): Promise<Date | null>;
  /** When the lease of its delivery ends. */
  delivery(id: string): Promise<Date | null>;
  /** Takes every document out of the queue. */
  empty(): Promise<void>;
}

const NONE: Busy = { workspaceIds: [], agentIds: [] };

/** Every PostingQueue passes this, or it is not one. */
export const postingQueueContract = (harness: () => PostingHarness) => {
  beforeEach(() => harness().empty());

  const idsOf = async (most: number, busy: Busy = NONE) =>
    (await harness().queue.lease(most, 30, busy)).map(({ documentId }) => documentId);

  it('takes a document that is due, and no other, for so many seconds', async () => {
    const { agent, document, dueAt, queue } = harness();
    const { id: agentId, workspaceId } = await agent();
    const due = await document(agentId, 1);
    await document(agentId, -60);
    await document(agentId, 1, { postAt: null });
    await document(agentId, 1, { status: 'processing' });
    await document(agentId, 1, { status: 'error' });
    await document(agentId, 1, { status: 'trashed' });
    const [work, ...others] = await queue.lease(5, 30, NONE);
    expect(others).to.deep.equal([]);
    expect(work).to.include({ documentId: due, agentId, workspaceId });
    expect(await dueAt(due)).to.deep.equal(work?.until);
    expect((work?.until.getTime() ?? 0) - Date.now()).to.be.within(20_000, 40_000);
    expect(await idsOf(5)).to.deep.equal([]);
  });

  it('takes it again where the time of a worker is over', async () => {
    const { agent, document, queue } = harness();
    const id = await document((await agent()).id, 1);
    expect((await queue.lease(1, 0, NONE)).map(({ documentId }) => documentId)).to.deep.equal([id]);
    expect(await idsOf(1)).to.deep.equal([id]);
  });

  it('takes it again at once where it was handed back, unless it was decided meanwhile', async () => {
    const { agent, document, dueAt, queue } = harness();
    const id = await document((await agent()).id, 1);
    const [work] = await queue.lease(1, 30, NONE);
    if (!work) throw new Error('nothing was taken');
    await queue.release({ ...work, until: new Date(work.until.getTime() + 1) });
    expect(await dueAt(id)).to.deep.equal(work.until);
    await queue.release(work);
    expect(await idsOf(1)).to.deep.equal([id]);
  });

  it('takes one of each agent, of each workspace in turn, the longest due first', async () => {
    const { agent, document } = harness();
    const [one, other] = [await agent(), await agent()];
    const second = await agent(one.workspaceId);
    const [late, later] = [await document(one.id, 50), await document(one.id, 40)];
    const [beside, far] = [await document(second.id, 45), await document(other.id, 10)];
    expect(new Set(await idsOf(2))).to.deep.equal(new Set([late, far]));
    expect(new Set(await idsOf(5))).to.deep.equal(new Set([later, beside]));
    expect(await idsOf(5)).to.deep.equal([]);
  });

  it('leaves workspaces and agents out that have enough', async () => {
    const { agent, document } = harness();
    const [one, other] = [await agent(), await agent()];
    const second = await agent(one.workspaceId);
    await document(one.id, 50);
    const [beside, far] = [await document(second.id, 45), await document(other.id, 10)];
    expect(await idsOf(5, { workspaceIds: [one.workspaceId], agentIds: [] })).to.deep.equal([far]);
    expect(await idsOf(5, { workspaceIds: [], agentIds: [one.id] })).to.deep.equal([beside]);
  });

  it('gives each document to one of many workers', async () => {
    const { agent, document, queue } = harness();
    const agents = await Promise.all([agent(), agent(), agent()]);
    const ids = await Promise.all(agents.flatMap(({ id }) => Array.from({ length: 8 }, () => document(id, 1))));
    const taken: string[] = [];
    const worker = async () => {
      for (let idle = 0; idle < 20; ) {
        const works = await queue.lease(3, 60, NONE);
        idle = works.length === 0 ? idle + 1 : 0;
        taken.push(...works.map(({ documentId }) => documentId));
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(taken.toSorted()).to.deep.equal(ids.toSorted());
  });

  it('renews the deliveries that are still held, and no other', async () => {
    const { agent, delivery, document, queue } = harness();
    const { id: agentId } = await agent();
    const leaseExpiresAt = new Date();
    const delivering = { status: 'processing', fence: 3, leaseExpiresAt } as const;
    const [held = '', takenOver = '', ended = ''] = await Promise.all(
      [delivering, delivering, { fence: 3 }].map((over) => document(agentId, 1, over)),
    );
    const leases = [held, ended].map((id) => ({ id, fence: 3 }));
    expect(await queue.renewDeliveries([...leases, { id: takenOver, fence: 2 }], 30)).to.deep.equal(new Set([held]));
    expect(((await delivery(held))?.getTime() ?? 0) - Date.now()).to.be.within(20_000, 40_000);
    expect(await delivery(takenOver)).to.deep.equal(leaseExpiresAt);
    expect(await delivery(ended)).to.equal(null);
  });
};
