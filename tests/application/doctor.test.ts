import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { gatewayAt } from '../../src/adapters/outbound/gateway.ts';
import type { Gateway } from '../../src/application/ports/doctor.ts';
import { doctorService } from '../../src/application/upkeep/doctor.ts';

const connection = { id: 'c1', workspace: 'acme', name: 'ledger', viewerEmail: 'ada@example.com', isWritten: false };

/** A doctor of one connection, whose only table is public.entries, and the keys that it made and ended. */
const doctorOf = (
  gateway: Gateway | null,
  viewerEmail: string | null = connection.viewerEmail,
  { sources = [], budgets = [] }: { sources?: readonly object[]; budgets?: readonly object[] } = {},
) => {
  const keys: string[] = [];
  type Dependencies = Parameters<typeof doctorService>[0];
  const connector = {
    examine: async () => [{ name: 'connect', status: 'ok', detail: 'it answers' }],
    tables: async () => [{ schema: 'public', name: 'entries' }],
  };
  const service = doctorService({
    parts: [{ name: 'limits', examine: () => Promise.reject(new Error('Redis is away')) }],
    connections: { all: async () => [{ ...connection, viewerEmail }] },
    connectors: { open: () => connector },
    gateway,
    keys: {
      create: async () => ({ id: 'k1', key: `key ${keys.push('made')}` }),
      revoke: async (id: string) => void keys.push(`revoked ${id}`),
    },
    equippedAgents: async () => [],
    agents: { find: async () => null },
    tools: { toolsOf: async () => ({ tools: [], reports: [] }) },
    webhooks: { list: async () => [] },
    budgets: { all: async () => budgets },
    sources: { all: async () => sources },
    places: { open: () => Promise.reject(new Error('The folder /srv/inbox is not there.')) },
    sealer: { open: (sealed: string) => sealed },
  } as unknown as Dependencies);
  return { service, keys };
};

describe('the doctor', () => {
  const server = createServer((request, response) => {
    const isRead =
      request.url === '/v1/connections/c1/records?entity_id=public.entries&limit=1' &&
      request.headers['x-api-key'] === 'key 1';
    response.writeHead(isRead ? 200 : 403).end('{}');
  });
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => void server.close());
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  it('goes on after a part that cannot be used, and reads a record through the gateway with a key that it ends', async () => {
    const { service, keys } = doctorOf(gatewayAt(url()));
    expect(await service.examine()).to.deep.equal([
      { name: 'limits', status: 'fail', detail: 'Redis is away' },
      { name: 'connection acme/ledger: connect', status: 'ok', detail: 'it answers' },
      { name: 'connection acme/ledger: through the gateway', status: 'ok', detail: 'a record was read' },
    ]);
    expect(keys).to.deep.equal(['made', 'revoked k1']);
  });

  it('says of a source why it cannot be looked at', async () => {
    const found = {
      workspace: 'acme',
      name: 'inbox',
      address: '/srv/inbox',
      sealedPlace: '{}',
      sealedToken: null,
      after: { act: 'keep', to: null },
    };
    const { service } = doctorOf(null, null, { sources: [found] });
    const detail = 'The folder /srv/inbox is not there.';
    expect((await service.examine()).at(-1)).to.deep.equal({ name: 'source acme/inbox', status: 'fail', detail });
  });

  it('says of each budget how much of it is spent, and what that stops', async () => {
    const budget = { workspace: 'acme', name: 'All', agent: null, period: 'month', limit: '100.00', currency: 'EUR' };
    const budgets = [
      { ...budget, action: 'stop', spent: '12.5', state: 'within', periodEnd: '2026-12-01' },
      { ...budget, action: 'warn', spent: '101', state: 'spent', periodEnd: '2026-12-01' },
      { ...budget, action: 'stop', spent: '80', state: 'nearly', periodEnd: '2026-12-01' },
      {
        ...budget,
        action: 'stop',
        spent: '100.2',
        state: 'spent',
        agent: 'Reader',
        currency: null,
        periodEnd: '2026-12-01',
      },
    ];
    const { service } = doctorOf(null, null, { budgets });
    const found = (await service.examine()).filter(({ name }) => name === 'budget acme/All');
    expect(found.map(({ status, detail }) => [status, detail])).to.deep.equal([
      ['ok', '12.5 of 100.00 EUR are spent; it begins anew on 2026-12-01'],
      ['warn', '101 of 100.00 EUR are spent; it begins anew on 2026-12-01'],
      [
        'warn',
        '80 of 100.00 EUR are spent: once all is, the agents of the workspace stand still until 2026-12-01 (00:00 UTC), unless the limit in the workspace file is raised',
      ],
      [
        'warn',
        '100.2 of 100.00 are spent for the agent Reader: the agent stands still until 2026-12-01 (00:00 UTC), unless the limit in the workspace file is raised',
      ],
    ]);
  });

  it('says what the gateway answered, and ends its key all the same', async () => {
    const { service, keys } = doctorOf(gatewayAt(`${url()}/elsewhere`));
    expect((await service.examine()).at(-1)).to.include({ status: 'fail', detail: 'it answered 403' });
    expect(keys).to.deep.equal(['made', 'revoked k1']);
  });

  it('says that the gateway is away, and makes no key where no user sees the connection', async () => {
    const away = doctorOf(gatewayAt('http://127.0.0.1:9'));
    const detail = 'the gateway could not be reached';
    expect((await away.service.examine()).at(-1)).to.include({ status: 'fail', detail });
    const unseen = doctorOf(gatewayAt(url()), null);
    expect((await unseen.service.examine()).at(-1)?.status).to.equal('warn');
    expect(unseen.keys).to.deep.equal([]);
  });
});
