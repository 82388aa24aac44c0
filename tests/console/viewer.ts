import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { Locator, Page } from 'playwright-core';
import { finished, someEvidence } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const COUNT = 30;

const longPdf = async () => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= COUNT; number += 1)
    pdf.addPage([595, 842]).drawText(`Supplier-${number}`, { x: 300, y: 420, size: 20, font });
  return pdf.save();
};

/** A document of thirty pages, of which the last has the supplier. */
const longDocument = async (world: ConsoleWorld): Promise<string> => {
  const boxes = [{ page: COUNT, x: 0.5, y: 0.48, width: 0.2, height: 0.03 }];
  const supplier = someEvidence({ quote: `Supplier-${COUNT}`, fileName: 'invoice.pdf', page: COUNT, boxes });
  const data = { supplier: `Supplier-${COUNT}`, total: 12, lines: [] };
  return world.newDocument('thirty.pdf', finished({ data, evidence: { '/supplier': supplier } }), await longPdf());
};

const ROWS = 6000;

/** A document of a table without pages, of which the second row has the supplier and the last one the total. */
const tableDocument = async (world: ConsoleWorld): Promise<string> => {
  const rows = Array.from({ length: ROWS }, (_, index) => `Bolt ${index};${index} pieces of steel`);
  const text = ['Supplier;Meyer & Söhne', ...rows, 'Total;12'].join('\n');
  const fileName = 'bolts.csv';
  const evidence = {
    '/supplier': someEvidence({ quote: 'Supplier Meyer & Söhne', fileName, page: null, boxes: [] }),
    '/total': someEvidence({ quote: 'Total 12', fileName, page: null, boxes: [] }),
  };
  const data = { supplier: 'Meyer & Söhne', total: 12, lines: [] };
  const file = { fileName, contentType: 'text/csv' };
  return world.newDocument('bolts.csv', finished({ data, evidence }), new TextEncoder().encode(text), file);
};

export const viewerTargets: Targets = {
  'a table without pages': async (world) => `/documents/${await tableDocument(world)}`,
  'many pages': async (world) => `/documents/${await longDocument(world)}`,
};

/** Tests of how the pages of a document are shown, in the browser and on the server of the others. */
export const viewer = (world: () => ConsoleWorld, go: Go): void => {
  let id: string;
  const address = async () => {
    id ??= await longDocument(world());
    return `/documents/${id}`;
  };
  const open = async (options = {}) => {
    const page = await world().open(options);
    await go(page, await address());
    await page.locator('.sheet img').first().waitFor();
    return page;
  };
  const requests = () => world().requests.map(({ url }) => url.pathname.replace('/api/v1/documents/', ''));
  const pagesAsked = (since: number) =>
    new Set(
      requests()
        .slice(since)
        .flatMap((path) => /\/files\/0\/pages\/(\d+)$/.exec(path)?.[1] ?? []),
    );
  const has = async (field: Locator, value: string) => {
    while ((await field.inputValue()) !== value) await field.page().waitForTimeout(20);
  };
  const hasSize = (page: Page, text: string) => page.getByLabel('Size').filter({ hasText: text }).waitFor();
  const widthOf = async (sheet: Locator) => (await sheet.boundingBox())?.width ?? 0;
  const first = (page: Page) => page.locator('.sheet').first();
  const number = (page: Page) => page.getByLabel(`Page, of ${COUNT}`);

  it('asks for the pages near what is seen alone, says which one that is, and goes to the one that is typed', async () => {
    const before = world().requests.length;
    const page = await open();
    expect([...pagesAsked(before)])
      .to.include('1')
      .and.not.include('9');
    await page.locator('.number-of', { hasText: `of ${COUNT}` }).waitFor();
    expect(await number(page).inputValue()).to.equal('1');
    await number(page).fill('12');
    await number(page).press('Enter');
    await page.getByRole('img', { name: 'Page 12 of invoice.pdf' }).waitFor();
    expect([...pagesAsked(before)])
      .to.include('12')
      .and.not.include('6');
    await number(page).fill('2');
    await page.locator('.view').evaluate('document.querySelector(".view").scrollTop = 0');
    await page.evaluate(
      'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn, 50))))',
    );
    expect(await number(page).inputValue(), 'what is typed').to.equal('2');
    await number(page).blur();
    await has(number(page), '1');
    await page.getByLabel('Supplier', { exact: true }).click();
    const mark = page.locator('.box.chosen');
    await mark.waitFor();
    const top = `document.querySelector('.box.chosen')?.getBoundingClientRect().top`;
    await page.waitForFunction(`${top} >= 1 && ${top} <= 720`);
    await page.getByRole('link', { name: 'Download invoice.pdf' }).waitFor();
    await page.context().close();
  });

  it('opens a document by three requests, and its images', async () => {
    id ??= await longDocument(world());
    const page = await world().open();
    await go(page, '/documents');
    const link = page.getByRole('link', { name: 'thirty.pdf' }).first();
    await link.waitFor();
    const before = world().requests.length;
    await link.click();
    await page.locator('.sheet img').first().waitFor();
    const other = new RegExp(`^(?!${id})[0-9a-f-]{36}`);
    const asked = requests()
      .slice(before)
      .filter((path) => !/\/pages\/\d+$/.test(path) && !other.test(path))
      // The log is followed all the while: it is asked again whenever something has happened.
      .filter((path) => path !== '/api/v1/events');
    expect(asked).to.have.members([id, `${id}/files`, `/api/v1/agents/${world().agent('Invoices')}/versions/1`]);
    await page.context().close();
  });

  it('enlarges the pages by keys, buttons and the wheel with Ctrl, and fits them again', async () => {
    const page = await open();
    const fits = await widthOf(first(page));
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await hasSize(page, '156 %');
    expect((await widthOf(first(page))) / fits).to.be.within(1.5, 1.6);
    await page.keyboard.press('-');
    await hasSize(page, '125 %');
    await first(page).hover();
    const finer = page.waitForRequest(/pages\/1\?width=2400/);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await hasSize(page, '180 %');
    await (await finer).response();
    await page.keyboard.press('0');
    await hasSize(page, '100 %');
    expect((await widthOf(first(page))) - fits).to.be.within(-2, 2);
    await page.getByRole('button', { name: 'Smaller' }).click();
    await hasSize(page, '80 %');
    await page.getByRole('button', { name: 'Fit width' }).click();
    await hasSize(page, '100 %');
    await page.context().close();
  });

  it('enlarges the pages by two fingers, and the page around them stays as it is', async () => {
    const page = await open({ viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true });
    await first(page).scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0 } = (await first(page).boundingBox()) ?? {};
    const session = await page.context().newCDPSession(page);
    const top = Math.max(y, 0) + 60;
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [-1, 1].map((side, at) => ({ id: at, x: x + width / 2 + (side * apart) / 2, y: top })),
      });
    await touch('touchStart', 60);
    await touch('touchMove', 90);
    await touch('touchMove', 120);
    await touch('touchEnd', 0);
    await hasSize(page, '200 %');
    expect(await page.evaluate('visualViewport.scale')).to.equal(1);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true);
    await page.context().close();
  });

  it('turns the pages, and fills a value from a word of a turned one', async () => {
    const page = await open();
    const ratio = async () => {
      const { width = 0, height = 1 } = (await first(page).boundingBox()) ?? {};
      return width > height;
    };
    expect(await ratio()).to.equal(false);
    await page.getByRole('button', { name: 'Turn' }).click();
    while (!(await ratio())) await page.waitForTimeout(20);
    await page.getByLabel('Supplier', { exact: true }).focus();
    await first(page).scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await first(page).boundingBox()) ?? {};
    // The word stands at 0.58, 0.49 of the page; a quarter to the right brings it to 0.51, 0.58.
    await page.mouse.click(x + width * 0.507, y + height * 0.58);
    await has(page.getByLabel('Supplier', { exact: true }), 'Supplier-1');
    await page.context().close();
  });

  it('has a bar between pages and values that the mouse and the keyboard move, and remembers where', async () => {
    const page = await open();
    const bar = page.getByRole('separator', { name: 'Width of the pages' });
    const before = await widthOf(page.locator('.source'));
    await bar.and(page.locator('[aria-valuenow="44"]')).waitFor();
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await bar.and(page.locator('[aria-valuenow="40"]')).waitFor();
    const narrower = await widthOf(page.locator('.source'));
    expect(narrower).to.be.below(before - 20);
    const { x = 0, y = 0 } = (await bar.boundingBox()) ?? {};
    await page.mouse.move(x + 8, y + 100);
    await page.mouse.down();
    await page.mouse.move(x + 208, y + 100, { steps: 4 });
    await page.mouse.up();
    while ((await widthOf(page.locator('.source'))) < narrower + 150) await page.waitForTimeout(20);
    const wider = await bar.getAttribute('aria-valuenow');
    await reload(page);
    await page.locator('.sheet img').first().waitFor();
    expect(await bar.getAttribute('aria-valuenow')).to.equal(wider);
    await bar.dblclick();
    await bar.and(page.locator('[aria-valuenow="44"]')).waitFor();
    expect(Math.abs((await widthOf(page.locator('.source'))) - before)).to.be.below(3);
    await page.context().close();
  });

  it('draws the pages that a lost connection kept away once it is back', async () => {
    const page = await open();
    const lost = page.getByText('The server does not answer');
    await page.context().setOffline(true);
    await number(page).fill('20');
    await number(page).press('Enter');
    await lost.waitFor();
    // Longer than the client tries by itself.
    await page.waitForTimeout(4_000);
    expect(await page.locator('.sheet .missing').count()).to.equal(0);
    await page.context().setOffline(false);
    await page.getByRole('img', { name: 'Page 20 of invoice.pdf' }).waitFor();
    await lost.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('draws a page of which the answer broke off', async () => {
    const page = await world().open();
    // What Chromium makes of a connection that breaks under the body.
    await page.addInitScript(`{
      const { blob } = Response.prototype;
      let breaks = 1;
      Response.prototype.blob = function () {
        return breaks-- > 0 ? Promise.reject(new TypeError('network error')) : blob.call(this);
      };
    }`);
    await go(page, await address());
    await page.getByRole('img', { name: 'Page 1 of invoice.pdf', exact: true }).waitFor();
    await page.context().close();
  });

  it('shows all pages small when it is asked to, each of which leads to the large one', async () => {
    const page = await open();
    const before = world().requests.length;
    await page.getByRole('button', { name: 'Pages', exact: true }).click();
    await page.locator('.thumbnails img').first().waitFor();
    const isSmall = ({ url }: { readonly url: URL }) => url.searchParams.get('width') === '120';
    const small = world().requests.slice(before).filter(isSmall);
    expect(small.length, 'those near what is seen').to.be.within(1, COUNT - 1);
    await page.getByRole('button', { name: 'Page 10', exact: true }).click();
    await page.getByRole('img', { name: 'Page 10 of invoice.pdf' }).waitFor();
    expect(await number(page).inputValue()).to.equal('10');
    await page.context().close();
  });

  it('shows a file without pages as it was read, with the quotes marked, and reads on where a chosen value stands', async () => {
    const page = await world().open();
    await go(page, `/documents/${await tableDocument(world())}`);
    const rows = page.locator('.read tr');
    await rows.first().waitFor();
    expect(await rows.first().locator('td').allInnerTexts()).to.deep.equal(['Supplier', 'Meyer & Söhne']);
    expect(await rows.count()).to.be.within(1000, ROWS);
    const mark = page.locator('.read mark.chosen');
    await page.getByLabel('Supplier', { exact: true }).click();
    expect(await mark.allInnerTexts()).to.deep.equal(['Supplier', 'Meyer & Söhne']);
    await page.getByLabel('Total', { exact: true }).click();
    await mark.filter({ hasText: '12' }).waitFor();
    expect(await mark.allInnerTexts()).to.deep.equal(['Total', '12']);
    expect(await rows.count()).to.equal(ROWS + 2);
    const { y = 0 } = (await mark.first().boundingBox()) ?? {};
    expect(y, 'is seen').to.be.within(1, 720);
    await page.locator('.view').evaluate('document.querySelector(".view").scrollTop = 0');
    await page.locator('.read mark', { hasText: 'Meyer' }).click();
    expect(await mark.allInnerTexts()).to.deep.equal(['Supplier', 'Meyer & Söhne']);
    expect(await page.getByRole('link', { name: 'Download bolts.csv' }).count()).to.equal(1);
    await page.context().close();
  });

  it('says why a file without pages has no text', async () => {
    const file = { fileName: 'old.zip', contentType: 'application/zip' };
    const left = finished({ data: { supplier: 'Meyer', total: 12 } });
    const page = await world().open();
    await go(page, `/documents/${await world().newDocument('old.zip', left, Buffer.from('PK no zip'), file)}`);
    await page.getByText('The text cannot be read: the file').waitFor();
    await page.context().close();
  });

  it('says that a page is being drawn, and tries again when that fails', async () => {
    id ??= await longDocument(world());
    const page = await world().open();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/pages\/1\?width/, async (route) => {
      await held;
      await route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'page_unreadable', message: 'The page is damaged.' } }),
      });
    });
    await go(page, `/documents/${id}`);
    await page.getByText('Page 1 is being drawn…').waitFor();
    expect(await first(page).getAttribute('aria-busy')).to.equal('true');
    goOn();
    const again = first(page).getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(/pages\/1\?width/);
    await again.click();
    await page.getByRole('img', { name: 'Page 1 of invoice.pdf' }).waitFor();
    expect([await again.count(), await first(page).getAttribute('aria-busy')]).to.deep.equal([0, 'false']);
    await page.context().close();
  });
};
