import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** Tests of where a person is on a page: it stays there, and the focus with it, whatever they do. */
export const places = (world: () => ConsoleWorld, go: Go): void => {
  it('stays at its place when a row is removed, and takes one row for each press', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => ({ description: `Part ${index + 1}`, amount: index + 1 }));
    const id = await world().newDocument('rows.pdf', finished({ data: { supplier: 'Huber', total: 1, lines } }));
    const page = await world().open({ viewport: { width: 1280, height: 800 } });
    await go(page, `/documents/${id}`);
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    const remove = (row: number) => page.getByRole('button', { name: `Remove row ${row} of Lines`, exact: true });
    const first = () => page.locator('input[data-field^="/lines/"][aria-label=Description]').nth(3).inputValue();
    await remove(4).dblclick();
    await page.getByText('One change not saved').waitFor();
    expect([await first(), await focused()]).to.deep.equal(['Part 5', 'Remove row 4 of Lines']);
    expect(await page.evaluate('scrollY'), 'how far the page has moved').to.equal(0);
    await page.keyboard.down('Enter');
    for (let repeated = 0; repeated < 3; repeated++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.getByRole('heading', { name: 'Lines 58' }).waitFor();
    expect([await first(), await focused()]).to.deep.equal(['Part 6', 'Remove row 4 of Lines']);
    await page.context().close();
  });
};
