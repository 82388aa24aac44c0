import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { servedAgents } from '../../src/adapters/mcp/served-agents.ts';
import type { Catalogue } from '../../src/application/tools/catalogue.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { notFound } from '../../src/domain/errors.ts';
import { anAgent } from '../support/builders.ts';

const caller = {
  userId: 'u',
  workspaceId: 'w',
  email: 'ada@example.com',
  role: 'admin' as const,
  door: 'mcp' as const,
  signedInAt: null,
  scopes: null,
  boundToAgent: null,
  credential: { id: 'k', kind: 'api_key' as const },
};

const nothing: Catalogue = { tools: [], reports: [] };

/** An agent whose tools come from the test. */
const looked = (toolsOf: () => Promise<Catalogue>) => {
  let agent = anAgent();
  let asked = 0;
  const find = servedAgents({
    agents: {
      list: async () => [],
      get: async (_, id) => (id === agent.id ? agent : Promise.reject(notFound('agent'))),
    },
    tools: {
      servedTools: () => {
        asked += 1;
        return toolsOf();
      },
    },
    version: '1',
  });
  return {
    find: (scopes: Caller['scopes'] = null) => find({ ...caller, scopes }, agent.id),
    asked: () => asked,
    change: () => {
      agent = { ...agent, name: 'Another', updatedAt: new Date(agent.updatedAt.getTime() + 1) };
    },
  };
};

describe('agents as the tool endpoint keeps them', () => {
  it('are prepared once for all who ask at the same time', async () => {
    const { find, asked } = looked(async () => nothing);
    const [one, other] = await Promise.all([find(), find()]);
    expect(one).to.equal(other);
    expect(asked()).to.equal(1);
  });

  it('are prepared apart for a credential without any scope and for one that has no limit', async () => {
    const { find } = looked(async () => nothing);
    expect(await find()).not.to.equal(await find(new Set()));
  });

  it('are prepared anew the moment they change', async () => {
    const { find, asked, change } = looked(async () => nothing);
    await find();
    change();
    expect((await find()).name).to.equal('Another');
    expect(asked()).to.equal(2);
  });

  it('are prepared again after a failure', async () => {
    const outcomes = [Promise.reject(new Error('no database')), Promise.resolve(nothing)];
    for (const each of outcomes) each.catch(() => {});
    const { find } = looked(() => outcomes.shift() ?? Promise.resolve(nothing));
    expect(await find().catch((error: Error) => error.message)).to.equal('no database');
    expect((await find()).offers.size).to.equal(0);
  });

  it('stay as they were while another server that they take tools from does not answer', async () => {
    let answers = true;
    const { find, asked } = looked(() => (answers ? Promise.resolve(nothing) : new Promise(() => {})));
    const first = await find();
    answers = false;
    while (asked() === 1) {
      await sleep(20);
      expect(await find()).to.equal(first);
    }
  });
});
