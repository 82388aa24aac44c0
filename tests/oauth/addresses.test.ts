import { request } from 'node:http';
import { expect } from 'chai';
import { listen } from '../support/listen.ts';
import { oauthClient } from './client.ts';
import { openWorld } from './world.ts';

const scope = 'agents:read';

describe('OAuth: where the server is not at the root of its own host', () => {
  it('the whole flow goes through a proxy that serves it under a path', async () => {
    let inside = '';
    const proxy = await listen((req, res) => {
      const path = req.url?.startsWith('/portico/') ? req.url.slice('/portico'.length) : (req.url ?? '');
      const headers = { ...req.headers, host: 'inside.example' };
      const passed = request(inside + path, { method: req.method ?? 'GET', headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
        answer.pipe(res);
      });
      req.pipe(passed);
    });
    const base = `${proxy.baseUrl}/portico`;
    const world = await openWorld({ env: { BASE_URL: base } });
    inside = world.baseUrl;
    try {
      const oauth = oauthClient(base);
      const metadata = await (await fetch(`${proxy.baseUrl}/.well-known/oauth-authorization-server/portico`)).json();
      expect(metadata).to.include({
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
      });
      const index = await (await fetch(`${base}/api/v1`)).text();
      expect(index).to.include(`${proxy.baseUrl}/.well-known/oauth-authorization-server/portico`);
      const client = await oauth.registered();
      const { answer, code, verifier } = await oauth.code(client, { scope });
      expect(answer.searchParams.get('iss')).to.equal(base);
      const { body } = await oauth.exchange(client, code, verifier);
      expect((await oauth.call('/api/v1/agents', body.access_token)).status).to.equal(200);
      const on = oauth.of('ada@example.com');
      const grants = await on.open(`${base}/oauth/grants`);
      expect((await on.press(await on.press(grants, 'Take access away'), 'Sign out')).url.href).to.equal(
        `${base}/oauth/sign-in`,
      );
      expect((await oauth.call('/api/v1/agents', body.access_token)).status).to.equal(401);
    } finally {
      await world.stop();
      await proxy.stop();
    }
  });

  it('a server behind https names https addresses, and its cookies never leave https', async () => {
    const issuer = 'https://auth.example';
    const world = await openWorld({ env: { AUTH_URL: issuer } });
    try {
      const oauth = oauthClient(world.baseUrl);
      const client = await oauth.registered();
      const { url } = oauth.authorization(client, { scope });
      const first = await fetch(url, { redirect: 'manual' });
      expect(first.headers.get('location')).to.match(/^https:\/\/auth\.example\/oauth\/interaction\//);
      const cookies = first.headers.getSetCookie();
      const page = await fetch(world.baseUrl + new URL(first.headers.get('location') ?? '').pathname, {
        headers: { cookie: cookies.map((each) => each.split(';')[0]).join('; ') },
      });
      expect(page.status).to.equal(200);
      const all = [...cookies, ...page.headers.getSetCookie()];
      expect(all.length).to.be.above(2);
      for (const cookie of all)
        expect(cookie)
          .to.match(
            /^__(Host-portico_form=.*; path=\/;|Secure-portico_(interaction|resume)(\.sig)?=.*; path=\/oauth\/)/,
          )
          .and.match(/; secure/i)
          .and.match(/; httponly/i)
          .and.not.match(/; domain/i);
      const metadata = (await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).json()) as {
        issuer: string;
      };
      expect(metadata.issuer).to.equal(issuer);
    } finally {
      await world.stop();
    }
  });

  it('a server behind https makes browsers use only https, and one without it sends no such header', async () => {
    const one = 'max-age=31536000';
    const worlds: readonly (readonly [Readonly<Record<string, string>>, string | null, string | null])[] = [
      [{}, null, null],
      [{ BASE_URL: 'https://portico.example' }, one, one],
      [{ AUTH_URL: 'https://auth.example' }, null, one],
      [{ BASE_URL: 'https://portico.example', AUTH_URL: 'http://127.0.0.1:9' }, one, null],
    ];
    for (const [env, api, oauth] of worlds) {
      const world = await openWorld({ env });
      try {
        const hsts = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
          (await fetch(world.baseUrl + path, { headers, redirect: 'manual' })).headers.get('strict-transport-security');
        for (const path of ['/api/v1', '/api/v1/agents', '/api/v1/nowhere', '/developers', '/'])
          expect(await hsts(path), `${path} with ${JSON.stringify(env)}`).to.equal(api);
        for (const path of [
          '/oauth/sign-in',
          '/oauth/grants',
          '/oauth/authorize?client_id=x',
          '/oauth/token',
          '/.well-known/oauth-authorization-server',
        ])
          expect(await hsts(path), `${path} with ${JSON.stringify(env)}`).to.equal(oauth);
        expect(
          await hsts('/developers', { 'x-forwarded-proto': 'http' }),
          'a proxy that was asked without TLS',
        ).to.equal(null);
      } finally {
        await world.stop();
      }
    }
  });
});
