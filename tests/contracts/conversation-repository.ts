import { expect } from 'chai';
import type { ConversationRepository, ShownMessage, Viewer } from '../../src/application/ports/storage.ts';
import type { Conversation, Message } from '../../src/domain/conversation.ts';
import { anId } from '../support/builders.ts';

export interface ConversationHarness {
  readonly conversations: ConversationRepository;
  /** A conversation with these messages, whose agent is visible to `ada` alone; `bob` is of the same workspace, `eve` is not. */
  arrange(
    messages?: readonly Message[],
  ): Promise<{ readonly conversation: Conversation; readonly ada: Viewer; readonly bob: Viewer; readonly eve: Viewer }>;
  removeAgent(id: string): Promise<void>;
}

const aMessage = (over: Partial<Message> = {}): Message => ({
  id: anId(),
  role: 'user',
  content: 'Hello',
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  authorId: anId(),
  provenance: null,
  createdAt: new Date('2026-01-01T00:00:00.500Z'),
  ...over,
});

const every = async (pages: AsyncIterable<readonly ShownMessage[]>): Promise<readonly ShownMessage[]> => {
  const all: ShownMessage[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

/** Every ConversationRepository passes this, or it is not one. */
export const conversationRepositoryContract = (harness: () => ConversationHarness) => {
  it('shows a conversation, as it was stored, to whoever sees its agent', async () => {
    const { conversations } = harness();
    const { conversation, ada, bob, eve } = await harness().arrange();
    expect(await conversations.findVisible(ada, conversation.id)).to.deep.equal(conversation);
    expect(await conversations.findVisible(bob, conversation.id)).to.equal(null);
    expect(await conversations.findVisible(eve, conversation.id)).to.equal(null);
    await harness().removeAgent(conversation.agentId);
    expect(await conversations.findVisible(ada, conversation.id)).to.equal(null);
  });

  it('returns messages in the order they were stored, whatever their times and ids', async () => {
    const messages = [
      aMessage({ attachments: [{ fileKey: 'k', fileName: 'ä "b".pdf', contentType: 'application/pdf' }] }),
      aMessage({
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'search_web', arguments: { zeta: 1, alpha: [null] } }],
      }),
      aMessage({ role: 'tool', content: '{"x":1}', toolCallId: 'c1', createdAt: new Date('2025-01-01T00:00:00.000Z') }),
      aMessage({ role: 'assistant', content: 'Done ☃' }),
    ];
    const reversed = messages.toReversed();
    const { conversation } = await harness().arrange(reversed);
    const found = await every(harness().conversations.messages(conversation.id));
    expect(found.map(({ author: _, ...message }) => message)).to.deep.equal(reversed);
    expect(found.map(({ author }) => author)).to.deep.equal(reversed.map(() => null));
  });

  it('names the authors there are', async () => {
    const { ada } = await harness().arrange();
    const database = { kind: 'database' as const, id: 'books' };
    const messages = [
      aMessage({ authorId: null }),
      aMessage({ role: 'tool', toolCallId: 'c', authorId: ada.userId, provenance: { own: false, system: database } }),
      aMessage({ authorId: null, provenance: { own: true, system: null } }),
      aMessage({ authorId: null }),
    ];
    const { conversation } = await harness().arrange(messages);
    const found = await every(harness().conversations.messages(conversation.id));
    expect(found.map(({ author }) => author)).to.deep.equal([null, { id: ada.userId, name: 'Ada' }, null, null]);
    expect(found.map(({ authorId }) => authorId)).to.deep.equal([null, ada.userId, null, null]);
    expect(found.map(({ provenance }) => provenance)).to.deep.equal(messages.map(({ provenance }) => provenance));
  });

  it('returns every message of a long conversation', async () => {
    const messages = Array.from({ length: 300 }, (_, index) => aMessage({ content: `${index}` }));
    const { conversation } = await harness().arrange(messages);
    const found = await every(harness().conversations.messages(conversation.id));
    expect(found.map(({ content }) => content)).to.deep.equal(messages.map(({ content }) => content));
  });

  it('knows nothing of an unknown id, or of what is no id', async () => {
    const { conversations } = harness();
    const { ada } = await harness().arrange();
    for (const id of [anId(), '', 'x', '\0']) {
      expect(await conversations.findVisible(ada, id)).to.equal(null);
      expect(await every(conversations.messages(id))).to.deep.equal([]);
    }
  });
};
