import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { anId, finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { setAside } from './inbox-page.ts';
import { busyFor } from './problems.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true });

/** Until the document has been visible for long enough to be decided on. */
export const canDecide = (page: Page): Promise<void> =>
  approve(page).and(page.locator(':enabled:not([aria-disabled])')).waitFor();

/** So long a document is shown before it can be decided on. */
const SEEN_MS = 600;

/** So long what could decide on one more document has time to do so. */
const AFTERWARDS_MS = 500;

/** Presses a key for so long that it repeats. */
const holding = async (page: Page, key: string) => {
  for (let times = 0; times < 40; times++) {
    await page.keyboard.down(key);
    await page.waitForTimeout(50);
  }
};

/** Tests of what a click or a key decides on, in the browser and on the server of the others. */
export const decisions = (world: () => ConsoleWorld, go: Go): void => {
  /** Documents that wait for a decision, the first of them opened as from the inbox. */
  const stack = async (count: number) => {
    const ids: string[] = [];
    const reason = { code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' } as const;
    for (let index = 0; index < count; index++) {
      const left = finished({
        data: { supplier: 'Meyer', total: 12 },
        reviewStatus: 'pending',
        reviewReasons: [reason],
      });
      ids.push(await world().newDocument(`pile ${index}.txt`, left));
    }
    const page = await world().open();
    await go(page, `/documents/${ids[0]}?review=pending&from=inbox`);
    return {
      page,
      isShown: (index: number) => page.getByRole('heading', { name: `pile ${index}.txt`, exact: true }).waitFor(),
      /** How many were decided on, the first ones, a while after there were so many: on one more it may have been decided since. */
      decided: async (least: number) => {
        const found = async () => {
          const sql = "select id from documents where id = any($1) and review_status <> 'pending'";
          return ((await world().query(sql, [ids])) as readonly { id: string }[]).map(({ id }) => id);
        };
        await until(`${least} are decided on`, async () => (await found()).length >= least);
        await page.waitForTimeout(AFTERWARDS_MS);
        const all = await found();
        expect(all).to.have.members(ids.slice(0, all.length));
        return all.length;
      },
    };
  };

  it('decides on one document by a double click, however fast the next one comes, and on that once it was seen', async () => {
    const gaps = [0, 50, 100, 200, 300, 400, 500, 600, 800, 1000];
    const { page, isShown, decided } = await stack(2 * gaps.length + 2);
    let first = 0;
    for (const gap of gaps) {
      await isShown(first);
      await canDecide(page);
      const box = await approve(page).boundingBox();
      if (!box) throw new Error('there is no button');
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const begun = Date.now();
      if (gap === 0) await page.mouse.dblclick(x, y);
      else {
        await page.mouse.click(x, y);
        await page.waitForTimeout(gap);
        await page.mouse.click(x, y);
      }
      const isFast = Date.now() - begun < SEEN_MS;
      const count = await decided(first + 1);
      // On a slow machine the second click may come when the next document has been seen.
      expect(count - first, `clicks ${gap} ms apart`).to.be.within(1, isFast ? 1 : 2);
      first = count;
    }
    await isShown(first);
    await page.waitForTimeout(1000);
    await approve(page).click();
    await isShown(first + 1);
    expect(await decided(first + 1)).to.equal(first + 1);
    await page.context().close();
  });

  it('decides on one document by a key that is held down, and on the next once it was released', async () => {
    const { page, isShown, decided } = await stack(4);
    await canDecide(page);
    await holding(page, 'a');
    await isShown(1);
    expect(await decided(1)).to.equal(1);
    await page.keyboard.up('a');
    await canDecide(page);
    await page.keyboard.press('a');
    await isShown(2);
    await canDecide(page);
    await page.keyboard.down('Shift');
    await holding(page, 'A');
    await isShown(3);
    expect(await decided(3), 'approved and processed').to.equal(3);
    await page.keyboard.up('A');
    await canDecide(page);
    await page.keyboard.press('A');
    await page.keyboard.up('Shift');
    await page.getByText('pile 3.txt is approved. It is posted').waitFor();
    expect(await decided(4), 'Shift was held all the time').to.equal(4);
    await page.context().close();
  });

  it('leaves a user where they have gone while the server took its time for a decision', async () => {
    const { page, isShown, decided } = await stack(3);
    const answer = Promise.withResolvers<void>();
    await page.route('**/review', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await canDecide(page);
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await isShown(1);
    await page.keyboard.press('j');
    await isShown(2);
    await page.getByLabel('Supplier', { exact: true }).focus();
    answer.resolve();
    expect(await decided(1)).to.equal(1);
    await isShown(2);
    await page.context().close();
  });

  it('confirms one value by Enter that is held down', async () => {
    const reasons = ['/supplier', '/total'].map((pointer) => ({
      code: 'low_confidence' as const,
      pointer,
      message: 'It is hard to read.',
    }));
    const id = await world().newDocument(
      'held enter.txt',
      finished({ data: { supplier: 'Meyer', total: 12 }, reviewStatus: 'pending', reviewReasons: reasons }),
    );
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await page.getByLabel('Supplier', { exact: true }).focus();
    await holding(page, 'Enter');
    await page.keyboard.up('Enter');
    expect(await page.locator('.line.confirmed').count()).to.equal(1);
    await page.keyboard.press('Enter');
    expect(await page.locator('.line.confirmed').count()).to.equal(2);
    await page.context().close();
  });

  it('takes letters for the same keys with Caps Lock on', async () => {
    const { page, isShown } = await stack(2);
    const browser = await page.context().newCDPSession(page);
    /** With Caps Lock on, Shift makes a letter small. */
    const press = async (key: string, modifiers: number) => {
      for (const type of ['keyDown', 'keyUp'] as const)
        await browser.send('Input.dispatchKeyEvent', { type, key, code: `Key${key.toUpperCase()}`, modifiers });
    };
    await canDecide(page);
    await press('a', 8);
    await page.getByText('pile 0.txt is approved. It is posted in 10 seconds.').waitFor();
    await isShown(1);
    await canDecide(page);
    await press('R', 0);
    await page.getByRole('dialog', { name: 'Reject pile 1.txt?' }).waitFor();
    await page.context().close();
  });

  it('takes back one edit by a key that is held down', async () => {
    const id = await world().newDocument('held undo.txt', finished({ data: { supplier: 'Meyer', total: 12 } }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const [supplier, total] = [page.getByLabel('Supplier', { exact: true }), page.getByLabel('Total', { exact: true })];
    await supplier.fill('Huber');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    await supplier.fill('Adler');
    await total.fill('13');
    await page.keyboard.press('Escape');
    await holding(page, 'u');
    await page.keyboard.up('u');
    expect([await supplier.inputValue(), await total.inputValue()]).to.deep.equal(['Adler', '12']);
    await page.keyboard.press('u');
    expect(await supplier.inputValue()).to.equal('Huber');
    await page.context().close();
  });

  it('writes nothing into the field to which a key leads, however long it is held', async () => {
    const id = await world().newDocument(
      'held letters.txt',
      finished({ data: { supplier: 'Meyer', total: 12 }, reviewStatus: 'pending' }),
    );
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await canDecide(page);
    const supplier = page.getByLabel('Supplier', { exact: true });
    const hold = async (key: string, into: Locator) => {
      await holding(page, key);
      await page.keyboard.up(key);
      return into.inputValue();
    };
    expect(await hold('e', supplier)).to.equal('Meyer');
    await page.keyboard.press('End');
    await page.keyboard.press('e');
    expect(await supplier.inputValue()).to.equal('Meyere');
    expect(await hold('e', supplier), 'that is held in the field itself').to.match(/^Meyeree+$/);
    await page.keyboard.press('Escape');
    expect(await hold('r', page.getByRole('dialog').getByRole('textbox'))).to.equal('');
    await page.context().close();
  });

  it('sends no files after the form is cancelled, and leaves the next form alone', async () => {
    const page = await world().open();
    await go(page, '/runs');
    const before = await world().query('select from runs');
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let asked = false;
    await page.route('**/upload-urls', async (route) => {
      asked = true;
      await held;
      await route.continue().catch(() => {});
    });
    await page.getByRole('button', { name: 'Send files' }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'unwanted.txt', mimeType: 'text/plain', buffer: Buffer.from('Supplier: No') });
    await page.getByRole('button', { name: 'Start' }).click();
    await until('it is being sent', () => asked);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Send files' }).click();
    goOn();
    await page.waitForTimeout(2000);
    expect(await page.getByRole('dialog').count()).to.equal(1);
    expect(new URL(page.url()).pathname).to.equal('/console/runs');
    expect(await world().query('select from runs')).to.have.length(before.length);
    await page.context().close();
  });

  it('sends each sample file once, also where some could not be sent at first', async () => {
    const page = await world().open();
    const samples = ['Invoices', 'Clerk'].map((agent) => ({
      agent,
      name: `sample for ${agent}.txt`,
      type: 'text/plain',
      address: `/console/sample-${agent}`,
    }));
    const text = JSON.stringify(samples).replaceAll('"', '&quot;');
    await page.route(/\/console\/runs$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('&quot;samples&quot;:[]', `&quot;samples&quot;:${text}`);
      await route.fulfill({ response, body });
    });
    await page.route('**/console/sample-*', (route) => route.fulfill({ body: 'Supplier: Sample' }));
    const none = { data: { runs: [], total: 0, offset: 0, limit: 20 } };
    await page.route(/\/api\/v1\/runs\?/, (route) => route.fulfill({ json: none }));
    const asked: string[] = [];
    let isRefused = true;
    await page.route(/\/agents\/[^/]+\/run$/, async (route) => {
      asked.push(route.request().url());
      const isFirst = asked.length === 1;
      if (isFirst || !isRefused) await route.fulfill({ json: { data: { id: anId() } } });
      else await route.fulfill({ status: 400, json: { detail: 'There is no room.', status: 400 } });
    });
    await go(page, '/runs');
    const send = page.getByRole('button', { name: 'Send the 2 sample files' });
    await send.click();
    await page.getByText('There is no room.').waitFor();
    isRefused = false;
    await send.click();
    await page.getByText('The files are sent.').waitFor();
    expect(asked.map((url) => asked.indexOf(url))).to.deep.equal([0, 1, 1]);
    await page.context().close();
  });

  it('decides nothing while a button is held that was pressed on the document before', async () => {
    const { page, isShown, decided } = await stack(3);
    await canDecide(page);
    await approve(page).hover();
    await page.mouse.down();
    await page.keyboard.press('a');
    await isShown(1);
    await canDecide(page);
    await page.keyboard.press('a');
    expect(await decided(1)).to.equal(1);
    await page.mouse.up();
    expect(await decided(1), 'the release is no click').to.equal(1);
    await page.keyboard.press('a');
    await isShown(2);
    expect(await decided(2)).to.equal(2);
    await page.context().close();
  });

  it('takes the key that asks whether to process all for no answer, until it was released', async () => {
    const bringBack = await setAside(world(), 'ready');
    await world().newDocument(
      'asked.txt',
      finished({ data: { supplier: 'Meyer', total: 12 }, reviewStatus: 'approved' }),
    );
    const page = await world().open();
    await go(page, '/ready');
    await page.getByRole('button', { name: 'Process it' }).focus();
    await holding(page, 'Enter');
    const answer = page.getByRole('dialog').getByRole('button', { name: 'Process', exact: true });
    expect(await answer.isVisible(), 'it asks').to.equal(true);
    await page.keyboard.up('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('asked.txt is in the system of record').waitFor();
    await bringBack();
    await page.context().close();
  });

  it('shows all that may be decided at the same time, however late the agent is known', async () => {
    const { page, isShown } = await stack(2);
    const come = Promise.withResolvers<void>();
    await page.route('**/versions/*', async (route) => {
      await come.promise;
      await route.continue();
    });
    await reload(page);
    await page.getByLabel('Supplier').waitFor();
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).to.equal(0);
    come.resolve();
    await canDecide(page);
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).allInnerTexts()).to.have.length(3);
    await page.keyboard.press('a');
    await isShown(1);
    await page.context().close();
  });

  it('decides nothing by a key in the moment when a document appears', async () => {
    const { page, isShown, decided } = await stack(3);
    await canDecide(page);
    const begun = Date.now();
    await page.keyboard.press('a');
    await isShown(1);
    await page.keyboard.press('a');
    const isFast = Date.now() - begun < SEEN_MS;
    expect(await decided(1)).to.be.within(1, isFast ? 1 : 2);
    await page.context().close();
  });

  /** Clicks twice at one point; whether what the first click brought can only have been there for a moment at the second one. */
  const clickTwice = async (page: Page, button: Locator, gap: number) => {
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    if (!box) throw new Error('there is no button');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const begun = Date.now();
    await page.mouse.click(x, y);
    await page.waitForTimeout(gap);
    await page.mouse.click(x, y);
    return Date.now() - begun < SEEN_MS;
  };

  /** Documents that cannot be read, and how many of them are in the trash: a while after there were so many, as one more may have followed. */
  const damaged = async (count: number, status: 'error' | 'trashed') => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++)
      ids.push(await world().newDocument(`${status} ${index}.pdf`, `${status} ${index}.pdf is damaged.`));
    await world().query('update documents set status = $2 where id = any($1)', [ids, status]);
    return async (page: Page, least: number) => {
      const sql = 'select id from documents where id = any($1) and status <> $2';
      const found = async () => (await world().query(sql, [ids, status])).length;
      await until(`${least} are no longer there`, async () => (await found()) >= least);
      await page.waitForTimeout(AFTERWARDS_MS);
      return found();
    };
  };

  /** The buttons of rows that act, as far as they do so by now. */
  const acting = (page: Page, name: RegExp) =>
    page.getByRole('button', { name }).and(page.locator('button:not([aria-disabled])'));

  it('dismisses one document by two clicks at one point, and the next one once its row has been there for a while', async () => {
    const bringBack = await setAside(world(), 'error');
    const dismissed = await damaged(6, 'error');
    const page = await world().open({ viewport: { width: 1200, height: 400 } });
    await go(page, '/inbox');
    const dismiss = acting(page, /^Dismiss: error/);
    let before = 0;
    // Where the last row goes, the end of the page moves those before it down.
    for (const [gap, place] of [
      [450, 'first'],
      [450, 'last'],
      [150, 'first'],
    ] as const) {
      await dismiss.nth(5 - before).waitFor();
      const isFast = await clickTwice(page, dismiss[place](), gap);
      const count = await dismissed(page, before + 1);
      expect(count - before, `clicks ${gap} ms apart at the ${place} row`).to.be.within(1, isFast ? 1 : 2);
      before = count;
    }
    await bringBack();
    await page.context().close();
  });

  it('dismisses by a key once the row that has the focus has been at its place for a while', async () => {
    const bringBack = await setAside(world(), 'error');
    const dismissed = await damaged(3, 'error');
    const page = await world().open();
    await go(page, '/inbox');
    const [links, dismiss] = [page.getByRole('link', { name: /^error \d/ }), acting(page, /^Dismiss: error/)];
    await dismiss.nth(2).waitFor();
    // The rows do not move before the list is read again.
    let begun = 0;
    await page.route(/documents\?.*status=error/, (route) => {
      begun ||= Date.now();
      return route.continue();
    });
    await links.first().focus();
    await page.keyboard.press('d');
    await links.nth(2).waitFor({ state: 'detached' });
    await links.first().focus();
    await page.keyboard.press('d');
    const isFast = Date.now() - begun < SEEN_MS;
    const count = await dismissed(page, 1);
    expect(count).to.be.within(1, isFast ? 1 : 2);
    await dismiss.nth(2 - count).waitFor();
    await links.first().focus();
    await page.keyboard.press('d');
    expect(await dismissed(page, count + 1)).to.equal(count + 1);
    await bringBack();
    await page.context().close();
  });

  it('dismisses nothing by a second click where a line above the page has moved its rows', async () => {
    const bringBack = await setAside(world(), 'error');
    const dismissed = await damaged(3, 'error');
    const page = await world().open();
    await go(page, '/inbox');
    const dismiss = acting(page, /^Dismiss: error/);
    await dismiss.nth(2).waitFor();
    let isBusy = true;
    await page.route(/documents\/[^/]+$/, async (route) => {
      if (!isBusy) return route.continue();
      isBusy = false;
      await route.fulfill(busyFor(1));
    });
    const isFast = await clickTwice(page, dismiss.nth(1), 450);
    await page.getByText('The server is busy.').waitFor();
    expect(await dismissed(page, 1)).to.be.within(1, isFast ? 1 : 2);
    await bringBack();
    await page.context().close();
  });

  it('restores one document by two clicks at one point of the trash', async () => {
    const restored = await damaged(3, 'trashed');
    const page = await world().open();
    await go(page, '/documents?status=trashed');
    const restore = acting(page, /^Restore trashed/);
    await restore.nth(2).waitFor();
    const isFast = await clickTwice(page, restore.first(), 450);
    expect(await restored(page, 1)).to.be.within(1, isFast ? 1 : 2);
    await page.context().close();
  });
};
