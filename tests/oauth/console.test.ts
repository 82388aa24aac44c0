import { expect } from 'chai';
import { signInLinks } from '../../src/adapters/oauth/sign-in-links.ts';
import { KeyService } from '../../src/composition/modules/access.ts';
import { OAuthStore } from '../../src/composition/modules/postgres.ts';
import { Clock, OAuthSecrets } from '../../src/composition/modules/system.ts';
import { wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, type Registered } from './client.ts';
import { openWorld, type World } from './world.ts';

describe('OAuth: the console as a client', () => {
  let world: World;
  let oauth: OAuthClient;
  let console: Registered;
  before(async () => {
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
    console = { id: 'portico-console', secret: null, redirectUri: `${world.baseUrl}/console/signed-in` };
  });
  after(() => world.stop());

  const browser = () => oauth.open();

  /** Where an authorization request leads at once, without a page. */
  const answered = async (on: ReturnType<typeof browser>, params: Readonly<Record<string, string | null>> = {}) => {
    const { url, verifier } = oauth.authorization(console, params);
    const response = await on.request(new URL(url));
    await response.arrayBuffer();
    const location = response.headers.get('location');
    return { status: response.status, to: location === null ? null : new URL(location, url), verifier };
  };

  const signedIn = async (email = 'ada@example.com') => {
    const on = browser();
    const visit = await on.open(oauth.authorization(console).url);
    await on.press(visit, 'Sign in', { email, password: 'copper lantern under the bridge' });
    return on;
  };

  const tokenOf = async (on: ReturnType<typeof browser>) => {
    const { to, verifier } = await answered(on, { prompt: 'none' });
    const { body } = await oauth.exchange(console, to?.searchParams.get('code') ?? '', verifier);
    return body;
  };

  it('signs the user in, asks for no consent, and gets a token for all that the user may do, to renew by the session', async () => {
    const on = browser();
    const visit = await on.open(oauth.authorization(console).url);
    expect(visit.text).to.include('Sign in to work with your agents').and.not.include('asks to use Portico');
    const back = await on.press(visit, 'Sign in', {
      email: 'bob@example.com',
      password: 'copper lantern under the bridge',
    });
    expect(back.url.pathname).to.equal('/console/signed-in');
    expect(back.url.searchParams.get('code')).to.be.a('string');
    const [first, second] = [await tokenOf(on), await tokenOf(on)];
    const whose = { user_id: await world.userId('bob@example.com') };
    expect(first)
      .to.include({ scope: 'account', expires_in: 3600, ...whose })
      .and.not.have.property('refresh_token');
    const who = (await oauth.call('/api/v1/whoami', first.access_token)).body.data as Readonly<Record<string, object>>;
    expect(who.user).to.include({ email: 'bob@example.com', role: 'member', name: 'Bob' });
    expect(who.workspace).to.include({ name: 'acme' });
    expect(who.scopes).to.equal(null);
    const again = (await oauth.call('/api/v1/whoami', second.access_token)).body.data as Readonly<
      Record<string, object>
    >;
    expect(again.credential, 'all windows share an allowance').to.deep.equal(who.credential);
    for (const path of ['connections', 'databases', 'runs', 'agents'])
      expect((await oauth.call(`/api/v1/${path}`, first.access_token)).status, path).to.equal(200);
    const onTools = await oauth.call(`/api/v1/agents/${world.agent('Invoice reader')}/mcp`, first.access_token, {
      method: 'POST',
      body: '{}',
    });
    expect(onTools.status, 'the tool endpoint is for tokens of its agent').to.equal(401);
  });

  it('ends a day after the sign-in, however often it renews its token meanwhile', async () => {
    const on = await signedIn();
    const { sealer } = world.composition.container.get(OAuthSecrets);
    const ofAda = `kind = 'Session' and user_id = '${await world.userId('ada@example.com')}'`;
    const newest = `select hash, sealed from oauth_records where ${ofAda} order by expires_at desc limit 1`;
    const [session] = await world.query<{ hash: string; sealed: string }>(newest);
    const exp = Math.floor(Date.now() / 1000) + 600;
    const ending = { ...JSON.parse(sealer.open(session?.sealed ?? '')), exp };
    await world.query(
      `update oauth_records set sealed = $1, expires_at = to_timestamp($2) where kind = 'Session' and hash = $3`,
      [sealer.seal(JSON.stringify(ending)), exp, session?.hash],
    );
    expect(await tokenOf(on)).to.have.property('access_token');
    const ends = `select expires_at < to_timestamp($2) + interval '1 minute' as same from oauth_records where ${ofAda} and hash = $1`;
    expect(await world.query(ends, [session?.hash, exp])).to.deep.equal([{ same: true }]);
    expect(await tokenOf(on), 'it goes on until then').to.have.property('access_token');
  });

  it('does not sign in without a session, and goes to no other address', async () => {
    expect((await answered(browser(), { prompt: 'none' })).status).to.equal(400);
    const on = await signedIn();
    for (const redirect of [
      `${world.baseUrl}/console/signed-in/`,
      `${world.baseUrl}/console`,
      'http://127.0.0.1:7777/console/signed-in',
    ])
      expect(await answered(on, { redirect_uri: redirect }), redirect).to.include({ status: 400, to: null });
    expect(
      (await answered(on, { code_challenge: null, code_challenge_method: null })).to?.searchParams.get('error'),
    ).to.equal('invalid_request');
  });

  it('is the only one that is given the scope account, which no key can have either', async () => {
    const other = await oauth.registered();
    const { scope, access_token: token } = await oauth.granted(other, { scope: 'runs:read account' });
    expect(scope).to.equal('runs:read');
    expect((await oauth.call('/api/v1/connections', token)).status).to.equal(401);
    const copy = await oauth.register({
      client_id: console.id,
      client_name: 'x',
      redirect_uris: ['http://127.0.0.1:7777/callback'],
    });
    expect(copy.body.client_id).to.be.a('string').and.not.equal(console.id);
    const { container } = world.composition;
    const key = container
      .get(KeyService)
      .create({ email: 'ada@example.com', name: 'x', lifetimeDays: null, scopes: ['account'] });
    expect(await key.catch(({ message }: Error) => message)).to.match(/has no account/);
  });

  it('signs out: the token and the session end, and only for a page of this origin', async () => {
    const on = await signedIn();
    const { access_token: token } = await tokenOf(on);
    const signOut = (headers: Readonly<Record<string, string>>) =>
      on.request(new URL(`${world.baseUrl}/oauth/sign-out`), { method: 'POST', headers, body: '{}' });
    const json = { 'content-type': 'application/json' };
    expect((await signOut({ 'content-type': 'text/plain' })).status).to.equal(403);
    expect((await signOut({ ...json, 'sec-fetch-site': 'same-site' })).status).to.equal(403);
    expect((await answered(on, { prompt: 'none' })).to?.searchParams.get('code')).to.be.a('string');
    expect((await signOut(json)).status).to.equal(200);
    await oauth.revoke(console, token);
    expect((await oauth.call('/api/v1/whoami', token)).status).to.equal(401);
    expect(await answered(on, { prompt: 'none' })).to.include({ status: 400, to: null });
  });

  it('is signed out by the page of programs with access as well, in all windows of that sign-in', async () => {
    const on = await signedIn();
    const { access_token: token } = await tokenOf(on);
    await on.press(await on.open(`${world.baseUrl}/oauth/grants`), 'Sign out');
    expect((await oauth.call('/api/v1/whoami', token)).status).to.equal(401);
  });

  it('is signed out for a user who lets another one sign in', async () => {
    const on = await signedIn();
    const { access_token: token } = await tokenOf(on);
    const other = await oauth.registered();
    const { visit } = await oauth.asked(other, { scope: 'runs:read' }, 'ada@example.com', on);
    await on.press(visit, 'Use another account');
    expect((await oauth.call('/api/v1/whoami', token)).status).to.equal(401);
  });

  it('opens by a link that signs in once, and not by one that is over', async () => {
    const { container } = world.composition;
    const links = signInLinks({
      issuer: world.baseUrl,
      store: container.get(OAuthStore),
      sealer: container.get(OAuthSecrets).sealer,
      clock: container.get(Clock),
    });
    const url = new URL((await links.create(await world.userId('bob@example.com'))).url);
    const stored = JSON.stringify(await world.query(`select * from oauth_records where kind = 'SignInLink'`));
    expect(stored).to.not.include(url.pathname.split('/').at(-1));
    const [on, another] = [oauth.open(), oauth.open()];
    const preview = await another.open(url.href);
    expect(wordsOf(preview)).to.include('This link signs you in as bob@example.com, once.');
    expect((await browser().request(url, { method: 'POST' })).status, 'a form of nobody').to.equal(403);
    const page = await on.open(url.href);
    const pressed = await Promise.all([on.press(page, 'Sign in'), on.press(page, 'Sign in')]);
    for (const { url: to } of pressed) expect(to.href, 'pressed twice').to.equal(`${world.baseUrl}/console`);
    const who = (await oauth.call('/api/v1/whoami', (await tokenOf(on)).access_token)).body.data as { user: object };
    expect(who.user).to.include({ email: 'bob@example.com' });
    expect((await browser().request(url)).status).to.equal(404);
    expect((await another.press(preview, 'Sign in')).status, 'a second click').to.equal(404);
    const late = new URL((await links.create(await world.userId('bob@example.com'))).url);
    await world.query(`update oauth_records set expires_at = now() where kind = 'SignInLink'`);
    expect((await browser().request(late)).status).to.equal(404);
  });
});
