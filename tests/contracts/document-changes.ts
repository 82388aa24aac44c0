import { expect } from 'chai';
import type { DocumentChanges } from '../../src/application/ports/queue.ts';
import type { DocumentStatus } from '../../src/domain/document.ts';

export interface DocumentChangesHarness {
  readonly changes: DocumentChanges;
  /** A document that is ready. */
  aDocument(): Promise<string>;
  move(id: string, status: DocumentStatus): Promise<void>;
  /** Makes the change without a word of it, and breaks the connections on which words of changes come. */
  deafenDuring(change: () => Promise<unknown>): Promise<void>;
}

/** What a subscriber is told of one document. */
const ears = (changes: DocumentChanges, id: string) => {
  const heard: DocumentStatus[] = [];
  let wake = () => {};
  const stop = changes.subscribe(id, (status) => {
    heard.push(status);
    wake();
  });
  const until = async (status: DocumentStatus) => {
    while (!heard.includes(status)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { heard, stop, until };
};

/** Every DocumentChanges passes this, or it is not one. */
export const documentChangesContract = (harness: () => DocumentChangesHarness) => {
  it('tells of each status of its document as it is committed, and of no other document', async () => {
    const { changes, aDocument, move } = harness();
    const [id, other] = [await aDocument(), await aDocument()];
    const [mine, others] = [ears(changes, id), ears(changes, other)];
    await move(id, 'processing');
    await move(id, 'processed');
    await move(other, 'trashed');
    await Promise.all([mine.until('processed'), others.until('trashed')]);
    mine.stop();
    others.stop();
    expect(mine.heard.slice(-2)).to.deep.equal(['processing', 'processed']);
    expect(others.heard).to.not.include('processing');
  });

  it('tells the status that is there now when word of it may have been missed', async () => {
    const { changes, aDocument, move, deafenDuring } = harness();
    const id = await aDocument();
    const mine = ears(changes, id);
    await move(id, 'error');
    await mine.until('error');
    await deafenDuring(() => move(id, 'trashed'));
    await mine.until('trashed');
    mine.stop();
  });

  it('tells nothing to whoever has stopped listening, also not what was being looked up', async () => {
    const { changes, aDocument, move, deafenDuring } = harness();
    const [id, other] = [await aDocument(), await aDocument()];
    const [mine, others] = [ears(changes, id), ears(changes, other)];
    await move(other, 'error');
    await others.until('error');
    mine.stop();
    const before = mine.heard.length;
    await deafenDuring(() => Promise.all([move(id, 'trashed'), move(other, 'trashed')]));
    await others.until('trashed');
    others.stop();
    expect(mine.heard).to.have.length(before);
  });
};
