import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { UNDO_SECONDS } from '../../src/domain/document.ts';
import { finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { eventually } from '../support/until.ts';
import { canDecide } from './decisions.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const pending = {
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
} as const;

/** A moment after what was to be posted is due. */
const DUE_MS = (UNDO_SECONDS + 2) * 1000;
/** So long a browser has time to ask. */
const SOON_MS = 1000;

/** Tests of tabs of a browser: one beside another, one that is duplicated, one that is closed. */
export const tabs = (world: () => ConsoleWorld, go: Go): void => {
  const data = { supplier: 'Meyer', total: 12, lines: [] };
  const opened = async (name: string, over: Parameters<typeof finished>[0] = {}) => {
    const id = await world().newDocument(name, finished({ data, ...over }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    return { id, page };
  };
  const process = async (page: Page, name: string) => {
    await page
      .getByRole('button', { name: 'Process', exact: true })
      .and(page.locator(':enabled:not([aria-disabled])'))
      .click();
    await page.getByText(`${name} is posted in 10 seconds.`).waitFor();
  };
  const state = (page: Page, text: string) => page.locator('.facts').getByText(text, { exact: true }).waitFor();

  /** As the browser does by its menu: a tab that a page opens has a copy of what the tab of this page keeps. */
  const duplicated = async (page: Page) => {
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate('void window.open(location.href)'),
    ]);
    return other;
  };

  /** Until a page that sent its first request behind `count` others waits for what happens. */
  const follows = (count: number): Promise<void> => {
    const waits = ({ url }: { readonly url: URL }) =>
      url.pathname.endsWith('/events') && (url.searchParams.get('after') ?? 'now') !== 'now';
    return eventually(() => world().requests.slice(count).some(waits));
  };

  const asAda = async (id: string, method: string, path: string, body: object) => {
    const url = `${world().baseUrl}/api/v1/documents/${id}`;
    const key = { 'x-api-key': await world().key('ada@example.com') };
    const etag = (await fetch(url, { headers: key })).headers.get('etag') ?? '';
    const headers = { ...key, 'content-type': 'application/json', 'if-match': etag };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    expect(answer.status).to.equal(200);
  };

  /** How often the browser asks whether the tab is to be closed, where the person says no. */
  const asked = async (page: Page) => {
    let times = 0;
    const stay = (dialog: { dismiss(): Promise<void> }) => {
      times += 1;
      void dialog.dismiss();
    };
    page.on('dialog', stay);
    await page.close({ runBeforeUnload: true });
    await new Promise((resolve) => setTimeout(resolve, SOON_MS));
    page.off('dialog', stay);
    return times;
  };

  it('posts by the tab alone in which it was asked for: what this takes back, a duplicate of it does not post', async () => {
    const { id, page } = await opened('duplicated.txt');
    await process(page, 'duplicated.txt');
    const other = await duplicated(page);
    await state(other, 'Ready to post');
    await page.keyboard.press('u');
    await page.getByText('duplicated.txt is as it was before.').waitFor();
    await page.waitForTimeout(DUE_MS);
    expect(await world().query('select from ledger.bills where document_id = $1', [id])).to.deep.equal([]);
    expect(await other.getByText('is posted in').count()).to.equal(0);
    await page.context().close();
  });

  it('shows in each tab what another has posted, and posts it once', async () => {
    const { id, page } = await opened('twice.txt');
    const other = await duplicated(page);
    await process(page, 'twice.txt');
    await process(other, 'twice.txt');
    for (const each of [page, other]) await state(each, 'Posted');
    await page.waitForTimeout(SOON_MS);
    for (const each of [page, other]) expect(await each.getByText('is not posted').count()).to.equal(0);
    expect(await world().query('select from ledger.bills where document_id = $1', [id])).to.have.lengthOf(1);
    await page.context().close();
  });

  it('shows what another person decides, and puts no other values in the place of those that are seen', async () => {
    const before = world().requests.length;
    const { id, page } = await opened('watched.txt', pending);
    await follows(before);
    await canDecide(page);
    await asAda(id, 'POST', '/review', { decision: 'reject', note: 'Not ours.' });
    await state(page, 'Rejected');
    await asAda(id, 'POST', '/review', { decision: 'reopen' });
    await canDecide(page);
    await asAda(id, 'PATCH', '', { patch: [{ op: 'replace', path: '/total', value: 9000 }] });
    await page.waitForTimeout(2 * SOON_MS);
    expect(await page.getByLabel('Total', { exact: true }).inputValue()).to.equal('12');
    await page.keyboard.press('a');
    await page.getByText('Another person has changed the document.').waitFor();
    await eventually(async () => (await page.getByLabel('Total', { exact: true }).inputValue()) === '9000');
    await page.context().close();
  });

  it('shows the newer of two answers, also where the older comes after it', async () => {
    const before = world().requests.length;
    const { id, page } = await opened('overtaken.txt', pending);
    await follows(before);
    const [older, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const path = new RegExp(`/api/v1/documents/${id}$`);
    await page.route(
      path,
      async (route) => {
        const response = await route.fetch();
        older.resolve();
        await late.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await asAda(id, 'POST', '/review', { decision: 'reject', note: 'Not ours.' });
    await older.promise;
    const newer = page.waitForResponse(path);
    await asAda(id, 'POST', '/review', { decision: 'reopen' });
    await (await newer).finished();
    const came = page.waitForResponse(path);
    late.resolve();
    await (await came).finished();
    await page.waitForTimeout(SOON_MS);
    expect(await page.locator('.facts').getByText('Rejected').count()).to.equal(0);
    await page.context().close();
  });

  it('asks before a tab is closed that keeps values which are not saved, also of a document that is not open', async () => {
    const { page } = await opened('closed.txt');
    await page.getByLabel('Supplier', { exact: true }).fill('Huber');
    expect(await asked(page)).to.equal(1);
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(await asked(page)).to.equal(1);
    await page.goBack();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    expect(await asked(page)).to.equal(0);
    expect(page.isClosed()).to.equal(true);
  });

  it('asks before a tab is closed that is to post a document', async () => {
    const { page } = await opened('closed soon.txt');
    await process(page, 'closed soon.txt');
    expect(await asked(page)).to.equal(1);
    await page.context().close();
  });

  it('posts nothing that was due long ago, when a closed tab is opened again, and says so', async () => {
    const { id, page } = await opened('of yesterday.txt');
    await process(page, 'of yesterday.txt');
    await page.evaluate(`{
      const kept = JSON.parse(sessionStorage.getItem('portico.undoable'));
      for (const entry of kept) entry.until -= 86_400_000;
      sessionStorage.setItem('portico.undoable', JSON.stringify(kept));
    }`);
    await reload(page);
    await page.getByText('This tab was closed before it posted of yesterday.txt').waitFor();
    await page.waitForTimeout(SOON_MS);
    expect(await world().query('select from ledger.bills where document_id = $1', [id])).to.deep.equal([]);
    await page.context().close();
  });

  it('leaves to sign in again without a question', async () => {
    const { page } = await opened('signed in again.txt');
    await page.getByLabel('Supplier', { exact: true }).fill('Huber');
    let isAsked = false;
    page.on('dialog', (dialog) => {
      isAsked = true;
      void dialog.accept();
    });
    await page.context().clearCookies();
    await page.route('**/api/v1/**', (route) => route.fulfill({ status: 401, json: { code: 'unauthorized' } }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByLabel('Email address').waitFor();
    expect(isAsked).to.equal(false);
    await page.context().close();
  });
};
