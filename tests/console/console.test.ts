import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import axe from 'axe-core';
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Evidence } from '../../src/domain/document.ts';
import { hasChromium, reload, shownBy, visit } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { anotherPerson } from './another-person.ts';
import { appearance } from './appearance.ts';
import { approvals, approvalTargets } from './approvals.ts';
import { clerksHour } from './clerks-hour.ts';
import { decisions } from './decisions.ts';
import { aReview, documentPage } from './document-page.ts';
import { aHybrid, eInvoicePage } from './e-invoice-page.ts';
import { entries } from './entries.ts';
import { inboxPage } from './inbox-page.ts';
import { listPage } from './list-page.ts';
import { livePages, liveTargets } from './live-pages.ts';
import { lostConnection } from './lost-connection.ts';
import { conversations, otherPages, otherTargets } from './other-pages.ts';
import { partsPage, partsTargets } from './parts-page.ts';
import { places } from './places.ts';
import { settingsPages, settingsTargets } from './settings-pages.ts';
import { sourcesPage, sourceTargets } from './sources-page.ts';
import { tabs } from './tabs.ts';
import { takingBack } from './taking-back.ts';
import { usagePage, usageTargets } from './usage-page.ts';
import { viewer, viewerTargets } from './viewer.ts';
import { type ConsoleWorld, openConsole, signIn, type Targets } from './world.ts';

/** A folder to look at the pages in. */
const shots = process.env.TEST_SCREENSHOTS;

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  phone: { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1440, height: 900 } },
};
/** What axe looks for: in the dark, only what colours change, since nothing else in a page depends on it. */
const looks = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
} as const;

const found = (quote: string): Evidence => ({
  quote,
  fileName: 'invoice.txt',
  page: null,
  boxes: [],
  approximate: false,
  support: 'exact',
  source: 'text',
  confidence: null,
  xpath: null,
});

const unreviewed = {
  coverage: null,
  einvoice: null,
  contradictions: [],
  checks: [],
  duplicateKey: null,
  fileHashes: [],
  pagesOcr: 0,
  reviewStatus: 'not_required',
  reviewReasons: [],
} as const;

/** Of a document that was made of a message alone. */
const noFiles = {
  pagesRead: 0,
  pagesTotal: 0,
  charactersRead: 0,
  charactersTotal: 0,
  complete: true,
  unread: [],
  doubts: [],
};

const HOSTILE = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">"'&`;
const LONG = `${'a very long name '.repeat(14)}${'x'.repeat(80)}.pdf`.slice(0, 255);
/** Of the page itself: the one that loads it again, and the one that starts. */
const SCRIPTS = 2;
/** More digits than a double has. */
const EXACT = '12345678901234567.89';
const SHOWN = '12,345,678,901,234,567.89';

describe('the console in Chromium', function () {
  this.timeout(480_000);
  let world: ConsoleWorld;
  let hostileId: string;
  let brokenId: string;

  before(async function () {
    if (!hasChromium) return this.skip();
    world = await openConsole();
    if (shots) await mkdir(shots, { recursive: true });
  });
  after(() => world?.stop());
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.log(await shownBy(world.browser));
  });

  const go = async (page: Page, target: string) => {
    await visit(page, `${world.baseUrl}/console${target}`);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  };

  conversations(() => world, go, HOSTILE);

  it('shows a newcomer what to do, and takes a file from the button to the values that were read', async () => {
    const page = await world.open();
    await go(page, '');
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    await world.working(true);
    await page.getByRole('button', { name: 'Send files' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('Invoices');
    const buffer = Buffer.from(`Supplier: Meyer & Sons\nTotal: ${EXACT}\n`);
    await page.locator('input[type=file]').setInputFiles([{ name: 'invoice.txt', mimeType: 'text/plain', buffer }]);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL('**/console/runs/*');
    await page.getByRole('link', { name: 'invoice.txt' }).waitFor();
    await page.locator('.facts').getByText('completed').waitFor();
    await page.getByText('Read the file').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'invoice.txt' }).click();
    const total = page.getByLabel('Total', { exact: true });
    await total.waitFor();
    expect(await total.inputValue()).to.equal(SHOWN);
    await total.focus();
    await page.waitForFunction(`document.activeElement.value === '${EXACT}'`);
    await page
      .locator('.facts')
      .getByText(/(\d+) of \1 characters/)
      .waitFor();
    await reload(page);
    await total.waitFor();
    expect([await total.inputValue(), await page.getByLabel('Supplier', { exact: true }).inputValue()]).to.deep.equal([
      SHOWN,
      'Meyer & Sons',
    ]);
    await page.context().close();
    await world.working(false);
  });

  it('shows what a hostile document says, and runs nothing of it', async () => {
    const lines = `${HOSTILE}\nsecond line`;
    const data = {
      supplier: lines,
      total: 1,
      lines: [{ description: HOSTILE, amount: 2 }],
      [HOSTILE]: { deep: [HOSTILE] },
    };
    hostileId = await world.newDocument(HOSTILE.replaceAll('/', '').slice(0, 200), {
      ...unreviewed,
      data,
      evidence: { '/supplier': found(HOSTILE) },
    });
    const page = await world.open();
    for (const target of [
      '',
      `/documents/${hostileId}`,
      `/documents?q=${encodeURIComponent(HOSTILE)}`,
      `/${HOSTILE}`,
      '/runs',
    ]) {
      await go(page, target);
      expect(await page.evaluate('window.hacked'), target).to.equal(undefined);
      expect(await page.locator('script').count(), target).to.equal(SCRIPTS);
      expect(await page.locator('img').count(), target).to.equal(0);
    }
    await go(page, '/documents/%zz');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await go(page, `/documents/${hostileId}`);
    expect(await page.getByLabel('Supplier', { exact: true }).inputValue()).to.equal(lines);
    await page.locator('.account summary').click();
    await page.keyboard.press('Escape');
    expect(await page.locator('.account .menu').isVisible()).to.equal(false);
    expect(await page.locator('q').textContent()).to.equal(HOSTILE);
    const [talk] = await world.query<{ id: string }>(
      "update messages set content = $1 where role = 'tool' returning conversation_id as id",
      [HOSTILE],
    );
    await go(page, `/agents/${world.agent('Clerk')}?conversation=${talk?.id}`);
    const call = page.locator('.call').first();
    await call.locator('summary').click();
    expect(await call.getByLabel('Result').innerText()).to.equal(HOSTILE);
    expect([await page.evaluate('window.hacked'), await page.locator('script').count()]).to.deep.equal([
      undefined,
      SCRIPTS,
    ]);
    await page.context().close();
  });

  it('keeps everything in the address: filters, the place in the list, and the way back', async () => {
    brokenId = await world.newDocument('broken.pdf', 'broken.pdf is damaged: it is not a complete PDF document.');
    const data = { supplier: 'Zebra', total: null, lines: [] };
    await world.newDocument(LONG, { ...unreviewed, coverage: noFiles, data, evidence: {} });
    const page = await world.open();
    await go(page, '/documents');
    await page.getByRole('searchbox').fill('zebra');
    await page.getByRole('link', { name: 'broken.pdf' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('?q=zebra');
    await reload(page);
    await page.getByRole('link', { name: LONG }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).to.equal('zebra');
    // The keys of a page act a moment after it is drawn.
    do await page.locator('body').press('j');
    while ((await page.locator('[data-row] a:focus').count()) === 0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: LONG }).waitFor();
    expect(await page.locator('.facts dt').allInnerTexts(), 'nothing of files').to.deep.equal([
      'Status',
      'From',
      'Read by',
    ]);
    await page.locator('.back').click();
    expect(new URL(page.url()).search, 'the list that it was opened from').to.equal('?q=zebra');
    await page.getByLabel('Status').selectOption('error');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all documents' }).click();
    await page.getByRole('link', { name: 'broken.pdf' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.context().close();
  });

  it('goes through the documents by keyboard, and one request shows the next', async () => {
    const page = await world.open();
    await go(page, '/documents');
    const ahead = page.waitForResponse(new RegExp(`/documents/${brokenId}$`));
    await page.getByRole('link', { name: LONG }).click();
    await page.getByRole('heading', { name: LONG }).waitFor();
    await (await ahead).finished();
    const before = world.requests.length;
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'broken.pdf' }).waitFor();
    await page.getByText('is damaged').first().waitFor();
    const asked = world.requests.slice(before).filter(({ url }) => /\/documents\/[^/]+$/.test(url.pathname));
    expect(asked.length, 'only the one after it').to.be.at.most(1);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.getByLabel('Single keys act').uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('j');
    expect(await page.getByRole('heading', { name: 'broken.pdf' }).isVisible(), 'single keys are off').to.equal(true);
    await page.context().close();
  });

  it('asks the list once for a page of it', async () => {
    const page = await world.open();
    const before = world.requests.length;
    await go(page, '/documents');
    await page.getByRole('link', { name: 'broken.pdf' }).waitFor();
    const lists = world.requests.slice(before).filter(({ url }) => url.pathname === '/api/v1/documents');
    expect(lists).to.have.length(1);
    await page.context().close();
  });

  it('corrects, approves and keeps what is typed: over a reload, and when another person was faster', async () => {
    const flagged = {
      reviewStatus: 'pending',
      reviewReasons: [{ code: 'low_confidence', pointer: '/total', message: 'It is hard to read.' }],
    } as const;
    const data = { supplier: 'Meyer', total: 12, lines: [{ description: 'Soap', amount: 12 }] };
    const id = await world.newDocument('to-review.txt', {
      ...unreviewed,
      ...flagged,
      data,
      evidence: { '/supplier': found('Meyer') },
    });
    const page = await world.open();
    await go(page, '/documents?review=pending');
    await page.getByRole('link', { name: 'to-review.txt' }).click();
    await page.getByText('Total: It is hard to read.').waitFor();
    await page.getByText('not saved').waitFor({ state: 'detached' });
    await page.locator('body').press('e');
    expect(await page.locator(':focus').getAttribute('aria-label'), 'the value that is flagged').to.equal('Total');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('twelve');
    expect(await page.getByLabel('Total', { exact: true }).getAttribute('aria-invalid')).to.equal('true');
    await page.getByLabel('Total', { exact: true }).fill(EXACT);
    await page.getByLabel('Amount').fill('12.50');
    await reload(page);
    await page.getByText('2 changes not saved').waitFor();
    expect(await page.getByLabel('Total', { exact: true }).inputValue()).to.equal(EXACT);

    const key = await world.key('ada@example.com');
    const url = `${world.baseUrl}/api/v1/documents/${id}`;
    const etag = (await fetch(url, { headers: { 'x-api-key': key } })).headers.get('etag') ?? '';
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'if-match': etag };
    const body = JSON.stringify({
      patch: [
        { op: 'replace', path: '/supplier', value: 'Meyer & Sons' },
        { op: 'replace', path: '/lines/0/amount', value: 13 },
      ],
    });
    expect((await fetch(url, { method: 'PATCH', headers, body })).status).to.equal(200);

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another person has changed the document').waitFor();
    await page.locator('input[aria-label=Supplier]').and(page.locator('[data-field="/supplier"]')).waitFor();
    await page.waitForFunction("document.querySelector('[data-field=\"/supplier\"]').value === 'Meyer & Sons'");
    await page.getByText('2 changes not saved').waitFor();
    await page.getByLabel('Amount').focus();
    await page.getByText('Another person has entered 13 meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('to-review.txt is approved.').waitFor();
    await page.waitForURL('**/console/documents?review=pending');
    await go(page, `/documents/${id}`);
    await page.locator('.history summary').click();
    await page.getByText('12345678901234567.89', { exact: true }).last().waitFor();
    expect(await page.locator('.revisions del').allTextContents()).to.include.members(['12', 'Meyer']);
    const large = `json_build_array(json_build_object('pointer', '', 'from', null, 'to', repeat('x', 5000000)))`;
    await world.query(`update document_revisions set changes = ${large} where document_id = $1 and revision = 2`, [id]);
    await reload(page);
    await page.locator('.history summary').click();
    await page.getByText(`Older ones: portico documents revisions ${id}`).waitFor();
    expect(await page.locator('.revisions > li').count()).to.equal(1);
    const stored = await (await fetch(url, { headers: { 'x-api-key': key } })).text();
    expect(stored)
      .to.include(`"total":${EXACT}`)
      .and.include('"supplier":"Meyer & Sons"')
      .and.include('"amount":12.5')
      .and.include('"status":"approved"');
    await page.context().close();
  });

  decisions(() => world, go);
  takingBack(() => world, go);
  clerksHour(() => world, go);
  documentPage(() => world, go);
  inboxPage(() => world, go);
  listPage(() => world, go);
  entries(() => world, go);
  places(() => world, go);

  viewer(() => world, go);
  otherPages(() => world, go, HOSTILE);
  settingsPages(() => world, go, HOSTILE);
  eInvoicePage(() => world, go);
  livePages(() => world, go);
  lostConnection(() => world, go);
  anotherPerson(() => world, go);
  tabs(() => world, go);
  appearance(() => world, go);
  approvals(() => world, go);
  usagePage(() => world, go);
  sourcesPage(() => world, go, HOSTILE);
  partsPage(() => world, go);

  let reviewId: Promise<string> | undefined;
  const targets: Targets = {
    '/inbox': null,
    '/ready': null,
    '/documents': null,
    'a document': () => `/documents/${hostileId}`,
    'a document to review': async () => {
      reviewId ??= aReview(world);
      return `/documents/${await reviewId}?review=pending`;
    },
    'an e-invoice': async () => `/documents/${await aHybrid(world)}`,
    '/documents?status=processed': null,
    'the documents of an agent': () => `/documents?agent_id=${world.agent('Invoices')}&order_by=%2Ftotal`,
    '/documents?status=trashed': null,
    '/documents/no-such-id': null,
    '/runs': null,
    'a run': async () => {
      const [run] = await world.query<{ id: string }>('select id from runs order by created_at limit 1');
      return `/runs/${run?.id}`;
    },
    ...otherTargets,
    ...settingsTargets,
    ...approvalTargets,
    ...liveTargets,
    ...viewerTargets,
    ...usageTargets,
    ...sourceTargets,
    ...partsTargets,
  };
  for (const [screen, options] of Object.entries(screens)) {
    let opened: Promise<Page> | undefined;
    for (const [name, target] of Object.entries(targets))
      it(`can be used by everyone, in light and dark: ${name} on a ${screen}`, async () => {
        opened ??= world.open(options);
        const page = await opened;
        const examine = async (look: keyof typeof looks) => {
          await page.emulateMedia({ colorScheme: look });
          if (shots)
            await page.screenshot({
              path: path.join(shots, `${screen}, ${look}${name.replaceAll(/\W/g, '-')}.png`),
              fullPage: true,
            });
          const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(looks[look])})`)) as axe.AxeResults;
          return violations.map(({ id, nodes }) => `${look} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        };
        await go(page, target === null ? name : await target(world));
        await page.evaluate(axe.source);
        expect([...(await examine('light')), ...(await examine('dark'))]).to.deep.equal([]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          'it is wider than the screen',
        ).to.equal(true);
      });
  }

  it('is where the root sends people, and keeps its files for good', async () => {
    const root = await fetch(world.baseUrl, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect(root.headers.get('location')).to.equal('console');
    const page = await fetch(`${world.baseUrl}/console/anything`);
    const [, file = ''] = /<script type="module" src="([^"]+)"/.exec(await page.text()) ?? [];
    const policy = page.headers.get('content-security-policy');
    expect(policy).to.not.include('unsafe');
    expect(policy).to.include("trusted-types 'none'");
    const script = await fetch(world.baseUrl + file, { headers: { 'accept-encoding': 'br' } });
    expect(script.headers.get('cache-control')).to.include('immutable');
    expect(script.headers.get('content-encoding')).to.equal('br');
    expect((await fetch(`${world.baseUrl}/console/files/none.js`)).status).to.equal(404);
  });

  it('is less than 150 kB on a fresh cache', async () => {
    const page = await world.open();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await go(page, '/documents');
    expect(bytes).to.be.above(10_000).and.below(150_000);
    await page.context().close();
  });

  it('gives the focus back when a dialog is closed', async () => {
    const page = await world.open();
    await go(page, '/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('button:focus', { hasText: 'New key' }).waitFor();
    expect(await page.locator('dialog').count()).to.equal(0);
    await page.context().close();
  });

  it('has all pages in a menu on a phone, by keyboard too', async () => {
    const page = await world.open(screens.phone);
    await go(page, '/settings');
    const menu = page.locator('.pages summary');
    const names = (name: string) =>
      until(`the menu names ${name}`, async () => (await menu.innerText()).includes(name));
    const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
    const shows = (count: number) => until(`${count} links are shown`, async () => (await links.count()) === count);
    await names('Settings');
    await shows(0);
    await menu.press('Enter');
    await shows(13);
    expect(await links.last().getAttribute('aria-current')).to.equal('page');
    await page.keyboard.press('Escape');
    await shows(0);
    expect(await menu.evaluate('document.activeElement.tagName')).to.equal('SUMMARY');
    await menu.press('Enter');
    await links.filter({ hasText: 'Runs' }).press('Enter');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await shows(0);
    await names('Runs');
    await page.context().close();
  });

  const signOut = async (page: Page) => {
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  };

  it('signs out, also where the connection breaks off meanwhile, and asks to sign in again', async () => {
    const page = await world.open();
    await go(page, '/runs');
    for (const part of ['revoke', 'sign-out'])
      await page.route(`**/oauth/${part}`, (route) => route.abort('connectionreset'), { times: 1 });
    const renewals: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/oauth/authorize')) renewals.push(request.url());
    });
    await page.route('**/oauth/sign-out', async (route) => {
      // What is asked for meanwhile must not have a new token, which would keep the session.
      await page.evaluate(`document.querySelector('nav a[href$="/documents"]').click()`);
      await route.fallback();
    });
    await signOut(page);
    expect(renewals).to.deep.equal([]);
    await visit(page, `${world.baseUrl}/console/runs`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  it('posts nothing in the name of a user who has signed out meanwhile', async () => {
    const data = { supplier: 'Meyer', total: 12, lines: [] };
    const id = await world.newDocument('left behind.txt', { ...unreviewed, coverage: noFiles, data, evidence: {} });
    const page = await (await world.browser.newContext()).newPage();
    await signIn(page, `${world.baseUrl}/console/documents/${id}`);
    await page
      .getByRole('button', { name: 'Process', exact: true })
      .and(page.locator(':enabled:not([aria-disabled])'))
      .click();
    await page.getByText('left behind.txt is posted in 10 seconds.').waitFor();
    await signOut(page);
    await page.waitForTimeout(11_000);
    expect(await page.getByRole('heading', { name: 'You are signed out' }).count()).to.equal(1);
    await signIn(page, `${world.baseUrl}/console/documents/${id}`);
    await page.locator('.facts').getByText('Ready to post').waitFor();
    await page.waitForTimeout(1000);
    expect(await world.query('select from ledger.bills where document_id = $1', [id])).to.deep.equal([]);
    await page.context().close();
  });

  it('asks the public API alone, and its scripts complain of nothing', async () => {
    const { paths } = (await (await fetch(`${world.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const described = Object.entries(paths).flatMap(([template, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      })),
    );
    const unknown = world.requests.filter(
      ({ method, url }) => !described.some((each) => each.method === method && each.pattern.test(url.pathname)),
    );
    expect(unknown.map(({ method, url }) => `${method} ${url.pathname}`)).to.deep.equal([]);
    expect(world.requests.length).to.be.above(20);
    expect(world.complaints).to.deep.equal([]);
  });
});
