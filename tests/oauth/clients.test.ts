import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { OAuthStore } from '../../src/composition/modules/postgres.ts';
import { quiet } from '../support/log.ts';
import { wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, REDIRECT, type Registered } from './client.ts';
import { openWorld, type World } from './world.ts';

const scope = 'agents:read';

describe('OAuth: clients that register themselves', () => {
  let world: World;
  let oauth: OAuthClient;
  before(async () => {
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
  });
  after(() => world.stop());

  it('are public where they have no secret', async () => {
    const { status, body, headers } = await oauth.register({
      client_name: 'Editor',
      redirect_uris: [REDIRECT, 'https://editor.example/redirect', 'editor://auth'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      scope: 'openid everything',
      software_id: 'x',
      jwks_uri: 'http://169.254.169.254/',
      sector_identifier_uri: 'https://10.0.0.1/',
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(body).to.include({ client_name: 'Editor', token_endpoint_auth_method: 'none', application_type: 'native' });
    expect(body.grant_types).to.deep.equal(['authorization_code', 'refresh_token']);
    expect(body).not.to.have.any.keys(
      'client_secret',
      'scope',
      'jwks_uri',
      'sector_identifier_uri',
      'software_id',
      'registration_access_token',
    );
  });

  it('may write null, an empty text or an empty list for what they leave out', async () => {
    const optional = ['client_name', 'client_uri', 'logo_uri', 'contacts', 'scope', 'software_id', 'subject_type'];
    const names = [...optional, 'grant_types', 'response_types', 'token_endpoint_auth_method', 'application_type'];
    const { body: usual } = await oauth.register({ redirect_uris: [REDIRECT] });
    for (const nothing of [null, '', []]) {
      const said = Object.fromEntries(names.map((name) => [name, nothing]));
      const { status, body } = await oauth.register({ redirect_uris: [REDIRECT], ...said });
      expect(status, JSON.stringify(body)).to.equal(201);
      const { client_id, client_id_issued_at, client_secret } = body;
      expect(body).to.deep.equal({ ...usual, client_id, client_id_issued_at, client_secret });
    }
    const empty = { client_uri: '', logo_uri: '', grant_types: [], response_types: [], subject_type: null };
    await oauth.granted(await oauth.registered(empty), { scope });
  });

  it('are confidential where they want one, and must then use it', async () => {
    for (const method of [undefined, 'client_secret_basic', 'client_secret_post']) {
      const client = await oauth.registered({ token_endpoint_auth_method: method });
      expect(client.secret).to.be.a('string').with.length.above(40);
      const { code, verifier } = await oauth.code(client, { scope });
      const without = { ...client, secret: null };
      expect((await oauth.exchange<object>(without, code, verifier)).status).to.equal(401);
      const wrong = await oauth.exchange<object>({ ...client, secret: `${client.secret}x` }, code, verifier);
      expect([wrong.status, wrong.body])
        .to.deep.include(401)
        .and.satisfy(([, body]: { error?: string }[]) => body?.error === 'invalid_client');
      const { status, body } = await oauth.exchange(client, code, verifier);
      expect(status).to.equal(200);
      const posted = { client_id: client.id, client_secret: client.secret ?? '' };
      const renewed = await oauth.refresh({ ...client, secret: null }, body.refresh_token, posted);
      expect(renewed.status).to.equal(200);
      expect((await oauth.revoke(client, renewed.body.refresh_token)).status).to.equal(200);
      expect((await oauth.call('/api/v1/agents', renewed.body.access_token)).status).to.equal(401);
    }
  });

  it('cannot use or revoke what another client was given', async () => {
    const [mine, other] = [await oauth.registered(), await oauth.registered()];
    const tokens = await oauth.granted(mine, { scope });
    expect((await oauth.refresh<object>(other, tokens.refresh_token)).body).to.include({ error: 'invalid_grant' });
    await oauth.revoke(other, tokens.access_token);
    await oauth.revoke(other, tokens.refresh_token);
    expect((await oauth.call('/api/v1/agents', tokens.access_token)).status).to.equal(200);
    const { code, verifier } = await oauth.code(mine, { scope });
    expect((await oauth.exchange<object>(other, code, verifier)).body).to.include({ error: 'invalid_grant' });
  });

  it('are refused where their answers could go astray, or they say too much', async () => {
    const bad: readonly unknown[] = [
      [],
      ['http://evil.example/cb'],
      ['http://10.0.0.1/cb'],
      ['https://a.example/#f'],
      ['javascript:alert(1)'],
      ['data:text/html,x'],
      ['/cb'],
      ['https://a.example/a b'],
      ['https://a.example/;x'],
      ['https://*.example/cb'],
      ['https://*/cb'],
      ['editor://*.example/cb'],
      [7],
      'https://a.example/',
      Array(21).fill('https://a.example/'),
      Array.from({ length: 6 }, (_, index) => `https://a.example/${index}${'x'.repeat(1500)}`),
      [`https://a.example/${'x'.repeat(2000)}`],
    ];
    for (const redirect_uris of bad) {
      const { status, body } = await oauth.register({ redirect_uris, token_endpoint_auth_method: 'none' });
      expect(status, JSON.stringify(redirect_uris).slice(0, 80)).to.equal(400);
      expect(body.error).to.be.oneOf(['invalid_redirect_uri', 'invalid_client_metadata']);
    }
    for (const wrong of [{ token_endpoint_auth_method: 'private_key_jwt' }, { client_uri: 'javascript:x' }]) {
      expect((await oauth.register({ redirect_uris: [REDIRECT], ...wrong })).status).to.equal(400);
    }
    for (const raw of ['', '[]', 'null', '{', `{"redirect_uris":["${'x'.repeat(60_000)}"]}`]) {
      const response = await fetch(`${world.baseUrl}/oauth/register`, {
        method: 'POST',
        body: raw,
        headers: { 'content-type': 'application/json' },
      });
      expect(response.status, raw.slice(0, 20)).to.equal(400);
    }
  });

  it('cannot pretend: names are short plain text, and marked as the client’s own words', async () => {
    const client = await oauth.registered({
      client_name: `<b>Portico</b>\n\u202e ${'x'.repeat(300)}`,
      redirect_uris: ['https://app.example/cb'],
    });
    const { visit } = await oauth.asked(client, { scope });
    expect(visit.text).not.to.include('<b>Portico').and.not.include('\u202e');
    expect(wordsOf(visit)).to.include('wants to be answered at app.example. It calls itself “<b>Portico</b> x');
    expect(wordsOf(visit)).not.to.include('x'.repeat(100));
  });

  it('expire after a week without a grant, and stay as long as there is one', async () => {
    const [idle, used] = [await oauth.registered(), await oauth.registered()];
    const rows = (column: string) =>
      world.query<{ days: number }>(`select extract(day from expires_at - now())::int as days from ${column}`);
    expect((await rows(`oauth_records where kind = 'Client' order by created_at desc limit 1`))[0]?.days).to.be.within(
      6,
      7,
    );
    await oauth.granted(used, { scope });
    await world.query(`update oauth_records set expires_at = expires_at - interval '8 days' where kind = 'Client'`);
    await world.composition.container.get(OAuthStore).sweep();
    expect((await oauth.open().open(oauth.authorization(idle, { scope }).url)).status).to.equal(400);
    expect((await oauth.of('ada@example.com').open(oauth.authorization(used, { scope }).url)).status).to.equal(200);
  });

  it('may be asked from pages of any origin, which have no cookies to lend', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server',
    ]) {
      const headers = { origin: 'https://inspector.example', 'access-control-request-method': 'POST' };
      const answer = await fetch(`${world.baseUrl}${path}`, { method: 'OPTIONS', headers });
      expect([answer.status, answer.headers.get('access-control-allow-origin')], path).to.deep.equal([204, '*']);
      expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
    }
    const answer = await fetch(`${world.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { origin: 'https://inspector.example' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([400, '*']);
  });

  it('are slowed down', async () => {
    let status = 201;
    for (let count = 0; count < 110 && status === 201; count += 1)
      ({ status } = await oauth.register({ redirect_uris: [REDIRECT] }));
    expect(status).to.equal(429);
  });
});

describe('OAuth: where clients cannot register themselves', () => {
  let world: World;
  before(async () => {
    world = await openWorld({ env: { OAUTH_REGISTRATION: 'closed' } });
  });
  after(() => world.stop());

  it('there is no such address, and the metadata names none', async () => {
    const answer = await fetch(`${world.baseUrl}/oauth/register`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).to.equal(404);
    const metadata = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).not.to.have.property('registration_endpoint');
    expect(metadata).to.include({ client_id_metadata_document_supported: true });
  });
});

describe('OAuth: clients that publish a document, and a server without a way to it', () => {
  const id = 'https://agent.example/oauth/client.json';
  const notFound = async () => {
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  };
  const cutOff = async (env: Readonly<Record<string, string>> = {}) => {
    const lines: { readonly fields: object; readonly message: string }[] = [];
    const log = { ...quiet, warn: (fields: object, message: string) => void lines.push({ fields, message }) };
    const world = await openWorld({ documents: { allowedHosts: [], lookup: notFound }, log, env });
    const oauth = oauthClient(world.baseUrl);
    const isAnnounced = async () => {
      const metadata = (await (
        await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)
      ).json()) as Record<string, unknown>;
      return metadata.client_id_metadata_document_supported;
    };
    const ask = (of = id) =>
      oauth.open().open(oauth.authorization({ id: of, secret: null, redirectUri: REDIRECT }, { scope }).url);
    return { world, oauth, lines, isAnnounced, ask };
  };

  it('are asked to register once a document could not be reached, which the page and the log name', async () => {
    const { world, oauth, lines, isAnnounced, ask } = await cutOff();
    try {
      expect(await isAnnounced()).to.equal(true);
      const visit = await ask();
      expect([visit.status, visit.left]).to.deep.equal([400, null]);
      expect(wordsOf(visit))
        .to.include('could not read what the program says about itself at agent.example')
        .and.include('OAUTH_CLIENT_DOCUMENTS=off');
      expect(visit.text).not.to.match(/ENOTFOUND|cannot be found/);
      const [line] = lines.filter(({ message }) => message.includes('document of a client'));
      expect(line?.fields).to.include({ host: 'agent.example', reason: 'unreachable' });
      expect(line?.message).to.include('OAUTH_CLIENT_DOCUMENTS=off');
      expect(await isAnnounced()).to.equal(false);
      // The server refuses this address by itself, so that it says nothing of the way out.
      expect((await ask('https://10.1.2.3/client.json')).status).to.equal(400);
      expect(await isAnnounced()).to.equal(false);
      expect((await oauth.granted(await oauth.registered(), { scope })).scope).to.equal(scope);
    } finally {
      await world.stop();
    }
  });

  it('are not announced at all where a setting says so, and then not fetched', async () => {
    const { world, lines, isAnnounced, ask } = await cutOff({ OAUTH_CLIENT_DOCUMENTS: 'off' });
    try {
      expect(await isAnnounced()).to.equal(false);
      expect((await ask()).status).to.equal(400);
      expect(lines.filter(({ message }) => message.includes('document of a client'))).to.deep.equal([]);
    } finally {
      await world.stop();
    }
  });

  it('stay announced where clients cannot register', async () => {
    const { world, isAnnounced, ask } = await cutOff({ OAUTH_REGISTRATION: 'closed' });
    try {
      expect((await ask()).status).to.equal(400);
      expect(await isAnnounced()).to.equal(true);
    } finally {
      await world.stop();
    }
  });
});

describe('OAuth: clients that publish a document', () => {
  const tls = path.resolve(import.meta.dirname, '../fixtures/tls');
  const documents = new Map<
    string,
    (fetches: number) => { status?: number; headers?: Record<string, string>; body: string | Buffer }
  >();
  const fetches = new Map<string, number>();
  let world: World;
  let oauth: OAuthClient;
  let origin: string;
  let host: ReturnType<typeof createServer>;
  const lookup = async (name: string) => {
    if (name === 'hooks.test') return [{ address: '127.0.0.1', family: 4 as const }];
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  };

  before(async () => {
    const [key, cert] = await Promise.all(
      ['hooks.key', 'hooks.crt'].map((name) => readFile(path.join(tls, name), 'utf8')),
    );
    host = createServer({ key, cert }, (req, res) => {
      const address = req.url ?? '';
      const count = (fetches.get(address) ?? 0) + 1;
      fetches.set(address, count);
      const { status = 200, headers = {}, body } = documents.get(address)?.(count) ?? { status: 404, body: '' };
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    origin = `https://hooks.test:${(host.address() as AddressInfo).port}`;
    world = await openWorld({
      documents: { allowedHosts: ['hooks.test'], ca: cert ?? '', lookup },
    });
    oauth = oauthClient(world.baseUrl);
  });
  after(async () => {
    await world.stop();
    host.close();
  });

  const publish = (address: string, more: object = {}, headers: Record<string, string> = {}): Registered => {
    const id = origin + address;
    const metadata = {
      client_id: id,
      client_name: 'Hooks',
      redirect_uris: [REDIRECT, 'https://hooks.test/cb'],
      token_endpoint_auth_method: 'none',
      ...more,
    };
    documents.set(address, () => ({ body: JSON.stringify(metadata), headers }));
    return { id, secret: null, redirectUri: REDIRECT };
  };

  it('need no registration, and are shown by the host of their document', async () => {
    const client = publish('/oauth/client.json', {
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      scope: 'all',
    });
    const { visit, on, verifier } = await oauth.asked({ ...client, redirectUri: 'https://hooks.test/cb' }, { scope });
    expect(wordsOf(visit)).to.include(
      `The program of ${new URL(origin).host} asks for access. It calls itself “Hooks”.`,
    );
    const { left } = await on.press(visit, 'Allow');
    const { status, body } = await oauth.exchange(
      { ...client, redirectUri: 'https://hooks.test/cb' },
      left?.searchParams.get('code') ?? '',
      verifier,
    );
    expect(status).to.equal(200);
    expect((await oauth.refresh(client, body.refresh_token)).status).to.equal(200);
  });

  it('stay announced while one host is down and others were reached', async () => {
    await oauth.granted(publish('/reached.json'), { scope });
    const gone = { id: 'https://gone.example/client.json', secret: null, redirectUri: REDIRECT };
    expect(wordsOf(await oauth.open().open(oauth.authorization(gone, { scope }).url))).to.include('gone.example');
    const metadata = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).to.include({ client_id_metadata_document_supported: true });
  });

  it('are fetched once while the answer may be kept', async () => {
    const client = publish('/kept.json', { token_endpoint_auth_method: undefined }, { 'cache-control': 'max-age=600' });
    await oauth.granted(client, { scope });
    await oauth.granted(client, { scope });
    expect(fetches.get('/kept.json')).to.equal(1);
  });

  it('come back at the addresses of their document only, at any port of a loopback one', async () => {
    const client = publish('/redirects.json');
    await oauth.code({ ...client, redirectUri: 'http://127.0.0.1:5050/callback' }, { scope });
    for (const redirectUri of ['https://evil.example/cb', 'https://hooks.test/other', 'https://hooks.test:444/cb']) {
      const visit = await oauth.open().open(oauth.authorization({ ...client, redirectUri }, { scope }).url);
      expect([visit.status, visit.left]).to.deep.equal([400, null]);
    }
  });

  describe('are refused with a page', () => {
    const refused = async (id: string) => {
      const visit = await oauth
        .open()
        .open(oauth.authorization({ id, secret: null, redirectUri: REDIRECT }, { scope }).url);
      expect([visit.status, visit.left]).to.deep.equal([400, null]);
      expect(wordsOf(visit)).to.include('This cannot go on');
    };

    it('where the document speaks of another client', () =>
      refused(publish('/other.json', { client_id: 'https://hooks.test/else' }).id));
    it('if it contains a secret', () => refused(publish('/secret.json', { client_secret: 'x' }).id));
    it('where it wants one', () =>
      refused(publish('/post.json', { token_endpoint_auth_method: 'client_secret_post' }).id));
    it('where its addresses are not https or loopback', () =>
      refused(publish('/http.json', { redirect_uris: ['http://evil.example/cb'] }).id));
    it('where it is not JSON', () => {
      documents.set('/text.json', () => ({ body: 'hello' }));
      return refused(`${origin}/text.json`);
    });
    it('where it is too large', () => refused(publish('/large.json', { filler: 'x'.repeat(20_000) }).id));
    it('where it redirects', async () => {
      publish('/target.json');
      documents.set('/moved.json', () => ({ status: 302, headers: { location: `${origin}/target.json` }, body: '' }));
      await refused(`${origin}/moved.json`);
      expect(fetches.get('/target.json')).to.equal(undefined);
    });
    it('where nothing is there', () => refused(`${origin}/nothing.json`));
    it('where the address is no document', () =>
      Promise.all([refused(origin), refused(`${origin}/`), refused(`${origin}/${'x'.repeat(1000)}`)]));
    it('where it is not fetched over https', () =>
      refused(origin.replace('https', 'http').concat('/oauth/client.json')));
  });

  it('are not fetched from places that only the server can reach', async () => {
    const plain = await openWorld();
    try {
      const lonely = oauthClient(plain.baseUrl);
      for (const id of [
        'https://127.0.0.1:9/c.json',
        'https://169.254.169.254/latest',
        'https://[::1]/c.json',
        'https://localhost/c.json',
        'https://10.0.0.1/c',
      ]) {
        const visit = await lonely
          .open()
          .open(lonely.authorization({ id, secret: null, redirectUri: REDIRECT }, { scope }).url);
        expect([visit.status, visit.left], id).to.deep.equal([400, null]);
        expect(visit.text).not.to.match(/ECONNREFUSED|loopback|private/);
      }
    } finally {
      await plain.stop();
    }
  });
});
