import { expect } from 'chai';
import { KeyService } from '../../src/composition/modules/access.ts';
import { oauthClient } from '../oauth/client.ts';
import { openWorld, PASSWORD, type World } from '../oauth/world.ts';

const LIMIT = 40;
const OF_CONSOLE = 60;

/** The token of a browser in which the user has signed in. */
const aConsole = async (world: World, email: string) => {
  const oauth = oauthClient(world.baseUrl);
  const client = { id: 'portico-console', secret: null, redirectUri: `${world.baseUrl}/console/signed-in` };
  const on = oauth.open();
  const { url, verifier } = oauth.authorization(client);
  const { url: back } = await on.press(await on.open(url), 'Sign in', { email, password: PASSWORD });
  return (await oauth.exchange(client, back.searchParams.get('code') ?? '', verifier)).body.access_token;
};

describe('the limit of a user who makes credentials', () => {
  let world: World;
  before(async () => {
    world = await openWorld({
      env: { RATE_LIMIT_REQUESTS: String(LIMIT), RATE_LIMIT_CONSOLE: String(OF_CONSOLE), RATE_LIMIT_TABLE_READS: '2' },
    });
  });
  after(() => world.stop());

  const call = (credential: string, path: string, method = 'GET', body: object | null = null) =>
    fetch(`${world.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const make = async (credential: string) => {
    const answer = await call(credential, '/keys', 'POST', { name: 'one more' });
    expect(answer.status).to.equal(201);
    const { data } = (await answer.json()) as { data: { id: string; key: string } };
    return data;
  };
  /** How many requests these credentials may still make together, each as many as it likes. */
  const left = async (...credentials: readonly string[]) => {
    let count = 0;
    for (const credential of credentials) while ((await call(credential, '/agents')).status === 200) count += 1;
    return count;
  };

  const aProgram = async (email: string) => {
    const oauth = oauthClient(world.baseUrl);
    return (await oauth.granted(await oauth.registered(), { scope: 'agents:read' }, email, oauth.open())).access_token;
  };

  it('is that of a key for all keys that come from it, however they do', async () => {
    const key = await world.key('ada@example.com');
    const child = await make(key);
    const grandchild = await make(child.key);
    const rotated = await call(grandchild.key, `/keys/${grandchild.id}/rotate`, 'POST');
    const { key: next } = ((await rotated.json()) as { data: { key: string } }).data;
    const { key: byOperator } = await world.composition.container.get(KeyService).rotate(child.id, 3600);
    expect(await left(key, child.key, grandchild.key, next, byOperator)).to.equal(LIMIT - 3);
  });

  it('is one for each key of the operator', async () => {
    const [one, other] = [await world.key('ada@example.com'), await world.key('ada@example.com')];
    expect([await left(one), await left(other)]).to.deep.equal([LIMIT, LIMIT]);
  });

  it('is three times that of one credential for all that the user has made or allowed, each of which has its own', async () => {
    const browser = await aConsole(world, 'bob@example.com');
    const keys = [await make(browser), await make(browser), await make(browser)];
    const [key, second, third] = keys.map((each) => each.key) as [string, string, string];
    expect(await left(key)).to.equal(LIMIT);
    expect(await left(second)).to.equal(LIMIT);
    const program = await aProgram('bob@example.com');
    expect(await left(third, program, await aProgram('bob@example.com'))).to.equal(LIMIT);
    const refused = await call(program, '/agents');
    expect([refused.headers.get('ratelimit-limit'), refused.headers.get('ratelimit-remaining')]).to.deep.equal([
      String(3 * LIMIT),
      '0',
    ]);
    expect(await left(await world.key('bob@example.com')), 'of the operator').to.equal(LIMIT);
  });

  it('is one of its own for the console of a person, in all windows, which spends nothing of the other limits', async () => {
    const [here, there] = [await aConsole(world, 'ada@example.com'), await aConsole(world, 'ada@example.com')];
    const key = await world.key('ada@example.com');
    const statuses = async (credential: string) => {
      const found: number[] = [];
      for (let read = 0; read < 3; read += 1) found.push((await call(credential, '/tables/none')).status);
      return found;
    };
    expect(await statuses(here)).to.deep.equal([404, 404, 404]);
    expect(await statuses(key)).to.deep.equal([404, 404, 429]);
    const { limits } = ((await (await call(there, '/whoami')).json()) as { data: { limits: object } }).data;
    expect(limits).to.deep.include({ requests: OF_CONSOLE, table_reads: OF_CONSOLE });
    expect(await left(there)).to.equal(OF_CONSOLE - 4);
    const refused = await call(here, '/agents');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).to.deep.equal([
      429,
      `"console";q=${OF_CONSOLE};w=60`,
    ]);
    expect(await left(key)).to.equal(LIMIT - 2);
  });
});

describe('the streams of a user who makes credentials', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.stop());

  it('are three times as many as those of one credential', async () => {
    const token = await aConsole(world, 'ada@example.com');
    const keys: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      const answer = await fetch(`${world.baseUrl}/api/v1/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `key ${made}` }),
      });
      keys.push(((await answer.json()) as { data: { key: string } }).data.key);
    }
    const closing = new AbortController();
    // Kept, because a stream ends whose answer nobody holds any more.
    const answers: Response[] = [];
    try {
      for (const key of keys) {
        for (let asked = 0; asked < 9; asked += 1) {
          const headers = { 'x-api-key': key, accept: 'text/event-stream' };
          const url = world.mcpUrl(world.agent('Invoice reader'));
          answers.push(await fetch(url, { headers, signal: closing.signal }));
        }
      }
      expect(answers.filter(({ status }) => status === 200).length).to.equal(24);
      expect(answers.filter(({ status }) => status === 405).length).to.equal(21);
    } finally {
      closing.abort();
    }
  });
});
