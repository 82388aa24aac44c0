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

  it('shows each budget with what is spent, reserved and left of it', async () => {
    const [workspace] = await world().query<{ id: string }>(
      `update workspaces set prices = '{"currency":"EUR","models":{},"ocrPage":null}'
       where id = (select workspace_id from users where email = 'ada@example.com') returning id`,
    );
    const agent = world().agent('Invoices');
    await world().query(
      `insert into usage_entries (workspace_id, user_id, agent_id, agent_version, model, cost) values ($1, $1, $2, 1, 'openai/some', '41.5')`,
      [workspace?.id, agent],
    );
    const conversation = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f';
    await world().query(
      `with conversation as (
         insert into conversations (id, workspace_id, agent_id, user_id, status, fence, lease_expires_at)
         select $3, $1, $2, u.id, 'responding', 7, now() + interval '1 hour' from users u where u.email = 'ada@example.com' returning id
       )
       insert into budget_reservations (conversation_id, lease, workspace_id, agent_id, day, amount)
       select id, 7, $1, $2, usage_now()::date, 20 from conversation`,
      [workspace?.id, agent, conversation],
    );
    for (const [name, of, limit, action, period] of [
      ['Everything', null, '500.00', 'stop', 'month'],
      ['Invoices by day', agent, '50', 'stop', 'day'],
      ['Trials', agent, '0.000001', 'warn', 'day'],
    ])
      await world().query(
        `insert into budgets (id, workspace_id, name, agent_id, period, "limit", action, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, now(), now())`,
        [workspace?.id, name, of, period, limit, action],
      );
    const page = await world().open({ locale: 'en-GB' });
    await go(page, '/usage');
    const shown = async (name: string) =>
      (await page.locator('.budgets li', { has: page.getByText(name, { exact: true }) }).innerText()).split(/\s*\n\s*/);
    await page.getByRole('heading', { name: 'Budgets' }).waitFor();
    const [title, terms, state, figures] = await shown('Invoices by day');
    expect([title, terms, state]).to.deep.equal(['Invoices by day', 'Invoices, by day, stops', 'warning']);
    expect(figures).to.match(/^€41\.50 of €50\.00 spent · €20\.00 reserved for steps under way · €0\.00 left until /);
    expect(await shown('Trials')).to.include.members(['Invoices, by day, warns only', 'exhausted']);
    const bar = page.getByRole('img', { name: /^Everything: / });
    expect(await bar.getAttribute('aria-label')).to.match(
      /spent, €20\.00 reserved for steps under way, €4\d\d\.\d+ left$/,
    );
    expect(await bar.locator('.reserved').getAttribute('style')).to.equal('width: 4%;');
    await world().query('delete from budgets');
    await world().query('delete from budget_reservations');
    await page.context().close();
  });
};
