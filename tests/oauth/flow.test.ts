import { expect } from 'chai';
import { OAuthStore } from '../../src/composition/modules/postgres.ts';
import { wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, REDIRECT, type Registered } from './client.ts';
import { openWorld, type World } from './world.ts';

const SCOPES = 'agents:read runs:read';

describe('OAuth: from the request to the API and back', () => {
  let world: World;
  let oauth: OAuthClient;
  let client: Registered;
  before(async () => {
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
    client = await oauth.registered();
  });
  after(() => world.stop());

  const statusOf = async (token: string, path = '/api/v1/agents') => (await oauth.call(path, token)).status;

  it('signs in, asks, answers with a code, and the token works until it is revoked', async () => {
    const { visit, verifier, on } = await oauth.asked(client, { scope: SCOPES });
    const words = wordsOf(visit);
    expect(words).to.include('A program on this computer asks for access. It calls itself “Test client”.');
    expect(words).to.include('List the agents you can see').and.include('Read runs and their documents');
    expect(words).not.to.include('Upload files');
    expect(words).to.include('You are signed in as ada@example.com.');

    const { left } = await on.press(visit, 'Allow');
    expect(left?.origin + (left?.pathname ?? '')).to.equal(REDIRECT);
    expect(Object.fromEntries(left?.searchParams ?? [])).to.include({ state: 'st4te', iss: world.baseUrl });

    const answer = await oauth.exchange(client, left?.searchParams.get('code') ?? '', verifier);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.body).to.include({ token_type: 'Bearer', expires_in: 3600, scope: SCOPES });
    expect(answer.body.access_token).to.match(/^svcpt_[0-9A-Za-z]{40}$/);
    expect(answer.body.refresh_token).to.match(/^svcrt_[0-9A-Za-z]{40}$/);

    const agents = await oauth.call('/api/v1/agents', answer.body.access_token);
    expect(agents.status).to.equal(200);
    expect(JSON.stringify(agents.body)).to.include('Order reader').and.not.include("Bob's own");

    const renewed = await oauth.refresh(client, answer.body.refresh_token);
    expect(renewed.status).to.equal(200);
    expect(renewed.body.scope).to.equal(SCOPES);
    expect(renewed.body.refresh_token).not.to.equal(answer.body.refresh_token);
    expect(await statusOf(renewed.body.access_token)).to.equal(200);

    const revoked = await oauth.revoke(client, renewed.body.access_token);
    expect([revoked.status, revoked.headers.get('content-type'), revoked.body]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
      {},
    ]);
    expect(await statusOf(renewed.body.access_token)).to.equal(401);
    expect(await statusOf(answer.body.access_token)).to.equal(401);
    expect((await oauth.refresh<object>(client, renewed.body.refresh_token)).body).to.include({
      error: 'invalid_grant',
    });
  });

  it('grants only the requested scopes, leaves out unknown ones, and returns which it granted', async () => {
    const { access_token: token, scope } = await oauth.granted(client, {
      scope: 'openid runs:write profile offline_access',
    });
    expect(scope).to.equal('runs:write');
    const refused = await oauth.call('/api/v1/agents', token);
    expect(refused.status).to.equal(403);
    expect(refused.body).to.include({ code: 'missing_scope', required_scope: 'agents:read' });
    const agent = world.agent('Invoice reader');
    const body = JSON.stringify({ user_message: 'Hello' });
    const run = await oauth.call(`/api/v1/agents/${agent}/run`, token, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(run.status, JSON.stringify(run.body)).to.equal(200);
  });

  it('is no credential where no scope is named, nor in the header of keys', async () => {
    const { access_token: token } = await oauth.granted(client, { scope: 'agents:read runs:read runs:write' });
    expect(await statusOf(token, '/api/v1/connections')).to.equal(401);
    const inKeyHeader = await fetch(`${world.baseUrl}/api/v1/agents`, { headers: { 'x-api-key': token } });
    expect(inKeyHeader.status).to.equal(401);
  });

  it('narrows a token where a refresh asks for less, and never widens it', async () => {
    const { refresh_token: first } = await oauth.granted(client, { scope: SCOPES });
    const narrow = await oauth.refresh(client, first, { scope: 'runs:read' });
    expect(narrow.body.scope).to.equal('runs:read');
    expect(await statusOf(narrow.body.access_token)).to.equal(403);
    const wide = await oauth.refresh<object>(client, narrow.body.refresh_token, { scope: 'runs:write' });
    expect([wide.status, wide.body])
      .to.deep.include(400)
      .and.to.satisfy((all: unknown) => JSON.stringify(all).includes('invalid_scope'));
  });

  it('counts every token of a grant as one credential', async () => {
    const tokens = await oauth.granted(client, { scope: SCOPES });
    const remaining = async (token: string) =>
      Number((await oauth.call('/api/v1/agents', token)).headers.get('ratelimit-remaining'));
    const before = await remaining(tokens.access_token);
    const renewed = await oauth.refresh(client, tokens.refresh_token);
    expect(await remaining(renewed.body.access_token)).to.equal(before - 1);
  });

  describe('what works once', () => {
    it('is a code: the second time ends what the first one gave', async () => {
      const { code, verifier } = await oauth.code(client, { scope: SCOPES });
      const first = await oauth.exchange(client, code, verifier);
      const second = await oauth.exchange<object>(client, code, verifier);
      expect([second.status, second.body]).to.deep.equal([
        400,
        { error: 'invalid_grant', error_description: 'grant request is invalid' },
      ]);
      expect(await statusOf(first.body.access_token)).to.equal(401);
      expect((await oauth.refresh(client, first.body.refresh_token)).status).to.equal(400);
    });

    it('is a refresh token: a replayed one revokes the whole family', async () => {
      const first = await oauth.granted(client, { scope: SCOPES });
      const second = (await oauth.refresh(client, first.refresh_token)).body;
      const third = (await oauth.refresh(client, second.refresh_token)).body;
      expect(await statusOf(third.access_token)).to.equal(200);
      expect((await oauth.refresh<object>(client, first.refresh_token)).body).to.include({ error: 'invalid_grant' });
      for (const { access_token: token } of [first, second, third]) expect(await statusOf(token)).to.equal(401);
      expect((await oauth.refresh(client, third.refresh_token)).status).to.equal(400);
      const rows = await world.query<{ count: number }>(
        `select count(*)::int as count from oauth_records where kind = 'RefreshToken' and grant_id not in (select id from oauth_grants)`,
      );
      expect(rows[0]?.count).to.equal(0);
    });

    it('is the same when a refresh token or code comes several times at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { refresh_token: token } = await oauth.granted(client, { scope: SCOPES });
        const answers = await Promise.all(Array.from({ length: 4 }, () => oauth.refresh(client, token)));
        const won = answers.filter(({ status }) => status === 200);
        expect(won.length).to.be.at.most(1);
        for (const { body } of won) expect(await statusOf(body.access_token)).to.equal(401);
        const { code, verifier } = await oauth.code(client, { scope: SCOPES });
        const exchanges = await Promise.all(Array.from({ length: 4 }, () => oauth.exchange(client, code, verifier)));
        expect(exchanges.filter(({ status }) => status === 200).length).to.be.at.most(1);
        expect(
          exchanges.map(({ status }) => status).filter((status) => status !== 200 && status !== 400),
        ).to.deep.equal([]);
      }
    });
  });

  describe('what is over', () => {
    const age = (kind: string) => world.query('update oauth_records set expires_at = now() where kind = $1', [kind]);

    it('is a code after its minute, an access token after its hour, a refresh token after its days', async () => {
      const [row] = await world.query<{ seconds: number }>(
        `select max(extract(epoch from expires_at - created_at))::int as seconds from oauth_records where kind = 'AuthorizationCode'`,
      );
      expect(row?.seconds).to.equal(60);
      const { code, verifier } = await oauth.code(client, { scope: SCOPES });
      await age('AuthorizationCode');
      expect((await oauth.exchange<object>(client, code, verifier)).body).to.include({ error: 'invalid_grant' });

      const tokens = await oauth.granted(client, { scope: SCOPES });
      await age('AccessToken');
      expect(await statusOf(tokens.access_token)).to.equal(401);
      await age('RefreshToken');
      expect((await oauth.refresh<object>(client, tokens.refresh_token)).body).to.include({ error: 'invalid_grant' });
    });

    it('is swept away in batches, and nothing else is', async () => {
      const tokens = await oauth.granted(client, { scope: SCOPES });
      await world.query(
        `insert into oauth_records (kind, hash, sealed, expires_at) select 'Interaction', 'old-' || n, 'x', now() - interval '1 day' from generate_series(1, 1200) n`,
      );
      const store = world.composition.container.get(OAuthStore);
      const batches: number[] = [];
      do batches.push(await store.sweep());
      while (batches.at(-1) !== 0);
      expect(batches.length).to.be.at.least(4);
      expect((await world.query(`select 1 from oauth_records where expires_at <= now()`)).length).to.equal(0);
      expect(await statusOf(tokens.access_token)).to.equal(200);
      expect((await oauth.refresh(client, tokens.refresh_token)).status).to.equal(200);
    });

    it('is a grant from which no token was issued', async () => {
      const { code, verifier } = await oauth.code(client, { scope: SCOPES });
      const minutes = async () =>
        (
          await world.query<{ minutes: number }>(
            `select (extract(epoch from expires_at - now()) / 60)::int as minutes from oauth_grants order by created_at desc limit 1`,
          )
        )[0]?.minutes;
      expect(await minutes()).to.be.within(60, 62);
      await oauth.exchange(client, code, verifier);
      expect(await minutes()).to.be.within(43_190, 43_200);
    });

    it('is not a grant that goes on being used: it lasts as long as its youngest refresh token', async () => {
      const tokens = await oauth.granted(client, { scope: SCOPES });
      await world.query(`update oauth_grants set expires_at = now() + interval '1 hour'`);
      await oauth.refresh(client, tokens.refresh_token);
      const [grant] = await world.query<{ days: number }>(
        `select extract(day from expires_at - now())::int as days from oauth_grants order by used_at desc nulls last limit 1`,
      );
      expect(grant?.days).to.be.within(29, 30);
    });
  });

  describe('a user who is removed', () => {
    it('has no tokens any more, and no session', async () => {
      const bob = oauth.of('bob@example.com');
      const tokens = await oauth.granted(client, { scope: SCOPES }, 'bob@example.com');
      expect(await statusOf(tokens.access_token)).to.equal(200);
      await world.query(`update users set removed_at = now() where email = 'bob@example.com'`);
      let status = 200;
      for (let looks = 0; looks < 200 && status === 200; looks += 1) status = await statusOf(tokens.access_token);
      expect(status).to.equal(401);
      expect((await oauth.refresh<object>(client, tokens.refresh_token)).body).to.include({ error: 'invalid_grant' });
      const { visit } = await oauth.asked(client, { scope: SCOPES }, 'ada@example.com', bob);
      expect(wordsOf(visit)).to.include('You are signed in as ada@example.com.');
    });
  });
});
