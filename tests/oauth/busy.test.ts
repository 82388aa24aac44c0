import { expect } from 'chai';
import pg from 'pg';
import { signInLinks } from '../../src/adapters/oauth/sign-in-links.ts';
import { OAuthStore } from '../../src/composition/modules/postgres.ts';
import { Clock, OAuthSecrets } from '../../src/composition/modules/system.ts';
import { oauthClient } from './client.ts';
import { openWorld, type World } from './world.ts';

describe('OAuth: a database that has too much to do', () => {
  let world: World;
  before(async () => {
    world = await openWorld({ env: { DATABASE_STATEMENT_TIMEOUT_SECONDS: '1' } });
  });
  after(() => world.stop());

  const holding = async (table: string, work: () => Promise<void>) => {
    const session = new pg.Client(world.config.databaseUrl ?? '');
    await session.connect();
    await session.query('begin');
    await session.query(`select from ${table} for update`);
    await work().finally(() => session.end());
  };
  /** Meanwhile no token is stored. */
  const holdingGrants = (work: () => Promise<void>) => holding('oauth_grants', work);
  /** Meanwhile nobody is signed in. */
  const holdingUsers = (work: () => Promise<void>) => holding('users', work);

  it('keeps a refresh token that brought nothing, for the next try and for one use', async () => {
    const oauth = oauthClient(world.baseUrl);
    const client = await oauth.registered();
    const { refresh_token: token } = await oauth.granted(client, { scope: 'agents:read' });
    await holdingGrants(async () => {
      const { status, headers, body } = await oauth.refresh<{ error: string }>(client, token);
      expect([status, headers.get('retry-after'), body.error]).to.deep.equal([503, '2', 'temporarily_unavailable']);
    });
    const { status, body } = await oauth.refresh(client, token);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await oauth.call('/api/v1/agents', body.access_token)).status).to.equal(200);
    expect((await oauth.refresh(client, token)).status, 'a second use').to.equal(400);
  });

  it('keeps a code that brought nothing, for the next try and for one use', async () => {
    const oauth = oauthClient(world.baseUrl);
    const client = await oauth.registered();
    const { code, verifier } = await oauth.code(client, { scope: 'agents:read' });
    await holdingGrants(async () => {
      const { status, body } = await oauth.exchange<{ error: string }>(client, code, verifier);
      expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable']);
    });
    const { status, body } = await oauth.exchange(client, code, verifier);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await oauth.call('/api/v1/agents', body.access_token)).status).to.equal(200);
    expect((await oauth.exchange(client, code, verifier)).status, 'a second use').to.equal(400);
    expect((await oauth.call('/api/v1/agents', body.access_token)).status, 'after it').to.equal(401);
  });

  it('keeps a link that signed nobody in, for the next press and for one use', async () => {
    const { container } = world.composition;
    const [store, clock] = [container.get(OAuthStore), container.get(Clock)];
    const { sealer } = container.get(OAuthSecrets);
    const links = signInLinks({ issuer: world.baseUrl, store, sealer, clock });
    const { url } = await links.create(await world.userId('bob@example.com'));
    const on = oauthClient(world.baseUrl).open();
    const page = await on.open(url);
    await holdingUsers(async () => {
      expect((await on.press(page, 'Sign in')).status).to.equal(503);
    });
    expect((await on.press(page, 'Sign in')).url.pathname).to.equal('/console');
    expect((await on.open(`${world.baseUrl}/oauth/grants`)).text).to.include('You are signed in as bob@example.com');
    expect((await on.open(url)).status, 'a second use').to.equal(404);
  });
});
