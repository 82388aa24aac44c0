import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { UNDO_SECONDS } from '../../src/domain/document.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { finished } from '../support/builders.ts';
import { visit } from '../support/chromium.ts';
import { canDecide } from './decisions.ts';
import { type ConsoleWorld, enterPassword, signIn } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const pending = {
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
} as const;

/** A moment after what was approved is due to be posted. */
const DUE_MS = (UNDO_SECONDS + 1) * 1000;
/** So long what is overdue has time to be posted. */
const SOON_MS = 1000;

/** Tests of a browser that two people use, one after the other. */
export const anotherPerson = (world: () => ConsoleWorld, go: Go): void => {
  const who = (page: Page, name: string) => page.locator('.account .who', { hasText: name }).waitFor();

  /** A window of a session of its own: that of the other tests goes on. */
  const adasWindow = async () => {
    const page = await world().open();
    await page.context().clearCookies();
    await signIn(page, `${world().baseUrl}/console`);
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    return page;
  };

  /** Another window of the same browser, in which Bob signs in instead. */
  const withBob = async (page: Page) => {
    const other = await page.context().newPage();
    await visit(other, `${world().baseUrl}/oauth/grants`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(other, 'bob@example.com');
    await other.getByText('You are signed in as bob@example.com').waitFor();
    return other;
  };

  it('decides nothing for the person who has signed in with the same browser since', async () => {
    const left = finished({ data: { supplier: 'Meyer', total: 12, lines: [] }, ...pending });
    const id = await world().newDocument('two people.txt', left);
    const page = await adasWindow();
    await go(page, `/documents/${id}?review=pending&from=inbox`);
    await who(page, 'Ada Lovelace');
    await canDecide(page);
    const other = await withBob(page);
    await page.keyboard.press('a');
    await page.getByText('Your session is over. What').waitFor();
    const found = await world().query('select review_status as status, reviewer from documents where id = $1', [id]);
    expect(found).to.deep.equal([{ status: 'pending', reviewer: null }]);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await enterPassword(page);
    await who(page, 'Ada Lovelace');
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByText('two people.txt is approved.').waitFor();
    await visit(other, `${world().baseUrl}/console`);
    await who(other, 'Ada Lovelace');
    await page.context().close();
  });

  it('keeps what was written, or is about to be posted, for nobody but the person who did it', async () => {
    const left = finished({ data: { supplier: 'Meyer', total: 12, lines: [] }, ...pending });
    const id = await world().newDocument('left behind.txt', left);
    // Who may not write has no place for a message.
    await world().query("update users set role = 'member' where email = 'bob@example.com'");
    const page = await adasWindow();
    await go(page, `/agents/${world().agent('Clerk')}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('For nobody but me.');
    await go(page, `/documents/${id}?review=pending&from=inbox`);
    await canDecide(page);
    await page.keyboard.press('Shift+A');
    await page.getByText('left behind.txt is approved. It is posted in 10 seconds.').waitFor();
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const signedOut = page.getByRole('heading', { name: 'You are signed out' });
    await signedOut.waitFor();
    await page.waitForTimeout(DUE_MS);
    expect(await signedOut.count()).to.equal(1);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await enterPassword(page, 'bob@example.com');
    await who(page, 'Bob');
    await go(page, `/agents/${world().agent('Clerk')}`);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).to.equal('');
    await page.waitForTimeout(SOON_MS);
    expect(await world().query('select status from documents where id = $1', [id])).to.deep.equal([
      { status: 'ready' },
    ]);
    await page.context().close();
  });

  it('shows nobody the page of a document that the browser keeps of another person', async () => {
    const { baseUrl, key, query } = world();
    const left = finished({ data: { supplier: 'Meyer', total: 12, lines: [] } });
    const id = await world().newDocument('kept.pdf', left, await invoicePdf());
    const [ada, bob] = [await key('ada@example.com'), await key('bob@example.com')];
    const page = await world().open();
    await visit(page, `${baseUrl}/docs`);
    const url = `${baseUrl}/api/v1/documents/${id}/files/0/pages/1`;
    const read = (apiKey: string) =>
      page.evaluate(
        async ([from, given]) => {
          const answer = await fetch(from, { headers: { 'X-API-Key': given } });
          await answer.arrayBuffer();
          return answer.status;
        },
        [url, apiKey] as const,
      );
    expect(await read(ada)).to.equal(200);
    const seenBy = 'update agents set visible_to = $2 where id = $1';
    await query(seenBy, [world().agent('Invoices'), [await world().userId('ada@example.com')]]);
    const found = await read(bob).finally(() => query(seenBy, [world().agent('Invoices'), null]));
    expect(found).to.equal(404);
    await page.context().close();
  });
};
