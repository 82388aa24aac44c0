import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import { AccountService, KeyService } from '../../src/composition/modules/access.ts';
import { OAuthStore, UserRepository } from '../../src/composition/modules/postgres.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';

const file = (name: string, users: readonly string[]) => `
workspace: ${name}
users: [${users.map((user) => `{ email: ${user}@example.com, name: ${user}, role: ${user === 'ada' || user === 'eve' ? 'admin' : user === 'vic' ? 'viewer' : 'member'} }`)}]
`;

interface Key {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[] | null;
  readonly expires_at: string | null;
  readonly made_with: string | null;
  readonly last_used_at: string | null;
}

const DAY_MS = 86_400_000;

describe('what users do with their account', () => {
  const lines: object[] = [];
  const record = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log: Log = { debug: record, info: record, warn: record, error: record };
  let world: World;
  let invitation = '';
  let [ada, bob, vic, eve] = ['', '', '', ''];
  before(async () => {
    world = await openWorld({ workspace: file('acme', ['ada', 'bob', 'vic', 'max']), log });
    const other = readWorkspaceFile(file('other', ['eve']), {});
    await world.composition.container.get(WorkspaceService).apply(other, { dryRun: false, prune: false });
    const keyOf = (user: string) => world.key({ email: `${user}@example.com` });
    [ada, bob, vic, eve] = [await keyOf('ada'), await keyOf('bob'), await keyOf('vic'), await keyOf('eve')];
  });
  after(() => world.stop());

  const call = <T = object>(path: string, as: string, body?: object, method?: string) =>
    callApi<{ data: T; code?: string }>(world.baseUrl, as, path, { body, ...(method && { method }) });
  const made = async (as: string, body: object) => (await call<Key>('/keys', as, body)).body.data;
  const list = async (as: string) => (await call<{ keys: Key[] }>('/keys', as)).body.data.keys;
  const works = async (key: string) => (await call('/agents', key)).status;

  it('makes keys that are shown once, and lists those of the user alone', async () => {
    const { key, ...shown } = await made(bob, { name: 'Laptop', scopes: ['agents:read'], expires_in_days: 90 });
    expect(key.startsWith(shown.prefix)).to.equal(true);
    expect(shown.prefix).to.have.length(8);
    expect(Date.parse(shown.expires_at ?? '') - Date.now()).to.be.within(89 * DAY_MS, 90 * DAY_MS);
    expect(await works(key)).to.equal(200);
    expect((await call('/runs', key)).status).to.equal(403);
    const listed = await list(bob);
    expect(listed.map(({ name }) => name)).to.deep.equal(['Laptop', 'test']);
    expect(listed[0]).to.have.all.keys(
      'id',
      'name',
      'prefix',
      'scopes',
      'created_at',
      'last_used_at',
      'expires_at',
      'made_with',
    );
    expect(JSON.stringify(listed)).to.not.include(key.slice(8));
    expect(await list(vic)).to.have.length(1);
    expect(await made(vic, { name: 'Also a viewer’s' })).to.include({ scopes: null, expires_at: null });
  });

  it('refuses names that are blank', async () => {
    const { id } = (await call<{ users: { id: string }[] }>('/users', ada)).body.data.users[1] ?? {};
    for (const [path, body, method] of [
      ['/keys', { name: ' ' }, 'POST'],
      ['/keys', { name: '\u200b\u2060' }, 'POST'],
      ['/users', { email: 'grace@example.com', name: '\u0007\t', role: 'member' }, 'POST'],
      [`/users/${id}`, { name: '\u00a0' }, 'PATCH'],
    ] as const)
      expect(await call(path, ada, body, method), path).to.nested.include({
        status: 400,
        'body.errors[0].path': 'body.name',
      });
  });

  it('makes no key that outlives the key that asks, and none by a key with scopes', async () => {
    const short = await made(bob, { name: 'short', expires_in_days: 1 });
    for (const asked of [{}, { expires_in_days: 90 }, { expires_in_days: null }])
      expect((await made(short.key, { name: 'child', ...asked })).expires_at).to.equal(short.expires_at);
    const rotated = (await call<Key>(`/keys/${short.id}/rotate`, short.key, {})).body.data;
    expect(rotated.expires_at).to.equal(short.expires_at);
    const scoped = await made(bob, { name: 'scoped', scopes: ['agents:read', 'runs:read'] });
    expect(await call('/keys', scoped.key, { name: 'child' })).to.nested.include({
      status: 403,
      'body.code': 'missing_scope',
    });
  });

  it('rotates a key, whose overlap ends it, and revokes keys at once', async () => {
    const old = await made(bob, { name: 'ci', scopes: ['agents:read'], expires_in_days: 30 });
    const { status, body } = await call<Key>(`/keys/${old.id}/rotate?overlap_seconds=3600`, bob, {});
    const next = body.data;
    expect(status).to.equal(201);
    expect(next).to.deep.include({ name: 'ci', scopes: ['agents:read'] });
    expect([await works(old.key), await works(next.key)]).to.deep.equal([200, 200]);
    const ending = (await list(bob)).find(({ id }) => id === old.id);
    expect(Date.parse(ending?.expires_at ?? '') - Date.now()).to.be.within(3_500_000, 3_600_000);
    const last = (await call<Key>(`/keys/${next.id}/rotate?overlap_seconds=0`, bob, {})).body.data;
    expect([await works(next.key), await works(last.key)]).to.deep.equal([401, 200]);
    expect((await call(`/keys/${last.id}`, bob, undefined, 'DELETE')).body.data).to.deep.equal({ id: last.id });
    expect(await works(last.key)).to.equal(401);
    expect((await list(bob)).map(({ id }) => id)).to.not.include(last.id);
    expect((await call(`/keys/${last.id}/rotate`, bob, {})).status).to.equal(404);
  });

  it('lets the operator rotate any key, which keeps its user, name, scopes and lifetime', async () => {
    const keys = world.composition.container.get(KeyService);
    const old = await made(bob, { name: 'ci', scopes: ['agents:read'], expires_in_days: 30 });
    const next = await keys.rotate(old.id, 0);
    expect(next).to.deep.include({ name: 'ci', user: 'bob@example.com', scopes: ['agents:read'] });
    expect((next.expiresAt?.getTime() ?? 0) - Date.now()).to.be.within(29.9 * DAY_MS, 30 * DAY_MS);
    expect([await works(old.key), await works(next.key)]).to.deep.equal([401, 200]);
    await keys.revoke(next.id);
    for (const id of [next.id, anId(), 'x'])
      expect(await keys.rotate(id, 0).catch(({ message }) => message)).to.include('key');
  });

  it('ends what was made with a key when the key ends: by itself, by its owner, by an administrator, by the operator', async () => {
    const ends: Readonly<Record<string, (root: Key) => Promise<unknown>>> = {
      'by itself': ({ id, key }) => call(`/keys/${id}`, key, undefined, 'DELETE'),
      'by its owner': ({ id }) => call(`/keys/${id}`, bob, undefined, 'DELETE'),
      'by an administrator': ({ id }) => call(`/keys/${id}`, ada, undefined, 'DELETE'),
      'by the operator': ({ id }) => world.composition.container.get(KeyService).revoke(id),
      'by rotation': ({ id }) => call(`/keys/${id}/rotate?overlap_seconds=0`, bob, {}),
      'by the operator’s rotation': ({ id }) => world.composition.container.get(KeyService).rotate(id, 0),
    };
    const second = await world.second();
    const worksThere = async (key: string) => (await callApi(second, key, '/agents')).status;
    for (const [how, end] of Object.entries(ends)) {
      const root = await made(bob, { name: 'root' });
      const child = await made(root.key, { name: 'child' });
      const grandchild = await made(child.key, { name: 'grandchild' });
      expect([child.made_with, grandchild.made_with]).to.deep.equal([root.id, child.id]);
      for (const key of [root.key, child.key, grandchild.key])
        expect([await works(key), await worksThere(key)]).to.deep.equal([200, 200]);
      await end(root);
      for (const key of [root.key, child.key, grandchild.key]) expect(await works(key), how).to.equal(401);
      for (const key of [root.key, child.key, grandchild.key])
        while ((await worksThere(key)) !== 401) await setTimeout(20);
    }
    expect(await works(bob)).to.equal(200);
  });

  it('rotates no key by one that was made with it: both would end', async () => {
    const root = await made(bob, { name: 'root' });
    const child = await made(root.key, { name: 'child' });
    const grandchild = await made(child.key, { name: 'grandchild' });
    for (const { key } of [child, grandchild]) {
      const answer = await call(`/keys/${root.id}/rotate`, key, {});
      expect(answer).to.nested.include({ status: 409, 'body.code': 'conflict' });
    }
    for (const { key } of [root, child, grandchild]) expect(await works(key)).to.equal(200);
    const next = (await call<Key>(`/keys/${root.id}/rotate?overlap_seconds=0`, root.key, {})).body.data;
    expect(await works(next.key)).to.equal(200);
    for (const { key } of [root, child, grandchild]) expect(await works(key)).to.equal(401);
  });

  it('shows and ends the keys of others for administrators of their workspace, and for no one else', async () => {
    const { id, key } = await made(bob, { name: 'mine' });
    const user = await world.composition.container.get(UserRepository).findByEmail('bob@example.com');
    for (const whose of [user?.id, 'bob@example.com', 'Bob@Example.com']) {
      const listed = await call<{ keys: Key[] }>(`/keys?user=${whose}`, ada);
      expect(listed.body.data.keys.map((each) => each.id)).to.include(id);
      expect(await call(`/keys?user=${whose}`, eve)).to.nested.include({ status: 404, 'body.code': 'not_found' });
      expect((await call(`/keys?user=${whose}`, vic)).status).to.equal(404);
      expect((await call(`/keys?user=${whose}`, bob)).status, 'themselves').to.equal(200);
    }
    for (const nobody of ['nobody@example.com', anId(), 'x'])
      expect((await call(`/keys?user=${nobody}`, ada)).status).to.equal(404);
    for (const other of [ada, eve]) expect((await call(`/keys/${id}/rotate`, other, {})).status).to.equal(404);
    for (const other of [vic, eve])
      expect((await call(`/keys/${id}`, other, undefined, 'DELETE')).status).to.equal(404);
    expect(await works(key)).to.equal(200);
    expect((await call(`/keys/${id}`, ada, undefined, 'DELETE')).status).to.equal(200);
    expect(await works(key)).to.equal(401);
  });

  it('lists keys a page at a time', async () => {
    const all = (await list(vic)).map(({ id }) => id);
    for (let n = 0; n < 3; n += 1) all.unshift((await made(vic, { name: 'paged' })).id);
    const found: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { data }: { data: { keys: Key[]; next: string | null } } = (
        await call<{ keys: Key[]; next: string | null }>(`/keys?limit=2${after && `&after=${after}`}`, vic)
      ).body;
      expect(data.keys.length).to.be.at.most(2);
      found.push(...data.keys.map(({ id }) => id));
      after = data.next;
    }
    expect(found).to.deep.equal(all);
  });

  it('makes 50 keys that work for a user at most, those of the operator included, who may make more', async () => {
    const max = await world.key({ email: 'max@example.com' });
    const make = () => call<Key>('/keys', max, { name: 'many' });
    const keys: Key[] = [];
    while (keys.length < 49) keys.push((await make()).body.data);
    expect(await make()).to.nested.include({ status: 409, 'body.code': 'too_many_keys' });
    const [first, second] = keys as [Key, Key];
    expect((await call(`/keys/${first.id}/rotate`, max, {})).status).to.equal(409);
    expect((await call(`/keys/${first.id}/rotate?overlap_seconds=0`, max, {})).status).to.equal(201);
    await call(`/keys/${second.id}`, max, undefined, 'DELETE');
    expect((await make()).status).to.equal(201);
    expect(await works(await world.key({ email: 'max@example.com' }))).to.equal(200);
    expect((await make()).status).to.equal(409);
  });

  it('lists the programs with access, and ends the access of one', async () => {
    const store = world.composition.container.get(OAuthStore);
    const user = await world.composition.container.get(UserRepository).findByEmail('bob@example.com');
    const id = anId();
    const client = {
      clientId: 'app',
      clientName: 'App',
      clientHost: 'app.example.com',
      resource: world.baseUrl,
      agentId: null,
    };
    const times = { createdAt: new Date(), usedAt: null, expiresAt: new Date(Date.now() + DAY_MS) };
    await store.saveGrant({ id, userId: user?.id ?? '', ...client, scopes: ['runs:read'], ...times }, 'hash', null);
    const grants = async (as: string) => (await call<{ grants: object[] }>('/grants', as)).body.data.grants;
    expect((await grants(bob))[0]).to.deep.include({
      id,
      client_name: 'App',
      client_host: 'app.example.com',
      scopes: ['runs:read'],
    });
    expect(await grants(ada)).to.deep.equal([]);
    expect((await call(`/grants/${id}`, ada, undefined, 'DELETE')).status).to.equal(404);
    expect((await call(`/grants/${id}`, bob, undefined, 'DELETE')).status).to.equal(200);
    expect(await grants(bob)).to.deep.equal([]);
  });

  it('lets administrators see and invite the users of their workspace', async () => {
    interface Person {
      readonly id: string;
      readonly email: string;
      readonly role: string;
      readonly status: string;
    }
    const users = async (as: string) => (await call<{ users: Person[] }>('/users', as)).body.data.users;
    const [, member] = await users(ada);
    expect(member).to.deep.include({ email: 'bob@example.com', role: 'member', status: 'not_invited' });
    expect((await users(eve)).map(({ email }) => email)).to.deep.equal(['eve@example.com']);
    const invite = `/users/${member?.id}/invite`;
    const { status, body } = await call<{ url: string }>(invite, ada, {});
    expect(status).to.equal(201);
    expect((await fetch(body.data.url)).status).to.equal(200);
    expect((await users(ada))[1]?.status).to.equal('invited');
    invitation = body.data.url.slice(body.data.url.lastIndexOf('/') + 1);
    const container = world.composition.container;
    await container.get(AccountService).accept(invitation, 'copper lantern under the bridge', '192.0.2.1');
    expect((await users(ada))[1]?.status).to.equal('active');
    expect((await call(invite, eve, {})).status).to.equal(404);
    expect(await call('/users', bob)).to.nested.include({ status: 403, 'body.code': 'admin_only' });
    expect(await call(invite, bob, {})).to.nested.include({ status: 403, 'body.code': 'admin_only' });
  });

  it('voids an invitation with the key that made it, and with the rights of its inviter', async () => {
    const { container } = world.composition;
    const max = (await container.get(UserRepository).findByEmail('max@example.com'))?.id ?? '';
    const status = async () =>
      (await call<{ users: { id: string; status: string }[] }>('/users', ada)).body.data.users.find(
        ({ id }) => id === max,
      )?.status;
    const open = async (url: string) => (await fetch(url)).status;
    const invite = async (as: string) => (await call<{ url: string }>(`/users/${max}/invite`, as, {})).body.data.url;
    const root = await made(ada, { name: 'root' });
    const child = await made(root.key, { name: 'child' });
    const url = await invite(child.key);
    expect([await open(url), await status()]).to.deep.equal([200, 'invited']);
    await call(`/keys/${root.id}`, ada, undefined, 'DELETE');
    expect([await open(url), await status()]).to.deep.equal([404, 'not_invited']);
    const token = url.slice(url.lastIndexOf('/') + 1);
    const accepted = container.get(AccountService).accept(token, 'copper lantern under the bridge', '192.0.2.1');
    expect(await accepted.catch(({ kind }) => kind)).to.equal('not_found');

    const next = await invite(ada);
    await world.query(`update users set role = 'member' where email = 'ada@example.com'`);
    expect(await open(next)).to.equal(404);
    await world.query(`update users set role = 'admin' where email = 'ada@example.com'`);
    expect(await open(next)).to.equal(200);
  });

  it('leaves a user who is removed, and whom they invited, nothing to act by', async () => {
    const { container } = world.composition;
    const max = (await container.get(UserRepository).findByEmail('max@example.com'))?.id ?? '';
    const client = {
      clientId: 'app',
      clientName: null,
      clientHost: 'app.example.com',
      resource: world.baseUrl,
      agentId: null,
    };
    const times = { createdAt: new Date(), usedAt: null, expiresAt: new Date(Date.now() + DAY_MS) };
    await container
      .get(OAuthStore)
      .saveGrant({ id: anId(), userId: max, ...client, scopes: [], ...times }, 'hash', null);
    await world.query(`update users set role = 'admin' where id = $1`, [max]);
    const key = await world.key({ email: 'max@example.com' });
    const [person] = (await call<{ users: { id: string; email: string }[] }>('/users', key)).body.data.users.filter(
      ({ email }) => email === 'vic@example.com',
    );
    const { url } = (await call<{ url: string }>(`/users/${person?.id}/invite`, key, {})).body.data;
    expect((await fetch(url)).status).to.equal(200);
    const without = readWorkspaceFile(file('acme', ['ada', 'bob', 'vic']), {});
    await container.get(WorkspaceService).apply(without, { dryRun: false, prune: true });
    while ((await works(key)) !== 401) await setTimeout(20);
    expect((await fetch(url)).status).to.equal(404);
    await world.query('update users set removed_at = null where id = $1', [max]);
    expect([await works(key), (await fetch(url)).status], 'back again').to.deep.equal([401, 404]);
    expect(await container.get(OAuthStore).listGrants(max)).to.deep.equal([]);
  });

  it('leaves lines in the log that say who did it, and no secret', async () => {
    const { id, key } = await made(bob, { name: 'logged' });
    expect(lines.find((line) => 'key_id' in line && line.key_id === id)).to.include({ message: 'a key was made' });
    for (const message of ['a key was rotated', 'a key was revoked', 'a grant was revoked', 'a user was invited'])
      expect(
        lines.some(
          (line) => 'message' in line && line.message === message && 'user_id' in line && 'credential_id' in line,
        ),
        message,
      ).to.equal(true);
    expect(JSON.stringify(lines)).to.not.include(key).and.not.include(invitation);
  });
});
