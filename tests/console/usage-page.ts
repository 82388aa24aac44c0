import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

export const usageTargets: Targets = { '/usage': null, '/usage?by=model&figure=tokens&days=7': null };

/** Tests of the page of usage, in the browser and on the server of the others. */
export const usagePage = (world: () => ConsoleWorld, go: Go): void => {
  it('shows what was done by day, with the figures in a table, and what it cost to the last digit', async () => {
    const [user] = await world().query<{ id: string; workspace_id: string }>(
      `select id, workspace_id from users where email = 'ada@example.com'`,
    );
    const use = [user?.workspace_id, user?.id, world().agent('Invoices')];
    await world().query(
      `update workspaces set prices = '{"currency":"EUR","models":{},"ocrPage":null}' where id = $1`,
      [user?.workspace_id],
    );
    for (const [back, runs, cost] of [
      [1, 40, '12.3456789'],
      [3, 2, '0.0000001'],
    ])
      await world().query(
        `insert into usage_entries (workspace_id, user_id, agent_id, agent_version, model, day, runs, pages, input_tokens, cost)
         values ($1, $2, $3, 1, 'openai/some', (now() at time zone 'utc')::date - $4::int, $5, 7, 1234567, $6)`,
        [...use, back, runs, cost],
      );
    const page = await world().open({ locale: 'en-GB' });
    await go(page, '/usage');
    await page.getByRole('img', { name: 'Cost by agent, day by day' }).locator('canvas').waitFor();
    await page.locator('.figures tr', { hasText: 'Invoices' }).getByText('€12.345679').waitFor();
    await page.getByLabel('Lines').selectOption('by model');
    await page.getByLabel('Figure').selectOption('Tokens');
    await page.getByRole('img', { name: 'Tokens by model, day by day' }).waitFor();
    const row = await page.locator('.figures tr', { hasText: 'openai/some' }).innerText();
    expect(row.split('\t')).to.deep.equal(['openai/some', '42', '0', '14', '0', '2,469,134', '0', '€12.345679']);
    expect(new URL(page.url()).search).to.equal('?by=model&figure=tokens');
    await page.getByLabel('Days').selectOption('the last 7 days');
    await page.getByText('openai/some').first().waitFor();
    await page.context().close();
  });
};
