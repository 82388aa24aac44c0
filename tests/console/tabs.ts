import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { UNDO_SECONDS } from '../../src/domain/document.ts';
import { finished } from '../support/builders.ts';
import { canDecide } from './decisions.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const pending = {
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
} as const;

/** A moment after what was to be posted is due. */
const DUE_MS = (UNDO_SECONDS + 2) * 1000;
/** So long what would be done once more has time to be done. */
const SOON_MS = 1000;

/** Tests of tabs of a browser: one beside another, and one that is duplicated. */
export const tabs = (world: () => ConsoleWorld, go: Go): void => {
  const data = { supplier: 'Meyer', total: 12, lines: [] };
  const opened = async (name: string, over: Parameters<typeof finished>[0] = {}) => {
    const id = await world().newDocument(name, finished({ data, ...over }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    return { id, page };
  };
  const process = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Process', exact: true }).and(page.locator(':enabled')).click();
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
    const { id, page } = await opened('watched.txt', pending);
    await canDecide(page);
    const asAda = async (method: string, path: string, body: object) => {
      const url = `${world().baseUrl}/api/v1/documents/${id}`;
      const key = { 'x-api-key': await world().key('ada@example.com') };
      const etag = (await fetch(url, { headers: key })).headers.get('etag') ?? '';
      const headers = { ...key, 'content-type': 'application/json', 'if-match': etag };
      const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      expect(answer.status).to.equal(200);
    };
    await asAda('POST', '/review', { decision: 'reject', note: 'Not ours.' });
    await state(page, 'Rejected');
    await asAda('POST', '/review', { decision: 'reopen' });
    await canDecide(page);
    await asAda('PATCH', '', { patch: [{ op: 'replace', path: '/total', value: 9000 }] });
    await page.waitForTimeout(2 * SOON_MS);
    expect(await page.getByLabel('Total', { exact: true }).inputValue()).to.equal('12');
    await page.keyboard.press('a');
    await page.getByText('Another person has changed the document.').waitFor();
    expect(await page.getByLabel('Total', { exact: true }).inputValue()).to.equal('9000');
    await page.context().close();
  });
};
