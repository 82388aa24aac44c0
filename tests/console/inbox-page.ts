import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { FinishedDocument } from '../../src/application/ports/queue.ts';
import { portico, type Schemas } from '../../src/client/portico.ts';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { RunQueue } from '../../src/composition/modules/postgres.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { anId, finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
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

/** Puts what other tests have left in this status where no list has it; what brings it back. */
export const setAside = async (world: ConsoleWorld, status: 'ready' | 'error') => {
  await world.query(
    "update documents set status = 'trashed', external_reference = 'aside' where status = $1 and review_status <> 'pending'",
    [status],
  );
  return () =>
    world.query("update documents set status = $1, external_reference = null where external_reference = 'aside'", [
      status,
    ]);
};

/** Tests of the inbox, in the browser and on the server of the others. */
export const inboxPage = (world: () => ConsoleWorld, go: Go): void => {
  const rows = (page: Page, title: string) => page.getByRole('table', { name: title }).locator('[data-row]');

  /** Until the row has been at its place for long enough to act. */
  const acts = (row: Locator) => row.locator('button:not([aria-disabled])').first().waitFor();

  const menu = (page: Page, name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true });
  const client = async () => portico({ baseUrl: world().baseUrl, apiKey: await world().key('ada@example.com') });
  const start = async (agent: string, body: { files?: Schemas['RunFile'][]; user_message?: string }) =>
    (
      await (
        await client()
      ).post('/api/v1/agents/{agent_id}/run', { params: { path: { agent_id: world().agent(agent) } }, body })
    ).id;
  const badFile = async (name: string) => {
    await world().working(true);
    const agentId = world().agent('Invoices');
    const content = new Blob(['%PDF-1.7 no']);
    const uploaded = await (await client()).upload(agentId, [{ name, contentType: 'application/pdf', content }]);
    return start('Invoices', { files: [...uploaded] });
  };

  it('has what can be posted in a queue, posts it in batches, and says what was not posted, and why', async () => {
    const bringBack = await setAside(world(), 'ready');
    const approved = { reviewStatus: 'approved' } as const;
    const ids: string[] = [];
    for (let index = 0; index < 9; index++)
      ids.push(await world().newDocument(`free ${index}.txt`, finished({ data: data(`Meyer ${index}`) })));
    const refused = await world().newDocument('too much.txt', finished({ ...approved, data: data('Meyer', 5000) }));
    const opened = await world().newDocument('opened again.txt', finished({ ...approved, data: data('Meyer') }));
    const page = await world().open();
    await go(page, '/ready');
    await menu(page, 'Ready to post 11').waitFor();
    const waiting = page.locator('[data-row]');
    await page.getByRole('button', { name: 'Process all 11' }).click();
    const asked = page.getByRole('dialog', { name: 'Process 11 documents?' });
    expect(await waiting.count()).to.equal(11);
    const batches: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/documents/batch'))
        batches.push(response.json().then(({ data: { results } }) => results.length));
    });
    await world().query("update documents set review_status = 'pending' where id = $1", [opened]);
    await asked.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByText('11 documents are posted in 10 seconds.').waitFor();
    await page.getByRole('heading', { name: 'Nothing is ready to post' }).waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press('u');
    await page.getByText('11 documents are as they were before.').waitFor();
    await waiting.nth(9).waitFor();
    await page.keyboard.press('p');
    await asked.locator('button:not([aria-disabled])', { hasText: 'Process' }).click();
    await page.getByText('Only 9 documents are in the system of record.').waitFor();
    expect(await Promise.all(batches)).to.deep.equal([10, 1]);
    const failures = page.locator('.failure li');
    expect(await failures.count()).to.equal(2);
    await failures.filter({ hasText: 'too much.txt' }).getByText('bills_total_check').waitFor();
    await failures.filter({ hasText: 'opened again.txt' }).getByText('waits for a decision').waitFor();
    await page.getByRole('heading', { name: 'Nothing is ready to post' }).waitFor();
    await menu(page, 'Ready to post').waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await failures.first().waitFor({ state: 'detached' });
    await menu(page, /^Inbox/).click();
    await rows(page, 'Documents with an error').filter({ hasText: 'too much.txt' }).getByText('Refused').waitFor();
    const written = await world().query('select document_id from ledger.bills where document_id = any($1)', [
      [...ids, refused, opened],
    ]);
    expect(written).to.have.length(9);
    await bringBack();
    await page.context().close();
  });

  it('leads from the queue to a document, and back to the queue', async () => {
    await world().newDocument('to be posted.txt', finished({ data: data('Meyer') }));
    const page = await world().open();
    await go(page, '/ready');
    await page.getByRole('link', { name: 'to be posted.txt' }).click();
    await page.locator('.facts').getByText('Ready to post').waitFor();
    await page.getByRole('link', { name: 'Ready to post', exact: true }).first().waitFor();
    await page.locator('.back').click();
    await page.waitForURL('**/console/ready');
    await page.context().close();
  });

  it('shows what failed once, and reads it again by the same or another agent, by keyboard too', async () => {
    const bringBack = await setAside(world(), 'error');
    const page = await world().open();
    await go(page, '/inbox');
    const bad = rows(page, 'Documents with an error');
    const runId = await badFile('bad.pdf');
    await bad.filter({ hasText: 'bad.pdf' }).getByText('Failed').waitFor();
    const asRun = rows(page, 'Failed runs').filter({ hasText: 'bad.pdf' });
    expect([await bad.count(), await asRun.count()], 'its run is not there beside it').to.deep.equal([1, 0]);
    await bad.getByRole('button', { name: 'Retry: bad.pdf' }).click();
    await page.getByText(/bad\.pdf could not be read again: .*damaged/).waitFor();
    await bad.getByRole('button', { name: 'Retry: bad.pdf' }).waitFor();
    expect(await bad.count(), 'still once').to.equal(1);

    // The file is mended in the store, as if the reader had learned to read it.
    const [before] = await world().query<{ key: string }>(
      "select files -> 0 ->> 'fileKey' as key from runs where id = $1",
      [runId],
    );
    const key = before?.key ?? '';
    await world().query('delete from source_files where key = $1', [key]);
    await world()
      .composition.container.get(BlobStore)
      .write(key, await invoicePdf(), 'application/pdf');
    do await page.locator('body').press('j');
    while ((await page.locator('[data-row] a:focus').filter({ hasText: 'bad.pdf' }).count()) === 0);
    await acts(bad);
    await page.keyboard.press('b');
    const asked = page.getByRole('dialog', { name: 'Read bad.pdf again?' });
    const agent = asked.getByRole('combobox', { name: 'Agent' });
    await agent.selectOption('Invoices');
    expect(await agent.locator('option').allInnerTexts(), 'those that read files').to.not.include('Clerk');
    await asked.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('bad.pdf was read again.').waitFor();
    await bad.first().waitFor({ state: 'detached' });
    await world().working(false);
    await bringBack();
    await page.context().close();
  });

  it('retries what failed on the page of the document: reads a file again, and posts what was refused', async () => {
    const page = await world().open();
    await go(page, '/inbox');
    await badFile('bad too.pdf');
    await rows(page, 'Documents with an error').getByRole('link', { name: 'bad too.pdf' }).click();
    const button = (name: string) =>
      page.getByRole('button', { name, exact: true }).and(page.locator(':enabled:not([aria-disabled])'));
    await button('Read again by…').waitFor();
    await button('Retry').click();
    await page.getByText(/bad too\.pdf could not be read again: .*damaged/).waitFor();
    const again = "select from runs r join documents d on d.id = r.reread_of where d.name = 'bad too.pdf'";
    expect(await world().query(again)).to.have.length(1);
    await world().working(false);
    const id = await world().newDocument('was refused.txt', finished({ data: data('Meyer', 12) }));
    await world().query("update documents set status = 'error', error = 'The ledger is closed.' where id = $1", [id]);
    await go(page, `/documents/${id}?status=error&from=inbox`);
    await button('Retry').waitFor();
    await page.keyboard.press('t');
    await page.getByText('was refused.txt is posted in 10 seconds.').waitFor();
    await page.getByText('was refused.txt is in the system of record.').waitFor();
    const written = await world().query('select from ledger.bills where document_id = $1', [id]);
    expect(written).to.have.length(1);
    await page.context().close();
  });

  it('takes what failed off by a key: a file to the trash, which can be undone, and a run for everybody', async () => {
    const page = await world().open();
    const bringBack = await setAside(world(), 'error');
    await world().query("update runs set dismissed_at = now() where status = 'failed'");
    await world().newDocument('unwanted.pdf', 'unwanted.pdf is damaged.');
    await start('Clerk', { user_message: 'Hello' });
    const lease = await world().lease();
    const queue = world().composition.container.get(RunQueue);
    await queue.finish(lease, {
      event: 'fail',
      reason: { code: 'model_error', message: 'No answer.' },
      error: 'No answer.',
    });
    await go(page, '/inbox');
    const [files, runs] = [rows(page, 'Documents with an error'), rows(page, 'Failed runs')];
    await runs.getByText('No answer.').waitFor();
    expect([await files.count(), await runs.count()], 'the run of the file is not there beside it').to.deep.equal([
      1, 1,
    ]);
    const focusOn = async (name: string) => {
      do await page.locator('body').press('j');
      while ((await page.locator('[data-row] a:focus').filter({ hasText: name }).count()) === 0);
    };
    await focusOn('unwanted.pdf');
    await acts(files);
    await page.keyboard.press('d');
    await files.first().waitFor({ state: 'detached' });
    await page.waitForTimeout(700);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL('**/console/inbox');
    await files.filter({ hasText: 'unwanted.pdf' }).waitFor();
    await runs.getByRole('button', { name: 'Retry: Clerk' }).click();
    await runs.first().waitFor({ state: 'detached' });
    expect(await world().query("select from runs where status = 'queued'"), 'once more').to.have.length(1);
    const again = await world().lease();
    await queue.finish(again, { event: 'fail', reason: { code: 'model_error', message: 'No.' }, error: 'No.' });
    await focusOn('Clerk');
    await acts(runs);
    await page.keyboard.press('d');
    await runs.first().waitFor({ state: 'detached' });
    await reload(page);
    await files.first().waitFor();
    expect(await runs.count()).to.equal(0);
    await bringBack();
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
    const dear: FinishedDocument['reviewReasons'] = [
      { code: 'implausible_value', pointer: '/lines/0/price', message: 'It is not plausible.' },
    ];
    const lines = [{ description: 'Bolt', quantity: 1, price: 9999, amount: 9999 }];
    const doubtful = { data: { ...data('Meyer'), lines }, reviewStatus: 'pending', reviewReasons: dear } as const;
    await world().newDocument('dear.txt', finished(doubtful));
    await page.getByText('Lines › 1 › Unit price: It is not plausible.').waitFor();
    await copies(world(), known, 60);
    await reload(page);
    const first = rows(page, 'To review').first();
    await first.getByText('copy 60').waitFor();
    await copies(world(), known, 120);
    await reload(page);
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
