import { expect } from 'chai';
import type { WorkspaceRepository, WorkspaceState } from '../../src/application/ports/storage.ts';
import type { User, Workspace } from '../../src/domain/access.ts';
import type { Agent } from '../../src/domain/agent.ts';
import type { Budget } from '../../src/domain/budget.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { Database } from '../../src/domain/database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import type { Source } from '../../src/domain/source.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import { anAgent, anId, aUser } from '../support/builders.ts';

export interface WorkspaceHarness {
  /** On a server without workspaces. */
  readonly workspaces: WorkspaceRepository;
  /** Gives the user an API key. */
  issueKey(userId: string): Promise<void>;
  /** How many keys of the user are not revoked. */
  validKeys(userId: string): Promise<number>;
}

const created = new Date('2026-01-01T00:00:00.250Z');
const later = new Date('2026-02-01T00:00:00.000Z');
const nothing = { save: {}, remove: {} };

const aWorkspace = (name = `Workspace ${anId()}`): Workspace => ({
  id: anId(),
  name,
  prices: null,
  retention: null,
  createdAt: created,
});

const aConnection = (workspaceId: string, over: Partial<Connection> = {}): Connection => ({
  id: anId(),
  workspaceId,
  name: `c-${anId()}`,
  type: 'postgresql',
  sealedUrl: 'sealed',
  visibleTo: null,
  createdAt: created,
  updatedAt: created,
  ...over,
});

const aDatabase = (workspaceId: string, connectionId: string, over: Partial<Database> = {}): Database => ({
  id: 'sales',
  workspaceId,
  name: 'Sales',
  connectionId,
  schemas: null,
  visibleTo: null,
  createdAt: created,
  updatedAt: created,
  ...over,
});

const aWebhook = (workspaceId: string, over: Partial<Webhook> = {}): Webhook => ({
  id: anId(),
  workspaceId,
  address: `https://example.com/${anId()}`,
  sealedUrl: 'sealed address',
  sealedSecret: 'sealed secret',
  events: ['run.*', 'document.ready'],
  createdAt: created,
  updatedAt: created,
  disabledAt: null,
  disabledReason: null,
  ...over,
});

const aBudget = (workspaceId: string, over: Partial<Budget> = {}): Budget => ({
  id: anId(),
  workspaceId,
  name: 'all',
  agentId: null,
  period: 'month',
  limit: '0.000001',
  action: 'stop',
  createdAt: created,
  updatedAt: created,
  ...over,
});

const aSource = (workspaceId: string, agentId: string, over: Partial<Source> = {}): Source => ({
  id: anId(),
  workspaceId,
  name: 'invoices',
  agentId,
  type: 'imap',
  address: 'imaps://ada@mail.example.com/INBOX',
  sealedPlace: 'sealed place',
  after: { act: 'move', to: 'Done' },
  from: ['billing@example.com'],
  everySeconds: 60,
  paused: false,
  createdAt: created,
  updatedAt: created,
  ...over,
});

type StoredUser = WorkspaceState['users'][number];

const aFileUser = (over: Partial<User>): StoredUser => ({ ...aUser(over), fromFile: true, disabledAt: null });

const aState = (workspace = aWorkspace()) => {
  const workspaceId = workspace.id;
  const users: StoredUser[] = [
    aFileUser({ workspaceId, email: `a-${anId()}@example.com`, role: 'viewer' }),
    aFileUser({ workspaceId, email: `b-${anId()}@example.com` }),
  ];
  const [ada] = users as [StoredUser, StoredUser];
  const connections = [
    aConnection(workspaceId, { name: 'erp' }),
    aConnection(workspaceId, { name: 'wms', type: 'sqlserver', visibleTo: [] }),
  ];
  const [erp] = connections as [Connection, Connection];
  const databases = [aDatabase(workspaceId, erp.id, { schemas: ['a b', '"x"', '{'], visibleTo: [ada.id] })];
  const agents = [
    anAgent({
      workspaceId,
      name: 'Clerk',
      workflowType: 'assistant',
      documentSchema: null,
      tools: ['search_web', { connection: 'erp' }],
    }),
    anAgent({
      workspaceId,
      name: 'Reader',
      visibleTo: [ada.id],
      documentSchema: { type: 'object', b: jsonNumber('9007199254740993'), a: [] },
    }),
  ];
  const webhooks = [
    aWebhook(workspaceId, { address: 'https://example.com/a' }),
    aWebhook(workspaceId, { address: 'https://example.com/b', events: ['*'] }),
  ];
  const sources = [aSource(workspaceId, agents[1]?.id ?? '')];
  const budgets = [
    aBudget(workspaceId, { name: 'all', limit: '100.00' }),
    aBudget(workspaceId, { name: 'clerk', agentId: agents[0]?.id ?? null, period: 'day', action: 'warn' }),
  ];
  return { workspace, users, connections, databases, agents, webhooks, sources, budgets } satisfies WorkspaceState;
};

/** Every WorkspaceRepository passes this, or it is not one. */
export const workspaceRepositoryContract = (harness: () => WorkspaceHarness) => {
  const applied = async (state = aState()) => {
    await harness().workspaces.apply(state.workspace, { save: state, remove: {} });
    return state;
  };
  const found = (state: WorkspaceState) => harness().workspaces.findByName(state.workspace.name);
  const clash = async (work: Promise<void>): Promise<string> => {
    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DomainError).and.have.property('kind', 'conflict');
    return (error as DomainError).message;
  };

  it('is empty on the first start, and not once there is a workspace', async () => {
    expect(await harness().workspaces.any()).to.equal(false);
    expect(await harness().workspaces.findByName('acme')).to.equal(null);
    await harness().workspaces.apply(aWorkspace(), nothing);
    expect(await harness().workspaces.any()).to.equal(true);
  });

  it('returns everything as it was applied', async () => {
    const state = await applied();
    const stored = await found(state);
    expect(stored).to.deep.equal(state);
    expect(JSON.stringify(stored?.agents[1]?.documentSchema)).to.equal(JSON.stringify(state.agents[1]?.documentSchema));
  });

  it('changes nothing when it is applied again', async () => {
    const state = await applied();
    await applied(state);
    expect(await found(state)).to.deep.equal(state);
  });

  it('saves by id and leaves the rest', async () => {
    const state = await applied();
    const [clerk, reader] = state.agents as [Agent, Agent];
    const changed = {
      ...clerk,
      name: 'Zoe',
      instructions: 'Be brief.',
      tools: [],
      documentSchema: { x: null },
      version: 2,
      updatedAt: later,
    };
    const added = anAgent({ workspaceId: state.workspace.id, name: 'Added' });
    await harness().workspaces.apply(state.workspace, { save: { agents: [changed, added] }, remove: {} });
    expect(await found(state)).to.deep.equal({ ...state, agents: [added, reader, changed] });
  });

  it('makes another version of an agent only if its definition changes', async () => {
    const state = await applied();
    const [clerk] = state.agents as [Agent, Agent];
    const versionAfter = async (changes: Partial<Agent>, version: number) => {
      const agents = [{ ...clerk, ...changes, version, updatedAt: later }];
      await harness().workspaces.apply(state.workspace, { save: { agents }, remove: {} });
      return (await found(state))?.agents.find(({ id }) => id === clerk.id)?.version;
    };
    expect(await versionAfter({}, 1)).to.equal(1);
    expect(await versionAfter({ name: 'Zoe', description: 'Another', visibleTo: [] }, 1)).to.equal(1);
    const definitions: readonly Partial<Agent>[] = [
      { model: 'openai/other' },
      { instructions: 'Be brief.' },
      { documentSchema: { type: 'object' } },
      { systemOfRecord: { connectionId: anId(), entity: 'a.b', columns: { a: '/a' }, documentIdColumn: 'id' } },
      { tools: [] },
      { workflowType: 'document_extraction' },
    ];
    for (const [index, change] of definitions.entries()) {
      expect(await versionAfter(change, 2 * index + 2), JSON.stringify(change)).to.equal(2 * index + 2);
      expect(await versionAfter(change, 2 * index + 3), 'again').to.equal(2 * index + 2);
      expect(await versionAfter({}, 2 * index + 3), 'and back').to.equal(2 * index + 3);
    }
  });

  it('writes the definition of every apply, also of two that began with the same version, and of an agent that was removed', async () => {
    const state = await applied();
    const [clerk] = state.agents as [Agent, Agent];
    const appliedWith = async (instructions: string, version: number) => {
      const agents = [{ ...clerk, instructions, version }];
      await harness().workspaces.apply(state.workspace, { save: { agents }, remove: {} });
      const agent = (await found(state))?.agents.find(({ id }) => id === clerk.id);
      return [agent?.instructions, agent?.version];
    };
    expect(await appliedWith('One.', 2)).to.deep.equal(['One.', 2]);
    expect(await appliedWith('Two.', 2)).to.deep.equal(['Two.', 3]);
    await harness().workspaces.apply(state.workspace, { save: {}, remove: { agents: [clerk.id] } });
    expect(await appliedWith('Three.', 3)).to.deep.equal(['Three.', 4]);
    await harness().workspaces.apply(state.workspace, { save: {}, remove: { agents: [clerk.id] } });
    expect(await appliedWith('Three.', 1)).to.deep.equal(['Three.', 4]);
  });

  it('lets agents, connections and users exchange their names', async () => {
    const state = await applied();
    const exchanged = <K extends string, T extends Record<K, string>>([one, two]: readonly T[], key: K): T[] =>
      one && two
        ? [
            { ...two, [key]: one[key] },
            { ...one, [key]: two[key] },
          ]
        : [];
    const save = {
      agents: exchanged(state.agents, 'name'),
      connections: exchanged(state.connections, 'name'),
      users: exchanged(state.users, 'email'),
    };
    await harness().workspaces.apply(state.workspace, { save, remove: {} });
    expect(await found(state)).to.deep.equal({ ...state, ...save });
  });

  it('removes what it is told, and revokes the keys of removed users', async () => {
    const state = await applied();
    const [ada, bob] = state.users as [StoredUser, StoredUser];
    for (const user of [ada, bob]) await harness().issueKey(user.id);
    const remove = {
      users: [ada.id],
      connections: state.connections.map(({ id }) => id),
      databases: ['sales'],
      agents: state.agents.map(({ id }) => id),
      webhooks: state.webhooks.map(({ id }) => id),
      budgets: state.budgets.map(({ id }) => id),
      sources: state.sources.map(({ id }) => id),
    };
    await harness().workspaces.apply(state.workspace, { save: {}, remove });
    expect(await found(state)).to.deep.equal({
      workspace: state.workspace,
      users: [bob],
      connections: [],
      databases: [],
      agents: [],
      webhooks: [],
      budgets: [],
      sources: [],
    });
    expect(await harness().validKeys(ada.id)).to.equal(0);
    expect(await harness().validKeys(bob.id)).to.equal(1);
  });

  it('frees the names and emails of what is removed, in the same step', async () => {
    const state = await applied();
    const { workspace } = state;
    const [ada] = state.users as [StoredUser, StoredUser];
    const [erp] = state.connections as [Connection, Connection];
    const [clerk] = state.agents as [Agent, Agent];
    const users = [aFileUser({ workspaceId: workspace.id, email: ada.email })];
    const agents = [anAgent({ workspaceId: workspace.id, name: clerk.name })];
    const connections = [aConnection(workspace.id, { name: erp.name })];
    const remove = { users: [ada.id], connections: [erp.id], databases: ['sales'], agents: [clerk.id] };
    await harness().workspaces.apply(workspace, { save: { users, agents, connections }, remove });
    const after = await found(state);
    expect(after?.users[0]).to.deep.equal(users[0]);
    expect(after?.agents[0]).to.deep.equal(agents[0]);
    expect(after?.connections[0]).to.deep.equal(connections[0]);
  });

  it('brings back what was removed when it is saved again', async () => {
    const state = await applied();
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
    const remove = {
      users: ids(state.users.slice(0, 1)),
      connections: ids(state.connections),
      databases: ['sales'],
      agents: ids(state.agents),
      webhooks: ids(state.webhooks),
    };
    await harness().workspaces.apply(state.workspace, { save: {}, remove });
    await applied(state);
    expect(await found(state)).to.deep.equal(state);
  });

  it('leaves the workspace an administrator who is enabled, and changes nothing else', async () => {
    const state = await applied();
    const [ada, bob] = state.users as [StoredUser, StoredUser];
    const code = async (changes: Parameters<WorkspaceRepository['apply']>[1]) => {
      const error = await harness()
        .workspaces.apply(state.workspace, changes)
        .catch((thrown: unknown) => thrown);
      return error instanceof DomainError ? error.code : error;
    };
    const agents = [{ ...(state.agents[0] as Agent), name: 'Zoe' }];
    expect(await code({ save: { agents }, remove: { users: [bob.id] } })).to.equal('last_admin');
    expect(await code({ save: { agents, users: [{ ...bob, role: 'member' }] }, remove: {} })).to.equal('last_admin');
    expect(await found(state)).to.deep.equal(state);
    expect(await code({ save: { users: [{ ...ada, role: 'admin' }] }, remove: { users: [bob.id] } })).to.equal(
      undefined,
    );
  });

  it('does all or nothing', async () => {
    const state = await applied();
    const taken = await applied();
    const users = [
      { ...(state.users[0] as StoredUser), name: 'Changed' },
      aFileUser({ workspaceId: state.workspace.id, email: (taken.users[0] as User).email }),
    ];
    const remove = { agents: state.agents.map(({ id }) => id) };
    expect(await clash(harness().workspaces.apply(state.workspace, { save: { users }, remove }))).to.match(/email/);
    expect(await found(state)).to.deep.equal(state);
    expect(await found(taken)).to.deep.equal(taken);
  });

  it('touches nothing of another workspace, whatever the ids', async () => {
    const [mine, other] = [await applied(), await applied()];
    const { id: workspaceId } = mine.workspace;
    const [agent] = other.agents as [Agent, Agent];
    const [connection] = other.connections as [Connection, Connection];
    const [user] = other.users as [StoredUser, StoredUser];
    const [webhook] = other.webhooks as [Webhook, Webhook];
    const [budget] = other.budgets as [Budget, Budget];
    for (const save of [
      { agents: [{ ...agent, workspaceId, name: 'stolen' }] },
      { connections: [{ ...connection, workspaceId, name: 'stolen' }] },
      { users: [{ ...user, workspaceId, email: 'stolen@example.com' }] },
      { webhooks: [{ ...webhook, workspaceId, address: 'stolen' }] },
      { budgets: [{ ...budget, workspaceId, name: 'stolen' }] },
    ]) {
      expect(await clash(harness().workspaces.apply(mine.workspace, { save, remove: {} }))).to.match(
        /another workspace/,
      );
    }
    await harness().issueKey(user.id);
    const remove = {
      users: [user.id],
      connections: [connection.id],
      databases: ['sales'],
      agents: [agent.id],
      webhooks: [webhook.id],
      budgets: [budget.id],
    };
    await harness().workspaces.apply(mine.workspace, { save: {}, remove });
    expect(await found(other)).to.deep.equal(other);
    expect(await harness().validKeys(user.id)).to.equal(1);
  });

  it('keeps databases of the same id in two workspaces apart', async () => {
    const [mine, other] = [await applied(), await applied()];
    await harness().workspaces.apply(mine.workspace, { save: {}, remove: { databases: ['sales'] } });
    expect(await found(mine)).to.deep.equal({ ...mine, databases: [] });
    expect(await found(other)).to.deep.equal(other);
  });

  it('lets applies of one workspace wait for each other', async () => {
    const state = await applied();
    const { workspace } = state;
    for (let round = 0; round < 5; round += 1) {
      const connections = Array.from({ length: 8 }, (_, index) =>
        aConnection(workspace.id, { name: `n${round}${index}` }),
      );
      const orders = Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? connections : connections.toReversed(),
      );
      await Promise.all(
        orders.map((rows) => harness().workspaces.apply(workspace, { save: { connections: rows }, remove: {} })),
      );
      expect((await found(state))?.connections.filter(({ name }) => name.startsWith(`n${round}`))).to.deep.equal(
        connections,
      );
    }
  });

  it('makes one workspace of a name, and tells the other who wanted it', async () => {
    const [one, two] = [aState(aWorkspace('Twice')), aState(aWorkspace('Twice'))];
    const results = await Promise.allSettled([applied(one), applied(two)]);
    const winner = results[0]?.status === 'fulfilled' ? one : two;
    const [refused] = results.filter((result) => result.status === 'rejected');
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(refused?.reason).to.be.instanceOf(DomainError).and.have.property('message').that.matches(/again/);
    expect(await harness().workspaces.findByName('Twice')).to.deep.equal(winner);
  });

  it('tells which emails and ids belong to another workspace', async () => {
    const state = await applied();
    const [ada, bob] = state.users as [StoredUser, StoredUser];
    const emails = [bob.email, 'nobody@example.com', ada.email];
    const { workspaces } = harness();
    expect(await workspaces.taken(emails, [], null)).to.deep.equal([ada.email, bob.email]);
    expect(await workspaces.taken(emails, [], state.workspace.id)).to.deep.equal([]);
    expect(await workspaces.taken(emails, [], anId())).to.deep.equal([ada.email, bob.email]);
    expect(await workspaces.taken([], [], null)).to.deep.equal([]);
    const [agent, connection] = [state.agents[0]?.id ?? '', state.connections[0]?.id ?? ''];
    const remove = { users: [ada.id], agents: [agent] };
    await workspaces.apply(state.workspace, { save: {}, remove });
    expect(await workspaces.taken(emails, [], null)).to.deep.equal([bob.email]);
    const ids = [anId(), connection, agent];
    expect(await workspaces.taken([], ids, anId())).to.deep.equal([agent, connection].toSorted());
    expect(await workspaces.taken([], ids, state.workspace.id)).to.deep.equal([]);
  });
};
