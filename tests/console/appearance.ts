import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import { aReview } from './document-page.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** What can be pressed and is lower than a finger needs it, but for links within a sentence (WCAG 2.5.8). */
const small = `[...document.querySelectorAll('a, button, summary, input:not([type=file]), select')]
  .filter((each) => each.checkVisibility() && !each.matches('.skip, p a, .name a'))
  .map((each) => [each.textContent.trim().slice(0, 20), Math.round(each.getBoundingClientRect().height)])
  .filter(([, height]) => height < 24)`;

const style = (page: Page, selector: string, name: string) =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);

/** Tests of how pages look to people whose screen, system or language is another one. */
export const appearance = (world: () => ConsoleWorld, go: Go): void => {
  it('gives a finger room on a phone', async () => {
    const id = await aReview(world());
    const page = await world().open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    for (const target of ['/events', '/audit', '/settings', `/documents/${id}`]) {
      await go(page, target);
      await page.locator('.entries li, .fields').first().waitFor();
      expect(await page.evaluate(small), target).to.deep.equal([]);
    }
    await page.context().close();
  });

  it('says by lines what it says by colours, where the system sets these', async () => {
    const id = await aReview(world());
    const page = await world().open({ forcedColors: 'active' });
    await go(page, `/documents/${id}`);
    await page.locator('.box').first().waitFor();
    const paper = await style(page, 'body', 'backgroundColor');
    expect(await style(page, '.status .dot', 'backgroundColor')).not.to.equal(paper);
    expect(await style(page, '.line.flagged', 'borderInlineStartWidth')).to.equal('3px');
    for (const selector of ['nav a[aria-current]', '.box', 'td.flagged'])
      expect(await style(page, selector, 'outlineStyle'), selector).not.to.equal('none');
    await page.context().close();
  });

  it('shows a value that runs from right to left so, and the amount beside it with its minus before it', async () => {
    const data = { supplier: 'شركة النور (2026)', total: -1234.5, lines: [] };
    const id = await world().newDocument('right to left.txt', finished({ data }));
    await world().query("update documents set created_at = now() - interval '5 minutes' where id = $1", [id]);
    const page = await world().open({ locale: 'de-DE' });
    await go(page, '/documents?q=right');
    const row = page.locator('[data-row]').filter({ hasText: 'right to left.txt' });
    expect(await row.locator('.soft').first().innerText()).to.equal('\u2068شركة النور (2026)\u2069 · -1.234,50');
    expect(await row.locator('time').innerText(), 'the page is in English').to.equal('5 min. ago');
    await go(page, `/documents/${id}`);
    const supplier = page.getByLabel('Supplier', { exact: true });
    await supplier.waitFor();
    expect(await style(page, '[aria-label=Supplier]', 'unicodeBidi')).to.equal('plaintext');
    await page.context().close();
  });

  it('says by dots that a value goes on where its place is too narrow for it', async () => {
    const data = { supplier: 'Nordlicht Metallbau und Söhne GmbH', total: 12_345_678_901.5, lines: [] };
    const id = await world().newDocument('narrow.txt', finished({ data }));
    const page = await world().open({ viewport: { width: 320, height: 640 } });
    await go(page, `/documents/${id}`);
    const supplier = page.getByLabel('Supplier', { exact: true });
    await supplier.waitFor();
    const cut = "(field => field.scrollWidth > field.clientWidth)(document.querySelector('[aria-label=Supplier]'))";
    expect([await page.evaluate(cut), await style(page, '[aria-label=Supplier]', 'textOverflow')]).to.deep.equal([
      true,
      'ellipsis',
    ]);
    await page.context().close();
  });
};
