import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Certified, certify } from '../support/certificates.ts';
import { hasChromium, launchChromium, reload, visit } from '../support/chromium.ts';
import { closed, freePort } from '../support/listen.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

/** What an older browser does not send, nor one that reaches the server without TLS. */
const FETCH_METADATA = /^sec-fetch-/;

describe('OAuth: in Chromium, where TLS ends at a proxy', () => {
  let certified: Certified | null = null;
  let proxy: Server;
  let chrome: Browser;
  let world: World;
  let base = '';
  let isOld = false;

  before(async function () {
    certified = hasChromium ? await certify('IP:127.0.0.1') : null;
    if (certified === null) return this.skip();
    const port = await freePort();
    base = `https://127.0.0.1:${port}`;
    world = await openWorld({ env: { BASE_URL: base } });
    proxy = createServer({ cert: await readFile(certified.cert), key: await readFile(certified.key) }, (req, res) => {
      const sent = Object.entries(req.headers).filter(([name]) => !isOld || !FETCH_METADATA.test(name));
      const passed = request(
        world.baseUrl + req.url,
        { method: req.method ?? 'GET', headers: Object.fromEntries(sent) },
        (answer) => {
          res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(res);
        },
      );
      req.pipe(passed);
    });
    await once(proxy.listen(port, '127.0.0.1'), 'listening');
    chrome = await launchChromium();
  });
  after(async () => {
    await chrome?.close();
    if (proxy) await closed(proxy);
    await world?.stop();
    await certified?.remove();
  });

  const signedIn = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await visit(page, `${base}/console`);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    return page;
  };

  it('keeps cookies that no other host and no page without TLS can have set, and stays signed in by them', async () => {
    const context = await chrome.newContext({ ignoreHTTPSErrors: true });
    const page = await signedIn(context);
    const cookies = await context.cookies();
    const names = cookies.map(({ name }) => name);
    expect(names).to.include.members([
      '__Host-portico_session',
      '__Host-portico_session.sig',
      '__Host-portico_form',
      '__Host-portico_browser',
    ]);
    for (const { name, ...cookie } of cookies) {
      expect(cookie, name).to.include({ secure: true, httpOnly: true, sameSite: 'Lax', domain: '127.0.0.1' });
      if (name.startsWith('__Host-')) expect(cookie.path, name).to.equal('/');
      // The two of one authorization are sent to its own pages alone, so that several can be under way at a time.
      else
        expect(name + cookie.path).to.match(
          /^__Secure-portico_(interaction|resume)(\.sig)?\/oauth\/(interaction|authorize)\/[\w-]+$/,
        );
    }
    await reload(page);
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await context.close();
  });

  for (const old of [false, true]) {
    it(`takes the forms and the sign-out of a browser ${old ? 'without' : 'with'} fetch metadata`, async () => {
      isOld = old;
      const context = await chrome.newContext({ ignoreHTTPSErrors: true });
      const page = await signedIn(context);
      await visit(page, `${base}/oauth/grants`);
      await page.getByRole('button', { name: 'Take access away' }).first().click();
      expect(await page.getByRole('status').textContent()).to.match(/access/);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const again = await signedIn(context);
      await again.evaluate(
        `fetch('/oauth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
      );
      expect((await context.cookies()).map(({ name }) => name)).to.not.include('__Host-portico_session');
      await context.close();
    });
  }
});
