import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { NewRun } from '../../src/application/ports/storage.ts';
import { RunQueue, RunRepository } from '../../src/composition/modules/postgres.ts';
import { unitsOf } from '../../src/domain/run.ts';
import { anId } from '../support/builders.ts';
import { reload, visit } from '../support/chromium.ts';
import { busyFor } from './problems.ts';
import { type ConsoleWorld, isOfMenu, type Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

export const liveTargets: Targets = { '/events': null, '/events?types=run.failed': null, '/events?types=unit.*': null };

const UNITS = 100;

/** A run of so many files that waits for a worker; the files are in no store, because no worker reads them. */
const aQueuedRun = async (world: ConsoleWorld, files: number) => {
  const [user] = await world.query<{ id: string; workspace_id: string }>(
    `select id, workspace_id from users where email = 'ada@example.com'`,
  );
  const run: NewRun = {
    id: anId(),
    agentId: world.agent('Invoices'),
    agentVersion: null,
    workspaceId: user?.workspace_id ?? '',
    userId: user?.id ?? '',
    origin: 'api',
    userMessage: null,
    traceId: '0'.repeat(31).concat('1'),
    deadlineSeconds: 3600,
    processTogether: false,
    files: Array.from({ length: files }, (_, at) => ({
      fileKey: `uploads/${at}`,
      fileName: `file ${at}.txt`,
      contentType: 'text/plain',
    })),
    units: unitsOf(files, false),
  };
  await world.composition.container.get(RunRepository).create(run, null);
  return run.id;
};

/** Tests of what pages show while it happens, in the browser and on the server of the others. */
export const livePages = (world: () => ConsoleWorld, go: Go): void => {
  const queue = () => world().composition.container.get(RunQueue);
  const finishNext = async () => queue().finish(await world().lease(), { event: 'complete' });

  it('follows a run of 100 units to its end, with few requests', async () => {
    const id = await aQueuedRun(world(), UNITS);
    const lease = await world().lease();
    const page = await world().open();
    await go(page, `/runs/${id}`);
    const units = page.locator('.unit');
    await page.getByText(`0 of ${UNITS}`).waitFor();
    const asked = () => world().requests.filter((each) => !isOfMenu(each)).length;
    const before = asked();
    const step = { name: null, durationMs: 7, usage: null, error: null };
    for (let index = 0; index < UNITS; index++) {
      await queue().beginUnit(lease, { index, conversationId: anId(), documentId: anId(), documentName: null });
      await queue().finishUnit(lease, index, { status: 'completed', document: null }, [
        { type: 'unit.completed', unit: index, ...step },
      ]);
    }
    await units
      .nth(UNITS - 1)
      .locator('.steps li')
      .nth(1)
      .waitFor({ state: 'attached' });
    await queue().finish(lease, { event: 'complete' });
    await page.locator('.facts').getByText('completed').waitFor();
    await page.waitForFunction(`document.querySelectorAll('.unit .status.good').length === ${UNITS}`);
    expect(await page.locator('.steps li').count(), 'started and completed').to.equal(2 * UNITS);
    expect(asked() - before, 'not one for each unit').to.be.below(UNITS / 4);
    await page.context().close();
  });

  it('shows the log from its newest event, by type and run, and what happens while it is open', async () => {
    for (let runs = 0; runs < 9; runs++) {
      await aQueuedRun(world(), 1);
      await finishNext();
    }
    const id = await aQueuedRun(world(), 1);
    const page = await world().open();
    await go(page, `/runs/${id}`);
    await page.getByRole('link', { name: 'Events' }).last().click();
    await page.getByRole('button', { name: 'of one run' }).waitFor();
    const entries = page.locator('.entries > li');
    await entries.getByText('run.queued').waitFor();
    expect(await entries.count()).to.equal(1);
    await finishNext();
    await entries.first().getByText('run.completed').waitFor();
    expect(await entries.locator('code').allTextContents()).to.deep.equal([
      'run.completed',
      'run.running',
      'run.queued',
    ]);
    await entries.first().locator('summary').click();
    await entries.first().getByText(`"run_id": "${id}"`).waitFor();
    await page.getByRole('button', { name: 'of one run' }).click();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL('**/events?after=*');
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByLabel('Type').selectOption('run.queued');
    await page.waitForURL('**/events?types=run.queued');
    await reload(page);
    await entries.first().getByText('run.queued').waitFor();
    expect(new Set(await entries.locator('code').allTextContents())).to.deep.equal(new Set(['run.queued']));
    await page.context().close();
  });

  it('says that the connection is lost, and goes on by itself when it is back', async () => {
    const page = await world().open();
    const lost = page.getByText('The server does not answer');
    const entry = (id: string) => page.locator(`.entries a[href$="/runs/${id}"]`);
    await go(page, '/events?types=run.queued');
    await page.context().setOffline(true);
    await lost.waitFor();
    const missed = await aQueuedRun(world(), 1);
    await page.context().setOffline(false);
    await lost.waitFor({ state: 'detached' });
    await entry(missed).waitFor();
    await finishNext();
    const next = await aQueuedRun(world(), 1);
    await entry(next).waitFor();

    await go(page, `/runs/${next}`);
    await page.getByText('It waits for a worker.').waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await lost.waitFor();
    await finishNext();
    await page.context().setOffline(false);
    await page.locator('.facts').getByText('completed').waitFor();
    await lost.waitFor({ state: 'detached' });
    expect(await page.locator('.failure').count()).to.equal(0);
    await page.context().close();
  });

  it('says how long ago something was, however long the page has been open', async () => {
    const page = await world().open();
    await page.clock.install();
    // The stream of events would end with the time that goes by, and the page be read again.
    await page.route('**/api/v1/events*', (route) => route.fulfill({ status: 403, json: { status: 403 } }));
    await go(page, '/audit');
    const time = page.locator('[data-row] time').first();
    const before = await time.innerText();
    await page.clock.fastForward('02:00');
    await time.filter({ hasNotText: before }).waitFor();
    await page.context().close();
  });

  it('asks before it cancels a run', async () => {
    const id = await aQueuedRun(world(), 2);
    const page = await world().open();
    await go(page, `/runs/${id}`);
    const ask = page.getByRole('button', { name: 'Cancel the run' });
    const dialog = page.getByRole('dialog', { name: 'Cancel the run?' });
    await ask.dblclick();
    await dialog.getByRole('button', { name: 'Let it go on' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await world().query('select status from runs where id = $1', [id])).to.deep.equal([{ status: 'queued' }]);
    await ask.click();
    await dialog.locator('button:not([aria-disabled])', { hasText: 'Cancel the run' }).click();
    await page.getByText('The run is cancelled.').waitFor();
    await page.locator('.facts').getByText('cancelled').waitFor();
    await page.context().close();
  });

  it('says that the server is busy while it waits for it, and goes on by itself', async () => {
    await aQueuedRun(world(), 1);
    await finishNext();
    const page = await world().open();
    let asked = 0;
    await page.route('**/api/v1/runs?*', async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      return route.fulfill(busyFor(2));
    });
    await visit(page, `${world().baseUrl}/console/runs`);
    const busy = page.getByText('The server is busy');
    await busy.waitFor();
    expect(await page.locator('.skeleton').count(), 'while it waits').to.be.above(0);
    await page.locator('table.list tbody tr').first().waitFor();
    await busy.waitFor({ state: 'detached' });
    expect([asked, await page.locator('.failure').count()]).to.deep.equal([2, 0]);
    await page.context().close();
  });
};
