import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { signInLinks } from '../../src/adapters/oauth/sign-in-links.ts';
import { AccountService } from '../../src/composition/modules/access.ts';
import { OAuthStore } from '../../src/composition/modules/postgres.ts';
import { Clock, OAuthSecrets } from '../../src/composition/modules/system.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { eventSource } from '../support/event-source.ts';
import { wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, type Registered } from './client.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

const BOB = 'bob@example.com';
/** What the contract promises, and what a busy machine takes besides: less than a check every ten seconds would need. */
const SOON_MS = 8_000;

interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly disabled: boolean;
  readonly sign_in: string;
  readonly last_seen_at: string | null;
}

describe('a user who is disabled', () => {
  let world: World;
  let other: string;
  let oauth: OAuthClient;
  let client: Registered;
  let admin: string;
  let bobId: string;
  before(async () => {
    world = await openWorld();
    other = await world.second();
    oauth = oauthClient(world.baseUrl);
    client = await oauth.registered();
    admin = await world.key('ada@example.com');
    bobId = await world.userId(BOB);
  });
  after(() => world.stop());
  afterEach(() => change({ disabled: false }));

  const call = <T = object>(path: string, body?: object, method?: string, key = admin) =>
    callApi<{ data: T; code?: string }>(world.baseUrl, key, path, { body, ...(method && { method }) });
  const change = (body: object, id = bobId, key = admin) => call<Person>(`/users/${id}`, body, 'PATCH', key);
  const person = async (email: string) =>
    (await call<{ users: Person[] }>('/users')).body.data.users.find((each) => each.email === email);

  /** Whether it comes to be, in the time that the contract allows. */
  const soon = async (holds: () => Promise<boolean>): Promise<boolean> => {
    const until = Date.now() + SOON_MS;
    while (Date.now() < until) {
      if (await holds()) return true;
      await sleep(50);
    }
    return false;
  };
  const inTime = <T>(work: Promise<T>) => Promise.race([work, sleep(SOON_MS).then(() => 'too late' as const)]);

  /** One credential of each kind, each of them used on the other process. */
  const credentials = async () => {
    const key = await world.key(BOB);
    const scoped = await oauth.granted(client, { scope: 'agents:read runs:read' }, BOB);
    const tools = world.mcpUrl(world.agent('Invoice reader'));
    const mcp = (await oauth.granted(client, { resource: tools, scope: 'agent:tools' }, BOB)).access_token;
    const consoleToken = await oauth.consoleToken(BOB);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const get = (headers: Record<string, string>) => () =>
      fetch(`${other}/api/v1/agents`, { headers }).then(({ status }) => status);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const toolCall = (headers: Record<string, string>) => () =>
      fetch(tools.replace(world.baseUrl, other), {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(list),
      }).then(({ status }) => status);
    const refreshed = async () => (await oauth.refresh(client, scoped.refresh_token)).status;
    return {
      key,
      uses: {
        'an API key': get({ 'x-api-key': key }),
        'an access token': get(bearer(scoped.access_token)),
        'a token of the console': get(bearer(consoleToken)),
        'a token for tools': toolCall(bearer(mcp)),
        'a key at the tool endpoint': toolCall({ 'x-api-key': key }),
      },
      refreshed,
    };
  };

  it('gets in by no link that was made before, enabled again or with a new password', async () => {
    const { container } = world.composition;
    const secrets = { sealer: container.get(OAuthSecrets).sealer, clock: container.get(Clock) };
    const links = signInLinks({ issuer: world.baseUrl, store: container.get(OAuthStore), ...secrets });
    const made = async () => new URL((await links.create(bobId)).url);
    const statusOf = async (link: URL) => (await oauth.open().request(link)).status;
    const first = await made();
    expect(await statusOf(first)).to.equal(200);
    await change({ disabled: true });
    await change({ disabled: false });
    expect(await statusOf(first), 'enabled again').to.equal(404);
    const second = await made();
    const accounts = container.get(AccountService);
    const invitation = new URL((await accounts.invite(BOB)).url).pathname.split('/').at(-1) ?? '';
    await accounts.accept(invitation, PASSWORD, '192.0.2.1');
    expect(await statusOf(second), 'a new password').to.equal(404);
    expect(await statusOf(await made()), 'made since').to.equal(200);
  });

  it('is out of every process, by each kind of credential, and in again only with the keys', async () => {
    const { key, uses, refreshed } = await credentials();
    for (const [kind, status] of Object.entries(uses)) expect(await status(), kind).to.be.below(401);
    const browser = oauth.of(BOB);
    expect(wordsOf(await browser.open(`${world.baseUrl}/oauth/grants`))).to.include(`signed in as ${BOB}`);
    const run = await sendToApi(other, key, `/agents/${world.agent('Invoice reader')}/run`, {
      body: { user_message: 'Hello' },
    });
    const runId = ((await run.json()) as { data: { id: string } }).data.id;
    const stream = await eventSource(`${other}/api/v1/runs/${runId}/events`, { 'x-api-key': key });
    expect(stream.status).to.equal(200);
    const waiting = callApi<{ code: string }>(other, key, `/runs/${runId}?wait=25`);

    const { status, body } = await change({ disabled: true });
    expect([status, body.data.disabled, body.data.email]).to.deep.equal([200, true, BOB]);
    for (const [kind, each] of Object.entries(uses))
      expect(await soon(async () => (await each()) === 401), kind).to.equal(true);
    expect(await inTime(stream.ended)).to.equal(true);
    expect(await inTime(waiting)).to.deep.include({ status: 401 });
    expect(await refreshed()).to.equal(400);
    expect((await browser.open(`${world.baseUrl}/oauth/grants`)).url.pathname).to.equal('/oauth/sign-in');
    const form = await browser.open(`${world.baseUrl}/oauth/sign-in`);
    expect(wordsOf(await browser.press(form, 'Sign in', { email: BOB, password: PASSWORD }))).to.include(
      'The email address or the password is not right.',
    );

    expect((await change({ disabled: false })).body.data).to.include({ disabled: false });
    const statusOf = uses['an API key'];
    expect(await soon(async () => (await statusOf()) === 200)).to.equal(true);
    for (const [kind, each] of Object.entries(uses))
      if (!kind.includes('key')) expect(await each(), kind).to.equal(401);
    expect(await refreshed()).to.equal(400);
  });

  it('gets no token from a consent or a code of before', async () => {
    const { visit, on, verifier } = await oauth.asked(client, { scope: 'agents:read' }, BOB);
    const got = await oauth.code(client, { scope: 'agents:read' }, BOB);
    await change({ disabled: true });
    expect((await on.press(visit, 'Allow')).left).to.equal(null);
    expect((await oauth.exchange(client, got.code, got.verifier)).status).to.equal(400);
    await change({ disabled: false });
    expect((await on.press(visit, 'Allow')).left, verifier).to.equal(null);
    expect((await oauth.exchange(client, got.code, got.verifier)).status).to.equal(400);
  });

  it('is invited to nothing, and an invitation of theirs or by them opens nothing', async () => {
    const grace = { email: 'Grace@example.com', name: 'Grace', role: 'admin' };
    const { status, body } = await call<Person>('/users', grace);
    expect([status, body.data.email, body.data.sign_in]).to.deep.equal([201, 'grace@example.com', 'none']);
    const graceKey = await world.key('grace@example.com');
    const invite = async (id: string, key = admin) =>
      (await call<{ url: string }>(`/users/${id}/invite`, {}, 'POST', key)).body.data?.url;
    const [own, theirs] = [await invite(body.data.id), await invite(bobId, graceKey)];
    const opened = async (url: string) => (await fetch(url)).status;
    expect([await opened(own), await opened(theirs)]).to.deep.equal([200, 200]);
    await change({ disabled: true }, body.data.id);
    expect([await opened(own), await opened(theirs)]).to.deep.equal([404, 404]);
    expect((await call(`/users/${body.data.id}/invite`, {}, 'POST')).status).to.equal(409);
    await change({ disabled: false }, body.data.id);
    expect(await opened(own), 'the invitation ended for good').to.equal(404);
  });

  it('is refused as one’s own account, as the last administrator, by keys with scopes, and to others than administrators', async () => {
    const adaId = await world.userId('ada@example.com');
    for (const body of [{ disabled: true }, { role: 'member' }])
      expect(await change(body, adaId)).to.nested.include({ status: 409, 'body.code': 'own_account' });
    expect((await change({ name: 'Ada L.' }, adaId)).status).to.equal(200);
    expect((await change({ name: 'Ada Lovelace', role: 'admin', disabled: false }, adaId)).status).to.equal(200);
    const taken = await call('/users', { email: 'BOB@example.com', name: 'Bob', role: 'member' });
    expect(taken).to.nested.include({ status: 409, 'body.code': 'email_taken' });
    const scoped = await call<{ key: string }>('/keys', { name: 'scoped', scopes: ['agents:read'] });
    expect((await change({ name: 'X' }, bobId, scoped.body.data.key)).status).to.equal(403);
    const bobs = await world.key(BOB);
    expect(await change({ name: 'X' }, bobId, bobs)).to.nested.include({ status: 403, 'body.code': 'admin_only' });
    expect((await change({ name: 'X' }, '00000000-0000-7000-8000-000000000000')).status).to.equal(404);
    for (const wrong of [{ role: 'owner' }, { disabled: 'yes' }, { name: '' }])
      expect((await change(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    expect((await call('/users', { email: 'no address', name: 'N', role: 'member' })).status).to.equal(400);
  });

  it('is shown when one of their credentials was used last', async () => {
    const key = await world.key(BOB);
    await sendToApi(world.baseUrl, key, '/agents');
    expect(await soon(async () => (await person(BOB))?.last_seen_at != null)).to.equal(true);
    expect(await person(BOB)).to.include({ sign_in: 'password', disabled: false });
    expect(await person('new@example.com')).to.include({ sign_in: 'none', last_seen_at: null });
  });
});
