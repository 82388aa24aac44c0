import { expect } from 'chai';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';

interface RunPage {
  readonly runs: readonly { readonly id: string }[];
  readonly total: number;
  readonly offset: number;
  readonly next: string | null;
}

describe('the list of runs', () => {
  let world: World;
  let key: string;

  before(async () => {
    world = await openWorld();
    key = await world.key();
  });
  after(() => world.stop());

  const call = (path: string, body?: object) => callApi<Record<string, unknown>>(world.baseUrl, key, path, { body });
  const page = async (query: string) => (await call(`/runs?${query}`)).body.data as RunPage;

  it('goes on after a cursor or after a number of runs, and both ways lead to the same', async () => {
    const agent = world.agentId('Clerk');
    for (let n = 0; n < 7; n += 1) await call(`/agents/${agent}/run`, { user_message: `number ${n}` });
    const first = await page('limit=3');
    expect(first).to.include({ total: 7, offset: 0 });
    const second = await page(`limit=3&after=${first.next}`);
    expect(second).to.deep.equal({ ...(await page('limit=3&offset=3')), offset: 0 });
    const third = await page(`limit=3&after=${second.next}&agent_id=${agent}&status=queued`);
    expect(third.runs).to.deep.equal((await page('limit=3&offset=6')).runs);
    expect([third.runs.length, third.next]).to.deep.equal([1, null]);
  });

  it('refuses a cursor together with an offset, and one that it did not answer', async () => {
    const { next } = await page('limit=1');
    const refused = async (query: string) => {
      const { status, body } = await call(`/runs?${query}`);
      expect(status).to.equal(400);
      return body.errors;
    };
    expect(await refused(`after=${next}&offset=0`)).to.deep.equal([
      { path: 'query.after', message: 'must not be given together with offset' },
    ]);
    for (const cursor of ['', 'x', 'AAAAAAAA', '_'.repeat(30), '../../etc/passwd']) {
      expect(await refused(`after=${cursor}`)).to.have.nested.property('[0].path', 'query.after');
    }
  });
});
