import { expect } from 'chai';
import type { AgentRepository, Viewer } from '../../src/application/ports/storage.ts';
import type { Agent } from '../../src/domain/agent.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { type AgentFields, anAgent, anId } from '../support/builders.ts';

export interface AgentHarness {
  readonly agents: AgentRepository;
  /** A workspace with two users and no agents. */
  arrange(): Promise<{ readonly ada: Viewer; readonly bob: Viewer }>;
  store(agent: Agent): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Every AgentRepository passes this, or it is not one. */
export const agentRepositoryContract = (harness: () => AgentHarness) => {
  const arrange = async () => {
    const { ada, bob } = await harness().arrange();
    const store = async (over: AgentFields = {}) => {
      const agent = anAgent({ workspaceId: ada.workspaceId, ...over });
      await harness().store(agent);
      return agent;
    };
    return { ada, bob, store, agents: harness().agents };
  };

  it('returns an agent as it was stored', async () => {
    const { ada, store, agents } = await arrange();
    const agent = await store({
      documentSchema: {
        type: 'object',
        properties: { zeta: {}, alpha: { enum: [null, 1.5, jsonNumber('9007199254740993'), 'x'] } },
      },
      systemOfRecord: {
        connectionId: anId(),
        entity: 'public.t',
        columns: { b: '/b', a: '/a' },
        documentIdColumn: 'id',
      },
      tools: ['search_web', { connection: 'erp', write: false }],
      visibleTo: [ada.userId],
    });
    for (const found of [await agents.find(agent.id), await agents.findVisible(ada, agent.id)]) {
      expect(found).to.deep.equal(agent);
      expect(Object.getPrototypeOf(found)).to.equal(Object.prototype);
      expect(JSON.stringify(found?.documentSchema), 'in the order of its keys').to.equal(
        JSON.stringify(agent.documentSchema),
      );
    }
  });

  it('lists summaries by name in code points, then by id', async () => {
    const { ada, store, agents } = await arrange();
    for (const name of ['b', 'Z', 'a', 'é', 'A b', 'Ab', '😀', '\ufffd']) await store({ name });
    const listed = await agents.listVisible(ada);
    expect(listed.map(({ name }) => name)).to.deep.equal(['A b', 'Ab', 'Z', 'a', 'b', 'é', '\ufffd', '😀']);
    expect(Object.keys(listed[0] ?? {})).to.have.members(['id', 'name', 'description', 'workflowType', 'posts']);
  });

  it('shows an agent to everybody of its workspace, or to those it names', async () => {
    const { ada, bob, store, agents } = await arrange();
    const open = await store({ name: '1' });
    const forBob = await store({ name: '2', visibleTo: [bob.userId] });
    const forNobody = await store({ name: '3', visibleTo: [] });
    expect((await agents.listVisible(ada)).map(({ id }) => id)).to.deep.equal([open.id]);
    expect((await agents.listVisible(bob)).map(({ id }) => id)).to.deep.equal([open.id, forBob.id]);
    expect(await agents.findVisible(ada, forBob.id)).to.equal(null);
    expect(await agents.findVisible(bob, forBob.id)).to.deep.equal(forBob);
    expect(await agents.findVisible(bob, forNobody.id)).to.equal(null);
    expect(await agents.find(forNobody.id)).to.deep.equal(forNobody);
  });

  it('shows nothing of another workspace, even to a user it names', async () => {
    const { ada, store, agents } = await arrange();
    const stranger = (await harness().arrange()).ada;
    const agent = await store({ visibleTo: [ada.userId, stranger.userId] });
    expect(await agents.listVisible(stranger)).to.deep.equal([]);
    expect(await agents.findVisible(stranger, agent.id)).to.equal(null);
  });

  it('knows no removed agent', async () => {
    const { ada, store, agents } = await arrange();
    const agent = await store();
    await harness().remove(agent.id);
    expect(await agents.listVisible(ada)).to.deep.equal([]);
    expect(await agents.findVisible(ada, agent.id)).to.equal(null);
    expect(await agents.find(agent.id)).to.equal(null);
  });

  it('answers null for an unknown id and for what is no id', async () => {
    const { ada, agents } = await arrange();
    for (const id of [anId(), '', 'x', "'; drop table agents", '\0']) {
      expect(await agents.find(id)).to.equal(null);
      expect(await agents.findVisible(ada, id)).to.equal(null);
    }
  });
};
