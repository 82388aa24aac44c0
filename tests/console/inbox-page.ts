import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FinishedDocument } from '../../src/application/ports/queue.ts';
import { anId, finished } from '../support/builders.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const data = (supplier: string, total = 12) => ({ supplier, total, lines: [] });
const duplicateOf = (id: string): Partial<FinishedDocument> => ({
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'duplicate', pointer: null, message: `The document ${id} has the same key.` }],
});

/** The same document so many times, each older than the one before. */
const copies = (world: ConsoleWorld, id: string, count: number) =>
  world.query(
    `insert into documents (id, name, created_at, ${COPIED}) select gen_random_uuid(), 'copy ' || n, created_at - n * interval '1 day', ${COPIED}
     from documents, generate_series(1, ${count}) n where id = $1`,
    [id],
  );
const COPIED =
  'workspace_id, run_id, agent_id, conversation_id, status, document_data, revision, review_status, review_reasons, updated_at';

/** The most requests that process a document at any time. */
const watchProcessing = (page: Page) => {
  const seen = { now: 0, most: 0, ids: [] as string[] };
  const isOne = (request: { method(): string; url(): string }) =>
    request.method() === 'POST' && /\/documents\/[^/]+$/.test(request.url());
  page.on('request', (request) => {
    if (!isOne(request)) return;
    seen.ids.push(request.url().split('/').at(-1) ?? '');
    seen.most = Math.max(seen.most, ++seen.now);
  });
  page.on('requestfinished', (request) => {
    if (isOne(request)) seen.now--;
  });
  return seen;
};

/** Tests of the inbox, in the browser and on the server of the others. */
export const inboxPage = (world: () => ConsoleWorld, go: Go): void => {
  const rows = (page: Page, title: string) => page.getByRole('table', { name: title }).locator('[data-row]');

  it('processes what is approved, a few at a time, and says what was not processed, and why', async () => {
    await world().query("delete from documents where review_status = 'approved'");
    const approved = { reviewStatus: 'approved' } as const;
    const ids: string[] = [];
    for (let index = 0; index < 7; index++)
      ids.push(
        await world().newDocument(`approved ${index}.txt`, finished({ ...approved, data: data(`Meyer ${index}`) })),
      );
    const refused = await world().newDocument('too much.txt', finished({ ...approved, data: data('Meyer', 5000) }));
    const opened = await world().newDocument('opened again.txt', finished({ ...approved, data: data('Meyer') }));
    const page = await world().open();
    await go(page, '/inbox');
    const waiting = rows(page, 'Approved, not sent yet');
    await page.getByRole('button', { name: 'Process all 9' }).click();
    const asked = page.getByRole('dialog', { name: 'Process 9 documents?' });
    expect(await waiting.count()).to.equal(9);
    const seen = watchProcessing(page);
    await world().query("update documents set review_status = 'pending' where id = $1", [opened]);
    await page.route(/documents\/[^/?]+$/, async (route) => {
      if (route.request().method() === 'POST') await new Promise((resolve) => setTimeout(resolve, 100));
      await route.continue();
    });
    await asked.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Documents that are done' }).waitFor();
    await page.getByText('Only 7 documents are in the system of record.').waitFor();
    expect(seen.ids.toSorted(), 'one request each').to.deep.equal([...ids, refused, opened].toSorted());
    expect(seen.most, 'at a time').to.be.within(2, 4);
    const failures = page.locator('.failure li');
    expect(await failures.count()).to.equal(2);
    await failures.filter({ hasText: 'too much.txt' }).getByText('bills_total_check').waitFor();
    await failures.filter({ hasText: 'opened again.txt' }).getByText('waits for a decision').waitFor();
    await waiting.first().waitFor({ state: 'detached' });
    await rows(page, 'Documents with an error').filter({ hasText: 'too much.txt' }).waitFor();
    const written = await world().query('select document_id from ledger.bills where document_id = any($1)', [
      [...ids, refused, opened],
    ]);
    expect(written).to.have.length(7);
    await page.getByRole('button', { name: 'Close' }).first().click();
    await failures.first().waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('has the oldest first, says when it has the newest only, and names other documents instead of their ids', async () => {
    const known = await world().newDocument('known.txt', finished({ data: data('Meyer'), ...duplicateOf(anId()) }));
    const page = await world().open();
    await go(page, '/inbox');
    const row = (name: string) => rows(page, 'To review').filter({ has: page.getByText(name, { exact: true }) });
    await row('known.txt').getByText('Another document has the same key.').waitFor();
    await world().newDocument('twin.txt', finished({ data: data('Meyer'), ...duplicateOf(known) }));
    await row('twin.txt').getByText('“known.txt” has the same key.').waitFor();
    await copies(world(), known, 60);
    await page.reload();
    const first = rows(page, 'To review').first();
    await first.getByText('copy 60').waitFor();
    await copies(world(), known, 120);
    await page.reload();
    await page.getByRole('heading', { name: 'To review the newest 100' }).waitFor();
    await first.getByRole('link').click();
    await page.locator('.remarks').getByText('Another document has the same key.').waitFor();
    expect(await page.locator('main').innerText(), 'an id').to.not.match(/The document [\da-f]{8}-/);
    expect(await page.getByRole('button', { name: 'Previous document' }).isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Next document' }).isEnabled(), 'the next of the inbox').to.equal(
      true,
    );
    await world().query("delete from documents where name like 'copy %'");
    await page.context().close();
  });
};
