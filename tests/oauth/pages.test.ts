import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { AccountService } from '../../src/composition/modules/access.ts';
import { hasChromium, launchChromium, visit } from '../support/chromium.ts';
import { listen } from '../support/listen.ts';
import { type OAuthClient, oauthClient, type Registered } from './client.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

/** A folder to look at the pages in. */
const shots = process.env.TEST_SCREENSHOTS;

const looks = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** Runs in the page: what hinders people with low vision, a screen reader or a small screen. */
const examination = `(() => {
  const errors = [];
  const must = (fulfilled, what) => { if (!fulfilled) errors.push(what); };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  must(document.documentElement.lang === 'en', 'the page has no language');
  must(all('h1').length === 1, 'there is not one heading of the first level');
  must(all('main').length === 1 && all('header').length === 1 && all('footer').length === 1, 'a landmark is missing');
  must(document.title.endsWith('· Portico'), 'the title does not say whose page it is');
  must(document.documentElement.scrollWidth <= innerWidth, 'the page is wider than the screen');
  must(all('script, iframe, [onclick], img').length === 0, 'there is something that acts or is fetched');
  for (const input of all('input:not([type=hidden])').filter(shown)) {
    must(input.labels?.length > 0, input.name + ' has no label');
    const wrong = (input.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id && !document.getElementById(id));
    must(wrong.length === 0, input.name + ' is described by nothing');
  }
  for (const button of all('button').filter(shown)) {
    must(button.textContent.trim() !== '', 'a button has no name');
    must(button.classList.contains('text') || button.getBoundingClientRect().height >= 44, button.textContent + ' is too small to touch');
  }
  for (const element of all('body *').filter(shown)) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('.skip')) continue;
    const ratio = contrast(rgb(getComputedStyle(element).color), background(element));
    must(ratio >= 4.5, element.textContent.trim().slice(0, 30) + ' has a contrast of ' + ratio.toFixed(2));
  }
  for (const input of all('input[type=email], input[type=password]').filter(shown)) {
    const edge = contrast(rgb(getComputedStyle(input).borderColor), background(input.parentElement));
    must(edge >= 3, input.name + ' has an edge with a contrast of ' + edge.toFixed(2));
  }
  return errors;
})()`;

describe('OAuth: the pages in Chromium', () => {
  let world: World;
  let oauth: OAuthClient;
  let client: Registered;
  let chrome: Browser;
  let target: Awaited<ReturnType<typeof listen>>;
  const complaints: string[] = [];

  before(async function () {
    if (!hasChromium) return this.skip();
    chrome = await launchChromium();
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
    target = await listen((_req, res) => res.end('back at the client'));
    client = await oauth.registered({ client_name: 'Notebook', redirect_uris: [`${target.baseUrl}/callback`] });
    if (shots) await mkdir(shots, { recursive: true });
  });
  after(async () => {
    await chrome?.close();
    await target?.stop();
    await world?.stop();
  });

  const opened = async (options: BrowserContextOptions): Promise<Page> => {
    const page = await (await chrome.newContext(options)).newPage();
    page.on(
      'console',
      (line) => void (line.type() === 'error' && !line.text().includes('status of 4') && complaints.push(line.text())),
    );
    page.on('pageerror', (error) => void complaints.push(String(error)));
    return page;
  };
  const shoot = async (page: Page, name: string) => {
    if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  };
  const active = (page: Page) => page.locator(':focus');

  it('can be used with the keyboard alone, without any script', async () => {
    const page = await opened({ javaScriptEnabled: false });
    const { url, verifier } = oauth.authorization(client, { scope: 'agents:read runs:write' });
    await visit(page, url);
    expect(await page.title()).to.equal('Sign in · Portico');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).to.equal('The email address or the password is not right.');
    expect(await page.getByLabel('Email address').inputValue(), 'what was typed stays').to.equal('ada@example.com');
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).to.equal('problem');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).to.have.length(2);
    expect(page.url()).not.to.include('code=');
    await page.keyboard.press('Tab');
    expect(await active(page).textContent()).to.equal('Skip to the content');
    await page.keyboard.press('Tab');
    expect(await active(page).textContent()).to.equal('Allow');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${target.baseUrl}/**`);
    const back = new URL(page.url());
    expect(back.searchParams.get('iss')).to.equal(world.baseUrl);
    const { status } = await oauth.exchange(client, back.searchParams.get('code') ?? '', verifier);
    expect(status).to.equal(200);
    await visit(page, `${world.baseUrl}/oauth/grants`);
    await page.getByRole('button', { name: 'Take access away' }).first().press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).to.equal('The program has no access any more.');
    await page.context().close();
  });

  it('let a newcomer choose a password, sign in and pick an agent', async () => {
    const page = await opened({ javaScriptEnabled: false });
    const { url } = await world.composition.container.get(AccountService).invite('new@example.com');
    await visit(page, url);
    await page.getByLabel('New password').fill('too short');
    await page.getByLabel('The same password again').fill('too short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    const problem = page.getByText('Error: it must have at least 12 characters.');
    await problem.waitFor();
    expect(await page.getByLabel('New password').getAttribute('aria-describedby')).to.include(
      (await problem.getAttribute('id')) ?? 'none',
    );
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('The same password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'The password is set' }).waitFor();
    await visit(page, oauth.authorization(client, {}).url);
    await page.getByLabel('Email address').fill('new@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('group', { name: 'Which agent may it use?' }).waitFor();
    await page.getByLabel('Invoice reader').check();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${target.baseUrl}/**`);
    expect(new URL(page.url()).searchParams.get('code')).to.be.a('string');
    await page.context().close();
  });

  it('go back to the client if the user does not allow it', async () => {
    const page = await opened({});
    await visit(page, oauth.authorization(client, { scope: 'runs:read' }).url);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Do not allow' }).click();
    await page.waitForURL(`${target.baseUrl}/**`);
    expect(new URL(page.url()).searchParams.get('error')).to.equal('access_denied');
    await page.context().close();
  });

  for (const [look, options] of Object.entries(looks)) {
    it(`can be read and used: ${look}`, async () => {
      const page = await opened(options);
      const examine = async (name: string) => {
        await shoot(page, `${name}-${look}`);
        expect(await page.evaluate(examination), name).to.deep.equal([]);
      };
      const { url: invitation } = await world.composition.container.get(AccountService).invite('new@example.com');
      await visit(page, invitation);
      await examine('invitation');
      await page.getByLabel('New password').fill('password1234');
      await page.getByLabel('The same password again').fill('password1234');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('Error:').waitFor();
      await examine('invitation-error');
      await visit(page, oauth.authorization(client, { scope: 'agents:read runs:read runs:write' }).url);
      await examine('sign-in');
      await page.getByLabel('Email address').fill('bob@example.com');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await examine('sign-in-error');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      await examine('consent');
      await visit(page, oauth.authorization(client, { resource: world.mcpUrl(world.agent('Invoice reader')) }).url);
      await examine('consent-agent');
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${target.baseUrl}/**`);
      await visit(page, oauth.authorization(client, { scope: 'other' }).url);
      await examine('consent-choice');
      await visit(page, `${world.baseUrl}/oauth/grants`);
      await examine('grants');
      await visit(page, `${world.baseUrl}/oauth/authorize?client_id=nobody`);
      await examine('mistake');
      await page.context().close();
    });
  }

  it('were never stopped by their own policy', () => expect(complaints).to.deep.equal([]));
});
