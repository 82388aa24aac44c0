import { expect } from 'chai';
import { AuthenticationService } from '../../src/composition/modules/access.ts';
import { RateLimiter } from '../../src/composition/modules/outside.ts';
import { type Browser, type Visit, wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, type Registered } from './client.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

describe('OAuth: authorization requests', () => {
  let world: World;
  let oauth: OAuthClient;
  let client: Registered;
  const scope = 'agents:read';
  before(async () => {
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
    client = await oauth.registered();
  });
  after(() => world.stop());

  const ask = async (params: Readonly<Record<string, string | null>>, by = client) =>
    oauth.open().open(oauth.authorization(by, params).url);
  /** In the query; in the fragment where the client asked for a token, and expects it there (RFC 6749 section 4.2.2.1). */
  const errorOf = ({ left }: Visit) =>
    Object.fromEntries([...(left?.searchParams ?? []), ...new URLSearchParams(left?.hash.slice(1))]);

  describe('are refused with an error that comes back to a client with a grant, with its state and our name', () => {
    let known: Browser;
    before(async () => {
      known = oauth.open();
      await oauth.granted(client, { scope }, 'ada@example.com', known);
      await known.press(await known.open(`${world.baseUrl}/oauth/grants`), 'Sign out');
    });
    const wrong: Readonly<Record<string, readonly [Readonly<Record<string, string | null>>, string]>> = {
      'without PKCE': [{ code_challenge: null, code_challenge_method: null }, 'invalid_request'],
      'with a plain challenge': [{ code_challenge_method: 'plain' }, 'invalid_request'],
      'with a challenge and no method': [{ code_challenge_method: null }, 'invalid_request'],
      'with a short challenge': [{ code_challenge: 'short' }, 'invalid_request'],
      'for a token': [{ response_type: 'token' }, 'unsupported_response_type'],
      'for an ID token': [{ response_type: 'code id_token' }, 'unsupported_response_type'],
      'for an answer in the fragment': [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
      'for an answer by a script': [{ response_mode: 'form_post' }, 'unsupported_response_mode'],
      'with a request object': [{ request: 'e30.e30.' }, 'request_not_supported'],
      'that want no question asked': [{ prompt: 'none' }, 'login_required'],
      'for another resource': [{ resource: 'https://evil.example/x' }, 'invalid_target'],
      'for the API as a resource': [{ resource: 'BASE/api/v1' }, 'invalid_target'],
      'for a resource of our own naming': [{ resource: 'urn:portico:api' }, 'invalid_target'],
      'for an agent by a query': [
        { resource: 'BASE/api/v1/agents/0198c0de-0000-7000-8000-000000000001/mcp?a=1' },
        'invalid_target',
      ],
      'for an agent by a fragment': [
        { resource: 'BASE/api/v1/agents/0198c0de-0000-7000-8000-000000000001/mcp#a' },
        'invalid_target',
      ],
      'for what only looks like an agent': [{ resource: 'BASE/api/v1/agents/1/mcp' }, 'invalid_target'],
    };
    for (const [name, [params, error]] of Object.entries(wrong)) {
      it(name, async () => {
        const resource = params.resource?.replace('BASE', world.baseUrl) ?? null;
        const visit = await known.open(oauth.authorization(client, { scope, ...params, resource }).url);
        const answer = errorOf(visit);
        expect(answer).to.include({ error, state: 'st4te', iss: world.baseUrl });
        expect(answer).not.to.have.property('code');
        const elsewhere = await ask({ scope, ...params, resource });
        expect([elsewhere.left, elsewhere.status], 'a browser whose users have allowed it nothing').to.deep.equal([
          null,
          400,
        ]);
        expect(wordsOf(elsewhere)).to.include(
          'You are not sent on to 127.0.0.1:7777, because you have not allowed that program anything.',
        );
      });
    }

    it('for two resources at once', async () => {
      const url = new URL(oauth.authorization(client, { scope }).url);
      for (const name of ['Invoice reader', 'Order reader'] as const)
        url.searchParams.append('resource', world.mcpUrl(world.agent(name)));
      expect(errorOf(await known.open(url.href))).to.include({ error: 'invalid_target' });
      expect((await oauth.open().open(url.href)).left).to.equal(null);
    });

    it('for an agent that the user does not see, once it is known who asks', async () => {
      const resource = world.mcpUrl(world.agent("Bob's own"));
      const on = oauth.open();
      const visit = await on.open(oauth.authorization(client, { resource }).url);
      expect(wordsOf(visit)).to.include('Sign in');
      const fields = { email: 'ada@example.com', password: PASSWORD };
      expect(errorOf(await on.press(visit, 'Sign in', fields))).to.include({ error: 'invalid_target', state: 'st4te' });
      const stranger = await oauth.registered();
      const unknown = await on.open(oauth.authorization(stranger, { resource }).url);
      expect([unknown.left, unknown.status], 'a client that she has allowed nothing').to.deep.equal([null, 400]);
    });

    it('no longer once the grant has ended', async () => {
      const [app, on] = [await oauth.registered({ redirect_uris: ['https://app.example/cb'] }), oauth.open()];
      await oauth.granted(app, { scope }, 'ada@example.com', on);
      const silent = () => on.open(oauth.authorization(app, { scope, prompt: 'none' }).url);
      expect(errorOf(await silent())).to.include({ error: 'consent_required' });
      await world.query('delete from oauth_grants where client_id = $1', [app.id]);
      const page = await silent();
      expect([page.left, page.status]).to.deep.equal([null, 400]);
      expect(wordsOf(page))
        .to.include('wants an answer without asking you.')
        .and.include('You are not sent on to app.example');
    });

    it('when the user does not allow it', async () => {
      const { visit, on } = await oauth.asked(client, { scope });
      expect(errorOf(await on.press(visit, 'Do not allow'))).to.include({
        error: 'access_denied',
        state: 'st4te',
        iss: world.baseUrl,
      });
    });
  });

  describe('are refused with a page, and nothing is sent anywhere', () => {
    const refused = async (params: Readonly<Record<string, string | null>>, by = client) => {
      const visit = await ask({ scope, ...params }, by);
      expect(visit.left).to.equal(null);
      expect(visit.status).to.equal(400);
      expect(wordsOf(visit)).to.include('This cannot go on');
      return visit;
    };

    it('of an unknown client', () => refused({}, { ...client, id: 'nobody' }));
    it('without a client', () => refused({ client_id: null }));
    it('to an address that the client has not registered', async () => {
      for (const uri of [
        'http://127.0.0.1:7777/other',
        'https://evil.example/callback',
        'http://localhost:7777/callback',
        'http://127.0.0.1.evil.example/callback',
        'http://127.0.0.1:7777/callback?a=1',
        'javascript:alert(1)',
      ]) {
        await refused({ redirect_uri: uri });
      }
    });
    it('with a parameter that is longer than anyone needs: none of it is kept', async () => {
      const size = async () =>
        (await world.query<{ bytes: number }>('select sum(length(sealed))::int as bytes from oauth_records'))[0]?.bytes;
      const before = await size();
      for (const name of [
        'state',
        'login_hint',
        'resource',
        'redirect_uri',
        'code_challenge',
        'scope',
        'prompt',
        'client_id',
      ]) {
        const visit = await ask({ scope, [name]: 'x'.repeat(2049) });
        expect([visit.left, visit.status], name).to.deep.equal([null, 400]);
        expect(wordsOf(visit)).to.include(`its ${name} is longer than 2048 bytes`);
      }
      const tabbed = world.mcpUrl(world.agent('Invoice reader')).replace('/api', `/${'\t'.repeat(3000)}api`);
      expect((await ask({ resource: tabbed })).status, 'a resource that only parses to a short one').to.equal(400);
      expect(await size()).to.equal(before);
    });
    it('once too many have come from one address: none is kept', async () => {
      const { container } = world.composition;
      const hour = [{ name: 'oauth-authorizations', limit: 600, windowSeconds: 3600, key: '127.0.0.1' }];
      const limiter = container.get(RateLimiter);
      let spent = 0;
      while ((await limiter.take(hour)).allowed) spent += 1;
      const kept = async () => (await world.query(`select 1 from oauth_records where kind = 'Interaction'`)).length;
      const before = await kept();
      const visit = await ask({ scope });
      expect([visit.status, wordsOf(visit)]).to.deep.equal([
        429,
        'This did not work Too many programs asked for access from here.',
      ]);
      expect(Number(visit.headers.get('retry-after'))).to.be.within(1, 3600);
      expect(await kept()).to.equal(before);
      for (; spent > 0; spent -= 1) await limiter.giveBack(hour);
      expect((await ask({ scope })).status).to.equal(200);
    });
    it('with markup in what they say', async () => {
      const visit = await refused({ redirect_uri: '"><script>alert(1)</script>' });
      expect(visit.text).not.to.include('<script>');
    });
  });

  it('come back at any port of a loopback address (RFC 8252)', async () => {
    for (const port of ['1024', '53211']) {
      const uri = `http://127.0.0.1:${port}/callback`;
      const { code, verifier, answer } = await oauth.code({ ...client, redirectUri: uri }, { scope });
      expect(answer.port).to.equal(port);
      expect(
        (await oauth.exchange<object>(client, code, verifier)).body,
        'another port than the code was for',
      ).to.include({
        error: 'invalid_grant',
      });
      expect((await oauth.exchange({ ...client, redirectUri: uri }, code, verifier)).status).to.equal(200);
    }
  });

  it('may leave the address out where there is one only', async () => {
    const { visit, on, verifier } = await oauth.asked(client, { scope, redirect_uri: null });
    const { left } = await on.press(visit, 'Allow');
    expect(left?.href).to.match(/^http:\/\/127\.0\.0\.1:7777\/callback\?code=/);
    expect((await oauth.exchange(client, left?.searchParams.get('code') ?? '', verifier)).status).to.equal(200);
  });

  it('may carry what OpenID Connect would need, which is ignored', async () => {
    const tokens = await oauth.granted(client, {
      scope: `openid ${scope}`,
      nonce: 'n',
      max_age: '10',
      response_mode: 'query',
    });
    expect(tokens).not.to.have.property('id_token');
    expect(tokens.scope).to.equal(scope);
  });

  it('may carry a state of 2 kB, and whatever we do not know: that is not kept', async () => {
    const kept = () =>
      world.query<{ hash: string; bytes: number }>(
        `select hash, length(sealed) as bytes from oauth_records where kind = 'Interaction'`,
      );
    const before = new Set((await kept()).map(({ hash }) => hash));
    const state = 'é'.repeat(1024);
    const unknown = {
      nonce: 'n'.repeat(20_000),
      ui_locales: 'l'.repeat(20_000),
      display: 'd'.repeat(20_000),
      claims: '{}',
      foo: 'f'.repeat(20_000),
    };
    const { visit, on } = await oauth.asked(client, { scope, state, ...unknown }, 'ada@example.com', oauth.open());
    const sizes = (await kept()).filter(({ hash }) => !before.has(hash)).map(({ bytes }) => bytes);
    expect(sizes).to.have.length(2);
    expect(Math.max(...sizes)).to.be.below(8000);
    expect((await on.press(visit, 'Allow')).left?.searchParams.get('state')).to.equal(state);
  });

  it('ask for consent every time, also a user who has allowed the client before', async () => {
    await oauth.granted(client, { scope });
    const { visit } = await oauth.asked(client, { scope });
    expect(wordsOf(visit)).to.include('asks for access');
    const silent = await oauth.of('ada@example.com').open(oauth.authorization(client, { scope, prompt: 'none' }).url);
    expect(errorOf(silent)).to.include({ error: 'consent_required' });
  });

  it('can be answered by another user than the one who is signed in', async () => {
    const { visit, on } = await oauth.asked(client, { scope }, 'ada@example.com', oauth.open());
    const signIn = await on.press(visit, 'Use another account');
    const asBob = await on.press(signIn, 'Sign in', { email: 'bob@example.com', password: PASSWORD });
    expect(wordsOf(asBob)).to.include('You are signed in as bob@example.com.');
    expect((await on.press(asBob, 'Allow')).left?.searchParams.get('code')).to.be.a('string');
  });

  describe('for an agent', () => {
    const resource = () => world.mcpUrl(world.agent('Order reader'));

    it('give a token that is bound to it, and that no operation takes', async () => {
      const { visit, on, verifier } = await oauth.asked(client, { resource: resource() });
      expect(wordsOf(visit)).to.include('Use all tools of the agent Order reader').and.include('Reads orders.');
      const { left } = await on.press(visit, 'Allow');
      const { body } = await oauth.exchange(client, left?.searchParams.get('code') ?? '', verifier, {
        resource: resource(),
      });
      expect(body.scope).to.equal('agent:tools');
      for (const path of ['/api/v1/agents', '/api/v1/runs', '/api/v1/connections']) {
        const { status, body: refusal } = await oauth.call(path, body.access_token);
        expect(status, path).to.equal(401);
        expect(refusal.detail).to.include('on the tool endpoint of its agent and nowhere else');
      }
      const { authentication } = await callerOf(body.access_token);
      expect(authentication).to.deep.equal({
        boundToAgent: world.agent('Order reader'),
        scopes: null,
        kind: 'access_token',
      });
      const renewed = await oauth.refresh(client, body.refresh_token, { resource: resource() });
      expect((await callerOf(renewed.body.access_token)).authentication.boundToAgent).to.equal(
        world.agent('Order reader'),
      );
    });

    it('open no operation of the API, whatever is asked for', async () => {
      const asked = { resource: resource(), scope: 'runs:write agents:read' };
      const { scope: granted, access_token: token } = await oauth.granted(client, asked);
      expect(granted).to.equal('runs:write agents:read');
      expect((await oauth.call('/api/v1/agents', token)).status).to.equal(401);
    });

    it('take the same resource at the token endpoint, and no other', async () => {
      const got = await oauth.code(client, { resource: resource() });
      const other = world.mcpUrl(world.agent('Invoice reader'));
      expect((await oauth.exchange<object>(client, got.code, got.verifier, { resource: other })).body).to.include({
        error: 'invalid_target',
      });
      const api = await oauth.code(client, { scope });
      expect((await oauth.exchange<object>(client, api.code, api.verifier, { resource: resource() })).body).to.include({
        error: 'invalid_target',
      });
    });

    it('know the address in other letters', async () => {
      const shouted = resource()
        .replace('http://127', 'HTTP://127')
        .replace(/agents\/(.*)\/mcp/, (_, id: string) => `agents/${id.toUpperCase()}/mcp/`);
      const { access_token: token } = await oauth.granted(client, { resource: shouted });
      expect((await callerOf(token)).authentication.boundToAgent).to.equal(world.agent('Order reader'));
    });

    it('let the user choose it where the client names neither a resource nor a scope of ours', async () => {
      const { visit, on, verifier } = await oauth.asked(client, { scope: 'claudeai' });
      expect(wordsOf(visit))
        .to.include('Which agent may it use?')
        .and.include('Invoice reader')
        .and.not.include("Bob's own");
      const unchosen = await on.press(visit, 'Allow');
      expect([unchosen.status, wordsOf(unchosen)])
        .to.deep.include(400)
        .and.satisfy(([, words]: unknown[]) => String(words).includes('Choose an agent first.'));
      const foreign = await on.press(unchosen, 'Allow', { agent: world.agent("Bob's own") });
      expect(foreign.status).to.equal(400);
      const { left } = await on.press(foreign, 'Allow', { agent: world.agent('Invoice reader') });
      const { body } = await oauth.exchange(client, left?.searchParams.get('code') ?? '', verifier);
      expect((await callerOf(body.access_token)).authentication.boundToAgent).to.equal(world.agent('Invoice reader'));
    });

    const callerOf = async (token: string) => {
      const caller = await world.composition.container
        .get(AuthenticationService)
        .authenticate({ apiKey: null, bearer: token });
      return {
        authentication: {
          boundToAgent: caller.boundToAgent,
          scopes: caller.scopes && [...caller.scopes],
          kind: caller.credential.kind,
        },
      };
    };
  });

  describe('and their forms', () => {
    const post = (
      visit: Visit,
      on: { request: (url: URL, init?: RequestInit) => Promise<Response> },
      body: string,
      headers: Readonly<Record<string, string>> = {},
    ) =>
      on.request(visit.url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });

    const tokenOf = (visit: Visit) => /name="form" value="([^"]+)"/.exec(visit.text)?.[1] ?? '';

    it('are taken from the page we gave, in the browser we gave it to', async () => {
      const { visit, on } = await oauth.asked(client, { scope });
      const token = tokenOf(visit);
      const stranger = oauth.open();
      await stranger.open(`${world.baseUrl}/oauth/sign-in`);
      const attempts = [
        post(visit, on, 'action=allow'),
        post(visit, on, 'action=allow&form='),
        post(visit, on, `action=allow&form=${'A'.repeat(43)}`),
        post(visit, on, `action=allow&form=${token}`, { 'sec-fetch-site': 'cross-site' }),
        post(visit, on, `action=allow&form=${token}`, { 'content-type': 'text/plain' }),
        post(visit, stranger, `action=allow&form=${token}`),
      ];
      for (const response of await Promise.all(attempts)) expect(response.status).to.equal(403);
      expect((await post(visit, on, `action=allow&form=${token}&x=${'y'.repeat(20_000)}`)).status).to.equal(413);
      expect((await post(visit, on, `action=allow&form=${token}`)).status).to.equal(303);
    });

    it('come from a page of this origin: the browser says so, or at least names the origin', async () => {
      const { visit, on } = await oauth.asked(client, { scope });
      const cookie = [...on.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
      const allow = async (headers: Readonly<Record<string, string>>) => {
        const body = new URLSearchParams({ action: 'allow', form: tokenOf(visit) });
        return (await fetch(visit.url, { method: 'POST', body, headers: { cookie, ...headers }, redirect: 'manual' }))
          .status;
      };
      const { origin } = visit.url;
      const refused = [
        {},
        ...['null', 'https://evil.example', `${origin}.evil.example`, origin.replace('http:', 'https:')].map(
          (other) => ({
            origin: other,
          }),
        ),
      ];
      for (const headers of refused) expect(await allow(headers), JSON.stringify(headers)).to.equal(403);
      for (const site of ['same-site', 'cross-site', 'none'])
        expect(await allow({ origin, 'sec-fetch-site': site }), site).to.equal(403);
      expect(await allow({ origin })).to.equal(303);
      const signOut = (headers: Readonly<Record<string, string>>) =>
        fetch(`${world.baseUrl}/oauth/sign-out`, {
          method: 'POST',
          body: '{}',
          headers: { cookie, 'content-type': 'application/json', ...headers },
        });
      expect((await signOut({})).status, 'a script that names no origin').to.equal(403);
      expect((await signOut({ origin: 'null' })).status).to.equal(403);
    });

    it('have a token each, which no other form takes, nor the same one in a session that began later', async () => {
      const on = oauth.open();
      const [one, other] = [
        await oauth.asked(client, { scope }, 'ada@example.com', on),
        await oauth.asked(client, { scope }, 'ada@example.com', on),
      ];
      const grants = await on.open(`${world.baseUrl}/oauth/grants`);
      const [, signOut = ''] = [
        ...grants.text.matchAll(/action="sign-out">\s*<input type="hidden" name="form" value="([^"]+)"/g),
      ].flat();
      const signOutAt = { ...grants, url: new URL(`${world.baseUrl}/oauth/sign-out`) };
      expect(new Set([tokenOf(one.visit), tokenOf(other.visit), tokenOf(grants), signOut]).size).to.be.at.least(3);
      for (const [visit, token] of [
        [other.visit, tokenOf(one.visit)],
        [other.visit, signOut],
        [one.visit, tokenOf(other.visit)],
        [signOutAt, tokenOf(one.visit)],
        [grants, signOut],
      ] as const)
        expect((await post(visit, on, `action=allow&grant=x&form=${token}`)).status, visit.url.pathname).to.equal(403);
      const again = await on.open(`${world.baseUrl}/oauth/sign-in`);
      await on.press(again, 'Sign in', { email: 'ada@example.com', password: PASSWORD });
      const late = await post(grants, on, `grant=x&form=${tokenOf(grants)}`);
      expect(late.status, 'the same user, in a session that began later').to.equal(403);
      const now = await on.open(`${world.baseUrl}/oauth/grants`);
      expect((await post(now, on, `grant=x&form=${tokenOf(now)}`)).status).to.equal(200);
    });

    it('sign in by a second press, or in a second window, whoever the first has signed in, and nobody else', async () => {
      const on = oauth.open();
      const ada = { email: ' Ada@example.com', password: PASSWORD };
      const { url } = oauth.authorization(client, { scope });
      const [first, second] = [await on.open(`${world.baseUrl}/oauth/sign-in`), await on.open(url)];
      for (const press of ['first', 'second'])
        expect((await on.press(first, 'Sign in', ada)).url.pathname, press).to.equal('/oauth/grants');
      expect((await on.press(second, 'Sign in', ada)).text).to.include('Allow a program on this computer');
      for (const visit of [first, second]) {
        const other = await on.press(visit, 'Sign in', { ...ada, email: 'bob@example.com' });
        expect(other.status, 'another person').to.equal(403);
      }
    });

    it('belong to the authorization in the address, not to another one of the same browser', async () => {
      const [one, other] = [await oauth.asked(client, { scope }), await oauth.asked(client, { scope })];
      const cookie = [...one.on.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
      const statuses = [one, other].map(async ({ visit }) => (await fetch(visit.url, { headers: { cookie } })).status);
      expect((await Promise.all(statuses)).toSorted()).to.deep.equal([200, 400]);
    });

    it('are over once the user has signed out: nothing is granted', async () => {
      const { visit, on } = await oauth.asked(client, { scope }, 'bob@example.com', oauth.open());
      const grants = async () => (await world.query('select 1 from oauth_grants')).length;
      const before = await grants();
      await on.press(await on.open(`${world.baseUrl}/oauth/grants`), 'Sign out');
      const late = await on.press(visit, 'Allow');
      expect([late.left, late.status]).to.deep.equal([null, 403]);
      expect(await grants()).to.equal(before);
    });

    it('work once: the answer cannot be given again', async () => {
      const { visit, on } = await oauth.asked(client, { scope });
      expect((await on.press(visit, 'Allow')).left).not.to.equal(null);
      const again = await on.press(visit, 'Allow');
      expect([again.left, again.status]).to.deep.equal([null, 400]);
      expect(wordsOf(again)).to.include('This sign-in is over.');
    });

    it('are pages that cannot be framed, cached or given a script', async () => {
      const { visit } = await oauth.asked(client, { scope });
      const policy = visit.headers.get('content-security-policy') ?? '';
      expect(policy).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:7777; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(Object.fromEntries(visit.headers)).to.include({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(visit.text).not.to.match(/<script|javascript:|\son\w+=/i);
    });

    it('are not the only ones: error pages have the same headers', async () => {
      const { url } = oauth.authorization(client, { scope });
      const pages: Readonly<Record<string, string>> = {
        'a sign-in': `${world.baseUrl}/oauth/sign-in`,
        'a mistake of the client': `${url}x`,
        'an unknown client': `${world.baseUrl}/oauth/authorize?client_id=none`,
        'an error that is not answered': `${url}&prompt=none`,
        'a parameter that is too long': `${url}&login_hint=${'x'.repeat(3000)}`,
        'a sign-in that is over': `${world.baseUrl}/oauth/interaction/none`,
        'an invitation that is over': `${world.baseUrl}/oauth/invitation/${'x'.repeat(43)}`,
        'another method': `${world.baseUrl}/oauth/sign-out`,
      };
      for (const [name, address] of Object.entries(pages)) {
        const { headers } = await fetch(address, { headers: { accept: 'text/html' } });
        expect(headers.get('content-security-policy'), name).to.match(
          /^default-src 'none'; style-src 'sha256-[^']+'; form-action [^;]+; frame-ancestors 'none'; base-uri 'none'$/,
        );
        expect(Object.fromEntries(headers), name).to.include({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'x-frame-options': 'DENY',
          'referrer-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
        });
      }
    });

    it('keep their cookies from scripts and from other sites', async () => {
      const response = await oauth.open().request(new URL(oauth.authorization(client, { scope }).url));
      const cookies = response.headers.getSetCookie();
      expect(cookies.length).to.be.above(1);
      for (const cookie of cookies)
        expect(cookie)
          .to.match(/; samesite=lax/i)
          .and.match(/; httponly/i)
          .and.match(/; path=\/oauth/i);
    });
  });

  describe('at other methods and addresses', () => {
    const statusOf = async (method: string, path: string) =>
      (await fetch(`${world.baseUrl}${path}`, { method, redirect: 'manual' })).status;

    it('get the metadata', async () => {
      expect(await statusOf('POST', '/oauth/authorize')).to.equal(405);
      expect(await statusOf('GET', '/oauth/token')).to.equal(405);
      expect(await statusOf('DELETE', '/oauth/grants')).to.equal(405);
      for (const path of [
        '/oauth',
        '/oauth/',
        '/oauth/jwks',
        '/oauth/me',
        '/OAUTH/TOKEN',
        '/oauth/token/',
        '/session/end/confirm',
        '/.well-known/openid-configuration',
        '/.well-known/oauth-protected-resource',
      ]) {
        expect(await statusOf('GET', path), path).to.equal(404);
      }
      expect(await statusOf('GET', '/oauth/interaction/nothing')).to.equal(400);
      expect(await statusOf('HEAD', '/.well-known/oauth-authorization-server')).to.equal(200);
    });
  });
});
