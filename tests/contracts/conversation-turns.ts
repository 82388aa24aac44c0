import { expect } from 'chai';
import type {
  ConversationApproval,
  ConversationLease,
  ConversationTurns,
} from '../../src/application/ports/conversations.ts';
import { LeaseLost } from '../../src/application/ports/leases.ts';
import { type Message, MOST_CONTINUATIONS } from '../../src/domain/conversation.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { anId } from '../support/builders.ts';

export interface TurnsHarness {
  readonly turns: ConversationTurns;
  /** An idle conversation of a run, without messages. */
  arrange(): Promise<string>;
  /** What a person decides on the approval. */
  decide(approvalId: string, event: 'approve' | 'deny'): Promise<void>;
  /** The user and the version of the agent of a conversation. */
  partiesOf(conversationId: string): Promise<{ readonly userId: string; readonly agentVersion: number }>;
  /** As if the lease of whoever holds it had just run out. */
  expire(conversationId: string): Promise<void>;
  /** As a run holds it: responding, without a lease. */
  giveToRun(conversationId: string): Promise<void>;
  /** Its messages, and what it cost. */
  stored(
    conversationId: string,
  ): Promise<{ readonly contents: readonly string[]; readonly usage: readonly number[]; readonly status: string }>;
}

export const aMessage = (content: string, over: Partial<Message> = {}): Message => ({
  id: anId(),
  role: 'user',
  content,
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  authorId: anId(),
  provenance: null,
  createdAt: new Date('2026-01-01T00:00:00.500Z'),
  ...over,
});

const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

const aRequest = (agentVersion: number, over: Partial<ConversationApproval> = {}): ConversationApproval => ({
  id: anId(),
  toolCallId: 'c1',
  tool: 'pay',
  approver: 'person',
  arguments: { amount: jsonNumber('12.10') },
  argumentsDigest: 'd'.repeat(64),
  rehearsal: null,
  agentVersion,
  asker: {
    userId: anId(),
    credential: { id: 'k', kind: 'api_key' },
    scopes: new Set(['runs:write']),
    boundToAgent: null,
  },
  message: aMessage('It waits.', { role: 'tool', toolCallId: 'c1' }),
  hours: 24,
  ...over,
});

/** Every ConversationTurns passes this, or it is not one. */
export const conversationTurnsContract = (harness: () => TurnsHarness) => {
  const taken = async (id: string, seconds = 60): Promise<ConversationLease> => {
    const lease = await harness().turns.begin(id, seconds);
    if (!lease) throw new Error('it is taken already');
    return lease;
  };

  const refused = async (write: Promise<unknown>) => {
    const error = await write.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(LeaseLost);
  };

  const writes = (lease: ConversationLease): readonly (() => Promise<unknown>)[] => {
    const { turns } = harness();
    return [
      () => turns.append(lease, [aMessage('too late')], usage(1, 1)),
      () => turns.append(lease, [], usage(1, 1)),
      () => turns.intend(lease, ['c1']),
      () => turns.summarise(lease, { text: 'too late', through: anId() }),
      () => turns.requestApproval(lease, aRequest(1)),
      () => turns.settle(lease, aMessage('too late', { role: 'tool', toolCallId: 'c1' })),
      () => turns.withdraw(lease, 'too late', 'too late'),
      () => turns.end(lease),
      () => turns.release(lease),
    ];
  };

  it('lets exactly one of many have a conversation', async () => {
    const id = await harness().arrange();
    const leases = await Promise.all(Array.from({ length: 50 }, () => harness().turns.begin(id, 60)));
    expect(leases.filter((lease) => lease !== null)).to.have.length(1);
    expect((await harness().stored(id)).status).to.equal('responding');
  });

  it('gives it to the next one when it has ended, and to nobody while a run has it', async () => {
    const id = await harness().arrange();
    await harness().turns.end(await taken(id));
    const second = await taken(id);
    await harness().turns.end(second);
    await harness().giveToRun(id);
    expect(await harness().turns.begin(id, 60)).to.equal(null);
    await harness().expire(id);
    expect(await harness().turns.begin(anId(), 60)).to.equal(null);
    expect(await harness().turns.begin('no id', 60)).to.equal(null);
  });

  it('gives it away once the lease is over, and refuses every write of whoever had it', async () => {
    const id = await harness().arrange();
    const deposed = await taken(id);
    await harness().turns.append(deposed, [aMessage('in time')], usage(1, 2));
    await harness().expire(id);
    for (const write of writes(deposed)) await refused(write());
    const heir = await taken(id);
    expect(heir.fence).to.be.greaterThan(deposed.fence);
    for (const write of writes(deposed)) await refused(write());
    expect([...(await harness().turns.renew([deposed, heir], 60))]).to.deep.equal([id]);
    await harness().turns.append(heir, [aMessage('mine')], usage(10, 20));
    expect(await harness().stored(id)).to.deep.equal({
      contents: ['in time', 'mine'],
      usage: [11, 22],
      status: 'responding',
    });
  });

  it('refuses the writes of whoever has ended', async () => {
    const id = await harness().arrange();
    const lease = await taken(id);
    await harness().turns.end(lease);
    for (const write of writes(lease)) await refused(write());
    expect(await harness().turns.renew([lease], 60)).to.deep.equal(new Set());
    expect(await harness().stored(id)).to.deep.equal({ contents: [], usage: [0, 0], status: 'idle' });
  });

  it('keeps a lease that is renewed', async () => {
    const id = await harness().arrange();
    const lease = await taken(id, 0.2);
    expect(await harness().turns.renew([lease], 60)).to.deep.equal(new Set([id]));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await harness().turns.begin(id, 60)).to.equal(null);
    expect(await harness().turns.renew([], 60)).to.deep.equal(new Set());
  });

  it('stores messages in the order they come, together', async () => {
    const id = await harness().arrange();
    const lease = await taken(id);
    const calls = [{ id: 'c1', name: 'x', arguments: { zeta: jsonNumber('9007199254740993'), alpha: ['\0', null] } }];
    await harness().turns.append(
      lease,
      [aMessage('1', { createdAt: new Date(5) }), aMessage('2', { createdAt: new Date(1) })],
      usage(0, 0),
    );
    await harness().turns.append(lease, [aMessage('', { role: 'assistant', toolCalls: calls })], usage(0, 0));
    await harness().turns.append(lease, [aMessage('4\0', { role: 'tool', toolCallId: 'c1' })], usage(0, 0));
    const { messages, incomplete } = await harness().turns.readContext(id, 1000);
    expect(messages.map(({ content }) => content)).to.deep.equal(['1', '2', '', '4\ufffd']);
    expect(messages[2]?.toolCalls).to.deep.equal(calls);
    expect(incomplete).to.equal(false);
  });

  it('knows of calls that were begun until they have a result', async () => {
    const id = await harness().arrange();
    const lease = await taken(id);
    await harness().turns.intend(lease, ['c1', 'c2']);
    await harness().turns.intend(lease, ['c3']);
    await harness().turns.append(
      lease,
      [aMessage('done', { role: 'tool', toolCallId: 'c2' }), aMessage('hm')],
      usage(0, 0),
    );
    expect((await harness().turns.readContext(id, 1000)).begun).to.deep.equal(new Set(['c1', 'c3']));
  });

  it('recalls the newest messages of a long conversation, at least one, and says that there were more', async () => {
    const id = await harness().arrange();
    const lease = await taken(id);
    await harness().turns.append(
      lease,
      Array.from({ length: 30 }, (_, n) => aMessage(`${n} ${'x'.repeat(97)}`)),
      usage(0, 0),
    );
    const some = await harness().turns.readContext(id, 1000);
    expect(some.messages.length).to.be.within(8, 12);
    expect(some.messages.at(-1)?.content).to.match(/^29 /);
    expect(some.incomplete).to.equal(true);
    expect((await harness().turns.readContext(id, 1)).messages).to.have.length(1);
    expect((await harness().turns.readContext(id, 100_000)).incomplete).to.equal(false);
  });

  it('recalls a summary and what came after it', async () => {
    const id = await harness().arrange();
    const lease = await taken(id);
    const said = Array.from({ length: 6 }, (_, n) => aMessage(`${n}`));
    await harness().turns.append(lease, said, usage(0, 0));
    await harness().turns.summarise(lease, { text: 'They counted.', through: said[3]?.id ?? '' });
    const { summary, messages, incomplete } = await harness().turns.readContext(id, 1000);
    expect({ summary, contents: messages.map(({ content }) => content), incomplete }).to.deep.equal({
      summary: 'They counted.',
      contents: ['4', '5'],
      incomplete: false,
    });
    expect((await harness().stored(id)).contents).to.have.length(6);
  });

  describe('with a call that waits for its approval', () => {
    /** A turn that has ended with such a call. */
    const waiting = async (calls: readonly string[] = ['c1']) => {
      const id = await harness().arrange();
      const { userId, agentVersion } = await harness().partiesOf(id);
      const lease = await taken(id);
      const toolCalls = calls.map((call) => ({ id: call, name: 'pay', arguments: {} }));
      await harness().turns.append(lease, [aMessage('', { role: 'assistant', toolCalls })], usage(0, 0));
      const requests = calls.map((toolCallId) => {
        const message = aMessage('It waits.', { role: 'tool', toolCallId, authorId: userId });
        return aRequest(agentVersion, { toolCallId, message, asker: { ...aRequest(1).asker, userId } });
      });
      for (const request of requests) await harness().turns.requestApproval(lease, request);
      return { id, lease, requests, request: requests[0] as ConversationApproval };
    };
    const takenUp = async (id: string) => {
      const all = await harness().turns.takeDecided(100, 60);
      return all.find(({ lease }) => lease.conversationId === id) ?? null;
    };

    it('keeps the call once, with the message that stands for its result and is no part of the context', async () => {
      const { id, lease, request } = await waiting();
      const again = { ...request, id: anId(), message: aMessage('Again.', { role: 'tool', toolCallId: 'c1' }) };
      await harness().turns.requestApproval(lease, again);
      const kept = await harness().turns.approvalOf(id, 'c1');
      expect(kept).to.deep.include({
        id: request.id,
        status: 'pending',
        runId: null,
        conversationId: id,
        arguments: request.arguments,
      });
      expect((await harness().stored(id)).contents).to.deep.equal(['', 'It waits.']);
      const { messages, waiting: stands } = await harness().turns.readContext(id, 1000);
      expect(messages.map(({ role }) => role)).to.deep.equal(['assistant']);
      expect(stands).to.deep.equal(new Map([['c1', request.message.id]]));
      expect(await harness().turns.approvalOf(id, 'c2')).to.equal(null);
    });

    it('gives the message its result, once, and it keeps its id', async () => {
      const { id, lease, request } = await waiting();
      await harness().turns.intend(lease, ['c1']);
      await harness().turns.settle(lease, {
        ...request.message,
        content: 'Paid.',
        provenance: { own: false, system: null },
      });
      const { messages, waiting: stands, begun } = await harness().turns.readContext(id, 1000);
      expect(messages.at(-1)).to.deep.include({
        id: request.message.id,
        content: 'Paid.',
        provenance: { own: false, system: null },
      });
      expect([stands.size, begun.size]).to.deep.equal([0, 0]);
      await refused(harness().turns.settle(lease, { ...request.message, content: 'Twice.' }));
    });

    it('goes on by itself after a decision, with the rights of who asked, and until it is done takes no message', async () => {
      const { id, lease, request } = await waiting();
      await harness().turns.end(lease);
      expect(await takenUp(id), 'nothing is decided').to.equal(null);
      await harness().decide(request.id, 'approve');
      expect(await harness().turns.begin(id, 60), 'a message comes').to.equal(null);
      const turn = await takenUp(id);
      expect(turn?.asker).to.deep.equal(request.asker);
      expect(await takenUp(id), 'one process has it').to.equal(null);
      await harness().expire(id);
      expect(await harness().turns.begin(id, 60), 'another process goes on').to.equal(null);
      const heir = await takenUp(id);
      await refused(harness().turns.end(turn?.lease as ConversationLease));
      await harness().turns.release(heir?.lease as ConversationLease);
      await harness().turns.end((await takenUp(id))?.lease as ConversationLease);
      expect(await takenUp(id), 'it is done').to.equal(null);
      await taken(id);
    });

    it('goes on once more if a decision fell while it went on', async () => {
      const { id, lease, requests } = await waiting(['c1', 'c2']);
      await harness().decide(requests[0]?.id ?? '', 'approve');
      expect(await takenUp(id), 'its turn has not ended').to.equal(null);
      await harness().turns.end(lease);
      const first = await takenUp(id);
      await harness().decide(requests[1]?.id ?? '', 'deny');
      await harness().turns.end(first?.lease as ConversationLease);
      const second = await takenUp(id);
      await harness().turns.end(second?.lease as ConversationLease);
      expect(await takenUp(id)).to.equal(null);
    });

    it('is given up after some attempts, and then takes messages again, which settle what waits', async () => {
      const { id, lease, request } = await waiting();
      await harness().turns.end(lease);
      await harness().decide(request.id, 'approve');
      for (let attempt = 0; attempt < MOST_CONTINUATIONS; attempt++) {
        expect(await takenUp(id), `attempt ${attempt}`).to.not.equal(null);
        await harness().expire(id);
      }
      expect(await takenUp(id)).to.equal(null);
      const next = await taken(id);
      await harness().turns.intend(next, ['c1']);
      await harness().turns.withdraw(next, 'Not made.', 'Nobody knows.');
      expect((await harness().stored(id)).contents.at(-1)).to.equal('Nobody knows.');
    });

    it('is withdrawn by a message, unless a decision falls meanwhile', async () => {
      const { id, lease, requests } = await waiting(['c1', 'c2']);
      await harness().turns.end(lease);
      const next = await taken(id);
      await harness().decide(requests[0]?.id ?? '', 'approve');
      await harness().turns.withdraw(next, 'Withdrawn.', 'Nobody knows.');
      const statuses = await Promise.all(['c1', 'c2'].map((call) => harness().turns.approvalOf(id, call)));
      expect(statuses.map((approval) => approval?.status)).to.deep.equal(['approved', 'cancelled']);
      expect((await harness().stored(id)).contents).to.deep.equal(['', 'It waits.', 'Withdrawn.']);
      await harness().turns.release(next);
      expect(await takenUp(id)).to.not.equal(null);
    });
  });
};
