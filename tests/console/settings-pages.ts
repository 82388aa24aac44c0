import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { portico } from '../../src/client/portico.ts';
import { OAuthStore, WebhookQueue } from '../../src/composition/modules/postgres.ts';
import { WebhookService } from '../../src/composition/modules/webhooks.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { PASSWORD } from '../oauth/world.ts';
import { anId, finished } from '../support/builders.ts';
import { reload, visit } from '../support/chromium.ts';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

export const settingsTargets: Targets = {
  '/settings': null,
  '/people': null,
  '/deliveries': null,
  '/deliveries?status=failed': null,
  '/audit': null,
  '/erasures': null,
};

/** A delivery that was given up after its second attempt, to which the receiver gave a hostile answer. */
const aFailedDelivery = async (world: ConsoleWorld, hostile: string) => {
  const id = anId();
  await world.query(
    `insert into webhooks (id, workspace_id, address, sealed_url, sealed_secret, events, created_at, updated_at)
     select $1, workspace_id, 'https://hooks.example.com/services/…', 'x', 'x', '{run.queued}', now(), now() from users where id = $2`,
    [id, await world.userId('ada@example.com')],
  );
  await world.query(
    `insert into webhook_deliveries (webhook_id, sequence, run_id, event, data) values ($1, 1, $2, 'run.completed', '{}')`,
    [id, anId()],
  );
  const queue = world.composition.container.get(WebhookQueue);
  const silence = { status: null, error: 'It did not answer within 15 seconds.', response: null, durationMs: 15_000 };
  await queue.fail(await theDue(world), silence, 0);
  const refusal = { status: 503, error: 'The receiver answered 503.', response: hostile, durationMs: 42 };
  await queue.fail(await theDue(world), refusal, null);
};

const theDue = async (world: ConsoleWorld) => {
  const [work] = await world.composition.container.get(WebhookQueue).lease(1, 1, 60);
  return work?.lease ?? expect.fail('nothing is due');
};

/** Tests of the settings and the deliveries, in the browser and on the server of the others. */
export const settingsPages = (world: () => ConsoleWorld, go: Go, hostile: string): void => {
  it('makes a key that is shown once, rotates it and revokes it', async () => {
    const page = await world().open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await go(page, '/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(hostile.slice(0, 100));
    await page.getByLabel('It may').selectOption('Read agents, runs and documents');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const field = page.getByRole('textbox', { name: 'Your new key' });
    const key = await field.inputValue();
    const works = async (which: string) =>
      (await fetch(`${world().baseUrl}/api/v1/agents`, { headers: { 'x-api-key': which } })).status;
    expect(await works(key)).to.equal(200);
    // What is said stands in the dialog: the page behind it is dark, and can be neither clicked nor heard.
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('dialog').getByRole('status').getByText('Copied.').waitFor();
    expect(await page.locator('.notices p').count()).to.equal(1);
    expect(await page.locator('.notices').count(), 'the place for the next one, behind the dialog').to.equal(2);
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText('Copied.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Done' }).click();
    await field.waitFor({ state: 'detached' });
    expect(await page.content()).to.not.include(key);
    await page.getByText('agents:read, runs:read').waitFor();
    await page.getByRole('button', { name: /^Rotate <script>/ }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).last().click();
    const next = await field.inputValue();
    expect([next === key, await works(key), await works(next)]).to.deep.equal([false, 200, 200]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await field.inputValue(), 'nothing shows it again').to.equal(next);
    await page.getByRole('button', { name: 'Done' }).click();
    const revoke = page.getByRole('button', { name: /^Revoke <script>/ });
    await revoke.nth(1).waitFor();
    await revoke.first().click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await page.getByText('The key is revoked.').waitFor();
    expect(await works(next)).to.equal(401);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await page.context().close();
  });

  it('invites people, takes access away from programs, and switches single keys off', async () => {
    const client = {
      clientId: 'app',
      clientName: hostile,
      clientHost: 'app.example.com',
      resource: world().baseUrl,
      agentId: null,
    };
    const times = { createdAt: new Date(), usedAt: null, expiresAt: new Date(Date.now() + 86_400_000) };
    const grant = {
      id: anId(),
      userId: await world().userId('ada@example.com'),
      ...client,
      scopes: ['runs:read'],
      ...times,
    };
    await world().composition.container.get(OAuthStore).saveGrant(grant, 'hash', null);
    const page = await world().open();
    await go(page, '/people');
    await page.getByRole('button', { name: 'New password for Bob' }).click();
    expect(await page.getByRole('textbox', { name: 'Invitation for Bob' }).inputValue()).to.match(
      /^http.*\/oauth\/invitation\//,
    );
    await page.getByRole('button', { name: 'Done' }).click();
    await go(page, '/settings');
    await page.getByRole('button', { name: 'Take access away from app.example.com' }).click();
    await page.getByRole('button', { name: 'Take access away', exact: true }).last().click();
    await page.getByText('The program has no access any more.').waitFor();
    await page.getByText('app.example.com').first().waitFor({ state: 'detached' });
    await page.getByLabel('Single keys act').uncheck();
    await page.locator('body').press('?');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.getByLabel('Single keys act').check();
    await page.context().close();
  });

  it('adds people, changes their role, and disables and enables them after a question', async () => {
    const page = await world().open();
    await go(page, '/people');
    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill('bob@example.com');
    await dialog.getByLabel('Name').fill(hostile.slice(0, 200));
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('belongs to a user already').waitFor();
    await dialog.getByLabel('Email address').fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.locator('li', { hasText: 'grace@example.com' });
    await row.getByText('member ·').waitFor();
    expect(await row.innerText())
      .to.include('by a link only')
      .and.include('not invited');
    await world().query("update users set last_seen_at = now() where email = 'grace@example.com'");
    await reload(page);
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Change / }).click();
    await dialog.getByLabel('Name').fill('Grace Hopper');
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('viewer ·').waitFor();
    const stored = async () =>
      (
        await world().query<{ role: string; off: boolean }>(
          `select role, disabled_at is not null as off from users where email = 'grace@example.com'`,
        )
      )[0];
    expect(await stored()).to.deep.equal({ role: 'viewer', off: false });
    await page.getByRole('button', { name: 'Disable Grace Hopper' }).click();
    expect(await dialog.innerText())
      .to.include('signed out everywhere')
      .and.include('API keys are refused');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('disabled', { exact: true }).waitFor();
    expect(await stored()).to.deep.equal({ role: 'viewer', off: true });
    await page.getByRole('button', { name: 'Enable Grace Hopper' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    expect(await stored()).to.deep.equal({ role: 'viewer', off: false });
    expect(await page.getByRole('button', { name: /^Disable Ada/ }).count(), 'not oneself').to.equal(0);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await page.context().close();
  });

  it('offers a viewer nothing that a viewer may not do', async () => {
    const file = 'workspace: acme\nusers: [{ email: bob@example.com, name: Bob, role: viewer }]';
    const workspaces = world().composition.container.get(WorkspaceService);
    await workspaces.apply(readWorkspaceFile(file, {}), { dryRun: false, prune: false });
    const page = await (await world().browser.newContext()).newPage();
    await visit(page, `${world().baseUrl}/console/runs`);
    await page.getByLabel('Email address').fill('bob@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('viewer of acme').waitFor({ state: 'attached' });
    const values = { data: { supplier: 'Meyer', total: 12, lines: [] }, reviewReasons: [] };
    const id = await world().newDocument('to-read.txt', finished({ ...values, reviewStatus: 'pending' }));
    await world().newDocument('approved.txt', finished({ ...values, reviewStatus: 'approved' }));
    for (const target of [
      '/inbox',
      '/ready',
      '/runs',
      '/documents',
      `/agents/${world().agent('Clerk')}`,
      '/settings',
      '/deliveries',
    ]) {
      await go(page, target);
      await page.getByText('viewer of acme').waitFor({ state: 'attached' });
      for (const name of ['Send files', 'Send', 'Invite Newcomer', 'Send again', 'Process it'])
        expect(await page.getByRole('button', { name, exact: true }).count(), `${target} ${name}`).to.equal(0);
    }
    await page.getByText('Only an administrator may do this.').waitFor();
    await go(page, `/documents/${id}`);
    await page.getByRole('heading', { name: 'to-read.txt' }).waitFor();
    await page.getByText('viewer of acme').waitFor({ state: 'attached' });
    const changes: string[] = [];
    page.on('request', (request) => void (request.method() === 'GET' || changes.push(request.url())));
    for (const key of ['a', 'r', 'Shift+A', 'u', 'e']) await page.locator('body').press(key);
    await page.keyboard.press('?');
    const does = await page.getByRole('dialog').getByRole('cell').allTextContents();
    expect(does, 'no key that changes something').to.deep.equal([
      'Show the keys of this page',
      'Next document',
      'Previous document',
    ]);
    expect([changes, await page.locator('.notices p').count()]).to.deep.equal([[], 0]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('navigation', { name: 'Events' }).count()).to.equal(0);
    await page.context().close();
  });

  it('shows administrators who did what, the newest first, by filters that stand in the address', async () => {
    const id = await world().newDocument('held-by-ada.txt', finished());
    const client = portico({ baseUrl: world().baseUrl, apiKey: await world().key('ada@example.com') });
    const hold = { params: { path: { id } } } as const;
    await client.put('/api/v1/documents/{id}/hold', { ...hold, body: { reason: 'So.' } });
    await client.delete('/api/v1/documents/{id}/hold', hold);
    const page = await world().open();
    page.setDefaultTimeout(20_000);
    await go(page, '/audit');
    const first = page.locator('.entries li').first();
    await page.getByRole('link', { name: 'held-by-ada.txt' }).nth(1).waitFor();
    const entries = await page.locator('.entries li').allTextContents();
    const sequences = entries.map((text) => Number(/(\d+) · /.exec(text)?.[1]));
    expect(sequences).to.deep.equal(sequences.toSorted((one, other) => other - one));
    await page.getByRole('navigation', { name: 'Audit' }).getByRole('link', { name: 'Erased' }).click();
    await page.getByRole('heading', { name: 'Erased', exact: true }).waitFor();
    await go(page, `/audit?subject=${anId()}&from=2020-01-01`);
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.locator('.entries li').first().waitFor();
    await page.getByLabel('Action').selectOption('sign_in.*');
    await page.waitForURL('**/audit?action=sign_in.*');
    const steps = () => page.evaluate('history.length');
    const before = await steps();
    for (const typed of ['ada', 'ada@', 'ada@example.com']) {
      await page.getByLabel('Email of a user').fill(typed);
      await page.waitForURL(`**actor=${encodeURIComponent(typed)}*`);
    }
    await page.getByLabel('From (UTC)').fill('2020-01-01');
    await page.waitForURL('**from=2020-01-01*');
    expect(await steps(), 'one way back leads out of what is typed').to.equal(before);
    await first.getByText('sign_in.succeeded').waitFor();
    await first.locator('summary').click();
    await first.getByText('"previous"').waitFor();
    await page.evaluate(axe.source);
    expect(((await page.evaluate('axe.run()')) as axe.AxeResults).violations).to.deep.equal([]);
    await page.getByLabel('until').fill('2020-01-02');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.context().close();
  });

  it('shows what was sent to webhooks with what came of each attempt, and sends it again', async () => {
    await aFailedDelivery(world(), hostile);
    const page = await world().open();
    await go(page, '/deliveries?status=failed');
    await page.getByText('The receiver answered 503.').click();
    const attempts = async (count: number) => {
      await page
        .locator('.attempts li')
        .nth(count - 1)
        .waitFor();
      return (await page.locator('.attempts li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    };
    const [second, first, ...more] = await attempts(2);
    expect(more).to.deep.equal([]);
    expect(second)
      .to.match(/^2\. The receiver answered 503\. just now · 42 ms/)
      .and.contain(hostile);
    expect(first).to.match(/^1\. It did not answer within 15 seconds\. just now · 15\.0 s$/);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await page.evaluate(axe.source);
    expect(((await page.evaluate('axe.run()')) as axe.AxeResults).violations).to.deep.equal([]);
    await page.getByRole('button', { name: /^Send again: run.completed/ }).click();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all deliveries' }).click();
    await page.getByText('pending', { exact: true }).last().waitFor();
    const answer = { status: 200, error: null, response: 'thanks', durationMs: 7 };
    await world()
      .composition.container.get(WebhookQueue)
      .succeed(await theDue(world()), answer);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('The receiver took it (200).').click();
    expect((await attempts(3))[0]).to.match(/^3\. The receiver took it \(200\)\. just now · 7 ms thanks$/);
    const disabled = page.getByRole('region', { name: 'Disabled webhooks' });
    expect(await disabled.count()).to.equal(0);
    const [webhook] = await world().composition.container.get(WebhookService).list();
    await world()
      .composition.container.get(WebhookQueue)
      .disable(webhook?.id ?? '', `It is gone. ${hostile}`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect((await disabled.innerText()).replaceAll(/\s+/g, ' ')).to.match(
      /^https:\/\/hooks\.example\.com\/services\/… is disabled since just now: It is gone\. .* Apply the workspace file to enable it\.$/,
    );
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(((await page.evaluate('axe.run()')) as axe.AxeResults).violations).to.deep.equal([]);
    await page.getByRole('button', { name: /^Send again: run.completed/ }).click();
    await page.getByText('The webhook of this delivery is disabled.').waitFor();
    await world().query(
      `insert into webhook_deliveries (webhook_id, sequence, event, data, status, due_at)
       select $1::uuid, 2, unnest('{budget.warning,audit.checkpoint,approval.requested}'::text[]), '{}'::json, 'disabled', null`,
      [webhook?.id],
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    const leads = (event: string) => page.getByRole('link', { name: event }).getAttribute('href');
    expect(await leads('budget.warning')).to.match(/\/usage$/);
    expect(await leads('audit.checkpoint')).to.match(/\/audit$/);
    expect(await leads('approval.requested')).to.match(/\/approvals$/);
    await page.context().close();
  });
};
