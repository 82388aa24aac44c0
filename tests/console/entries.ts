import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { finished } from '../support/builders.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** Tests of what is entered as it stands on paper, in the browser and on the server of the others. */
export const entries = (world: () => ConsoleWorld, go: Go): void => {
  it('takes an amount as it stands on paper, says how it is understood before it is saved, and keeps every digit', async () => {
    const lines = [{ description: 'Soap', amount: 1 }];
    const id = await world().newDocument('paper.txt', finished({ data: { supplier: 'Meyer', total: 1, lines } }));
    const stored = async () => {
      const headers = { 'x-api-key': await world().key('ada@example.com') };
      return (await fetch(`${world().baseUrl}/api/v1/documents/${id}`, { headers })).text();
    };
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const total = page.getByLabel('Total', { exact: true });
    const says = page.locator('.understood');
    await total.fill('12.345.678.901.234.567,89 €');
    await says.filter({ hasText: 'Understood as 12,345,678,901,234,567.89' }).waitFor();
    expect(await total.getAttribute('aria-invalid')).to.equal(null);
    await page.evaluate(axe.source);
    const faults = (await page.evaluate("axe.run('main', { resultTypes: ['violations'] })")) as axe.AxeResults;
    expect(faults.violations.map(({ id: rule }) => rule)).to.deep.equal([]);
    const amount = page.locator('input[data-field="/lines/0/amount"]');
    await amount.fill('1.234');
    await says.filter({ hasText: 'Understood as 1.234, not 1,234' }).waitFor();
    await page.getByRole('button', { name: '1,234', exact: true }).click();
    expect(await amount.inputValue()).to.equal('1234');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    const body = await stored();
    expect(body).to.match(/"total":\s*12345678901234567\.89[,}]/);
    expect(body).to.match(/"amount":\s*1234[,}]/);
    await total.focus();
    await page.waitForFunction("document.activeElement.value === '12345678901234567.89'");
    await page.locator('h1').click();
    await page.waitForFunction(
      "document.querySelector('[data-field=\"/total\"]').value === '12,345,678,901,234,567.89'",
    );
    await total.focus();
    await page.keyboard.type('7');
    expect(await total.inputValue(), 'what is typed is not put behind it').to.equal('7');
    await total.fill('about 12');
    expect(await total.getAttribute('aria-invalid')).to.equal('true');
    await page.context().close();
  });

  it('tells a screen reader with a value why it needs a look, and what is wanted of what was typed', async () => {
    const hard = { code: 'low_confidence', message: 'It is hard to read.' } as const;
    const id = await world().newDocument(
      'described.txt',
      finished({
        data: { supplier: 'Meyer', total: 12 },
        reviewStatus: 'pending',
        reviewReasons: [{ ...hard, pointer: '/total' }],
      }),
    );
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const browser = await page.context().newCDPSession(page);
    const described = async (label: string) => {
      const { root } = await browser.send('DOM.getDocument');
      const selector = `[aria-label="${label}"]`;
      const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector });
      const { nodes } = await browser.send('Accessibility.getPartialAXTree', { nodeId, fetchRelatives: false });
      return nodes[0]?.description?.value ?? '';
    };
    const total = page.getByLabel('Total', { exact: true });
    await total.waitFor();
    expect([await described('Total'), await described('Supplier')]).to.deep.equal(['It is hard to read.', '']);
    await total.fill('about 12');
    expect(await described('Total')).to.equal('Enter a number It is hard to read.');
    await page.context().close();
  });
};
