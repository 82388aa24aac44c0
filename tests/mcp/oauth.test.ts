import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { oauthClient } from '../oauth/client.ts';
import { openWorld, PASSWORD, type World } from '../oauth/world.ts';
import { hasChromium, launchChromium, visit } from '../support/chromium.ts';
import { listen } from '../support/listen.ts';
import { fixtureAgent, fixtureServer } from './fixture-server.ts';
import { type OfficialClient, officialClients, type Session } from './oauth-clients.ts';
import { type OAuthProvider, oauthProvider } from './oauth-provider.ts';

/** A folder to look at the pages in. */
const shots = process.env.TEST_SCREENSHOTS;

type Listening = Awaited<ReturnType<typeof listen>>;

describe('MCP: official clients through the whole of OAuth, in Chromium', () => {
  let tools: Listening;
  let world: World;
  let callback: Listening;
  let publisher: ReturnType<typeof createServer>;
  let chrome: Browser;
  let url: string;
  const published = () => `https://hooks.test:${(publisher.address() as AddressInfo).port}/workbench.json`;

  before(async function () {
    if (!hasChromium) return this.skip();
    const tls = path.resolve(import.meta.dirname, '../fixtures/tls');
    const [key, cert] = await Promise.all(
      ['hooks.key', 'hooks.crt'].map((name) => readFile(path.join(tls, name), 'utf8')),
    );
    callback = await listen((_request, response) => response.end('back at the client'));
    publisher = createServer({ key, cert }, (_request, response) => {
      const { clientMetadata } = oauthProvider(`${callback.baseUrl}/callback`);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ client_id: published(), ...clientMetadata }));
    });
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
    tools = await fixtureServer();
    world = await openWorld({
      agents: fixtureAgent(tools.baseUrl),
      documents: {
        allowedHosts: ['hooks.test'],
        ca: cert ?? '',
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      },
    });
    url = world.mcpUrl(world.agent('Toolbox'));
    chrome = await launchChromium();
    if (shots) await mkdir(shots, { recursive: true });
  });
  after(async () => {
    await chrome?.close();
    await world?.stop();
    await tools?.stop();
    await callback?.stop();
    publisher?.close();
  });

  const shoot = async (page: Page, name: string) => {
    if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  };

  /** What the user does in the browser; the address at which they come back. */
  const allow = async (asked: URL, expected: RegExp): Promise<URL> => {
    const page = await (await chrome.newContext()).newPage();
    await visit(page, asked.href);
    await shoot(page, 'mcp-sign-in');
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const button = page.getByRole('button', { name: 'Allow', exact: true });
    await button.waitFor();
    await shoot(page, `mcp-consent${expected.source.includes('hooks') ? '-published' : ''}`);
    const words = (await page.getByRole('main').textContent()) ?? '';
    expect(words).to.match(expected).and.include('Toolbox').and.include('ada@example.com');
    await button.click();
    await page.waitForURL(`${callback.baseUrl}/**`);
    const back = new URL(page.url());
    await page.context().close();
    return back;
  };

  /** From the first 401 to the first call. */
  const connected = async (client: OfficialClient, provider: OAuthProvider, expected: RegExp): Promise<Session> => {
    expect(await client.connect(url, provider), 'it cannot connect yet').to.equal(null);
    const { asked, state } = provider.kept;
    provider.kept.asked = null;
    if (!asked) return expect.fail('it sends its user nowhere');
    const sent = Object.fromEntries(asked.searchParams);
    expect(sent).to.include({
      resource: url,
      code_challenge_method: 'S256',
      state,
      redirect_uri: provider.redirectUrl,
    });
    const back = await allow(asked, expected);
    expect(Object.fromEntries(back.searchParams)).to.include({ state, iss: world.baseUrl });
    await client.comeBack(url, provider, back.searchParams);
    return (await client.connect(url, provider)) ?? expect.fail('it is refused with its token');
  };

  const listed = (token: string, at = url) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(at, { method: 'POST', headers, body: JSON.stringify(message) });
  };

  const sum = { structured: { sum: 5 }, isError: false };

  for (const [name, client] of Object.entries(officialClients)) {
    describe(name, () => {
      it('registers, is allowed, calls a tool, and renews its token when it is over', async () => {
        const provider = oauthProvider(`${callback.baseUrl}/callback`);
        const session = await connected(client, provider, /A program on this computer asks for access/);
        expect(await session.call('add', { a: 2, b: 3 })).to.deep.equal(sum);
        const old = provider.kept.tokens ?? expect.fail('it has no tokens');
        expect(old.access_token).to.match(/^svcpt_/);

        await world.query(`update oauth_records set expires_at = now() where kind = 'AccessToken'`);
        let status = 200;
        // Processes remember tokens for seconds.
        for (let looks = 0; looks < 500 && status === 200; looks += 1) {
          await sleep(20);
          status = (await listed(old.access_token)).status;
        }
        expect(status).to.equal(401);
        expect(await session.call('add', { a: 1, b: 4 }), 'it renews by itself').to.deep.equal(sum);
        const renewed = provider.kept.tokens ?? expect.fail('it has no tokens');
        expect(renewed.access_token).not.to.equal(old.access_token);
        expect(renewed.refresh_token).not.to.equal(old.refresh_token);
        expect(provider.kept.asked, 'the user is not asked again').to.equal(null);

        const elsewhere = await listed(renewed.access_token, world.mcpUrl(world.agent('Invoice reader')));
        expect(elsewhere.status).to.equal(401);
        expect(elsewhere.headers.get('www-authenticate')).to.match(/^Bearer .*error="invalid_token"/);
        expect((await listed(renewed.access_token, `${world.baseUrl}/api/v1/agents`)).status).to.equal(405);
        expect((await oauthClient(world.baseUrl).call('/api/v1/agents', renewed.access_token)).status).to.equal(401);

        const registered = {
          id: provider.kept.client?.client_id ?? '',
          secret: null,
          redirectUri: provider.redirectUrl,
        };
        const replayed = await oauthClient(world.baseUrl).refresh<object>(registered, old.refresh_token ?? '');
        expect(replayed).to.deep.include({ status: 400 });
        expect(replayed.body).to.include({ error: 'invalid_grant' });
        expect((await listed(renewed.access_token)).status, 'the whole family is revoked').to.equal(401);
        const failure = await session.call('add', { a: 1, b: 4 }).catch((error: unknown) => error);
        expect(client.wantsUser(failure), String(failure)).to.equal(true);
        expect(provider.kept.asked?.pathname).to.equal('/oauth/authorize');
        await session.close();
      });

      it('needs no registration where it publishes what it is', async () => {
        const provider = oauthProvider(`${callback.baseUrl}/callback`, published());
        const session = await connected(client, provider, /The program of hooks\.test:\d+ asks for access/);
        expect(provider.kept.client?.client_id).to.equal(published());
        expect(await session.call('add', { a: 2, b: 3 })).to.deep.equal(sum);
        await session.close();
      });
    });
  }
});
