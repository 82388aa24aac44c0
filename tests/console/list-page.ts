import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import type { ConsoleWorld } from './world.ts';

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
    expect((await cells(page, 'worklist b.txt')).slice(0, 4)).to.deep.equal([
      'worklist b.txt',
      'Huber',
      '467.40',
      'ready',
    ]);
    await total.getByRole('button').click();
    await first(page, 'worklist a');
    expect(await names(page)).to.deep.equal(['worklist a.txt', 'worklist b.txt', 'worklist c.txt']);
    await page.reload();
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
};
