import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { canDecide } from './decisions.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

interface Stored {
  readonly status: string;
  readonly review: string;
  readonly note: string | null;
}

const always = {
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
} as const;

/** Tests of decisions that are taken back, and of what is asked before one, in the browser and on the server of the others. */
export const takingBack = (world: () => ConsoleWorld, go: Go): void => {
  const make = (name: string, over: Partial<Parameters<typeof finished>[0]> = {}) =>
    world().newDocument(name, finished({ data: { supplier: 'Meyer', total: 12 }, ...always, ...over }));
  const stored = async (id: string) => {
    const sql = 'select status, review_status as review, review_note as note from documents where id = $1';
    const [found] = await world().query<Stored>(sql, [id]);
    return found;
  };
  const rows = (id: string) => world().query('select from ledger.bills where document_id = $1', [id]);
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const opened = async (id: string, query = '') => {
    const page = await world().open();
    await go(page, `/documents/${id}${query}`);
    return page;
  };

  it('takes an approval back before anything is posted, by a key and by the notice, and each by one press', async () => {
    const [first, second] = [await make('undo first.txt'), await make('undo second.txt')];
    const page = await opened(first, '?review=pending&from=inbox');
    await canDecide(page);
    await page.keyboard.press('Shift+A');
    await page.getByText('undo first.txt is approved. It is posted in 10 seconds.').waitFor();
    await page.getByRole('heading', { name: 'undo second.txt' }).waitFor();
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByText('undo second.txt is approved.').waitFor();
    // A double click takes back one of the two.
    await page.waitForTimeout(700);
    await button(page, 'Undo').dblclick();
    await page.getByText('undo second.txt is as it was before.').waitFor();
    await page.getByRole('heading', { name: 'undo second.txt' }).waitFor();
    expect([await stored(first), await stored(second)]).to.deep.equal([
      { status: 'ready', review: 'approved', note: null },
      { status: 'ready', review: 'pending', note: null },
    ]);
    await page.waitForTimeout(700);
    await page.keyboard.press('u');
    await page.getByText('undo first.txt is as it was before.').waitFor();
    await page.getByRole('heading', { name: 'undo first.txt' }).waitFor();
    await page.waitForTimeout(11_000);
    expect([await stored(first), await rows(first)]).to.deep.equal([
      { status: 'ready', review: 'pending', note: null },
      [],
    ]);
    await page.keyboard.press('u');
    await page.getByText('There is nothing to take back.').waitFor();
    await page.context().close();
  });

  it('posts what is not taken back when the time is over, also after a reload, and says so', async () => {
    const id = await make('to-post.txt');
    const page = await opened(id);
    await canDecide(page);
    await page.keyboard.press('Shift+A');
    await page.getByText('to-post.txt is approved. It is posted in 10 seconds.').waitFor();
    await reload(page);
    await button(page, 'Undo').waitFor();
    expect(await rows(id)).to.deep.equal([]);
    await page.getByText('to-post.txt is in the system of record.').waitFor();
    expect((await rows(id)).length).to.equal(1);
    const [waited] = await world().query<{ long: boolean }>(
      "select processed_at >= decided_at + interval '10 seconds' as long from documents where id = $1",
      [id],
    );
    expect(waited?.long).to.equal(true);
    expect(await button(page, 'Undo').count()).to.equal(0);
    await page.keyboard.press('u');
    await page.getByText('to-post.txt is in the system of record, which cannot be taken back here.').waitFor();
    await page.context().close();
  });

  it('posts nothing by Process alone before the time is over, and nothing of it where that is taken back', async () => {
    const free = { reviewStatus: 'not_required', reviewReasons: [] } as const;
    const [first, second] = [await make('take back.txt', free), await make('let go.txt', free)];
    const page = await opened(first, '?ready_to_post=true&from=ready');
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('take back.txt is posted in 10 seconds.').waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press('u');
    await page.getByText('take back.txt is as it was before.').waitFor();
    await page.getByRole('heading', { name: 'take back.txt' }).waitFor();
    await go(page, `/documents/${second}`);
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('let go.txt is posted in 10 seconds.').waitFor();
    const begun = Date.now();
    expect(await button(page, 'Process').count(), 'is under way').to.equal(0);
    await reload(page);
    await button(page, 'Undo').waitFor();
    if (Date.now() - begun < 9000) expect(await rows(second)).to.deep.equal([]);
    await page.getByText('let go.txt is in the system of record.').waitFor();
    expect([await rows(first), (await rows(second)).length]).to.deep.equal([[], 1]);
    expect(await stored(first)).to.deep.equal({ status: 'ready', review: 'not_required', note: null });
    await page.context().close();
  });

  it('says that a change of what was approved needs a review, where Process was pressed', async () => {
    const id = await make('changed by me.txt', { reviewStatus: 'approved', reviewReasons: [] });
    const page = await opened(id);
    await page.getByLabel('Supplier', { exact: true }).fill('Huber');
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('The changes are saved, and need a review before the document is posted.').waitFor();
    expect(await stored(id)).to.include({ status: 'ready', review: 'pending' });
    await page.context().close();
  });

  it('says that changes are not saved when their document is left, and keeps them', async () => {
    const id = await make('left behind.txt');
    const page = await opened(id);
    const supplier = page.getByLabel('Supplier', { exact: true });
    const said = page.getByText('What you changed in left behind.txt is not saved.');
    const leave = async () => {
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    };
    await supplier.fill('Huber');
    await leave();
    await said.waitFor();
    await go(page, `/documents/${id}`);
    expect(await supplier.inputValue()).to.equal('Huber');
    await button(page, 'Save').click();
    await page.getByText('The changes are saved.').waitFor();
    await leave();
    expect(await said.count()).to.equal(0);
    await page.context().close();
  });

  it('says that a rehearsal saves what is not saved', async () => {
    const id = await make('rehearsed.txt', { reviewStatus: 'approved', reviewReasons: [] });
    const page = await opened(id);
    await page.getByLabel('Supplier', { exact: true }).fill('Huber');
    await button(page, 'Rehearse').click();
    await page.getByText('The changes are saved.').waitFor();
    await page.getByRole('status', { name: 'Rehearsal' }).getByText('Huber').waitFor();
    expect(await stored(id)).to.include({ status: 'ready', review: 'pending' });
    await page.context().close();
  });

  it('does not post by Process what another person has changed before the time is over', async () => {
    const id = await make('changed since.txt', { reviewStatus: 'not_required', reviewReasons: [] });
    const page = await opened(id);
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('changed since.txt is posted in 10 seconds.').waitFor();
    await world().query('update documents set revision = revision + 1 where id = $1', [id]);
    await page.getByText('changed since.txt is not posted.').waitFor();
    expect(await rows(id)).to.deep.equal([]);
    await page.context().close();
  });

  it('says that a document was refused until that is closed, whatever comes of the next ones', async () => {
    const free = { reviewStatus: 'not_required', reviewReasons: [] } as const;
    const refused = await make('beyond the limit.txt', { ...free, data: { supplier: 'Meyer', total: 5000 } });
    const taken = await make('within the limit.txt', free);
    const page = await opened(refused);
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('beyond the limit.txt is posted in 10 seconds.').waitFor();
    await go(page, `/documents/${taken}`);
    await button(page, 'Process').and(page.locator(':enabled:not([aria-disabled])')).click();
    await page.getByText('within the limit.txt is in the system of record.').waitFor();
    const said = page.getByRole('alert').filter({ hasText: /^beyond the limit\.txt is not posted\./ });
    expect(await said.count()).to.equal(1);
    await said.getByRole('button', { name: 'Close' }).click();
    expect(await said.count()).to.equal(0);
    expect([await rows(refused), (await rows(taken)).length]).to.deep.equal([[], 1]);
    await world().query("update documents set status = 'trashed' where id = $1", [refused]);
    await page.context().close();
  });

  it('posts nothing that was taken back in another tab, and takes back no decision of another person', async () => {
    const [id, other] = [await make('two tabs.txt'), await make('theirs.txt')];
    const page = await opened(id);
    await canDecide(page);
    await page.keyboard.press('Shift+A');
    await page.getByText('two tabs.txt is approved.').waitFor();
    const tab = await page.context().newPage();
    await go(tab, `/documents/${id}`);
    await tab.waitForTimeout(700);
    await button(tab, 'Reopen').click();
    await tab.getByText('The review is open again.').waitFor();
    await page.getByText('two tabs.txt is not posted.').waitFor();
    expect([await stored(id), await rows(id)]).to.deep.equal([{ status: 'ready', review: 'pending', note: null }, []]);
    await go(page, `/documents/${other}`);
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByText('theirs.txt is approved.').waitFor();
    await world().query("update documents set decided_at = decided_at + interval '1 second' where id = $1", [other]);
    await page.waitForTimeout(700);
    await page.keyboard.press('u');
    await page.getByText('theirs.txt has changed since').waitFor();
    expect(await stored(other)).to.include({ review: 'approved' });
    await page.context().close();
  });

  it('asks why before it rejects, and opens a rejected document again', async () => {
    const id = await make('to-reject.txt');
    const page = await opened(id);
    await canDecide(page);
    await page.keyboard.press('r');
    await dialog(page).getByLabel('Why?').waitFor();
    await page.keyboard.press('Enter');
    expect(await stored(id), 'no reason').to.include({ review: 'pending' });
    await page.keyboard.type('Wrong company.');
    await page.keyboard.press('Enter');
    await page.getByText('to-reject.txt is rejected.').waitFor();
    expect(await stored(id)).to.include({ review: 'rejected', note: 'Wrong company.' });
    await page.getByText('“Wrong company.”').waitFor();
    await page.waitForTimeout(700);
    await button(page, 'Reopen').click();
    await page.getByText('The review is open again.').waitFor();
    expect(await stored(id)).to.include({ review: 'pending', note: null });
    await page.context().close();
  });

  it('says what speaks against an approval and asks once, but for what the user has confirmed', async () => {
    const reasons = [
      { code: 'low_confidence', pointer: '/total', message: 'It is hard to read.' },
      { code: 'check_failed', pointer: null, message: 'The sum is another one.' },
    ] as const;
    const checks = [{ name: 'sum', status: 'failed', message: 'The sum is another one.' }] as const;
    const id = await make('doubtful.txt', { reviewReasons: reasons, checks });
    const page = await opened(id);
    await canDecide(page);
    const points = dialog(page).getByRole('listitem');
    await page.keyboard.press('a');
    await dialog(page).waitFor();
    expect(await points.allInnerTexts()).to.deep.equal(['Total: It is hard to read.', 'The sum is another one.']);
    await button(page, 'Cancel').click();
    expect(await stored(id)).to.include({ review: 'pending' });
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.locator(':focus[aria-label=Total]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.confirmed').waitFor();
    await page.keyboard.press('a');
    await dialog(page).waitFor();
    expect(await points.allInnerTexts(), 'what is confirmed').to.deep.equal(['The sum is another one.']);
    await dialog(page).locator('button:not([aria-disabled])', { hasText: 'Approve' }).click();
    await page.getByText('doubtful.txt is approved.').waitFor();
    expect(await stored(id)).to.include({ review: 'approved' });
    await page.context().close();
  });

  it('decides once where the connection is lost between the decision and its answer', async () => {
    const id = await make('lost answer.txt');
    const page = await opened(id);
    let sent = 0;
    await page.route('**/review', async (route) => {
      sent += 1;
      if (sent > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByText('lost answer.txt is approved.').waitFor();
    expect(sent, 'requests').to.equal(2);
    const decided = "select from events where document_id = $1 and type = 'document.approved'";
    expect(await world().query(decided, [id])).to.have.length(1);
    expect(await stored(id)).to.include({ review: 'approved' });
    await page.context().close();
  });

  it('moves to the trash, takes that back, and gives back what the trash has', async () => {
    const id = await make('thrown away.txt');
    const page = await opened(id, '?q=thrown');
    await canDecide(page);
    await button(page, 'Trash').click();
    await page.getByText('thrown away.txt is moved to the trash.').waitFor();
    expect(await stored(id)).to.include({ status: 'trashed' });
    await page.waitForTimeout(700);
    await button(page, 'Undo').click();
    await page.getByText('thrown away.txt is as it was before.').waitFor();
    expect(await stored(id)).to.deep.equal({ status: 'ready', review: 'pending', note: null });
    await canDecide(page);
    await button(page, 'Trash').click();
    await page.getByText('thrown away.txt is moved to the trash.').waitFor();
    await go(page, '/documents?status=trashed&q=thrown');
    await button(page, 'Restore thrown away.txt').click();
    await page.getByText('thrown away.txt is back.').waitFor();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    expect(await stored(id)).to.include({ status: 'ready' });
    await page.context().close();
  });
};
