import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import type { ConsoleWorld } from './world.ts';

const always = { code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' } as const;

type Go = (page: Page, target: string) => Promise<void>;

/** Tests of the list of documents, in the browser and on the server of the others. */
export const listPage = (world: () => ConsoleWorld, go: Go): void => {
  const names = (page: Page) => page.locator('[data-row] .name a').allInnerTexts();
  const first = (page: Page, name: string) => page.locator('[data-row]').first().getByRole('link', { name }).waitFor();
  const cells = (page: Page, name: string) =>
    page
      .locator('[data-row]')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('td')
      .allInnerTexts();

  it('shows the values that the agent names, and puts the list in the order of one', async () => {
    const made = [
      ['worklist b.txt', 'Huber', 467.4],
      ['worklist a.txt', 'Adler', 1190],
      ['worklist c.txt', 'Meyer', null],
    ] as const;
    for (const [name, supplier, total] of made)
      await world().newDocument(name, finished({ data: { supplier, total, lines: [] } }));
    const page = await world().open();
    await go(page, '/documents?q=worklist');
    await page.getByText('Huber · 467.40', { exact: true }).waitFor();
    await page.getByLabel('Agent').selectOption({ label: 'Invoices' });
    const total = page.getByRole('columnheader', { name: 'Total' });
    await total.getByRole('button').click();
    await page.waitForURL('**order_by=%2Ftotal*');
    await page.locator('table[aria-busy=false], table:not([aria-busy])').waitFor();
    expect(await total.getAttribute('aria-sort')).to.equal('ascending');
    await first(page, 'worklist b');
    expect(await names(page)).to.deep.equal(['worklist b.txt', 'worklist a.txt', 'worklist c.txt']);
    expect((await cells(page, 'worklist b.txt')).slice(1, 5)).to.deep.equal([
      'worklist b.txt',
      'Huber',
      '467.40',
      'Ready to post',
    ]);
    await total.getByRole('button').click();
    await first(page, 'worklist a');
    expect(await names(page)).to.deep.equal(['worklist a.txt', 'worklist b.txt', 'worklist c.txt']);
    await reload(page);
    await first(page, 'worklist a');
    expect(await total.getAttribute('aria-sort'), 'the address has the order').to.equal('descending');
    // The next document is the next of the list.
    await page.getByRole('link', { name: 'worklist a.txt' }).click();
    await page.getByRole('heading', { name: 'worklist a.txt' }).waitFor();
    await page.locator('body').press('j');
    await page.getByRole('heading', { name: 'worklist b.txt' }).waitFor();
    await go(page, `/documents?order_by=%2Ftotal&agent_id=${world().agent('Invoices')}`);
    await page.getByLabel('Agent').selectOption('');
    await page.waitForURL((url) => !url.search.includes('order_by'));
    await page.context().close();
  });

  it('does the same to all that is selected, by mouse and keyboard, to each whose state allows it, and says what was left', async () => {
    const made = [
      ['batch d.txt', 5000],
      ['batch c.txt', 30],
      ['batch b.txt', 20],
      ['batch a.txt', 10],
    ] as const;
    const supplier = 'Alder';
    const pending = { reviewStatus: 'pending', reviewReasons: [always] } as const;
    const ids = new Map<string, string>();
    for (const [name, total] of made) {
      const left = finished({ data: { supplier, total, lines: [] }, ...(name === 'batch b.txt' ? {} : pending) });
      ids.set(name, await world().newDocument(name, left));
    }
    const statuses = async () => {
      const sql = 'select review_status as status from documents where id = any($1)';
      const found = await world().query<{ status: string }>(sql, [[...ids.values()]]);
      return found.map(({ status }) => status).sort();
    };
    const page = await world().open();
    await go(page, '/documents?q=batch');
    const row = (name: string) => page.locator('[data-row]').filter({ hasText: name });
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
    const selected = page.getByRole('group', { name: 'What is selected' });
    await box('batch a.txt').click();
    await box('batch c.txt').click({ modifiers: ['Shift'] });
    await selected.getByText('3 selected').waitFor();
    // One of the three needs no review.

    expect(await selected.getByRole('button').allInnerTexts()).to.deep.equal([
      'Approve 2',
      'Process 1',
      'Reject 2',
      'Move to the trash 3',
      'Clear',
    ]);
    await row('batch d.txt').getByRole('link').focus();
    await page.keyboard.press('x');
    await selected.getByText('4 selected').waitFor();
    await selected.getByRole('button', { name: 'Approve 3' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('3 documents are approved.').waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press('u');
    await page.getByText('3 documents are as they were before.').waitFor();
    expect(await statuses()).to.deep.equal(['not_required', 'pending', 'pending', 'pending']);
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await selected.getByRole('button', { name: 'Approve 3' }).click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('3 documents are approved.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await selected.getByRole('button', { name: 'Process 4' }).click();
    await dialog.getByRole('button', { name: 'Process' }).click();
    await page.getByText('4 documents are posted in 10 seconds.').waitFor();
    await page.getByText('One document was not processed.').waitFor();
    const left = page.locator('.failure');
    expect(await left.innerText()).to.match(/batch d\.txt: .*bills_total_check/);
    await row('batch a.txt').getByText('Posted').waitFor();
    const rows = await world().query('select document_id from ledger.bills where document_id = any($1)', [
      [...ids.values()],
    ]);
    expect(rows).to.have.length(3);
    await left.getByRole('button', { name: 'Close' }).click();
    await row('batch d.txt').getByRole('link').focus();
    await page.keyboard.press('x');
    await selected.getByRole('button', { name: 'Move to the trash 1' }).click();
    await dialog.getByRole('button', { name: 'Move to the trash' }).click();
    await row('batch d.txt').waitFor({ state: 'detached' });
    await page.getByText('batch d.txt is moved to the trash.').waitFor();
    await page.waitForTimeout(700);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('batch d.txt').waitFor();
    await page.context().close();
  });

  it('does nothing to what another filter listed while the answer to this one is on its way', async () => {
    for (const name of ['slow list a.txt', 'slow list b.txt'])
      await world().newDocument(name, finished({ data: { supplier: 'Meyer', total: 12 } }));
    const page = await world().open();
    const busy = page.locator('table[aria-busy=true]');
    const answer = Promise.withResolvers<void>();
    await go(page, '/ready');
    await page.getByRole('button', { name: /^Process (it|all)/ }).waitFor();
    await page.route(/documents\?.*agent_id=/, async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.getByLabel('Agent').selectOption({ label: 'Invoices' });
    await busy.waitFor();
    await page.locator('body').press('p');
    expect(await page.getByRole('button', { name: /^Process/ }).count(), 'to process').to.equal(0);
    expect(await page.getByRole('dialog').count(), 'asks').to.equal(0);
    await go(page, '/documents?q=slow+list');
    await page.getByLabel('Select all rows').check();
    await page.getByText('2 selected').waitFor();
    await page.getByLabel('Agent').selectOption({ label: 'Invoices' });
    await busy.waitFor();
    expect(await page.getByText('2 selected').count(), 'what can be done').to.equal(0);
    answer.resolve();
    await page.getByText('2 selected').waitFor();
    await page.context().close();
  });

  it('selects a row by a thumb beside the middle of its box', async () => {
    await world().newDocument('thumb.txt', finished({ data: { supplier: 'Meyer', total: 12 } }));
    const page = await world().open({ viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true });
    await go(page, '/documents?q=thumb');
    const box = await page.getByLabel('Select thumb.txt').boundingBox();
    if (!box) throw new Error('there is no box');
    await page.touchscreen.tap(box.x + box.width / 2 + 10, box.y + box.height / 2 + 10);
    await page.getByText('1 selected').waitFor();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await page.context().close();
  });
};
