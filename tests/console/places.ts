import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { invoicePdf } from '../fixtures/text/files.ts';
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
    // The browser counts clicks at one place as those of a double click, however many a person makes there one after the other.
    const place = await remove(4).boundingBox();
    if (place === null) throw new Error('there is no button');
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    for (let clickCount = 1; clickCount <= 4; clickCount++) {
      await page.waitForTimeout(400);
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
    }
    await page.getByRole('heading', { name: 'Lines 54' }).waitFor();
    await page.context().close();
  });

  it('keeps the focus near what was done, when its control goes away', async () => {
    const review = { reviewStatus: 'pending', reviewReasons: [] } as const;
    const data = { supplier: 'Huber', total: 1, lines: [] };
    const id = await world().newDocument('focus.pdf', finished({ data, ...review }));
    for (const name of ['first.pdf', 'second.pdf', 'third.pdf']) await world().newDocument(name, `Broken: ${name}`);
    const page = await world().open();
    const focused = () => page.locator(':focus').innerText({ timeout: 5000 });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
    await go(page, `/documents/${id}`);
    const change = async () => {
      await page.getByLabel('Supplier', { exact: true }).fill('Adler');
      await page.getByText('One change not saved').waitFor();
    };
    await change();
    await press('Discard');
    expect(await focused(), 'after a discard').to.equal('focus.pdf');
    await change();
    await press('Save');
    await page.getByText('The changes are saved.').waitFor();
    expect(await focused(), 'after a save').to.equal('focus.pdf');
    await page.waitForTimeout(700);
    await press('Approve');
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    expect(await focused(), 'after an approval').to.equal('focus.pdf');
    await page.waitForTimeout(700);
    await page.locator('.notices').getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    expect(await focused(), 'after an undo').to.equal('focus.pdf');
    await go(page, '/inbox');
    const row = (name: string) => page.locator('[data-row]').filter({ hasText: name });
    await row('second.pdf').getByRole('link').focus();
    // The rows move until all lists of the page are there.
    await page.waitForFunction("document.querySelector('.skeleton') === null");
    await row('second.pdf').locator('[data-key=d]:not([aria-disabled])').waitFor();
    await page.keyboard.press('d');
    await row('second.pdf').waitFor({ state: 'detached' });
    expect(await focused(), 'after a row is gone').to.equal('third.pdf');
    await page.context().close();
  });

  it('leaves the rows where they are when one is selected, and no notice covers the buttons for what is selected or not saved', async () => {
    const data = { supplier: 'Huber', total: 1, lines: [] };
    const ids: string[] = [];
    for (const name of ['still a.pdf', 'still b.pdf', 'still c.pdf'])
      ids.push(await world().newDocument(name, finished({ data, reviewStatus: 'pending', reviewReasons: [] })));
    const page = await world().open({ viewport: { width: 320, height: 640 } });
    await go(page, '/documents?q=still');
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
    const place = async (name: string) => (await box(name).boundingBox())?.y;
    const before = await place('still b.pdf');
    await box('still c.pdf').click();
    const selected = page.getByRole('group', { name: 'What is selected' });
    await selected.waitFor();
    expect(await place('still b.pdf')).to.equal(before);
    const isAbove = async (says: string, bar: Locator) => {
      const notice = page.locator('.notices');
      await notice.getByText(says).waitFor();
      const [above, below] = [await notice.boundingBox(), await bar.boundingBox()];
      return above !== null && below !== null && above.y + above.height <= below.y;
    };
    await selected.getByRole('button', { name: 'Move to the trash 1' }).click();
    await page.waitForTimeout(700);
    await page.getByRole('dialog').getByRole('button', { name: 'Move to the trash' }).click();
    await page.getByText('still c.pdf is moved to the trash.').waitFor();
    await box('still b.pdf').click();
    expect(await isAbove('still c.pdf is moved to the trash.', selected), 'above what is selected').to.equal(true);
    await go(page, `/documents/${ids[0]}`);
    // A notice of what failed stays until it is closed.
    const elsewhere = { status: 403, contentType: 'text/html', body: '<p>Sign in to the network</p>' };
    await page.route(/\/api\/v1\/documents\/[^?]+$/, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill(elsewhere),
    );
    await page.getByLabel('Supplier', { exact: true }).fill('Adler');
    const unsaved = page.getByRole('region', { name: 'Changes' });
    await unsaved.getByRole('button', { name: 'Save' }).click();
    expect(await isAbove('Something else answered in the place', unsaved), 'above what is not saved').to.equal(true);
    await page.context().close();
  });

  it('keeps the focus on a button while it works, and where there is no further page', async () => {
    const data = { supplier: 'Huber', total: 1, lines: [] };
    const left = finished({ data, reviewStatus: 'pending', reviewReasons: [] });
    const ids: string[] = [];
    for (let index = 0; index < 26; index++) ids.push(await world().newDocument(`leaf ${index}.pdf`, left));
    const page = await world().open();
    const focused = () => page.locator(':focus').innerText({ timeout: 5000 });
    await go(page, '/documents?q=leaf');
    await page.getByRole('button', { name: 'Next page' }).press('Enter');
    await page.getByRole('link', { name: 'leaf 0.pdf' }).waitFor();
    await page.waitForTimeout(100);
    expect(await focused(), 'on the last page').to.equal('Next page');
    await go(page, `/documents/${ids[0]}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('It is not ours.');
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Reject' }).press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'connection' }).waitFor();
    expect(await focused(), 'after an error').to.equal('Reject');
    await page.context().close();
  });

  it('lets no other row come under a pointer that chooses one, and takes no click for a row that has just come there', async () => {
    const data = { supplier: 'Huber', total: 1, lines: [] };
    const left = finished({ data, reviewStatus: 'pending', reviewReasons: [] });
    for (const name of ['steady c.pdf', 'steady b.pdf', 'steady a.pdf']) await world().newDocument(name, left);
    const page = await world().open();
    const names = () => page.locator('[data-row] .name a').allInnerTexts();
    await go(page, '/documents?q=steady');
    const place = await page.getByRole('link', { name: 'steady b.pdf' }).boundingBox();
    if (place === null) throw new Error('there is no row');
    const [x, y] = [place.x + 5, place.y + place.height / 2];
    await page.mouse.move(x, y);
    await world().newDocument('steady new.pdf', left);
    for (let moves = 0; moves < 30; moves++) {
      await page.mouse.move(x + (moves % 3), y);
      expect((await names())[1], 'the row below a pointer that moves').to.equal('steady b.pdf');
      await page.waitForTimeout(100);
    }
    // A click at the very moment at which the rows have moved, and one that comes when a person has seen it.
    await page.evaluate(`new MutationObserver(() => {
      const link = document.elementFromPoint(${x}, ${y})?.closest('a');
      window.clicked = link?.innerText;
      link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    }).observe(document.querySelector('tbody'), { childList: true })`);
    await page.getByRole('link', { name: 'steady new.pdf' }).waitFor();
    await page.waitForTimeout(700);
    expect([await page.evaluate('clicked'), new URL(page.url()).pathname]).to.deep.equal([
      'steady a.pdf',
      '/console/documents',
    ]);
    await page.mouse.click(x, y);
    await page.getByRole('heading', { name: 'steady a.pdf' }).waitFor();
    await page.context().close();
  });

  it('shows the lists of the inbox when all of them are there, so that none moves another', async () => {
    await world().newDocument('wait for me.pdf', 'Broken');
    const page = await world().open();
    const answer = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/approvals\?/, async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.goto(`${world().baseUrl}/console/inbox`);
    await page.waitForResponse(/status=error/);
    await page.waitForTimeout(300);
    expect(await page.locator('[data-row]').count(), 'rows that would move').to.equal(0);
    answer.resolve();
    await page.getByRole('link', { name: 'wait for me.pdf' }).waitFor();
    await page.context().close();
  });

  it('keeps the focus on a button that can do no more for now', async () => {
    const data = { supplier: 'Huber', total: 1, lines: [] };
    const left = finished({ data, reviewStatus: 'pending', reviewReasons: [] });
    const id = await world().newDocument('sized.pdf', left, await invoicePdf());
    const page = await world().open();
    const focused = () => page.locator(':focus').getAttribute('aria-label', { timeout: 5000 });
    await go(page, `/documents/${id}`);
    for (const name of ['Larger', 'Smaller']) {
      const button = page.getByRole('button', { name, exact: true });
      await button.focus();
      for (let presses = 0; presses < 14; presses++) await page.keyboard.press('Enter');
      await page.waitForTimeout(100);
      expect([await focused(), await button.getAttribute('aria-disabled')]).to.deep.equal([name, 'true']);
    }
    await go(page, `/agents/${world().agent('Clerk')}`);
    await page.getByLabel('Message to the agent').fill('Hello');
    await page.route(/\/run$/, () => {});
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Answering…' }).waitFor();
    expect(await page.locator(':focus').innerText({ timeout: 5000 })).to.equal('Answering…');
    await page.context().close();
  });

  it('keeps nothing of what was typed into a document that is erased', async () => {
    const left = finished({ data: { supplier: 'Huber', total: 1, lines: [] } });
    const id = await world().newDocument('gone with it.pdf', left);
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await page.getByLabel('Supplier', { exact: true }).fill('Secret');
    await page.getByText('One change not saved').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).to.include('Secret');
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('asked for');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByText(/It is erased|The document is gone/).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.to.include('Secret');
    await page.context().close();
  });
};
